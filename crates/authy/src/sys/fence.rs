//! The fence around a command: Landlock for files, seccomp for what Landlock does not know. Both are prepared before the fork;
//! afterwards only system calls are made.

use std::path::{Path, PathBuf};
use std::{fs, io};

use landlock::{
    ABI, Access, AccessFs, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset, RulesetAttr,
    RulesetCreated, RulesetCreatedAttr, RulesetStatus,
};
use seccompiler::BpfProgram;

use super::Open;
use super::calls;
use super::private::{libraries, private_folders};
use crate::child::Unconfined;

pub(crate) struct Fence {
    files: Option<RulesetCreated>,
    filters: Vec<BpfProgram>,
}

/// What everybody reads and writes, and nothing comes of it.
const HARMLESS: [&str; 5] = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

impl Fence {
    /// Everything can be read but what is beside the command's own folder or is the person's own, and nothing be written but in
    /// that folder and where it is `open`.
    pub(crate) fn new(program: &Path, own: &Path, mut open: Open<'_>) -> Result<Fence, Unconfined> {
        let hidden = private_folders()?;
        open.reads.extend(libraries(program, &hidden));
        let unsupported = |error: &dyn std::error::Error| Unconfined::NotSupported(error.to_string());
        let mut files = Ruleset::default()
            .set_compatibility(CompatLevel::HardRequirement)
            .handle_access(AccessFs::from_all(ABI::V3))
            .and_then(Ruleset::create)
            .map_err(|error| unsupported(&error))?;
        let folders = std::iter::once(own).chain(open.writes.iter().map(PathBuf::as_path));
        for folder in folders {
            let opened = PathFd::new(folder).map_err(|error| unsupported(&error))?;
            files = files
                .add_rule(PathBeneath::new(opened, AccessFs::from_all(ABI::V3)))
                .map_err(|error| unsupported(&error))?;
        }
        let hidden: Vec<&Path> =
            own.parent().into_iter().chain(hidden.iter().map(PathBuf::as_path)).collect();
        for place in all_but(&hidden).into_iter().chain(open.reads.iter().cloned()) {
            // What is gone by now, or leads nowhere, needs no rule.
            let (Ok(about), Ok(opened)) = (fs::metadata(&place), PathFd::new(&place)) else { continue };
            let reading = if about.is_dir() {
                AccessFs::from_read(ABI::V3)
            } else {
                AccessFs::ReadFile | AccessFs::Execute
            };
            files = files.add_rule(PathBeneath::new(opened, reading)).map_err(|error| unsupported(&error))?;
        }
        for device in HARMLESS {
            // One that is not there needs no rule.
            if let Ok(opened) = PathFd::new(device) {
                files = files
                    .add_rule(PathBeneath::new(
                        opened,
                        AccessFs::ReadFile | AccessFs::WriteFile | AccessFs::Truncate,
                    ))
                    .map_err(|error| unsupported(&error))?;
            }
        }
        let filters = calls::filters(open.network).map_err(|error| unsupported(&error))?;
        Ok(Fence { files: Some(files), filters })
    }

    /// Closes it around this process, for good.
    pub(super) fn close(&mut self) -> io::Result<()> {
        let refused = || io::Error::from_raw_os_error(libc::EPERM);
        if let Some(files) = self.files.take() {
            let status = files.restrict_self().map_err(|_| refused())?;
            if status.ruleset == RulesetStatus::NotEnforced || !status.no_new_privs {
                return Err(refused());
            }
        }
        give_up_capabilities()?;
        for filter in &self.filters {
            seccompiler::apply_filter(filter).map_err(|_| refused())?;
        }
        Ok(())
    }
}

/// Gives up what root may do besides. A command that may make devices reads every disk, and one that may look at the performance
/// of programs reads their environment, whatever Landlock says.
#[allow(unsafe_code, reason = "a call of the operating system without a wrapper here")]
fn give_up_capabilities() -> io::Result<()> {
    // The third version of the call; for this thread; and nothing effective, permitted or inheritable, in two halves.
    let (header, nothing) = ([0x2008_0522_u32, 0], [0_u32; 6]);
    // SAFETY: the call reads two arrays, which are as long as this version says.
    match unsafe { libc::syscall(libc::SYS_capset, header.as_ptr(), nothing.as_ptr()) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Everything there is, but for these folders and those above them: what is in the latter is named one by one. Links are left
/// out: what they lead to is there by itself, or is hidden.
fn all_but(hidden: &[&Path]) -> Vec<PathBuf> {
    let (mut open, mut shown) = (vec![PathBuf::from("/")], Vec::new());
    while let Some(folder) = open.pop() {
        // What cannot be listed is not shown.
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if entry.file_type().is_ok_and(|kind| kind.is_symlink()) || hidden.contains(&path.as_path()) {
                continue;
            }
            if hidden.iter().any(|hidden| hidden.starts_with(&path)) {
                open.push(path);
            } else {
                shown.push(path);
            }
        }
    }
    shown
}
