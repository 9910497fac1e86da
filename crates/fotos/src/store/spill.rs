//! Screenshots that are too many for the memory, as files of this process in a private folder.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use bytes::Bytes;
use files::{FolderError, PrivateFolder};
use uuid::Uuid;

/// The folder. It is emptied when it is opened, since a process may have been killed, and when it is dropped.
#[derive(Debug)]
pub struct Spill {
    folder: PrivateFolder,
}

/// A file in it, which goes when this is dropped.
#[derive(Debug)]
pub struct Spilled {
    path: PathBuf,
    length: u64,
    end: End,
}

/// What becomes of a file when nobody needs it here any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Removed,
    Stays,
}

impl Spill {
    /// Opens the folder, which belongs to this process alone, and empties it.
    pub fn open(path: &Path) -> Result<Spill, FolderError> {
        let folder = PrivateFolder::make(path)?;
        let spill = Spill { folder };
        spill.empty();
        Ok(spill)
    }

    /// Puts a picture into it.
    pub(crate) fn put(&self, id: Uuid, png: &[u8]) -> io::Result<Spilled> {
        // Never the same name twice: an older file of this screenshot goes when its owner does.
        let path = self.folder.path().join(format!("{id}-{}.png", Uuid::new_v4().simple()));
        let mut file = files::create_private(&path)?;
        let spilled = Spilled { path, length: png.len() as u64, end: End::Removed };
        // On failure, dropping `spilled` takes away what was written.
        file.write_all(png)?;
        Ok(spilled)
    }

    fn empty(&self) {
        let Ok(entries) = fs::read_dir(self.folder.path()) else { return };
        for entry in entries.flatten() {
            // What cannot be removed now is tried again at the next start.
            let _ = fs::remove_file(entry.path());
        }
    }
}

impl Drop for Spill {
    fn drop(&mut self) {
        self.empty();
    }
}

impl Spilled {
    /// A file of the history, which stays.
    pub(crate) fn kept(path: PathBuf) -> io::Result<Spilled> {
        let length = fs::symlink_metadata(&path)?.len();
        Ok(Spilled { path, length, end: End::Stays })
    }

    pub(crate) fn read(&self) -> io::Result<Bytes> {
        fs::read(&self.path).map(Bytes::from)
    }

    /// How much of the spill folder it takes.
    pub(crate) fn length(&self) -> u64 {
        if self.end == End::Removed { self.length } else { 0 }
    }
}

impl Drop for Spilled {
    fn drop(&mut self) {
        if self.end == End::Removed {
            let _ = fs::remove_file(&self.path);
        }
    }
}
