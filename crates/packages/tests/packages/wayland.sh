# wayland.sh HOME PROGRAMS: `fotos-mcp` from the Flatpak in a Wayland session, with our stdin and stdout. PROGRAMS is where Flatpak has it
# installed. It runs as root in namespaces of its own, and everything it starts ends with it.
set -eu

if [ "${3:-}" != inside ]; then
    # The documents portal is seen by the same name on both sides of the wall only where logind puts it.
    mount --make-rprivate /
    mount -t tmpfs -o mode=755 tmpfs /run/user
    mkdir /run/user/programs
    mount --bind "$2" /run/user/programs
    install -d -m 700 -o 65534 -g 65534 /run/user/65534 "$1"
    # sway refuses root.
    exec setpriv --reuid=65534 --regid=65534 --clear-groups env -i PATH=/usr/bin:/bin LC_ALL=C.UTF-8 "HOME=$1" \
        XDG_RUNTIME_DIR=/run/user/65534 XDG_CURRENT_DESKTOP=sway XDG_SESSION_TYPE=wayland FLATPAK_USER_DIR=/run/user/programs \
        WLR_BACKENDS=headless WLR_HEADLESS_OUTPUTS=2 WLR_RENDERER=pixman WLR_LIBINPUT_NO_DEVICES=1 \
        GSETTINGS_BACKEND=memory NO_AT_BRIDGE=1 FOTOS_NOTIFY=off FOTOS_PORTAL_SECONDS=50 \
        dbus-run-session -- sh "$0" "$1" "$2" inside
fi

cd "$1"
cat >sway.conf <<'TEXT'
xwayland disable
output HEADLESS-1 resolution 640x480 position 0 0 bg #336699 solid_color
output HEADLESS-2 resolution 320x240 position 640 0 bg #993333 solid_color
exec touch ready
TEXT
pipewire >/dev/null 2>&1 &
sway -c sway.conf >/dev/null 2>&1 &
for _ in $(seq 600); do
    [ ! -e ready ] || break
    sleep 0.1
done
WAYLAND_DISPLAY=$(basename "$(find "$XDG_RUNTIME_DIR" -maxdepth 1 -type s -name 'wayland-*' | head -n 1)")
export WAYLAND_DISPLAY
dbus-update-activation-environment WAYLAND_DISPLAY XDG_CURRENT_DESKTOP XDG_RUNTIME_DIR HOME 2>/dev/null
# The person was asked, and lets it.
flatpak permission-set screenshot screenshot io.github.charly.fotos yes
exec flatpak --user run --env=FOTOS_NOTIFY=off --env=FOTOS_PORTAL_SECONDS=50 --command=fotos-mcp io.github.charly.fotos
