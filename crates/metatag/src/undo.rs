//! Taking back what was written, byte for byte.

mod delta;
mod entry;
mod journal;
mod ring;

use std::fmt;
use std::path::Path;

use files::Roots;
use schemars::JsonSchema;
use serde::Serialize;

pub use delta::Damaged;
pub use journal::{Journal, JournalError};

use crate::error::{Error, Kind};
use crate::plan::LARGEST;
use crate::target::Target;
use crate::write::Writer;

/// How many changes can be undone at once.
pub const MOST_STEPS: u32 = 100;

/// What an undo did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Undone {
    /// The picture.
    pub file_path: String,
    /// How many changes were undone.
    pub undone: u32,
    /// The size of the file now, in bytes.
    pub size: u64,
    /// How many other names (hard links) of the file still lead to what it was.
    pub left_behind: u64,
}

impl fmt::Display for Undone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let changes = if self.undone == 1 { "1 change" } else { &format!("{} changes", self.undone) };
        write!(f, "{}: {changes} undone; the file is byte for byte what it was before", self.file_path)?;
        if self.left_behind > 0 {
            write!(f, ". Other names (hard links) of the file keep the newer content")?;
        }
        Ok(())
    }
}

/// Why nothing was undone.
#[derive(Debug, thiserror::Error)]
pub enum UndoError {
    /// Nothing is remembered about the file.
    #[error(
        "no change of this file is remembered; only changes made by this server are, and the oldest are forgotten"
    )]
    Unknown,
    /// The file is not what any change made it.
    #[error(
        "the file was changed by another program after it was written, so the old bytes would not be the old picture; \
         nothing was undone"
    )]
    Changed,
    /// There are fewer changes than were to be undone.
    #[error("only {available} of {asked} changes can be undone; nothing was undone: ask for {available}")]
    Fewer {
        /// How many there are.
        available: u32,
        /// How many were to be undone.
        asked: u32,
    },
    /// The journal cannot be read.
    #[error(transparent)]
    Journal(#[from] JournalError),
}

impl Writer {
    /// Takes back the last changes of the picture at this path, if it is under one of the roots and still what they made
    /// it.
    pub fn undo(&self, roots: &Roots, path: &Path, steps: u32) -> Result<Undone, Error> {
        self.try_undo(roots, path, steps).map_err(|kind| Error::new(path, kind))
    }

    fn try_undo(&self, roots: &Roots, path: &Path, steps: u32) -> Result<Undone, Kind> {
        let place = roots.resolve(path)?;
        let (target, _guard) = Target::lock(roots, &place, &self.locks)?;
        let subject = target.read(LARGEST)?;
        crate::plan::check_writable(&subject)?;
        let mut bytes = subject.bytes().to_vec();
        let mut hash = entry::hash(&bytes);
        let mut found = Vec::new();
        while (found.len() as u64) < u64::from(steps) {
            let Some(last) = self.journal.find(subject.path(), &hash).map_err(UndoError::from)? else {
                let available = u32::try_from(found.len()).unwrap_or(u32::MAX);
                return Err(self.too_few(subject.path(), available, steps)?.into());
            };
            bytes = last.undo(&bytes).map_err(UndoError::from)?;
            hash = last.entry.old;
            found.push(last);
        }
        let left_behind = subject.restore(&bytes)?;
        self.journal.forget(&found);
        Ok(Undone {
            file_path: path.display().to_string(),
            undone: steps,
            size: bytes.len() as u64,
            left_behind,
        })
    }

    fn too_few(&self, path: &Path, available: u32, asked: u32) -> Result<UndoError, UndoError> {
        Ok(match available {
            0 if self.journal.knows(path)? => UndoError::Changed,
            0 => UndoError::Unknown,
            available => UndoError::Fewer { available, asked },
        })
    }
}
