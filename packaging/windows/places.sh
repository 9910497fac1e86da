# Where the toolchain for Windows is; every script here sources it and works from the root of the repository.
# shellcheck shell=bash disable=SC2034
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

# It draws on Debian's moving suite, so it is kept outside the repository and made again only when it is missing.
cache=${DESKMATE_WINDOWS:-${XDG_CACHE_HOME:-$HOME/.cache}/deskmate/windows}
debian=$cache/debian       # the Debian that has the compiler, the linker, wine and the makers of installers
seen=$cache/seen           # what a command in it sees as /w: cargo's home, what it builds, the wine prefix
triple=x86_64-pc-windows-gnu

# A checkout may belong to another user than the one who builds it.
git_here() { git -c safe.directory='*' "$@"; }

fail() {
    printf 'error: %s\n' "$*" >&2
    exit 1
}
