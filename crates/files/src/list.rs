//! What is in a folder a client named.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;

use crate::roots::Place;
use crate::sys::{self, EntriesError};

/// Something in a folder. Links are not listed: what they lead to has another place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// Its name in the folder.
    pub name: OsString,
    /// Where it is.
    pub place: Place,
    /// What it is.
    pub kind: ListedKind,
}

/// What something in a folder is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListedKind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
}

/// Why a folder cannot be listed.
#[derive(Debug, thiserror::Error)]
pub enum ListError {
    /// It is gone.
    #[error("`{}` does not exist; check the path", .0.display())]
    NotFound(PathBuf),
    /// It may not be listed.
    #[error("cannot list `{}`: permission denied; give this user read access or choose another folder", .0.display())]
    Denied(PathBuf),
    /// It is a file or something else.
    #[error("`{}` is not a folder; choose one", .0.display())]
    NotAFolder(PathBuf),
    /// There is more in it than is listed at once.
    #[error("`{}` has more than {limit} entries; choose a smaller folder", path.display())]
    TooMany {
        /// The folder.
        path: PathBuf,
        /// The bound.
        limit: usize,
    },
    /// Listing failed.
    #[error("cannot list `{}`: {source}; try again or choose another folder", path.display())]
    Io {
        /// The folder.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
}

impl Place {
    /// The files and folders in the folder that is here, by name, if it has at most `limit` entries.
    pub fn list(&self, limit: usize) -> Result<Vec<Listed>, ListError> {
        let path = self.path();
        let entries = sys::entries(path, limit).map_err(|error| match error {
            EntriesError::TooMany => ListError::TooMany { path: path.to_owned(), limit },
            EntriesError::Io(error) => match error.kind() {
                io::ErrorKind::NotFound => ListError::NotFound(path.to_owned()),
                io::ErrorKind::PermissionDenied => ListError::Denied(path.to_owned()),
                io::ErrorKind::NotADirectory => ListError::NotAFolder(path.to_owned()),
                _ if sys::is_special(&error) => ListError::NotAFolder(path.to_owned()),
                _ => ListError::Io { path: path.to_owned(), source: error },
            },
        })?;
        let listed = entries.into_iter().map(|entry| Listed {
            place: self.inside(&entry.name),
            name: entry.name,
            kind: if entry.is_folder { ListedKind::Folder } else { ListedKind::File },
        });
        let mut listed: Vec<Listed> = listed.collect();
        listed.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(listed)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{ListError, ListedKind};
    use crate::roots::Roots;
    use crate::scratch::Scratch;
    use crate::sys;

    #[test]
    fn files_and_folders_are_listed_by_name_and_links_are_not() {
        let scratch = Scratch::new();
        scratch.file("b.jpg", b"");
        scratch.file("a/inside.jpg", b"");
        sys::link(scratch.path("a"), scratch.path("c"));
        let place = Roots::new([scratch.path("")]).resolve(&scratch.path("")).expect("a place");
        let listed = place.list(3).expect("listed");
        let seen: Vec<_> = listed.iter().map(|entry| (entry.place.path().to_owned(), entry.kind)).collect();
        assert_eq!(
            seen,
            [(scratch.path("a"), ListedKind::Folder), (scratch.path("b.jpg"), ListedKind::File)]
        );
        assert!(matches!(place.list(2), Err(ListError::TooMany { limit: 2, .. })));
        assert!(matches!(listed[1].place.list(9), Err(ListError::NotAFolder(_))));
        fs::remove_dir_all(scratch.path("a")).expect("removed");
        assert!(matches!(listed[0].place.list(9), Err(ListError::NotFound(_))));
    }
}
