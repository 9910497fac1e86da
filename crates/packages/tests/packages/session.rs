//! A person's session on a desktop: folders, a screen and a message bus of their own.

use std::ffi::OsStr;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use mcp_testkit::Folder;

use crate::built::{program, said};
use crate::display::Display;

pub(crate) struct Session {
    pub(crate) folder: Folder,
    display: Display,
    bus: Child,
}

impl Session {
    pub(crate) fn new() -> Session {
        let (folder, display) = (Folder::new(), Display::new());
        for name in ["home/Pictures", "home/Private", "home/.config"] {
            fs::create_dir_all(folder.path(name)).expect("a folder");
        }
        fs::write(folder.path("home/.config/user-dirs.dirs"), "XDG_PICTURES_DIR=\"$HOME/Pictures\"\n")
            .expect("a file");
        // As logind makes it: the socket is refused a folder that others can write to.
        said(Command::new("install").args(["-d", "-m", "700"]).arg(folder.path("run")));
        let mut bus = Command::new("dbus-daemon");
        bus.args(["--session", "--nofork", "--print-address"])
            .arg(format!("--address={}", bus_address(&folder)))
            .env_clear()
            .envs(variables(&folder, &display));
        let mut bus = bus
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("dbus-daemon");
        // It says so when it listens.
        let mut address = String::new();
        BufReader::new(bus.stdout.take().expect("piped")).read_line(&mut address).expect("an address");
        Session { folder, display, bus }
    }

    pub(crate) fn runtime(&self) -> PathBuf {
        self.folder.path("run")
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.folder.path("home")
    }

    /// A program in it.
    pub(crate) fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command.env_clear().envs(self.variables());
        command
    }

    /// The environment of everything in it.
    pub(crate) fn variables(&self) -> [(&'static str, String); 8] {
        variables(&self.folder, &self.display)
    }

    /// `fotos-mcp` as it is in every package.
    pub(crate) fn fotos_mcp(&self, words: &[&str]) -> Command {
        let mut command = self.command(program("fotos-mcp"));
        command.args(words);
        command
    }
}

fn bus_address(folder: &Folder) -> String {
    format!("unix:path={}", folder.path("run/bus").display())
}

fn variables(folder: &Folder, display: &Display) -> [(&'static str, String); 8] {
    let path = |name: &str| folder.path(name).display().to_string();
    [
        ("PATH", "/usr/bin:/bin".to_owned()),
        ("LC_ALL", "C.UTF-8".to_owned()),
        ("HOME", path("home")),
        ("XDG_RUNTIME_DIR", path("run")),
        ("DBUS_SESSION_BUS_ADDRESS", bus_address(folder)),
        ("DISPLAY", display.name.clone()),
        ("GDK_BACKEND", "x11".to_owned()),
        ("FOTOS_NOTIFY", "off".to_owned()),
    ]
}

impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.bus.kill();
        let _ = self.bus.wait();
        // The bus may have started what mounts something there.
        let _ = Command::new("umount").arg(self.runtime().join("doc")).output();
    }
}
