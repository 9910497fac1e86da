//! The journal: a folder with a file for each change, the oldest of which go when there are too many.
//!
//! Several processes may use it at once: an entry is whole before anything leads to it, and is never changed.

use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use files::{FolderError, Home, PrivateFolder};

use super::delta::Damaged;
use super::entry::{Entry, Hash, hash};

/// What is kept.
#[derive(Debug, Clone, Copy)]
struct Bounds {
    entries: usize,
    bytes: u64,
    /// One change that needs more than this replaced the picture rather than its metadata.
    entry: u64,
}

const BOUNDS: Bounds = Bounds { entries: 1_000, bytes: 64 << 20, entry: 8 << 20 };

/// Remembers changes so that they can be undone.
#[derive(Debug)]
pub struct Journal {
    home: Option<Home>,
    bounds: Bounds,
}

/// Why a change cannot be remembered, or is not found.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// There is nowhere to keep anything.
    #[error("there is no state folder; set `DESKMATE_HOME` to the folder Deskmate should keep its state in")]
    NoHome,
    /// The folder cannot be used.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// It cannot be read.
    #[error("cannot read `{}`: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// The change is larger than what is kept.
    #[error("the change takes {size} bytes to undo, and at most {limit} are kept")]
    TooLarge {
        /// In bytes.
        size: u64,
        /// In bytes.
        limit: u64,
    },
    /// An entry is not what was written.
    #[error("`{}`: {source}; delete that file", path.display())]
    Damaged {
        /// The entry.
        path: PathBuf,
        /// What is wrong.
        source: Damaged,
    },
}

/// An entry by what its name says.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Name {
    /// Microseconds since 1970: the order of entries.
    time: u64,
    /// Which file, shortened.
    path: u64,
    /// What the file was afterwards, shortened.
    new: u64,
    length: u64,
}

impl Name {
    fn to_text(&self) -> String {
        let Name { time, path, new, length } = self;
        format!("{time:016x}-{path:016x}-{new:016x}-{length:x}.undo")
    }

    fn parse(text: &str) -> Option<Name> {
        let mut numbers =
            text.strip_suffix(".undo")?.split('-').map(|part| u64::from_str_radix(part, 16).ok());
        let name = Name {
            time: numbers.next()??,
            path: numbers.next()??,
            new: numbers.next()??,
            length: numbers.next()??,
        };
        numbers.next().is_none().then_some(name)
    }
}

/// An entry that was found.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) entry: Entry,
    file: PathBuf,
}

impl Journal {
    /// In the state folder, or nowhere.
    pub fn new(home: Option<Home>) -> Journal {
        Journal { home, bounds: BOUNDS }
    }

    /// Remembers what the file at this path was, durably. To be called before the file is changed: an entry of a change
    /// that never happened leads from bytes that the file does not have, so it does no harm.
    pub fn record(&self, path: &Path, old: &[u8], new: &[u8]) -> Result<(), JournalError> {
        let folder = self.folder()?;
        let entry = Entry::of(path, old, new);
        let bytes = entry.to_bytes();
        let size = bytes.len() as u64;
        if size > self.bounds.entry {
            return Err(JournalError::TooLarge { size, limit: self.bounds.entry });
        }
        let mut names = list(&folder)?;
        self.make_room(&folder, &mut names, size);
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let now = u64::try_from(now.as_micros()).unwrap_or(u64::MAX);
        // After all others, even when the clock was put back.
        let time = names.last().map_or(now, |last| now.max(last.time.saturating_add(1)));
        let name = Name { time, path: short(&path_hash(path)), new: short(&entry.new), length: size };
        // After a crash there may be half of it. It leads from bytes that the file never got, so nobody looks for it.
        Ok(folder.write_new(&name.to_text(), &bytes)?)
    }

    /// Lets the oldest entries go. One that is gone already was let go by another process.
    fn make_room(&self, folder: &PrivateFolder, names: &mut Vec<Name>, coming: u64) {
        let mut bytes: u64 = names.iter().map(|name| name.length).sum();
        let mut gone = 0;
        for name in &*names {
            if names.len() - gone < self.bounds.entries && bytes + coming <= self.bounds.bytes {
                break;
            }
            let _ = fs::remove_file(folder.path().join(name.to_text()));
            bytes -= name.length;
            gone += 1;
        }
        names.drain(..gone);
    }

    /// The last change of the file at this path that made it what it is now.
    pub(crate) fn find(&self, path: &Path, now: &Hash) -> Result<Option<Found>, JournalError> {
        let folder = self.folder()?;
        let (short_path, short_now) = (short(&path_hash(path)), short(now));
        for name in
            list(&folder)?.iter().rev().filter(|name| (name.path, name.new) == (short_path, short_now))
        {
            let file = folder.path().join(name.to_text());
            let bytes = match fs::read(&file) {
                Ok(bytes) => bytes,
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(source) => return Err(JournalError::Io { path: file, source }),
            };
            let entry = match Entry::from_bytes(&bytes) {
                Ok(entry) => entry,
                Err(source) => return Err(JournalError::Damaged { path: file, source }),
            };
            if entry.path == path && entry.new == *now {
                return Ok(Some(Found { entry, file }));
            }
        }
        Ok(None)
    }

    /// Whether any change of the file at this path is remembered.
    pub(crate) fn knows(&self, path: &Path) -> Result<bool, JournalError> {
        let wanted = short(&path_hash(path));
        Ok(list(&self.folder()?)?.iter().any(|name| name.path == wanted))
    }

    fn folder(&self) -> Result<PrivateFolder, JournalError> {
        let home = self.home.as_ref().ok_or(JournalError::NoHome)?;
        // The folder of the server may hold other things one day.
        let own = home.folder("MetaTagGenie")?;
        Ok(PrivateFolder::make(&own.path().join("undo"))?)
    }
}

impl Found {
    /// The bytes before the change.
    pub(crate) fn undo(&self, new: &[u8]) -> Result<Vec<u8>, JournalError> {
        self.entry.undo(new).map_err(|source| JournalError::Damaged { path: self.file.clone(), source })
    }

    /// Forgets the change. If that fails it does no harm: the file is not what the entry leads from any more.
    pub(crate) fn forget(&self) {
        let _ = fs::remove_file(&self.file);
    }
}

/// The entries there are, oldest first. Anything else in the folder is not ours.
fn list(folder: &PrivateFolder) -> Result<Vec<Name>, JournalError> {
    let failed = |source| JournalError::Io { path: folder.path().to_owned(), source };
    let mut names = Vec::new();
    for entry in fs::read_dir(folder.path()).map_err(failed)? {
        names.extend(entry.map_err(failed)?.file_name().to_str().and_then(Name::parse));
    }
    names.sort_unstable();
    Ok(names)
}

fn path_hash(path: &Path) -> Hash {
    hash(path.as_os_str().as_bytes())
}

/// Enough to find by; whoever found compares the whole.
fn short(hash: &Hash) -> u64 {
    hash.first_chunk().map_or(0, |bytes| u64::from_be_bytes(*bytes))
}

#[cfg(test)]
mod tests;
