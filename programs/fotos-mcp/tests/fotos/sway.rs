//! A real Wayland desktop: sway without a screen, and the portal that comes with it.

use std::io::{BufRead, BufReader};
use std::os::unix::fs::{chown, symlink};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::json;

use crate::display::start;
use crate::fotos::{Fotos, command};

/// sway refuses root.
const NOBODY: u32 = 65_534;

/// The colours of its two monitors, and what is seen where there is no monitor.
const FIRST: [u8; 3] = [0x33, 0x66, 0x99];
const SECOND: [u8; 3] = [0x99, 0x33, 0x33];
const NOWHERE: [u8; 3] = [u8::MAX; 3];

/// How often the desktop may be seen before it has painted its monitors.
const LOOKS: usize = 200;

const SWAY: &str = "xwayland disable
output HEADLESS-1 resolution 640x480 position 0 0 bg #336699 solid_color
output HEADLESS-2 resolution 320x240 position 640 0 bg #993333 solid_color
exec echo $WAYLAND_DISPLAY
";

/// As little as the portal of sway is content with; it says when it is there.
const PIPEWIRE: &str = r#"context.properties = { core.daemon = true core.name = pipewire-0 }
context.spa-libs = { support.* = support/libspa-support }
context.modules = [ { name = libpipewire-module-protocol-native } { name = libpipewire-module-access } ]
context.exec = [ { path = "/bin/echo" args = "ready" } ]
"#;

/// The services of the bus, which starts them when somebody asks for them; they end with it.
const SERVICES: [&str; 4] = [
    "org.freedesktop.portal.Desktop",
    "org.freedesktop.impl.portal.PermissionStore",
    "org.freedesktop.impl.portal.desktop.gtk",
    "org.freedesktop.impl.portal.desktop.wlr",
];

struct Sway {
    folder: PathBuf,
    wayland: String,
    bus: String,
    processes: Vec<Child>,
}

impl Sway {
    fn new() -> Sway {
        let folder = std::env::temp_dir().join(format!("fotos-sway-{}", std::process::id()));
        let mut sway = Sway { folder, wayland: String::new(), bus: String::new(), processes: Vec::new() };
        sway.write_files();
        let at = |name: &str| sway.folder.join(name);
        let (pipewire, desktop, bus) = (at("pipewire.conf"), at("sway.conf"), at("bus.conf"));
        sway.run(Command::new("pipewire").arg("-c").arg(pipewire));
        sway.wayland = sway.run(Command::new("sway").arg("-c").arg(desktop));
        let mut daemon = Command::new("dbus-daemon");
        daemon.args(["--nofork", "--nopidfile", "--print-address=1", "--config-file"]).arg(bus);
        sway.bus = sway.run(&mut daemon);
        sway
    }

    fn write_files(&self) {
        let (run, services) = (self.folder.join("run"), self.folder.join("services"));
        for folder in [&self.folder, &run, &services] {
            std::fs::create_dir_all(folder).expect("a folder");
        }
        for service in SERVICES {
            let file = format!("{service}.service");
            symlink(Path::new("/usr/share/dbus-1/services").join(&file), services.join(file))
                .expect("a link");
        }
        let bus = format!(
            "<busconfig><type>session</type><listen>unix:dir={}</listen><auth>EXTERNAL</auth>\
             <servicedir>{}</servicedir><policy context=\"default\"><allow send_destination=\"*\" eavesdrop=\"true\"/>\
             <allow eavesdrop=\"true\"/><allow own=\"*\"/></policy></busconfig>",
            run.display(),
            services.display()
        );
        for (name, text) in [("sway.conf", SWAY), ("pipewire.conf", PIPEWIRE), ("bus.conf", &bus)] {
            std::fs::write(self.folder.join(name), text).expect("a file");
        }
        if is_root() {
            for folder in [&self.folder, &run] {
                chown(folder, Some(NOBODY), Some(NOBODY)).expect("another owner");
            }
        }
        std::fs::set_permissions(&run, std::os::unix::fs::PermissionsExt::from_mode(0o700)).expect("private");
    }

    /// What every program of this desktop finds in its environment.
    fn settle<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        for name in ["DISPLAY", "WAYLAND_DISPLAY", "SWAYSOCK", "DBUS_SESSION_BUS_ADDRESS"] {
            command.env_remove(name);
        }
        command
            .env("HOME", &self.folder)
            .env("XDG_RUNTIME_DIR", self.folder.join("run"))
            .env("XDG_CURRENT_DESKTOP", "sway")
            .env("XDG_SESSION_TYPE", "wayland")
            .env("PATH", "/usr/bin:/bin")
            .envs([("WLR_BACKENDS", "headless"), ("WLR_HEADLESS_OUTPUTS", "2")])
            .envs([("WLR_RENDERER", "pixman"), ("WLR_LIBINPUT_NO_DEVICES", "1")])
            .envs([("GSETTINGS_BACKEND", "memory"), ("GTK_A11Y", "none"), ("NO_AT_BRIDGE", "1")])
            .current_dir(&self.folder);
        if !self.wayland.is_empty() {
            command.env("WAYLAND_DISPLAY", &self.wayland);
        }
        if is_root() {
            command.uid(NOBODY).gid(NOBODY);
        }
        command
    }

    /// Starts a program of this desktop, and returns the first line it says: then it is there.
    fn run(&mut self, command: &mut Command) -> String {
        let mut process = start(self.settle(command).stdout(Stdio::piped()));
        let stdout = process.stdout.take().expect("stdout is piped");
        self.processes.push(process);
        let mut line = String::new();
        BufReader::new(stdout).read_line(&mut line).expect("a line");
        assert!(!line.is_empty(), "{command:?} ended at once");
        line.trim().to_owned()
    }

    fn fotos(&self) -> Fotos {
        let mut fotos = command();
        self.settle(&mut fotos).env("DBUS_SESSION_BUS_ADDRESS", &self.bus);
        Fotos::with(&mut fotos)
    }
}

impl Drop for Sway {
    fn drop(&mut self) {
        for process in self.processes.iter_mut().rev() {
            let _ = process.kill();
            let _ = process.wait();
        }
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

#[test]
fn a_real_wayland_desktop_is_seen_through_its_real_portal() {
    let sway = Sway::new();
    let mut fotos = sway.fotos();
    let shot = (0..LOOKS)
        .map(|_| fotos.shoot(json!({})))
        .find(|shot| (shot.at(5, 5), shot.at(700, 5)) == (FIRST, SECOND))
        .expect("the monitors are painted");
    assert_eq!(shot.size(), (960, 480));
    assert_eq!((shot.at(639, 479), shot.at(640, 239), shot.at(700, 300)), (FIRST, SECOND, NOWHERE));
    let shot = fotos.shoot(json!({ "mode": "monitor", "monitor_index": 1 }));
    assert_eq!((shot.size(), &shot.told["subject"]), ((320, 240), &json!("HEADLESS-2")));
    assert!(shot.picture.bytes().chunks_exact(3).all(|pixel| pixel == SECOND), "only the second monitor");
    let region = json!({ "x": 600, "y": 0, "width": 100, "height": 50 });
    let shot = fotos.shoot(json!({ "mode": "monitor", "region": region }));
    assert_eq!((shot.size(), shot.at(0, 0), &shot.told["subject"]), ((40, 50), FIRST, &json!("HEADLESS-1")));
    let refused = fotos.failure("take_screenshot", json!({ "mode": "monitor", "monitor_index": 2 }));
    assert_eq!(refused, "there is no monitor 2; the monitors there are: 0 (`HEADLESS-1`), 1 (`HEADLESS-2`)");
    assert!(!Path::new("/tmp/out.png").exists(), "no copy of the screen is left behind");
}
