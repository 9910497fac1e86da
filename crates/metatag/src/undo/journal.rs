//! The journal: what the last changes take to be undone. The oldest go when there are too many.
//!
//! Several processes may use it at once: one at a time changes it. An entry is whole before anything leads to it.

use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use files::{FolderError, Home, PrivateFolder};

use super::delta::Damaged;
use super::entry::{Entry, Hash, hash};
use super::ring::{Header, Ring, Shape};

/// What is kept.
#[derive(Debug, Clone, Copy)]
struct Bounds {
    shape: Shape,
    /// One change that needs more than this replaced the picture rather than its metadata.
    entry: u64,
    /// All entries together that are too long for a slot, in bytes.
    outside: u64,
}

const BOUNDS: Bounds =
    Bounds { shape: Shape { slots: 1_000, slot: 16 << 10 }, entry: 8 << 20, outside: 48 << 20 };

/// The file with the slots.
const RING: &str = "journal";

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
    /// It cannot be read or written.
    #[error("cannot use `{}`: {source}", path.display())]
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

/// An entry that was found.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) entry: Entry,
    header: Header,
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
        let failed = |source| JournalError::Io { path: folder.path().join(RING), source };
        let mut ring = self.ring(&folder)?;
        let (slot, number, gone) = ring.next();
        let header = Header::of(number, short(&path_hash(path)), short(&entry.new), &bytes);
        forget_file(&folder, &gone);
        if !ring.is_inside(&header) {
            self.make_room(&folder, &mut ring, size).map_err(failed)?;
            folder.write(&file_name(&header), &bytes)?;
        }
        let is_first = number == 1;
        ring.write(slot, header, &bytes).and_then(|()| ring.sync()).map_err(failed)?;
        if is_first {
            folder.sync()?;
        }
        Ok(())
    }

    /// Lets the oldest entries go that have files of their own, until there is room for another.
    fn make_room(&self, folder: &PrivateFolder, ring: &mut Ring, coming: u64) -> io::Result<()> {
        let mut outside = ring.newest_first();
        outside.retain(|(_, header)| !ring.is_inside(header));
        let mut bytes: u64 = outside.iter().map(|(_, header)| header.length).sum();
        while let Some((slot, header)) = outside.pop().filter(|_| bytes + coming > self.bounds.outside) {
            ring.clear(slot)?;
            forget_file(folder, &header);
            bytes = bytes.saturating_sub(header.length);
        }
        Ok(())
    }

    /// The last change of the file at this path that made it what it is now.
    pub(crate) fn find(&self, path: &Path, now: &Hash) -> Result<Option<Found>, JournalError> {
        let folder = self.folder()?;
        let ring = self.ring(&folder)?;
        let (short_path, short_now) = (short(&path_hash(path)), short(now));
        let mut damaged = None;
        for (slot, header) in ring.newest_first() {
            if (header.path, header.new) != (short_path, short_now) {
                continue;
            }
            let (file, bytes) = if ring.is_inside(&header) {
                (folder.path().join(RING), ring.read(slot, &header))
            } else {
                let file = folder.path().join(file_name(&header));
                let bytes = fs::read(&file);
                (file, bytes)
            };
            match bytes.map(|bytes| header.fits(&bytes).then(|| Entry::from_bytes(&bytes))) {
                Ok(Some(Ok(entry))) if entry.path == path && entry.new == *now => {
                    return Ok(Some(Found { entry, header, file }));
                }
                Ok(Some(Ok(_))) => {}
                Ok(Some(Err(_)) | None) => damaged = damaged.or(Some(file)),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(source) => return Err(JournalError::Io { path: file, source }),
            }
        }
        damaged.map_or(Ok(None), |path| Err(JournalError::Damaged { path, source: Damaged }))
    }

    /// Whether any change of the file at this path is remembered.
    pub(crate) fn knows(&self, path: &Path) -> Result<bool, JournalError> {
        let wanted = short(&path_hash(path));
        let ring = self.ring(&self.folder()?)?;
        Ok(ring.newest_first().iter().any(|(_, header)| header.path == wanted))
    }

    /// Forgets changes. If that fails it does no harm: the file is not what the entries lead from any more.
    pub(crate) fn forget(&self, found: &[Found]) {
        let Ok(folder) = self.folder() else { return };
        let Ok(mut ring) = self.ring(&folder) else { return };
        for (slot, header) in ring.newest_first() {
            if found.iter().any(|found| found.header == header) && ring.clear(slot).is_ok() {
                forget_file(&folder, &header);
            }
        }
    }

    fn ring(&self, folder: &PrivateFolder) -> Result<Ring, JournalError> {
        let failed = |source| JournalError::Io { path: folder.path().join(RING), source };
        Ring::open(folder.open_alone(RING)?, self.bounds.shape).map_err(failed)
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
}

/// The file of an entry that is too long for a slot.
fn file_name(header: &Header) -> String {
    format!("{:016x}.undo", header.number)
}

/// Removes the file of an entry, if it has one.
fn forget_file(folder: &PrivateFolder, header: &Header) {
    if header.number > 0 {
        let _ = fs::remove_file(folder.path().join(file_name(header)));
    }
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
