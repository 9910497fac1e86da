//! A folder for one test.

use std::fs;
use std::hash::{BuildHasher as _, RandomState};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// A folder for one test, gone with it.
pub struct Folder(PathBuf);

impl Folder {
    /// An empty one.
    #[allow(clippy::new_without_default, reason = "a default makes no folder")]
    pub fn new() -> Folder {
        // By chance and not by process id: those come again, and a test that was killed leaves its folder behind.
        loop {
            let name = format!("dm-{:012x}", RandomState::new().hash_one(0) >> 16);
            let folder = std::env::temp_dir().join(name);
            match fs::create_dir(&folder) {
                Ok(()) => return Folder(crate::sys::real_path(&folder).expect("a real path")),
                Err(error) => {
                    assert_eq!(error.kind(), ErrorKind::AlreadyExists, "{}: {error}", folder.display());
                }
            }
        }
    }

    /// Where something of this name is, or would be.
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Writes a file; its path as text.
    pub fn file(&self, name: &str, bytes: &[u8]) -> String {
        let path = self.path(name);
        fs::write(&path, bytes).expect("a file");
        path.to_str().expect("UTF-8").to_owned()
    }

    /// Where it is.
    pub fn as_path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
