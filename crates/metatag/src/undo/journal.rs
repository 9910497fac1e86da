//! The journal: what the last changes take to be undone. The oldest go when there are too many.
//!
//! It is a folder of segments, used one after the other. Several processes may use it at once: one at a time adds to it.

use std::collections::HashSet;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use files::{FolderError, Home, PrivateFolder};

use super::delta::Damaged;
use super::entry::{Entry, Hash, hash};
use super::segment::{self, Header, Kind, UNIT};
use crate::sys;

/// What is kept.
#[derive(Debug, Clone, Copy)]
struct Bounds {
    /// Of one segment, in bytes. A longer entry gets a segment of its own.
    segment: u64,
    /// One change that needs more than this replaced the picture rather than its metadata.
    entry: u64,
    /// All segments together, in bytes.
    all: u64,
    /// The same while a batch is being written or undone.
    all_in_batch: u64,
}

const BOUNDS: Bounds = Bounds { segment: 1 << 20, entry: 8 << 20, all: 64 << 20, all_in_batch: 1 << 30 };

/// Whoever adds to the journal holds this file.
const LOCK: &str = "lock";
/// Everybody who changes many files holds this one, together with others: until they are done, nothing is let go.
const MANY: &str = "many";

/// Many changes that were made together and can be undone together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BatchId(u64);

impl BatchId {
    /// One that nobody else has.
    pub fn new() -> BatchId {
        use std::hash::{BuildHasher, RandomState};
        BatchId(RandomState::new().hash_one(std::process::id()).max(1))
    }

    /// From what people were told.
    pub fn parse(text: &str) -> Option<BatchId> {
        u64::from_str_radix(text, 16).ok().filter(|number| *number > 0 && text.len() == 16).map(BatchId)
    }
}

impl Default for BatchId {
    fn default() -> Self {
        Self::new()
    }
}

impl std::fmt::Display for BatchId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

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
    /// While a batch is being written, nothing is let go, and there is no room.
    #[error("while a batch is being written, at most {limit} bytes are kept to undo it, and these are full")]
    Full {
        /// In bytes.
        limit: u64,
    },
    /// A record is not what was written.
    #[error("the record of this change is damaged, so it cannot be undone; all others still can")]
    Damaged(#[from] Damaged),
}

/// Everything that is remembered, as it was when somebody looked.
#[derive(Debug)]
pub(crate) struct History {
    folder: PrivateFolder,
    /// Oldest first.
    records: Vec<Record>,
}

/// A change, and where its entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Record {
    segment: u64,
    at: u64,
    pub(crate) header: Header,
}

impl Record {
    /// The batch that the change was part of.
    pub(crate) fn batch(&self) -> Option<BatchId> {
        Some(BatchId(self.header.batch)).filter(|batch| batch.0 != 0)
    }
}

/// What to remember.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Remembered<'a> {
    pub(crate) path: &'a Path,
    pub(crate) old: &'a [u8],
    pub(crate) new: &'a [u8],
    pub(crate) kind: Kind,
    pub(crate) batch: Option<BatchId>,
}

impl Journal {
    /// In the state folder, or nowhere.
    pub fn new(home: Option<Home>) -> Journal {
        Journal { home, bounds: BOUNDS }
    }

    /// The folder for copies of files that are written in place.
    pub(crate) fn copies(&self) -> Option<PathBuf> {
        self.home.as_ref().map(|home| home.path_of("MetaTagGenie").join("copies"))
    }

    /// Remembers what a file was, durably. To be called before the file is changed: an entry of a change that never
    /// happened leads from bytes that the file does not have, so it does no harm.
    pub(crate) fn record(&self, remembered: Remembered<'_>) -> Result<Record, JournalError> {
        let Remembered { path, old, new, kind, batch } = remembered;
        self.keep(&Entry::of(path, old, new), kind, batch)
    }

    /// Whether an entry is not too large to be kept.
    pub(crate) fn takes(&self, entry: &Entry) -> bool {
        entry.size() <= self.bounds.entry
    }

    /// As long as the answer is held, nothing that is remembered is let go: so neither this process nor another one beside it
    /// pushes out what a batch has only just changed. It does no harm if that fails.
    pub(crate) fn hold(&self) -> Option<File> {
        let file = open_many(&self.folder().ok()?).ok()?;
        file.lock_shared().ok().map(|()| file)
    }

    /// The same as [`Self::record`] with an entry that is there already.
    pub(crate) fn keep(
        &self,
        entry: &Entry,
        kind: Kind,
        batch: Option<BatchId>,
    ) -> Result<Record, JournalError> {
        let folder = self.folder()?;
        let size = entry.size();
        if !self.takes(entry) {
            return Err(JournalError::TooLarge { size, limit: self.bounds.entry });
        }
        let bytes = entry.to_bytes();
        let failed = |source| JournalError::Io { path: folder.path().to_owned(), source };
        let lock = folder.open_alone(LOCK)?;
        let batch = batch.map_or(0, |batch| batch.0);
        let mut header = Header {
            number: 0,
            batch,
            path: short(&path_hash(&entry.path)),
            new: short(&entry.new),
            length: size,
            check: segment::check(&bytes),
            kind,
        };
        let (file, segment, at) = self.place_for(&folder, &header)?;
        header.number = number_at(segment, at);
        segment::write(&file, at, header, &bytes).map_err(|error| {
            // Half a record on a full disk helps nobody.
            let _ = file.set_len(at);
            failed(error)
        })?;
        // The others need not wait for the disk.
        files::unlock(&lock).map_err(failed)?;
        file.sync_data().map_err(failed)?;
        Ok(Record { segment, at, header })
    }

    /// Forgets changes that were not made after all. If that fails it does no harm: they lead from bytes that the file does not
    /// have.
    pub(crate) fn take_back(&self, records: &[Record]) {
        if let (Ok(folder), false) = (self.folder(), records.is_empty()) {
            forget(&folder, records);
        }
    }

    /// The segment with room for this record, its number, and where the record goes.
    fn place_for(&self, folder: &PrivateFolder, header: &Header) -> Result<(File, u64, u64), JournalError> {
        let failed = |source| JournalError::Io { path: folder.path().to_owned(), source };
        let segments = segments(folder).map_err(failed)?;
        let mut number = 1;
        if let Some(last) = segments.last() {
            match self.end_of(folder, *last) {
                Ok((file, end)) if end + header.size() <= self.bounds.segment => {
                    return Ok((file, *last, end));
                }
                Ok((_, end)) => number = number_at(*last, end),
                // What cannot be read is no place for another record, and no reason not to begin a new segment.
                Err(_) => number = last.saturating_add(1),
            }
        }
        self.make_room(folder, segments, header)?;
        // A link in this place would lead to a file of somebody else's.
        let number = (number..=u64::MAX).find(|number| !is_foreign(folder, *number)).unwrap_or(number);
        let file = make(folder, number).map_err(failed)?;
        folder.sync()?;
        Ok((file, number, 0))
    }

    /// A segment, and where its next record goes.
    fn end_of(&self, folder: &PrivateFolder, segment: u64) -> io::Result<(File, u64)> {
        let file = open(folder, segment)?;
        // A crash may have cut the last record short.
        let end = self.length(&file)?.next_multiple_of(UNIT);
        Ok((file, end))
    }

    /// Lets the oldest segments go until there is room for another; none while somebody changes many files.
    fn make_room(
        &self,
        folder: &PrivateFolder,
        segments: Vec<u64>,
        coming: &Header,
    ) -> Result<(), JournalError> {
        let length = |number| fs::metadata(path_of(folder, number)).map_or(0, |about| about.len());
        let segments: Vec<(u64, u64)> = segments.into_iter().map(|number| (number, length(number))).collect();
        let mut all: u64 = segments.iter().map(|(_, length)| length).sum();
        all += self.bounds.segment.max(coming.size());
        if all > self.bounds.all && is_held(folder) {
            let limit = self.bounds.all_in_batch;
            return if all <= limit { Ok(()) } else { Err(JournalError::Full { limit }) };
        }
        for (number, length) in segments {
            if all <= self.bounds.all {
                break;
            }
            let _ = fs::remove_file(path_of(folder, number));
            all -= length;
        }
        Ok(())
    }

    /// Everything that is remembered now.
    pub(crate) fn history(&self) -> Result<History, JournalError> {
        let folder = self.folder()?;
        let mut records = Vec::new();
        let failed = |source| JournalError::Io { path: folder.path().to_owned(), source };
        for segment in segments(&folder).map_err(failed)? {
            let Ok(bytes) = open(&folder, segment).and_then(|file| self.content(&file)) else { continue };
            let found = segment::scan(&bytes).into_iter();
            records.extend(found.map(|(at, header)| Record { segment, at, header }));
        }
        records.retain(|record| record.header.kind != Kind::Forgotten);
        Ok(History { folder, records })
    }

    /// How long a segment is. A longer one than we make is none of ours.
    fn length(&self, file: &File) -> io::Result<u64> {
        let longest = self.bounds.segment.max(self.bounds.entry + 2 * UNIT);
        let about = file.metadata()?;
        if about.is_file() && about.len() <= longest {
            return Ok(about.len());
        }
        Err(io::ErrorKind::InvalidData.into())
    }

    fn content(&self, file: &File) -> io::Result<Vec<u8>> {
        let mut content = vec![0; usize::try_from(self.length(file)?).unwrap_or_default()];
        sys::read_exact_at(file, &mut content, 0)?;
        Ok(content)
    }

    fn folder(&self) -> Result<PrivateFolder, JournalError> {
        let home = self.home.as_ref().ok_or(JournalError::NoHome)?;
        let own = home.folder("MetaTagGenie")?;
        Ok(PrivateFolder::make(&own.path().join("undo"))?)
    }
}

impl History {
    /// The last change of the file at this path that made it what it is now, of those before another one.
    pub(crate) fn find(
        &self,
        path: &Path,
        now: &Hash,
        kind: Kind,
        before: Option<&Record>,
    ) -> Result<Option<(Record, Entry)>, JournalError> {
        let (short_path, short_now) = (short(&path_hash(path)), short(now));
        let mut damaged = None;
        for record in self.records.iter().rev() {
            let Header { number, path: of, new, .. } = record.header;
            let is_before = before.is_none_or(|before| number < before.header.number);
            if (of, new, record.header.kind) != (short_path, short_now, kind) || !is_before {
                continue;
            }
            match self.entry(record) {
                Ok(entry) if entry.path == path && entry.new == *now => return Ok(Some((*record, entry))),
                Ok(_) => {}
                Err(error) => damaged = damaged.or(Some(error)),
            }
        }
        damaged.map_or(Ok(None), Err)
    }

    /// Whether the file at this path is what it was before a change that is remembered: that was not made then, or somebody
    /// took it back in another way.
    pub(crate) fn leads_from(&self, path: &Path, now: &Hash, kind: Kind) -> bool {
        let mut entries = self.of_file(path, kind).filter_map(|record| self.entry(record).ok());
        entries.any(|entry| entry.path == path && entry.old == *now)
    }

    /// Whether any change of the file at this path is remembered.
    pub(crate) fn knows(&self, path: &Path, kind: Kind) -> bool {
        self.of_file(path, kind).next().is_some()
    }

    fn of_file(&self, path: &Path, kind: Kind) -> impl Iterator<Item = &Record> {
        let wanted = short(&path_hash(path));
        self.records.iter().filter(move |record| record.header.path == wanted && record.header.kind == kind)
    }

    /// The files that a batch has changed, as far as that is remembered.
    pub(crate) fn files_of(&self, batch: BatchId, kind: Kind) -> Vec<PathBuf> {
        let of_batch = |record: &&Record| record.header.batch == batch.0 && record.header.kind == kind;
        self.records
            .iter()
            .filter(of_batch)
            .filter_map(|record| Some(self.entry(record).ok()?.path))
            .collect()
    }

    /// The batches that are remembered, the last one first.
    pub(crate) fn batches(&self, kind: Kind) -> impl Iterator<Item = BatchId> {
        let mut seen = HashSet::new();
        let of_kind = self.records.iter().rev().filter(move |record| record.header.kind == kind);
        of_kind.filter_map(Record::batch).filter(move |batch| seen.insert(batch.0))
    }

    fn entry(&self, record: &Record) -> Result<Entry, JournalError> {
        let path = path_of(&self.folder, record.segment);
        let length = usize::try_from(record.header.length).map_err(|_| Damaged)?;
        let mut bytes = vec![0; length];
        let read = File::open(&path).and_then(|file| sys::read_exact_at(&file, &mut bytes, record.at + UNIT));
        read.map_err(|source| JournalError::Io { path, source })?;
        if !record.header.fits(&bytes) {
            return Err(Damaged.into());
        }
        Ok(Entry::from_bytes(&bytes)?)
    }

    /// Forgets changes. If that fails it does no harm: the file is not what the entries lead from any more.
    pub(crate) fn forget(&self, records: &[Record]) {
        forget(&self.folder, records);
    }
}

fn forget(folder: &PrivateFolder, records: &[Record]) {
    let Ok(_lock) = folder.open_alone(LOCK) else { return };
    for record in records {
        if let Ok(file) = open(folder, record.segment) {
            let _ = segment::mark(&file, record.at, &record.header, Kind::Forgotten);
        }
    }
}

fn open_many(folder: &PrivateFolder) -> io::Result<File> {
    File::options().read(true).write(true).create(true).truncate(false).open(folder.path().join(MANY))
}

/// Whether anybody changes many files right now.
fn is_held(folder: &PrivateFolder) -> bool {
    open_many(folder).is_ok_and(|file| matches!(file.try_lock(), Err(TryLockError::WouldBlock)))
}

/// The segments there are, oldest first.
fn segments(folder: &PrivateFolder) -> io::Result<Vec<u64>> {
    let mut segments = Vec::new();
    for entry in fs::read_dir(folder.path())? {
        let entry = entry?;
        let name = entry.file_name();
        let Some(number) = name.to_str().and_then(|name| name.strip_suffix(".segment")) else { continue };
        // What is a link or a pipe is none of ours, and is neither read nor written.
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        segments.extend(u64::from_str_radix(number, 16).ok().filter(|_| is_file));
    }
    segments.sort_unstable();
    Ok(segments)
}

/// A segment is named by the number of its first record.
fn path_of(folder: &PrivateFolder, number: u64) -> PathBuf {
    folder.path().join(format!("{number:016x}.segment"))
}

/// Whether something that is no file has the name of this segment.
fn is_foreign(folder: &PrivateFolder, number: u64) -> bool {
    fs::symlink_metadata(path_of(folder, number)).is_ok_and(|about| !about.is_file())
}

fn open(folder: &PrivateFolder, number: u64) -> io::Result<File> {
    File::options().read(true).write(true).open(path_of(folder, number))
}

fn make(folder: &PrivateFolder, number: u64) -> io::Result<File> {
    sys::create(&path_of(folder, number))
}

/// The number of the record at this place: later records have higher ones, in later segments too.
fn number_at(segment: u64, at: u64) -> u64 {
    segment.saturating_add(at / UNIT)
}

fn path_hash(path: &Path) -> Hash {
    hash(&files::encode_path(path))
}

/// Enough to find by; whoever found compares the whole.
fn short(hash: &Hash) -> u64 {
    hash.first_chunk().map_or(0, |bytes| u64::from_be_bytes(*bytes))
}

#[cfg(test)]
mod tests;
