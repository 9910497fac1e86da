#!/bin/sh
# Installs Deskmate: sh install.sh [--prefix DIR], and takes it away again: sh install.sh --uninstall [--prefix DIR].
#
# Without a prefix it is ~/.local, or /usr/local for root. What was installed is noted in PREFIX/share/deskmate/installed, and
# exactly that is removed; what Deskmate keeps for you (cookbook, vault) is never touched.
set -eu
# What is installed is for everybody who may look into the prefix, and `cd` goes where it is told and says nothing.
umask 022
unset CDPATH
IFS=' 	
'

usage() {
    sed -n '2,5s/^# \{0,1\}//p' "$0"
    exit "$1"
}

stop() {
    echo "error: $*" >&2
    exit 1
}

uninstall=no prefix=''
while [ $# -gt 0 ]; do
    case $1 in
        --prefix)
            [ -n "${2:-}" ] || stop '`--prefix` wants a folder'
            prefix=$2
            shift
            ;;
        --prefix=?*) prefix=${1#--prefix=} ;;
        --uninstall) uninstall=yes ;;
        -h | --help) usage 0 ;;
        *) usage 2 >&2 ;;
    esac
    shift
done

if [ -z "$prefix" ]; then
    if [ "$(id -u)" = 0 ]; then prefix=/usr/local; else prefix=${HOME:?is not set; give --prefix}/.local; fi
fi
case $prefix in
    /*) ;;
    *) prefix=$PWD/$prefix ;;
esac
# As the search path has it.
while :; do case $prefix in ?*/) prefix=${prefix%/} ;; *) break ;; esac done
case $prefix in
    *[[:cntrl:]]*) stop 'the prefix has a line break or another control character in it' ;;
esac
list=$prefix/share/deskmate/installed

# Removes what a list names: files, and folders (with a slash at the end) that are empty then. What is not under the prefix stays.
remove_listed() {
    inside "$1" | grep -v '/$' | while IFS= read -r file; do [ -d "$prefix/$file" ] || rm -f "$prefix/$file"; done
    inside "$1" | grep '/$' | LC_ALL=C sort -r | while IFS= read -r folder; do rmdir "$prefix/$folder" 2>/dev/null || true; done
}
inside() { grep -v -e '^\.\./' -e '/\.\./' -e '/\.\.$' "$1"; }

if [ "$uninstall" = yes ]; then
    [ -f "$list" ] || stop "nothing of Deskmate is noted in: $list"
    copy=$(mktemp)
    trap 'rm -f "$copy"' EXIT
    cp "$list" "$copy"
    echo share/deskmate/installed >>"$copy"
    remove_listed "$copy"
    echo "Deskmate is removed from $prefix. What it kept for you is still there: ~/.local/share/deskmate"
    exit 0
fi

here=$(cd -- "$(dirname -- "$0")" && pwd)
[ -x "$here/bin/deskmate" ] || stop "\`bin/deskmate\` is not beside this script; unpack the whole tarball"
"$here/bin/deskmate" --version >/dev/null ||
    stop "the programs do not run here; they need Linux on the processor that the name of the tarball says (this one is $(uname -m)), and glibc 2.31 or newer"

fresh=$(mktemp) old=$(mktemp) gone=$(mktemp)
unit=$prefix/share/systemd/user/deskmate.service
trap 'rm -f "$fresh" "$old" "$gone" "$list.new" "$unit.new"' EXIT
trap 'exit 1' HUP INT TERM
if [ -f "$list" ]; then cp "$list" "$old"; fi
# Files, folders that are made now, and those that were made earlier.
{
    (cd "$here" && find bin share -type f)
    (cd "$here" && find bin share -type d) | while IFS= read -r folder; do [ -d "$prefix/$folder" ] || echo "$folder/"; done
    [ -d "$prefix/share/deskmate" ] || echo share/deskmate/
    # The prefix itself.
    [ -d "$prefix" ] || echo /
    grep '/$' "$old" || true
} | LC_ALL=C sort -u >"$fresh"
# A file that is moved to where a folder is would end up in it.
grep -v '/$' "$fresh" | while IFS= read -r file; do [ ! -d "$prefix/$file" ] || stop "there is a folder where a file goes: $prefix/$file"; done
# Noted before it is there, so that an installation which was interrupted can be removed.
mkdir -p "$prefix/share/deskmate"
# In a home it is the folder, too, in which Deskmate keeps what is the person's alone.
if [ "$prefix/share/deskmate" -ef "${HOME:-}/.local/share/deskmate" ]; then chmod 700 "$prefix/share/deskmate"; fi
LC_ALL=C sort -u "$old" "$fresh" >"$list.new"
mv -f "$list.new" "$list"
grep -v '/$' "$fresh" | while IFS= read -r file; do
    mkdir -p "$prefix/$(dirname "$file")"
    # A program that runs cannot be written to; it can be replaced.
    rm -f "$prefix/$file.new"
    # Whoever unpacked the tarball may have kept it from others; a program stays one, and everybody may read.
    if ! { cp "$here/$file" "$prefix/$file.new" && chmod u=rwX,go=rX "$prefix/$file.new"; }; then
        rm -f "$prefix/$file.new"
        exit 1
    fi
    mv -f "$prefix/$file.new" "$prefix/$file"
done
# systemd looks for programs in a few places only, and a home is none of them.
escaped=$(printf '%s\n' "$prefix" | sed 's/%/%%/g; s/\$/$$/g; s/[\\"]/\\&/g; s/[&|\\]/\\&/g')
sed "s|^ExecStart=/usr/bin/deskmate|ExecStart=\"$escaped/bin/deskmate\"|" "$here/share/systemd/user/deskmate.service" >"$unit.new"
mv -f "$unit.new" "$unit"

# What an earlier version had and this one has not.
LC_ALL=C sort -u "$old" | LC_ALL=C comm -23 - "$fresh" >"$gone"
grep '/$' "$old" >>"$gone" || true
remove_listed "$gone"
mv -f "$fresh" "$list"
chmod 644 "$list"

echo "Deskmate is installed in $prefix/bin."
case :$PATH: in
    *:"$prefix/bin":*) ;;
    *) echo "This folder is not on your search path; add it: export PATH=\"$prefix/bin:\$PATH\"" ;;
esac
echo "Next: deskmate connect"
