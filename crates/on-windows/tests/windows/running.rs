//! Programs of this build, in a home of their own.

use std::process::Command;

use mcp::Version;
use mcp_testkit::{Client, Folder, program};

/// Both eras, by the newest revision of each.
pub(crate) const ERAS: [Version; 2] = [Version::MODERN, Version::NEWEST_LEGACY];

/// A person's home folder, gone with the test.
pub(crate) struct Person {
    pub(crate) folder: Folder,
}

impl Person {
    pub(crate) fn new() -> Person {
        Person { folder: Folder::new() }
    }

    /// A program of this person.
    pub(crate) fn command(&self, name: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(program(name));
        for variable in ["FOTOS_MODE", "FOTOS_CAPTURE", "DESKMATE_ROOTS", "XDG_RUNTIME_DIR", "XDG_DATA_HOME"]
        {
            command.env_remove(variable);
        }
        command
            .args(arguments)
            .env("DESKMATE_HOME", self.folder.path("home"))
            .env("AUTHY_HOME", self.folder.path("vault"));
        command
    }

    /// A conversation with it.
    pub(crate) fn client(&self, name: &str, arguments: &[&str], era: Version) -> Client {
        Client::process(&mut self.command(name, arguments)).speaking(era)
    }
}
