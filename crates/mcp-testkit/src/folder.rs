//! A folder for one test.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A folder for one test, gone with it.
pub struct Folder(PathBuf);

impl Folder {
    /// An empty one.
    #[allow(clippy::new_without_default, reason = "a default makes no folder")]
    pub fn new() -> Folder {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("deskmate-test-{}-{number}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        Folder(fs::canonicalize(folder).expect("a real path"))
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
