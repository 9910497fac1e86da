# Where things are and what they are called; every script here sources it and works from the root of the repository.
# shellcheck shell=bash disable=SC2034
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# What is packed is for all to read, whoever packs it.
umask 022

work=$PWD/.dev/package     # everything that is made on the way
programs=$work/programs    # the programs, stripped, as they are in every package
out=$work/out              # what people download

# The Debian that programs are built in. Its glibc is the oldest they run with.
oldest=bullseye
oldest_glibc=2.31
# The Debian that packages are tested in, and that the application is built for: older ones have no WebKitGTK 4.1.
current=bookworm
mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}

app_id=io.github.charly.fotos
# Whom Debian packages name as their maintainer; a release sets its own.
maintainer=${DESKMATE_MAINTAINER:-The Deskmate authors <deskmate@users.noreply.github.com>}
architecture=x86_64
debian_architecture=amd64

# The programs and the features people expect of a package.
program_names=(deskmate authy metatag-genie vision-mcp recipe-vault fotos-mcp)
declare -A features=(
    [deskmate]=keychain,pdf
    [authy]=keychain
    [metatag-genie]=''
    [vision-mcp]=keychain,pdf
    [recipe-vault]=''
    [fotos-mcp]=keychain
)
declare -A package_of=(
    [deskmate]=deskmate
    [authy]=authy-cli
    [metatag-genie]=metatag-genie
    [vision-mcp]=vision-mcp
    [recipe-vault]=recipe-vault
    [fotos-mcp]=fotos-mcp
)
# The desktop application, a workspace of its own in apps/. It is built on this machine, which must have the current Debian.
app=fotos-desktop
app_glibc=2.36

# A checkout may belong to another user than the one who packs it.
git_here() { git -c safe.directory='*' "$@"; }

version=$(sed --quiet 's/^version = "\(.*\)"$/\1/p' Cargo.toml | head -n 1)
# What the programs are made of: a change of a test or a document makes no other program.
made_of=(Cargo.toml Cargo.lock .cargo rust-toolchain.toml crates programs
    ':!crates/tidy' ':!crates/packages' ':!*-testkit/*' ':!*/tests/*' ':!*.md')
# The last commit that changed it, and a name for exactly these files.
commit=$(git_here log -1 --format=%h --abbrev=12 -- "${made_of[@]}")
sources=$(git_here ls-files --stage -- "${made_of[@]}" | sha256sum | cut --delimiter=' ' --fields=1)
# Times in packages are those of the commit, so that the same commit makes the same packages.
SOURCE_DATE_EPOCH=$(git_here log -1 --format=%ct)
export SOURCE_DATE_EPOCH
# The same for the application.
app_made_of=("${made_of[@]}" "apps/$app" ":!apps/$app/tests")
app_sources=$(git_here ls-files --stage -- "${app_made_of[@]}" | sha256sum | cut --delimiter=' ' --fields=1)

# The sources that a program must be built from, by its name.
sources_for() { if [[ $1 == "$app" ]]; then echo "$app_sources"; else echo "$sources"; fi; }

# Whether a program is there that was built from them.
is_built() { [[ -x $programs/$1 && -f $work/sources-of/$1 && $(<"$work/sources-of/$1") == "$(sources_for "$1")" ]]; }

fail() {
    printf 'error: %s\n' "$*" >&2
    exit 1
}
