//! Taking back what was written, byte for byte, and making it again.
//!
//! What is undone is remembered in turn: so a redo is the same as an undo, in the other direction.

mod delta;
mod entry;
mod journal;
mod many;
mod segment;

use std::borrow::Cow;
use std::path::Path;

use files::{Modified, Replacement, ResolveError, Roots};

pub use delta::Damaged;
use entry::Entry;
pub use journal::{BatchId, Journal, JournalError};
pub(crate) use journal::{History, Remembered};
pub use many::{Reverted, Scope, once_each};
pub(crate) use segment::Kind as RecordKind;

use crate::error::{Error, Kind};
use crate::plan::LARGEST;
use crate::target::Target;
use crate::write::Writer;

/// How many changes can be undone at once.
pub const MOST_STEPS: u32 = 100;

/// Which way to go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// To what was there before a change.
    Undo,
    /// To what was there before an undo.
    Redo,
}

impl Direction {
    /// What leads there.
    fn kind(self) -> RecordKind {
        match self {
            Direction::Undo => RecordKind::Change,
            Direction::Redo => RecordKind::Undone,
        }
    }

    /// What leads back.
    fn opposite(self) -> RecordKind {
        match self {
            Direction::Undo => RecordKind::Undone,
            Direction::Redo => RecordKind::Change,
        }
    }

    fn done(self) -> &'static str {
        match self {
            Direction::Undo => "undone",
            Direction::Redo => "redone",
        }
    }
}

/// What an undo or a redo did to one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Undone {
    /// Which way it went.
    pub direction: Direction,
    /// How many changes.
    pub steps: u32,
    /// How many other names (hard links) of the file still lead to what it was.
    pub left_behind: u64,
    /// Why it is not known whether it would survive a power failure, if it is not.
    pub unsynced: Option<String>,
}

/// Why nothing was undone.
#[derive(Debug, thiserror::Error)]
pub enum UndoError {
    /// Nothing is remembered about the file.
    #[error(
        "no change of this file is remembered; only changes made by this server are, and the oldest are forgotten"
    )]
    Unknown,
    /// Nothing was undone that could be made again.
    #[error("no change of this file was undone since it was last written, so there is nothing to redo")]
    NothingUndone,
    /// The file is not what any change made it.
    #[error(
        "the file was changed by another program after it was written, so the old bytes would not be the old picture; \
         nothing was undone"
    )]
    Changed,
    /// The last change was not made after all, or was taken back in another way.
    #[error("the file is what it was before its last change that is remembered, so there is nothing to undo")]
    NotMade,
    /// There are fewer changes than were to be undone.
    #[error("only {available} of {asked} changes can be {0}; nothing was {0}: ask for {available}", .direction.done())]
    Fewer {
        /// How many there are.
        available: u32,
        /// How many were to be undone.
        asked: u32,
        /// Which way.
        direction: Direction,
    },
    /// The last change of a file is not that of the batch.
    #[error("the file was changed again after this batch; nothing was {}: take that change back first", .0.done())]
    ChangedAgain(Direction),
    /// No batch of this name is remembered.
    #[error("no batch `{0}` is remembered; the answer of a batch names it, and the oldest are forgotten")]
    UnknownBatch(String),
    /// The journal cannot be read.
    #[error(transparent)]
    Journal(#[from] JournalError),
}

impl From<JournalError> for Kind {
    fn from(error: JournalError) -> Kind {
        UndoError::from(error).into()
    }
}

/// How far to go.
#[derive(Debug, Clone, Copy)]
struct Way {
    direction: Direction,
    steps: u32,
    /// The batch that every step must be part of, if any.
    batch: Option<BatchId>,
}

impl Writer {
    /// Takes back the last changes of the picture at this path, or makes them again, if it is under one of the roots and
    /// still what they made it.
    pub fn revert(
        &self,
        roots: &Roots,
        path: &Path,
        direction: Direction,
        steps: u32,
    ) -> Result<Undone, Error> {
        let way = Way { direction, steps, batch: None };
        self.revert_within(roots, path, way, None).map_err(|kind| Error::new(path, kind))
    }

    /// Without a history, that is read once nobody else changes the file any more.
    fn revert_within(
        &self,
        roots: &Roots,
        path: &Path,
        way: Way,
        history: Option<&History>,
    ) -> Result<Undone, Kind> {
        self.recover();
        let Way { direction, steps, batch } = way;
        let (target, _guards) = match roots.resolve(path) {
            Err(ResolveError::NotFound(_)) => Target::lock_missing(roots, path)?,
            place => Target::lock(roots, &place?)?,
        };
        let now = if history.is_none() { Some(self.journal.history()?) } else { None };
        let Some(history) = history.or(now.as_ref()) else { return Err(UndoError::Unknown.into()) };
        let subject = target.read(LARGEST)?;
        crate::plan::check_writable(&subject)?;
        // Of the versions between, only what leads back to each is kept.
        let mut bytes = Cow::Borrowed(subject.bytes());
        let (mut records, mut ways_back) = (Vec::new(), Vec::new());
        for done in 0..steps {
            let hash = entry::hash(&bytes);
            let found = history.find(subject.path(), &hash, direction.kind(), records.last());
            let Some((record, entry)) = found? else {
                return Err(too_few(history, (subject.path(), &hash), way, done)?.into());
            };
            if batch.is_some_and(|batch| record.batch() != Some(batch)) {
                return Err(UndoError::ChangedAgain(direction).into());
            }
            let before = entry.undo(&bytes).map_err(JournalError::from)?;
            let back = Entry::of(subject.path(), &bytes, &before);
            ways_back.extend(self.journal.takes(&back).then_some((back, record.batch())));
            bytes = Cow::Owned(before);
            records.push(record);
        }
        let copies = self.journal.copies();
        let replacement = Replacement { bytes: &bytes, modified: Modified::Now, copies: copies.as_deref() };
        let mut kept = Vec::new();
        let replaced = subject.replace_while(replacement, || {
            // What cannot be remembered cannot be made again; that is no reason not to undo.
            let keep =
                |(entry, batch): &(Entry, _)| self.journal.keep(entry, direction.opposite(), *batch).ok();
            kept.extend(ways_back.iter().filter_map(keep));
            Ok(())
        });
        let replaced = replaced.inspect_err(|_: &Kind| self.journal.take_back(&kept))?;
        history.forget(&records);
        let unsynced = replaced.unsynced.map(|error| error.to_string());
        Ok(Undone { direction, steps, left_behind: replaced.left_behind, unsynced })
    }
}

/// Why there are only so many steps from what the file is.
fn too_few(
    history: &History,
    (path, now): (&Path, &entry::Hash),
    Way { direction, steps: asked, .. }: Way,
    available: u32,
) -> Result<UndoError, JournalError> {
    if available > 0 {
        return Ok(UndoError::Fewer { available, asked, direction });
    }
    Ok(match direction {
        // What was undone before we wrote again is not made again.
        Direction::Redo if history.find(path, now, RecordKind::Change, None)?.is_some() => {
            UndoError::NothingUndone
        }
        Direction::Undo if history.leads_from(path, now, RecordKind::Change) => UndoError::NotMade,
        Direction::Redo if history.leads_from(path, now, RecordKind::Undone) => UndoError::NothingUndone,
        _ if history.knows(path, direction.kind()) => UndoError::Changed,
        Direction::Undo => UndoError::Unknown,
        Direction::Redo => UndoError::NothingUndone,
    })
}
