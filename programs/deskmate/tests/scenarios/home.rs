//! A home folder of a test's own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::binary::{Finished, finish};

/// An empty home, gone with the test.
pub(crate) struct Home(pub(crate) PathBuf);

impl Home {
    pub(crate) fn new() -> Home {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let folder =
            Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("home-{}-{number}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("a folder");
        Home(folder)
    }

    pub(crate) fn file(&self, name: &str, text: &[u8]) -> PathBuf {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(&path, text).expect("a file");
        path
    }

    /// With nothing of our own environment in it.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_deskmate"));
        command
            .args(arguments)
            .env_clear()
            .env("HOME", &self.0)
            .env("PATH", "/usr/bin:/bin")
            .current_dir(&self.0);
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Finished {
        finish(&mut self.command(arguments), "")
    }

    /// Everything below it, by name.
    pub(crate) fn files(&self) -> Vec<String> {
        fn walk(folder: &Path, root: &Path, found: &mut Vec<String>) {
            for entry in fs::read_dir(folder).expect("a folder") {
                let path = entry.expect("an entry").path();
                if path.is_dir() && !path.is_symlink() {
                    walk(&path, root, found);
                } else {
                    found.push(path.strip_prefix(root).expect("below").display().to_string());
                }
            }
        }
        let mut found = Vec::new();
        walk(&self.0, &self.0, &mut found);
        found.sort();
        found
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
