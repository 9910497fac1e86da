//! What a command may touch besides its secrets: where it runs, what it may write, and whether it may use the network.
//!
//! A rule that was made for a command is about that program, in an empty folder of its own, with no network and nothing it
//! may write to, unless it says otherwise. So a hook or a configuration in a folder that an agent can write to is not found.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::keys::crypto::hex;

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
        "the folder `{}` of the rule can be written by this user, and so by an agent, who could leave a hook or a \
         configuration there; let the rule have no folder, or one that belongs to root", .0.display()
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
        Ok(self)
    }

    pub(super) fn program(&self) -> &Path {
        &self.program
    }

    /// Checks that the program is the one the rules were made for.
    pub(super) fn check_program(&self) -> Result<(), Unconfined> {
        if self.sha256.is_empty() {
            return Ok(());
        }
        let other = || Unconfined::OtherProgram(self.program.clone());
        let found = digest(&self.program).map_err(|_| other())?;
        if self.sha256.iter().all(|wanted| *wanted == found) { Ok(()) } else { Err(other()) }
    }

    /// The folder it runs in and the one that is its own.
    pub(super) fn folders(&self) -> Result<(PathBuf, OwnFolder), Unconfined> {
        let own = OwnFolder::make()?;
        let folder = match &self.folder {
            None => own.0.clone(),
            Some(folder) => {
                check_folder(folder)?;
                folder.clone()
            }
        };
        Ok((folder, own))
    }

    /// What the new process does to itself before it becomes the program.
    #[cfg(target_os = "linux")]
    pub(super) fn fence(&self, own: &OwnFolder) -> Result<linux::Fence, Unconfined> {
        let reads = self.folder.iter().chain([&self.program]);
        linux::Fence::new(&own.0, reads, &self.writes, self.network)
    }
}

/// The digest of a program, as rules write it.
pub fn digest(program: &Path) -> io::Result<String> {
    let mut hash = Sha256::new();
    let mut file = fs::File::open(program)?;
    let mut piece = vec![0; 1 << 16];
    loop {
        match io::Read::read(&mut file, &mut piece)? {
            0 => break,
            count => hash.update(piece.get(..count).unwrap_or_default()),
        }
    }
    Ok(hex(&hash.finalize()))
}

/// Checks that nobody but root can put anything into a folder, or another in its place.
pub fn check_folder(folder: &Path) -> Result<(), Unconfined> {
    let problem = |source| Unconfined::Folder { path: folder.to_owned(), source };
    let real = fs::canonicalize(folder).map_err(problem)?;
    let us = rustix::process::geteuid();
    for place in real.ancestors() {
        let about = fs::metadata(place).map_err(problem)?;
        let above = place != real;
        // A sticky folder above is no better: programs look for their configuration in all folders above.
        let others = about.mode() & 0o022 != 0;
        // Root could write anywhere; what matters there is whether the folder itself is meant to be written.
        if others || about.uid() != 0 || (us.is_root() && !above) {
            return Err(Unconfined::Writable(real.clone()));
        }
    }
    Ok(())
}

/// Where the folders of commands are. Anybody can put something there, so commands can read nothing else in it: many programs
/// look for their configuration, and git for its hooks, in all folders above the one they run in.
const TEMPORARY: &str = "/tmp";

/// An empty folder for one command, gone with it.
pub(super) struct OwnFolder(PathBuf);

impl OwnFolder {
    fn make() -> Result<OwnFolder, Unconfined> {
        let random: [u8; 8] = crate::keys::crypto::random()
            .map_err(|_| Unconfined::NotSupported("there are no random numbers".to_owned()))?;
        // Not where the caller's environment says.
        let above = fs::canonicalize(TEMPORARY)
            .map_err(|source| Unconfined::Folder { path: TEMPORARY.into(), source })?;
        let path = above.join(format!("authy-{}", hex(&random)));
        let made = DirBuilder::new().mode(0o700).create(&path);
        made.map_err(|source| Unconfined::Folder { path: path.clone(), source })?;
        Ok(OwnFolder(path))
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for OwnFolder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[cfg(target_os = "linux")]
pub(super) mod linux {
    //! Landlock for what is written, seccomp for the network. Both are prepared before the fork; afterwards only system
    //! calls are made.

    use std::collections::BTreeMap;
    use std::path::{Path, PathBuf};
    use std::{fs, io};

    use landlock::{
        ABI, Access, AccessFs, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset, RulesetAttr,
        RulesetCreated, RulesetCreatedAttr, RulesetStatus,
    };
    use seccompiler::{BpfProgram, SeccompAction, SeccompFilter};

    use super::Unconfined;

    pub(in super::super) struct Fence {
        files: Option<RulesetCreated>,
        network: Option<BpfProgram>,
    }

    /// What everybody writes to, and nothing comes of it.
    const HARMLESS: [&str; 4] = ["/dev/null", "/dev/zero", "/dev/full", "/dev/tty"];

    impl Fence {
        /// Everything can be read but what is beside the command's own folder, and nothing be written but in that folder
        /// and in `writes`.
        pub(super) fn new<'a>(
            own: &Path,
            reads: impl Iterator<Item = &'a PathBuf>,
            writes: &[PathBuf],
            network: bool,
        ) -> Result<Fence, Unconfined> {
            let unsupported = |error: &dyn std::error::Error| Unconfined::NotSupported(error.to_string());
            let mut files = Ruleset::default()
                .set_compatibility(CompatLevel::HardRequirement)
                .handle_access(AccessFs::from_all(ABI::V3))
                .and_then(Ruleset::create)
                .map_err(|error| unsupported(&error))?;
            let folders = std::iter::once(own).chain(writes.iter().map(PathBuf::as_path));
            for folder in folders {
                let opened = PathFd::new(folder).map_err(|error| unsupported(&error))?;
                files = files
                    .add_rule(PathBeneath::new(opened, AccessFs::from_all(ABI::V3)))
                    .map_err(|error| unsupported(&error))?;
            }
            let beside = beside_all_above(own).map_err(|error| unsupported(&error))?;
            for place in beside.into_iter().chain(reads.cloned()) {
                // What is gone by now, or leads nowhere, needs no rule.
                let (Ok(about), Ok(opened)) = (fs::metadata(&place), PathFd::new(&place)) else { continue };
                let reading = if about.is_dir() {
                    AccessFs::from_read(ABI::V3)
                } else {
                    AccessFs::ReadFile | AccessFs::Execute
                };
                files =
                    files.add_rule(PathBeneath::new(opened, reading)).map_err(|error| unsupported(&error))?;
            }
            for device in HARMLESS {
                // One that is not there needs no rule.
                if let Ok(opened) = PathFd::new(device) {
                    files = files
                        .add_rule(PathBeneath::new(opened, AccessFs::WriteFile | AccessFs::Truncate))
                        .map_err(|error| unsupported(&error))?;
                }
            }
            let network =
                if network { None } else { Some(no_network().map_err(|error| unsupported(&error))?) };
            Ok(Fence { files: Some(files), network })
        }

        /// Closes it around this process, for good.
        pub(in super::super) fn close(&mut self) -> io::Result<()> {
            let refused = || io::Error::from_raw_os_error(libc::EPERM);
            if let Some(files) = self.files.take() {
                let status = files.restrict_self().map_err(|_| refused())?;
                if status.ruleset == RulesetStatus::NotEnforced || !status.no_new_privs {
                    return Err(refused());
                }
            }
            if let Some(filter) = &self.network {
                seccompiler::apply_filter(filter).map_err(|_| refused())?;
            }
            Ok(())
        }
    }

    /// Everything in the folders above the one that `own` is in, but for these folders themselves.
    fn beside_all_above(own: &Path) -> io::Result<Vec<PathBuf>> {
        let mut beside = Vec::new();
        let above: Vec<&Path> = own.ancestors().skip(1).collect();
        for pair in above.windows(2) {
            if let [below, folder] = pair {
                for entry in fs::read_dir(folder)? {
                    let path = entry?.path();
                    if path != *below {
                        beside.push(path);
                    }
                }
            }
        }
        Ok(beside)
    }

    /// Refuses sockets of every kind, those of other programs on this machine too, and what makes sockets in another way.
    fn no_network() -> Result<BpfProgram, seccompiler::BackendError> {
        let calls = [libc::SYS_socket, libc::SYS_io_uring_setup];
        let rules: BTreeMap<i64, Vec<_>> = calls.into_iter().map(|call| (call, Vec::new())).collect();
        let action = SeccompAction::Errno(u32::try_from(libc::EACCES).unwrap_or(13));
        SeccompFilter::new(rules, SeccompAction::Allow, action, std::env::consts::ARCH.try_into()?)?
            .try_into()
    }
}
