//! Files that the person at the screen chose a name for.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::Path;

use crate::replace::{NewFile, ReplaceError};
use crate::sys::{self, Folder};

/// What becomes of a file that is there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    /// It gives way to the new one, which whoever may read or write it may read or write, too.
    GivesWay,
    /// It stays, and nothing is written.
    Stays,
}

/// Writes a file, durably and in one step: whoever looks finds the old one, an empty one or the new one, whole. A link leads to
/// the file it names.
pub fn save(path: &Path, bytes: &[u8], existing: Existing) -> Result<(), ReplaceError> {
    let io = |source| ReplaceError::Io { path: path.to_owned(), source };
    // Made first: it has the permissions that new files have here, and nobody else takes the name meanwhile.
    match OpenOptions::new().write(true).create_new(true).open(path) {
        Ok(placeholder) => write(path, bytes, placeholder).inspect_err(|_| {
            // What went wrong is told.
            let _ = fs::remove_file(path);
        }),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && existing == Existing::GivesWay => {
            let path = sys::real_path(path).map_err(io)?;
            let old = File::open(&path).map_err(io)?;
            if !old.metadata().map_err(io)?.is_file() {
                return Err(io(io::Error::other("it is no regular file")));
            }
            write(&path, bytes, old)
        }
        Err(error) => Err(io(error)),
    }
}

fn write(path: &Path, bytes: &[u8], like: File) -> Result<(), ReplaceError> {
    let failed = |error| ReplaceError::of(path, error);
    let io = |source| ReplaceError::Io { path: path.to_owned(), source };
    let name = path.file_name().ok_or_else(|| failed(io::ErrorKind::InvalidInput.into()))?;
    // A bare name is in the folder we are in.
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let folder = Folder::open_chosen(folder).map_err(failed)?;
    let new = NewFile::create(&folder).map_err(failed)?;
    sys::copy_access(&like, new.file()).map_err(failed)?;
    // Not every file system replaces what is open.
    drop(like);
    new.fill(bytes).map_err(io)?;
    new.rename(name).map_err(failed)?;
    folder.sync().map_err(io)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{Existing, save};
    use crate::scratch::Scratch;
    use crate::sys::link;

    #[test]
    fn a_new_file_is_there_and_nothing_else() {
        let scratch = Scratch::new();
        save(&scratch.path("a.png"), b"new", Existing::Stays).expect("saved");
        assert_eq!(fs::read(scratch.path("a.png")).expect("there"), b"new");
        assert_eq!(scratch.names(), ["a.png"], "nothing is left behind");
    }

    #[test]
    fn a_file_that_is_there_stays_unless_it_may_give_way() {
        let scratch = Scratch::new();
        let path = scratch.file("a.png", b"old");
        save(&path, b"new", Existing::Stays).expect_err("it is there");
        assert_eq!(fs::read(&path).expect("there"), b"old");
        save(&path, b"new", Existing::GivesWay).expect("saved");
        assert_eq!(fs::read(&path).expect("there"), b"new");
    }

    #[test]
    fn a_link_still_leads_to_the_file_it_names() {
        let scratch = Scratch::new();
        let (file, linked) = (scratch.file("a.png", b"old"), scratch.path("link.png"));
        link(&file, &linked);
        save(&linked, b"new", Existing::GivesWay).expect("saved");
        assert_eq!(fs::read(&file).expect("there"), b"new");
        assert!(fs::symlink_metadata(&linked).expect("there").is_symlink());
    }

    #[test]
    fn a_folder_is_no_file() {
        let scratch = Scratch::new();
        save(&scratch.path(""), b"new", Existing::GivesWay).expect_err("a folder");
    }
}
