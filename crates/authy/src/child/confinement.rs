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
    /// Something else is in the place of a folder it may write to.
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
        let home = home();
        // A program in the home brings its libraries with it, somewhere in the same folder of the home.
        let beside = home.as_ref().and_then(|home| {
            let within = self.program.strip_prefix(home).ok()?.components().next()?;
            Some(home.join(within))
        });
        let reads = self.reads.iter().chain(&self.folder).chain([&self.program]).chain(&beside);
        linux::Fence::new((own.path(), home.as_deref()), reads, &self.writes, self.network)
    }
}

/// The person's home. Keyfiles are there, and whatever else an agent would like a command to print.
#[cfg(target_os = "linux")]
fn home() -> Option<PathBuf> {
    let home = std::env::var_os("HOME").map(PathBuf::from).filter(|home| home.is_absolute())?;
    fs::canonicalize(home).ok().filter(|home| home.parent().is_some())
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

/// Checks that nobody but root can put anything into a folder, change anything in it, or put another in its place.
pub fn check_folder(folder: &Path) -> Result<(), Unconfined> {
    let problem = |source| Unconfined::Folder { path: folder.to_owned(), source };
    let real = fs::canonicalize(folder).map_err(problem)?;
    // Root could write anywhere; what matters there is whether the folder itself is meant to be written.
    let ours = rustix::process::geteuid().is_root();
    if ours || !is_roots(&real).map_err(problem)? {
        return Err(Unconfined::Writable(real));
    }
    match first_writable(&real).map_err(problem)? {
        Some(found) => Err(Unconfined::Writable(found)),
        None => Ok(()),
    }
}

/// Whether a place and all folders above it belong to root, and nobody else can write there. A sticky folder above is no
/// better than another: programs look for their configuration in all folders above.
fn is_roots(real: &Path) -> io::Result<bool> {
    for place in real.ancestors() {
        if !belongs_to_root(&fs::metadata(place)?) {
            return Ok(false);
        }
    }
    Ok(true)
}

fn belongs_to_root(about: &fs::Metadata) -> bool {
    about.uid() == 0 && about.mode() & 0o022 == 0
}

/// The most files that are looked at.
const MOST_FILES: usize = 50_000;

/// Something in a folder that somebody else than root can change: a hook, a makefile, or what a link leads to.
pub(super) fn first_writable(folder: &Path) -> io::Result<Option<PathBuf>> {
    let (mut open, mut count) = (vec![folder.to_owned()], 0);
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder)? {
            let entry = entry?;
            let (path, about) = (entry.path(), entry.metadata()?);
            count += 1;
            if count > MOST_FILES {
                return Err(io::Error::other("there are too many files in it to look at"));
            }
            let safe = if about.is_symlink() {
                // One that leads nowhere can be made to lead somewhere.
                fs::canonicalize(&path).and_then(|real| is_roots(&real)).unwrap_or(false)
            } else {
                belongs_to_root(&about)
            };
            if !safe {
                return Ok(Some(path));
            }
            if about.is_dir() {
                open.push(path);
            }
        }
    }
    Ok(None)
}

/// Where the folders of commands are. Anybody can put something there, so commands can read nothing else in it: many programs
/// look for their configuration, and git for its hooks, in all folders above the one they run in.
const TEMPORARY: &str = "/tmp";

/// How folders of commands are named, before 16 hexadecimal digits.
const NAMED: &str = "authy-run-";

/// An empty folder for one command, gone with it. As long as it is in use it is locked.
pub(super) struct OwnFolder(PathBuf, fs::File);

impl OwnFolder {
    fn make() -> Result<OwnFolder, Unconfined> {
        let random: [u8; 8] = crate::keys::crypto::random()
            .map_err(|_| Unconfined::NotSupported("there are no random numbers".to_owned()))?;
        // Not where the caller's environment says.
        let above = fs::canonicalize(TEMPORARY)
            .map_err(|source| Unconfined::Folder { path: TEMPORARY.into(), source })?;
        sweep(&above);
        let path = above.join(format!("{NAMED}{}", hex(&random)));
        let failed = |source| Unconfined::Folder { path: path.clone(), source };
        DirBuilder::new().mode(0o700).create(&path).map_err(failed)?;
        let lock = fs::File::open(&path).map_err(failed)?;
        let own = OwnFolder(path.clone(), lock);
        own.1.lock().map_err(failed)?;
        Ok(own)
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

/// Removes folders of commands that were left behind when we were killed: there may be secrets in them.
fn sweep(above: &Path) {
    let us = rustix::process::geteuid().as_raw();
    for entry in fs::read_dir(above).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let random = name.to_str().and_then(|name| name.strip_prefix(NAMED)).unwrap_or_default();
        let ours = random.len() == 16 && random.bytes().all(|byte| byte.is_ascii_hexdigit());
        // One that is younger may be about to be locked.
        let left = |about: &fs::Metadata| {
            let age = about.modified().ok().and_then(|made| made.elapsed().ok()).unwrap_or_default();
            let is_private = about.mode() & 0o7777 == 0o700;
            about.is_dir() && about.uid() == us && is_private && age.as_secs() > 60
        };
        if ours && entry.metadata().as_ref().is_ok_and(left) {
            let free = fs::File::open(entry.path()).is_ok_and(|folder| folder.try_lock().is_ok());
            if free {
                let _ = fs::remove_dir_all(entry.path());
            }
        }
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
        filters: Vec<BpfProgram>,
    }

    /// What everybody writes to, and nothing comes of it.
    const HARMLESS: [&str; 4] = ["/dev/null", "/dev/zero", "/dev/full", "/dev/tty"];

    impl Fence {
        /// Everything can be read but what is beside the command's own folder or in the person's home, and nothing be
        /// written but in that folder and in `writes`.
        pub(super) fn new<'a>(
            (own, home): (&Path, Option<&Path>),
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
            for folder in writes {
                // The path is the real one since the rule was made: whoever put a link on the way means another folder.
                if fs::canonicalize(folder).is_ok_and(|real| real != *folder) {
                    return Err(Unconfined::Moved(folder.clone()));
                }
            }
            let folders = std::iter::once(own).chain(writes.iter().map(PathBuf::as_path));
            for folder in folders {
                let opened = PathFd::new(folder).map_err(|error| unsupported(&error))?;
                files = files
                    .add_rule(PathBeneath::new(opened, AccessFs::from_all(ABI::V3)))
                    .map_err(|error| unsupported(&error))?;
            }
            let hidden: Vec<&Path> = own.parent().into_iter().chain(home).collect();
            for place in all_but(&hidden).into_iter().chain(reads.cloned()) {
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
            let mut filters =
                vec![refuse(&ATTRIBUTES, libc::EOPNOTSUPP).map_err(|error| unsupported(&error))?];
            if !network {
                filters.push(refuse(&TALKING, libc::EACCES).map_err(|error| unsupported(&error))?);
            }
            Ok(Fence { files: Some(files), filters })
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
            for filter in &self.filters {
                seccompiler::apply_filter(filter).map_err(|_| refused())?;
            }
            Ok(())
        }
    }

    /// Everything there is, but for these folders and those above them: what is in the latter is named one by one.
    fn all_but(hidden: &[&Path]) -> Vec<PathBuf> {
        let (mut open, mut shown) = (vec![PathBuf::from("/")], Vec::new());
        while let Some(folder) = open.pop() {
            // What cannot be listed is not shown.
            for path in fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
                let real = fs::canonicalize(&path).unwrap_or_else(|_| path.clone());
                if !hidden.iter().any(|hidden| hidden.starts_with(&real)) {
                    shown.push(path);
                } else if real == path && !hidden.contains(&path.as_path()) {
                    open.push(path);
                }
            }
        }
        shown
    }

    /// Attributes of files, which Landlock does not know: a value could be left in one, anywhere.
    const ATTRIBUTES: [libc::c_long; 4] =
        [libc::SYS_setxattr, libc::SYS_lsetxattr, libc::SYS_fsetxattr, SYS_SETXATTRAT];

    /// Newer than the list of numbers that we have, and the same on all systems.
    const SYS_SETXATTRAT: libc::c_long = 463;

    /// Sockets of every kind, those of other programs on this machine too, what makes sockets in another way, and what
    /// else programs tell each other something by.
    const TALKING: [libc::c_long; 8] = [
        libc::SYS_socket,
        libc::SYS_io_uring_setup,
        libc::SYS_msgget,
        libc::SYS_shmget,
        libc::SYS_semget,
        libc::SYS_mq_open,
        libc::SYS_add_key,
        libc::SYS_keyctl,
    ];

    fn refuse(calls: &[libc::c_long], with: libc::c_int) -> Result<BpfProgram, seccompiler::BackendError> {
        let rules: BTreeMap<i64, Vec<_>> = calls.iter().map(|call| (*call, Vec::new())).collect();
        let action = SeccompAction::Errno(u32::try_from(with).unwrap_or(13));
        SeccompFilter::new(rules, SeccompAction::Allow, action, std::env::consts::ARCH.try_into()?)?
            .try_into()
    }
}
