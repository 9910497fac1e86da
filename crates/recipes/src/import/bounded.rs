//! Archives, unpacked within bounds: a file of kilobytes can claim to be terabytes.

use std::io::{self, Read, Seek, SeekFrom};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::de::DeserializeOwned;

use super::NoImport;

/// The most bytes of one entry.
const MOST_ENTRY: u64 = 32 * 1024 * 1024;

/// The most bytes of all entries.
pub(crate) const MOST_IN_ALL: u64 = 1024 * 1024 * 1024;

/// The most entries, and the most bytes that may be read to know them: what an archive says about itself takes ten times as
/// much memory as it has bytes, however many entries it claims.
const MOST_ENTRIES: usize = 100_000;
const MOST_DIRECTORY: u64 = 8 * 1024 * 1024;

/// The most values in a JSON text: each of them takes many times the memory of its text.
pub(super) const MOST_VALUES: usize = 1_000_000;

/// Where an archive is: in memory, or in a file.
pub(crate) trait Source: Read + Seek + Send {}

impl<T: Read + Seek + Send> Source for T {}

pub(crate) type Zip<'a> = zip::ZipArchive<Sparing<'a>>;

/// Reads no more than it may.
pub(crate) struct Sparing<'a> {
    from: Box<dyn Source + 'a>,
    left: Arc<AtomicU64>,
}

impl Read for Sparing<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.left.load(Ordering::Relaxed);
        if left == 0 {
            return Err(io::Error::other("there is too much of it"));
        }
        let most = buffer.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        let read = self.from.read(buffer.get_mut(..most).unwrap_or_default())?;
        self.left.store(left - read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

impl Seek for Sparing<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.from.seek(to)
    }
}

/// An archive, with its entries still packed.
pub(crate) fn open<'a>(from: impl Source + 'a) -> Result<Zip<'a>, NoImport> {
    let left = Arc::new(AtomicU64::new(MOST_DIRECTORY));
    let opened = zip::ZipArchive::new(Sparing { from: Box::new(from), left: Arc::clone(&left) });
    // The entries have bounds of their own.
    if left.swap(u64::MAX, Ordering::Relaxed) == 0 {
        return Err(NoImport::TooMany);
    }
    let archive = opened.map_err(|error| NoImport::Damaged(error.to_string()))?;
    if archive.len() > MOST_ENTRIES { Err(NoImport::TooMany) } else { Ok(archive) }
}

/// One entry, if there is one of this name.
pub(crate) fn entry(archive: &mut Zip<'_>, name: &str) -> Result<Option<Vec<u8>>, NoImport> {
    match archive.by_name(name) {
        Ok(entry) => read(entry, MOST_ENTRY).map(Some),
        Err(zip::result::ZipError::FileNotFound) => Ok(None),
        Err(error) => Err(NoImport::Damaged(error.to_string())),
    }
}

/// An object takes as much memory as this many other values.
const OBJECT: usize = 5;

/// How many values a JSON text has, at most, by the memory they take.
pub(crate) fn values(text: &[u8]) -> usize {
    let (mut values, mut in_string, mut escaped) = (0, false, false);
    for byte in text {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'{' if !in_string => values += OBJECT,
            b',' | b'[' if !in_string => values += 1,
            _ => {}
        }
    }
    values
}

/// JSON, unless it has so many values that reading it would take memory without bound.
pub(crate) fn json<T: DeserializeOwned>(text: &[u8]) -> Result<T, NoImport> {
    if values(text) > MOST_VALUES {
        return Err(NoImport::Values);
    }
    serde_json::from_slice(text).map_err(|error| NoImport::Damaged(error.to_string()))
}

/// Calls `each` with the name and the bytes of every file. An entry that is too large is refused when its bytes come, not
/// by the size it claims.
pub(crate) fn each_entry(
    bytes: &[u8],
    mut each: impl FnMut(&str, Vec<u8>) -> Result<(), NoImport>,
) -> Result<(), NoImport> {
    let damaged = |error: &dyn std::fmt::Display| NoImport::Damaged(error.to_string());
    let mut archive = open(io::Cursor::new(bytes))?;
    let mut left = MOST_IN_ALL;
    for index in 0..archive.len() {
        let entry = archive.by_index(index).map_err(|error| damaged(&error))?;
        if entry.is_dir() {
            continue;
        }
        let name = entry.name().map_err(|error| damaged(&error))?.into_owned();
        let unpacked = read(entry, MOST_ENTRY.min(left))?;
        left = left.saturating_sub(unpacked.len() as u64);
        each(&name, unpacked)?;
    }
    Ok(())
}

/// What gzip packed.
pub(crate) fn gunzip(bytes: &[u8]) -> Result<Vec<u8>, NoImport> {
    read(flate2::read::GzDecoder::new(bytes), MOST_ENTRY)
}

fn read(from: impl Read, most: u64) -> Result<Vec<u8>, NoImport> {
    let mut unpacked = Vec::new();
    let read = from.take(most + 1).read_to_end(&mut unpacked);
    read.map_err(|error| NoImport::Damaged(error.to_string()))?;
    if unpacked.len() as u64 > most { Err(NoImport::Bomb(most)) } else { Ok(unpacked) }
}
