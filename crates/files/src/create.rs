//! Making a file beside another one.

use std::ffi::OsStr;
use std::io;
use std::path::{Component, Path};

use crate::leftovers;
use crate::replace::{How, NewFile, ReplaceError, Replaced};
use crate::roots::Place;
use crate::sys::{self, Folder};

impl Place {
    /// The place of another name in the same folder, whatever is there; nothing if that is no name.
    pub fn beside(&self, name: &OsStr) -> Option<Place> {
        let mut parts = Path::new(name).components();
        match (parts.next(), parts.next()) {
            (Some(Component::Normal(only)), None) if only == name => self.in_same_folder(name),
            _ => None,
        }
    }

    /// The place of a name in this folder, whatever is there; nothing if that is no name.
    pub fn for_new(&self, name: &OsStr) -> Option<Place> {
        let mut parts = Path::new(name).components();
        match (parts.next(), parts.next()) {
            (Some(Component::Normal(only)), None) if only == name => Some(self.inside(name)),
            _ => None,
        }
    }

    /// Makes the file that is not here yet, durably and in one step. Whoever may read or write `like` may do so with it.
    pub fn create(&self, bytes: &[u8], like: &Place) -> Result<Replaced, ReplaceError> {
        let path = self.path();
        let failed = |error: io::Error| match error.kind() {
            io::ErrorKind::AlreadyExists => ReplaceError::ChangedMeanwhile(path.to_owned()),
            _ => ReplaceError::of(path, error),
        };
        let io = |source| ReplaceError::Io { path: path.to_owned(), source };
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(failed(io::ErrorKind::InvalidInput.into()));
        };
        let folder = Folder::open(folder).map_err(failed)?;
        leftovers::sweep(&folder, path.parent());
        let new = NewFile::create(&folder).map_err(failed)?;
        let like = sys::open_to_read(like.path()).map_err(failed)?;
        sys::copy_access(&like, new.file()).map_err(failed)?;
        new.fill(bytes).map_err(io)?;
        new.rename_to_new(name).map_err(failed)?;
        Ok(Replaced { how: How::Renamed, left_behind: 0, unsynced: folder.sync().err() })
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::fs;

    use crate::replace::ReplaceError;
    use crate::roots::Roots;
    use crate::scratch::Scratch;
    use crate::sys::link;

    #[test]
    fn what_a_killed_process_left_goes_when_a_file_is_made() {
        let scratch = Scratch::new();
        let place = Roots::new([scratch.path("")]).resolve(&scratch.file("a.cr2", b"raw")).expect("a place");
        scratch.file(".deskmate-0123456789abcdef.tmp", b"left");
        place.beside(OsStr::new("a.cr2.xmp")).expect("a name").create(b"xmp", &place).expect("made");
        assert_eq!(scratch.names(), ["a.cr2", "a.cr2.xmp"]);
    }

    #[test]
    fn a_file_is_made_beside_another_once() {
        let scratch = Scratch::new();
        let place = Roots::new([scratch.path("")]).resolve(&scratch.file("a.cr2", b"raw")).expect("a place");
        let beside = place.beside(OsStr::new("a.cr2.xmp")).expect("a name");
        beside.create(b"xmp", &place).expect("made");
        assert!(matches!(beside.create(b"other", &place), Err(ReplaceError::ChangedMeanwhile(_))));
        assert_eq!(fs::read(scratch.path("a.cr2.xmp")).expect("the file"), b"xmp");
        assert_eq!(scratch.names(), ["a.cr2", "a.cr2.xmp"]);
        link(scratch.path("nowhere"), scratch.path("link.xmp"));
        let link = place.beside(OsStr::new("link.xmp")).expect("a name");
        assert!(link.create(b"xmp", &place).is_err(), "a link that leads nowhere is not followed");
        for name in ["", ".", "..", "a/b", "/a", "a/"] {
            assert_eq!(place.beside(OsStr::new(name)), None, "{name}");
        }
    }
}
