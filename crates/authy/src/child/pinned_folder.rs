//! A folder that a rule names for its command to run in: it is root's, with all that is in it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::confinement::Unconfined;
use crate::sys;

/// Checks that nobody but root can put anything into a folder, change anything in it, or put another in its place.
pub fn check_folder(folder: &Path) -> Result<(), Unconfined> {
    let problem = |source| Unconfined::Folder { path: folder.to_owned(), source };
    let real = fs::canonicalize(folder).map_err(problem)?;
    // Root could write anywhere; what matters there is whether the folder itself is meant to be written.
    if sys::is_administrator() || !is_roots(&real).map_err(problem)? {
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
        if !sys::belongs_to_administrator(&fs::metadata(place)?) {
            return Ok(false);
        }
    }
    Ok(true)
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
                sys::belongs_to_administrator(&about)
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
