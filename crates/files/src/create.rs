//! Making a file beside another one.

use std::ffi::OsStr;
use std::fs::File;
use std::path::{Component, Path};

use rustix::fs::OFlags;
use rustix::io::Errno;

use crate::attributes;
use crate::open::open;
use crate::replace::{Folder, How, NewFile, ReplaceError, Replaced};
use crate::roots::Place;

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
        let failed = |errno: Errno| match errno {
            Errno::EXIST => ReplaceError::ChangedMeanwhile(path.to_owned()),
            errno => ReplaceError::of(path, errno),
        };
        let io = |source| ReplaceError::Io { path: path.to_owned(), source };
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(failed(Errno::INVAL));
        };
        let folder = Folder::open(folder).map_err(failed)?;
        let new = NewFile::create(&folder).map_err(failed)?;
        let like = File::from(open(like.path(), OFlags::RDONLY | OFlags::NONBLOCK).map_err(failed)?);
        attributes::copy_access(&like, new.file()).map_err(failed)?;
        new.fill(bytes).map_err(io)?;
        new.rename_to_new(name).map_err(failed)?;
        Ok(Replaced { how: How::Renamed, left_behind: 0, unsynced: folder.sync().err() })
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use crate::replace::ReplaceError;
    use crate::roots::Roots;
    use crate::scratch::Scratch;

    #[test]
    fn a_file_is_made_beside_another_for_the_same_people() {
        let scratch = Scratch::new();
        let file = scratch.file("a.cr2", b"raw");
        let place = Roots::new([scratch.path("")]).resolve(&file).expect("a place");
        for mode in [0o640, 0o444] {
            fs::set_permissions(&file, fs::Permissions::from_mode(mode)).expect("a mode");
            let beside = place.beside(OsStr::new("a.cr2.xmp")).expect("a name");
            beside.create(b"xmp", &place).expect("made");
            let path = scratch.path("a.cr2.xmp");
            assert_eq!(fs::read(&path).expect("the file"), b"xmp");
            let made = fs::metadata(&path).expect("the file").permissions().mode();
            assert_eq!(made & 0o777, (mode & 0o666) | 0o600);
            assert!(matches!(beside.create(b"other", &place), Err(ReplaceError::ChangedMeanwhile(_))));
            assert_eq!(fs::read(&path).expect("the file"), b"xmp");
            assert_eq!(scratch.names(), ["a.cr2", "a.cr2.xmp"]);
            fs::remove_file(&path).expect("removed");
        }
        symlink("nowhere", scratch.path("link.xmp")).expect("a link");
        let link = place.beside(OsStr::new("link.xmp")).expect("a name");
        assert!(link.create(b"xmp", &place).is_err(), "a link that leads nowhere is not followed");
        for name in ["", ".", "..", "a/b", "/a", "a/"] {
            assert_eq!(place.beside(OsStr::new(name)), None, "{name}");
        }
    }
}
