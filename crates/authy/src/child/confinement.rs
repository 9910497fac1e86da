//! What a command may touch besides its secrets: where it runs, what it may write, and whether it may use the network.
//!
//! A rule that was made for a command is about that program, in an empty folder of its own, with no network and nothing it
//! may write to, unless it says otherwise. So a hook or a configuration in a folder that an agent can write to is not found.

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::own_folder::OwnFolder;
use super::pinned_folder::check_folder;
use super::program::{Program, digest};
use crate::sys;

/// A command a secret may be given to, and what that command may do with it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandRule {
    /// The pattern of the whole command.
    pub command: String,
    /// The program, by its real path.
    pub program: PathBuf,
    /// The digest the program must have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// The folder it runs in, instead of an empty one of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<PathBuf>,
    /// Whether it may use the network.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub network: bool,
    /// Folders it may write to besides its own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub writes: Vec<PathBuf>,
    /// Folders of the person's home it may read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reads: Vec<PathBuf>,
    /// Variables its secret may be put into besides the usual one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub variables: Vec<String>,
}

/// How a command is confined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Confinement {
    /// As it was before rules said more: it runs where we are, with what this user may do.
    Open,
    /// As its rules say.
    Ruled(Ruled),
}

/// What the rules of all its secrets leave a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ruled {
    program: PathBuf,
    sha256: Vec<String>,
    folder: Option<PathBuf>,
    network: bool,
    writes: Vec<PathBuf>,
    reads: Vec<PathBuf>,
}

/// Why a command cannot be confined as its rules say.
#[derive(Debug, thiserror::Error)]
pub enum Unconfined {
    /// The rules contradict each other.
    #[error(
        "the rules of the secrets name different programs or folders for this command; use the secrets one by one"
    )]
    Differ,
    /// An agent could prepare the folder.
    #[error(
        "`{}`, of the folder of the rule, can be written by this user, and so by an agent, who could leave a hook or a \
         configuration there; let the rule have no folder, or one that belongs to root with all that is in it", .0.display()
    )]
    Writable(PathBuf),
    /// The folder cannot be used.
    #[error("cannot use the folder `{}`: {source}; check the rule", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// Something else is in the place of a folder it may read or write to.
    #[error(
        "the folder `{}` of the rule is now a link to somewhere else; let the owner of the vault look at it and set the rule \
         again", .0.display()
    )]
    Moved(PathBuf),
    /// The program is not the one the rule was made for.
    #[error("`{}` is not the program the rule was made for: it was changed; let the owner of the vault look at it and set the rule again", .0.display())]
    OtherProgram(PathBuf),
    /// The system does not help.
    #[error("this system cannot confine a command ({0}), and the rule wants it confined; nothing was run")]
    NotSupported(String),
}

impl Confinement {
    /// What the rules that allow a command, one for each of its secrets, leave it. A secret whose rule is from before (`None`)
    /// asks for nothing.
    pub fn of<'a>(
        rules: impl IntoIterator<Item = Option<&'a CommandRule>>,
    ) -> Result<Confinement, Unconfined> {
        let mut together: Option<Ruled> = None;
        for rule in rules.into_iter().flatten() {
            let next = Ruled {
                program: rule.program.clone(),
                sha256: rule.sha256.iter().cloned().collect(),
                folder: rule.folder.clone(),
                network: rule.network,
                writes: rule.writes.clone(),
                reads: rule.reads.clone(),
            };
            together = Some(match together {
                None => next,
                Some(before) => before.and(next)?,
            });
        }
        Ok(together.map_or(Confinement::Open, Confinement::Ruled))
    }
}

impl Ruled {
    fn and(mut self, other: Ruled) -> Result<Ruled, Unconfined> {
        if self.program != other.program || self.folder != other.folder {
            return Err(Unconfined::Differ);
        }
        self.sha256.extend(other.sha256);
        self.network &= other.network;
        self.writes.retain(|folder| other.writes.contains(folder));
        self.reads.retain(|folder| other.reads.contains(folder));
        Ok(self)
    }

    pub(super) fn program(&self) -> &Path {
        &self.program
    }

    /// Checks that the program that was found is the one the rules were made for, and not what a link in its place leads to.
    pub(super) fn check_program(&self, found: &Program) -> Result<(), Unconfined> {
        let other = || Unconfined::OtherProgram(self.program.clone());
        if found.path() != self.program {
            return Err(other());
        }
        if self.sha256.is_empty() {
            return Ok(());
        }
        let found = digest(&self.program).map_err(|_| other())?;
        if self.sha256.iter().all(|wanted| *wanted == found) { Ok(()) } else { Err(other()) }
    }

    /// The folder it runs in and the one that is its own.
    pub(super) fn folders(&self) -> Result<(PathBuf, OwnFolder), Unconfined> {
        let own = OwnFolder::make()?;
        let folder = match &self.folder {
            None => own.path().to_owned(),
            Some(folder) => {
                check_folder(folder)?;
                folder.clone()
            }
        };
        Ok((folder, own))
    }

    /// What the new process does to itself before it becomes the program.
    pub(super) fn fence(&self, own: &OwnFolder) -> Result<sys::Fence, Unconfined> {
        for folder in self.writes.iter().chain(&self.reads) {
            // The path is the real one since the rule was made: whoever put a link on the way means another folder.
            if std::fs::canonicalize(folder).is_ok_and(|real| real != *folder) {
                return Err(Unconfined::Moved(folder.clone()));
            }
        }
        let reads = self.reads.iter().chain(&self.folder).chain([&self.program]);
        let open = sys::Open { reads: reads.cloned().collect(), writes: &self.writes, network: self.network };
        sys::Fence::new(&self.program, own.path(), open)
    }
}
