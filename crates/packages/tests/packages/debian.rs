//! A Debian with nothing in it, for one test. What a test changes in it is kept apart, and can be looked at.

use std::path::{Path, PathBuf};
use std::process::Command;

use mcp_testkit::Folder;

use crate::built::{said, script, work};
use crate::session::Session;

pub(crate) struct Debian {
    base: PathBuf,
    pub(crate) folder: Folder,
}

impl Debian {
    /// A fresh one of this release.
    pub(crate) fn new(suite: &str) -> Debian {
        Debian { base: work(&format!("bare-{suite}")), folder: Folder::new() }
    }

    /// A fresh one with what the package `fotos` depends on.
    pub(crate) fn for_fotos() -> Debian {
        Debian { base: work("window-bookworm"), folder: Folder::new() }
    }

    /// A command in it; `/given` is a folder outside.
    pub(crate) fn command(&self, given: &Path, words: &[&str]) -> Command {
        let mut command = script("inside");
        command
            .env("INSIDE_OVER", self.folder.path("over"))
            .env("INSIDE_BIND", format!("{}:/given", given.display()))
            .arg(&self.base)
            .args(words);
        command
    }

    /// A command in it that belongs to a session outside: with its screen, its bus and its folders.
    pub(crate) fn command_in(&self, session: &Session, words: &[&str]) -> Command {
        let folder = session.folder.as_path().display();
        let variables = session.variables().map(|(name, value)| format!("{name}={value}\n")).concat();
        let mut command = script("inside");
        command
            .env("INSIDE_OVER", self.folder.path("over"))
            .env("INSIDE_BIND", format!("{folder}:{folder}\n/tmp/.X11-unix:/tmp/.X11-unix"))
            .env("INSIDE_ENV", variables)
            .arg(&self.base)
            .args(words);
        command
    }

    #[track_caller]
    pub(crate) fn run(&self, given: &Path, words: &[&str]) -> String {
        said(&mut self.command(given, words))
    }

    /// Every file that is new or other than in the fresh one. What dpkg and the C library note down for themselves is left out.
    pub(crate) fn changes(&self) -> Vec<String> {
        const NOTES: &[&str] = &[
            "var/lib/dpkg",
            "var/log",
            "var/cache/ldconfig",
            "var/cache/debconf",
            "etc/ld.so.cache",
            "dev",
            "given",
            "proc",
        ];
        let changes = self.folder.path("over/changes");
        let listed =
            said(Command::new("find").arg(&changes).args(["-not", "-type", "d", "-printf", "%P\\n"]));
        let is_note = |path: &str| {
            NOTES.iter().any(|note| {
                path.strip_prefix(note).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            })
        };
        let mut files: Vec<String> =
            listed.lines().filter(|path| !is_note(path)).map(str::to_owned).collect();
        files.sort();
        files
    }
}
