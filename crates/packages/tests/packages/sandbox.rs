//! A person with the Flatpak installed. The runtime is the throw-away one; everything else is as it ships.

use std::path::Path;
use std::process::Command;

use crate::built::{host, said, work};
use crate::session::Session;

pub(crate) const ID: &str = "io.github.charly.fotos";

pub(crate) struct Sandbox {
    pub(crate) session: Session,
}

impl Sandbox {
    pub(crate) fn new() -> Sandbox {
        Sandbox { session: Session::new() }
    }

    /// `flatpak` with what `./dev package` installed.
    pub(crate) fn flatpak(&self, words: &[&str]) -> Command {
        self.flatpak_in(&work("flatpak/installed"), words)
    }

    /// `flatpak` with the programs of another folder.
    pub(crate) fn flatpak_in(&self, folder: &Path, words: &[&str]) -> Command {
        let mut command = self.session.command("flatpak");
        command.env("FLATPAK_USER_DIR", folder).arg("--user").args(words);
        command
    }

    /// A program inside, as MCP hosts are told to start it.
    pub(crate) fn inside(&self, program: &str, words: &[&str]) -> Command {
        let mut command = self.flatpak(&["run", &format!("--command={program}"), ID]);
        command.args(words);
        command
    }

    /// What a shell inside says to a line.
    #[track_caller]
    pub(crate) fn shell(&self, line: &str) -> String {
        said(&mut self.inside("sh", &["-c", line]))
    }

    /// `fotos-mcp` outside.
    pub(crate) fn outside(&self, words: &[&str]) -> Command {
        self.session.fotos_mcp(words)
    }

    /// The application outside, without its window.
    pub(crate) fn host_outside(&self) -> Command {
        self.session.command(host())
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        // What is inside outlives the command that started it. `kill` knows by the session what runs, and no `--user`.
        let _ = self.session.command("flatpak").args(["kill", ID]).output();
    }
}
