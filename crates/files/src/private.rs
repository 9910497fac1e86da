//! Single files and folders for this user alone, and paths as every program of this system writes them.

use std::borrow::Cow;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use crate::sys;

/// Makes a file, which must not be there yet, that only this user can use. It is open for reading and writing.
pub fn create_private(path: &Path) -> io::Result<File> {
    sys::create_private(path)
}

/// Whether a file or a folder belongs to this user.
pub fn is_own(path: &Path) -> io::Result<bool> {
    sys::is_own_path(path)
}

/// Whether others than this user can use a file or a folder.
pub fn is_open_to_others(path: &Path) -> io::Result<bool> {
    sys::is_open_to_others(path)
}

/// Makes a folder for this user alone, and those above it as far as they are missing. One that is there stays as it is.
pub fn make_private_folder(path: &Path) -> io::Result<()> {
    sys::make_private(path)
}

/// Waits until the names in a folder are on the disk.
pub fn sync_folder(path: &Path) -> io::Result<()> {
    sys::sync_folder(path)
}

/// A path as bytes that stay the same from version to version.
pub fn encode_path(path: &Path) -> Cow<'_, [u8]> {
    sys::encode_path(path)
}

/// The path that [`encode_path`] made these bytes of.
pub fn decode_path(bytes: &[u8]) -> Option<PathBuf> {
    sys::decode_path(bytes)
}

/// The path without links, as programs of this system write it.
pub fn real_path(path: &Path) -> io::Result<PathBuf> {
    sys::real_path(path)
}

/// Keeps everybody but this user from a file that another program has made.
pub fn close_to_others(path: &Path) -> io::Result<()> {
    sys::close_file_to_others(path)
}

#[cfg(test)]
mod tests {
    use std::io::{self, Write as _};

    use super::{close_to_others, create_private};
    use crate::scratch::Scratch;
    use crate::sys::is_private;

    #[test]
    fn a_file_is_for_this_user_alone() {
        let scratch = Scratch::new();
        let path = scratch.path("a");
        create_private(&path).and_then(|mut file| file.write_all(b"a")).expect("written");
        assert!(is_private(&path));
        let again = create_private(&path).expect_err("it is there");
        assert_eq!(again.kind(), io::ErrorKind::AlreadyExists);
        let other = scratch.file("b", b"b");
        close_to_others(&other).expect("closed");
        assert!(is_private(&other));
    }
}
