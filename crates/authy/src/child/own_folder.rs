//! The empty folder that a command runs in.

use std::fs;
use std::path::{Path, PathBuf};

use super::confinement::Unconfined;
use crate::keys::crypto::hex;
use crate::sys;

/// How folders of commands are named, before 16 hexadecimal digits.
const NAMED: &str = "authy-run-";

/// An empty folder for one command, gone with it. As long as it is in use it is locked.
pub(super) struct OwnFolder(PathBuf, fs::File);

impl OwnFolder {
    pub(super) fn make() -> Result<OwnFolder, Unconfined> {
        let random: [u8; 8] = crate::keys::crypto::random()
            .map_err(|_| Unconfined::NotSupported("there are no random numbers".to_owned()))?;
        // Not where the caller's environment says.
        let above = sys::TEMPORARY.ok_or_else(|| Unconfined::NotSupported(sys::WHY_NOT.to_owned()))?;
        let above =
            fs::canonicalize(above).map_err(|source| Unconfined::Folder { path: above.into(), source })?;
        sweep(&above);
        let path = above.join(format!("{NAMED}{}", hex(&random)));
        let failed = |source| Unconfined::Folder { path: path.clone(), source };
        sys::make_folder(&path).map_err(failed)?;
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
    for entry in fs::read_dir(above).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let random = name.to_str().and_then(|name| name.strip_prefix(NAMED)).unwrap_or_default();
        let ours = random.len() == 16 && random.bytes().all(|byte| byte.is_ascii_hexdigit());
        // One that is younger may be about to be locked.
        let left = |about: &fs::Metadata| {
            let age = about.modified().ok().and_then(|made| made.elapsed().ok()).unwrap_or_default();
            about.is_dir() && sys::is_our_folder(about) && age.as_secs() > 60
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
