//! A person with the Flatpak installed, in folders of their own. The runtime is the throw-away one; everything else is as it ships.

use std::path::PathBuf;
use std::process::Command;

use mcp_testkit::Folder;

use crate::built::{host, program, said, work};
use crate::display::Display;

pub(crate) const ID: &str = "io.github.charly.fotos";

pub(crate) struct Sandbox {
    pub(crate) folder: Folder,
    pub(crate) display: Display,
}

impl Sandbox {
    /// Installs it.
    pub(crate) fn new() -> Sandbox {
        let sandbox = Sandbox { folder: Folder::new(), display: Display::new() };
        for name in ["home/Pictures", "home/Private", "home/.config"] {
            std::fs::create_dir_all(sandbox.folder.path(name)).expect("a folder");
        }
        std::fs::write(
            sandbox.folder.path("home/.config/user-dirs.dirs"),
            "XDG_PICTURES_DIR=\"$HOME/Pictures\"\n",
        )
        .expect("a file");
        // As logind makes it: the socket is refused a folder that others can write to.
        said(Command::new("install").args(["-d", "-m", "700"]).arg(sandbox.runtime()));
        let repository = format!("file://{}", work("flatpak/repository").display());
        said(sandbox.flatpak(&["remote-add", "--no-gpg-verify", "built"]).arg(repository));
        said(&mut sandbox.flatpak(&[
            "install",
            "-y",
            "--noninteractive",
            "built",
            "org.deskmate.TestPlatform//1",
        ]));
        said(&mut sandbox.flatpak(&["install", "-y", "--noninteractive", "built", ID]));
        sandbox
    }

    pub(crate) fn runtime(&self) -> PathBuf {
        self.folder.path("run")
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.folder.path("home")
    }

    /// A program in the session of this person.
    fn in_session(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("LC_ALL", "C.UTF-8")
            .env("HOME", self.home())
            .env("XDG_RUNTIME_DIR", self.runtime())
            .env("FLATPAK_USER_DIR", self.folder.path("flatpak"))
            .env("DISPLAY", &self.display.name)
            .env("FOTOS_NOTIFY", "off");
        command
    }

    pub(crate) fn flatpak(&self, words: &[&str]) -> Command {
        let mut command = self.in_session("flatpak");
        command.arg("--user").args(words);
        command
    }

    /// A program inside, as MCP hosts are told to start it.
    pub(crate) fn inside(&self, program: &str, words: &[&str]) -> Command {
        let mut command = self.flatpak(&["run", &format!("--command={program}"), ID]);
        command.args(words);
        command
    }

    /// `fotos-mcp` outside.
    pub(crate) fn outside(&self, words: &[&str]) -> Command {
        let mut command = self.in_session(program("fotos-mcp"));
        command.args(words);
        command
    }

    /// The application outside, without its window.
    pub(crate) fn host_outside(&self) -> Command {
        self.in_session(host())
    }
}
