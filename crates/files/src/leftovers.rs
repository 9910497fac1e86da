//! Files that a killed process left behind: found by their names, told from those in use by their locks, and removed.

use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use crate::sys::{self, Folder, Id};

/// How the names of files begin that are not finished yet.
pub(crate) const BEGIN: &str = ".deskmate-";
/// How they end.
pub(crate) const END: &str = ".tmp";

/// How many folders are remembered; when there are more, some are swept again.
const MOST_FOLDERS: usize = 1_000;
/// Looking through a larger folder takes longer than what is found is worth.
const MOST_ENTRIES: usize = 200_000;

/// The folders that this process has swept.
static SWEPT: Mutex<Option<HashSet<Id>>> = Mutex::new(None);

/// Removes what killed processes left in a folder, once for each folder. What cannot be removed does no harm.
pub(crate) fn sweep(folder: &Folder, path: Option<&Path>) {
    let Some(path) = path.filter(|_| is_first(folder)) else { return };
    let Ok(entries) = fs::read_dir(path) else { return };
    for entry in entries.take(MOST_ENTRIES).filter_map(Result::ok) {
        let name = entry.file_name();
        let is_ours = name.to_str().is_some_and(|name| name.starts_with(BEGIN) && name.ends_with(END));
        if is_ours && is_left(folder, &name) {
            let _ = folder.remove(&name);
        }
    }
}

/// Whether a file belongs to this user and to no process that still runs.
fn is_left(folder: &Folder, name: &std::ffi::OsStr) -> bool {
    folder.open_unused(name).is_ok_and(|file| sys::is_own(&file))
}

fn is_first(folder: &Folder) -> bool {
    let Ok(id) = folder.id() else { return false };
    let mut swept = SWEPT.lock().unwrap_or_else(PoisonError::into_inner);
    let swept = swept.get_or_insert_default();
    if swept.len() == MOST_FOLDERS {
        swept.clear();
    }
    swept.insert(id)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::sweep;
    use crate::replace::NewFile;
    use crate::scratch::Scratch;
    use crate::sys::Folder;

    #[test]
    fn what_a_killed_process_left_is_removed_and_nothing_else() {
        let scratch = Scratch::new();
        let folder = Folder::open(&scratch.path("")).expect("a folder");
        let in_use = NewFile::create(&folder).expect("a file");
        in_use.fill(b"half").expect("written");
        let name = scratch.names().pop().expect("a name");
        scratch.file(".deskmate-0123456789abcdef.tmp", b"left");
        scratch.file(".deskmate-notes", b"mine");
        scratch.file("a.tmp", b"mine");
        sweep(&folder, Some(&scratch.path("")));
        assert_eq!(scratch.names(), [name.as_str(), ".deskmate-notes", "a.tmp"]);
        drop(in_use);
        scratch.file(".deskmate-0123456789abcdef.tmp", b"left");
        sweep(&folder, Some(&scratch.path("")));
        assert!(fs::exists(scratch.path(".deskmate-0123456789abcdef.tmp")).expect("looked"), "only once");
    }
}
