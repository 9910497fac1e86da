//! Files that the person at the screen chose a name for.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::Path;

use rustix::io::Errno;

use crate::attributes;
use crate::replace::{Folder, NewFile, ReplaceError};

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
        Ok(placeholder) => write(path, bytes, &placeholder).inspect_err(|_| {
            // What went wrong is told.
            let _ = fs::remove_file(path);
        }),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && existing == Existing::GivesWay => {
            let path = fs::canonicalize(path).map_err(io)?;
            let old = File::open(&path).map_err(io)?;
            if !old.metadata().map_err(io)?.is_file() {
                return Err(io(io::Error::other("it is no regular file")));
            }
            write(&path, bytes, &old)
        }
        Err(error) => Err(io(error)),
    }
}

fn write(path: &Path, bytes: &[u8], like: &File) -> Result<(), ReplaceError> {
    let failed = |errno| ReplaceError::of(path, errno);
    let io = |source| ReplaceError::Io { path: path.to_owned(), source };
    let name = path.file_name().ok_or_else(|| failed(Errno::INVAL))?;
    // A bare name is in the folder we are in.
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let folder = Folder::open(folder).map_err(failed)?;
    let new = NewFile::create(&folder).map_err(failed)?;
    attributes::copy_access(like, new.file()).map_err(failed)?;
    new.fill(bytes).map_err(io)?;
    new.rename(name).map_err(failed)?;
    folder.sync().map_err(io)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::{Existing, save};
    use crate::scratch::Scratch;

    #[test]
    fn a_new_file_has_the_permissions_of_new_files() {
        let scratch = Scratch::new();
        let (ours, usual) = (scratch.path("a.png"), scratch.path("b.png"));
        save(&ours, b"new", Existing::Stays).expect("saved");
        fs::write(&usual, b"").expect("written");
        let mode = |path| fs::metadata(path).expect("there").permissions().mode();
        assert_eq!((fs::read(&ours).expect("there"), mode(&ours)), (b"new".to_vec(), mode(&usual)));
        assert_eq!(scratch.names().len(), 2, "nothing is left behind");
    }

    #[test]
    fn a_file_that_is_there_stays_unless_it_may_give_way() {
        let scratch = Scratch::new();
        let path = scratch.path("a.png");
        fs::write(&path, b"old").expect("written");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).expect("set");
        save(&path, b"new", Existing::Stays).expect_err("it is there");
        assert_eq!(fs::read(&path).expect("there"), b"old");
        save(&path, b"new", Existing::GivesWay).expect("saved");
        assert_eq!(fs::read(&path).expect("there"), b"new");
        assert_eq!(fs::metadata(&path).expect("there").permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn a_link_still_leads_to_the_file_it_names() {
        let scratch = Scratch::new();
        let (file, link) = (scratch.path("a.png"), scratch.path("link.png"));
        fs::write(&file, b"old").expect("written");
        symlink(&file, &link).expect("linked");
        save(&link, b"new", Existing::GivesWay).expect("saved");
        assert_eq!(fs::read(&file).expect("there"), b"new");
        assert!(fs::symlink_metadata(&link).expect("there").is_symlink());
    }

    #[test]
    fn a_folder_is_no_file() {
        let scratch = Scratch::new();
        save(&scratch.path(""), b"new", Existing::GivesWay).expect_err("a folder");
    }
}
