//! Undo and redo of many files: those of a batch, or those in a folder.

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};

use files::{ResolveError, Roots};
use schemars::JsonSchema;
use serde::Serialize;

use super::{BatchId, Direction, UndoError, Undone, Way};
use crate::batch::{Depth, FileResult, MOST_RESULTS, Selection};
use crate::error::{Error, Kind};
use crate::target::Target;
use crate::words;
use crate::write::Writer;

/// Which files to undo.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// One file, and so many of its changes.
    File {
        /// The picture.
        path: PathBuf,
        /// How many changes.
        steps: u32,
    },
    /// Every file that a batch has changed, that one change each.
    Batch(BatchId),
    /// Every file that the last batch has changed.
    LastBatch,
    /// The pictures in a folder, the last change of each.
    Folder {
        /// The folder.
        path: PathBuf,
        /// Whether those in folders below it count.
        depth: Depth,
    },
}

/// What an undo or a redo did.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Reverted {
    /// Whether nothing failed.
    pub success: bool,
    /// How many files are byte for byte what they were before.
    pub reverted: usize,
    /// How many could not be taken back; each is as it was.
    pub failed: usize,
    /// How many files of a folder have no change that is remembered.
    pub untouched: usize,
    /// What became of each file, failures first.
    pub results: Vec<FileResult>,
    /// How many results are not listed.
    pub omitted: usize,
}

impl Writer {
    /// Takes back the last changes of one file.
    pub fn undo(&self, roots: &Roots, path: &Path, steps: u32) -> Result<Reverted, Error> {
        self.revert_all(roots, Scope::File { path: path.to_owned(), steps }, Direction::Undo)
    }

    /// Takes back changes, or makes them again. Of one file, what is wrong is an error; of several, each failure is told
    /// and stops no other.
    pub fn revert_all(&self, roots: &Roots, scope: Scope, direction: Direction) -> Result<Reverted, Error> {
        let nowhere = |error: UndoError| Error::new(Path::new(""), Kind::from(error));
        if let Scope::File { path, steps } = scope {
            let undone = self.revert(roots, &path, direction, steps)?;
            let mut reverted = Reverted::default();
            reverted.add(&path, Ok(undone));
            return Ok(reverted.finish());
        }
        let _held = self.journal.hold();
        let history = self.journal.history().map_err(|error| nowhere(error.into()))?;
        // Whoever may not use a file does not hear of it either.
        let is_allowed = |path: &PathBuf| !matches!(roots.resolve(path), Err(ResolveError::Outside { .. }));
        let of_batch = |batch: BatchId| {
            let mut files = history.files_of(batch, direction.kind());
            files.retain(is_allowed);
            Some((files, Some(batch))).filter(|(files, _)| !files.is_empty())
        };
        let unknown = |name: String| nowhere(UndoError::UnknownBatch(name));
        let (paths, batch) = match scope {
            Scope::File { path, .. } => (vec![path], None),
            Scope::Batch(batch) => of_batch(batch).ok_or_else(|| unknown(batch.to_string()))?,
            Scope::LastBatch => {
                let last = history.batches(direction.kind()).find_map(of_batch);
                last.ok_or_else(|| unknown("last".to_owned()))?
            }
            Scope::Folder { path, depth } => {
                let files = Selection::Folder { path, depth }.files(roots)?;
                (once_each(roots, files.pictures(roots).map(Path::to_owned)), None)
            }
        };
        let mut reverted = Reverted::default();
        let way = Way { direction, steps: 1, batch };
        for path in paths {
            let done = self.revert_within(roots, &path, way, Some(&history));
            reverted.add(&path, done);
        }
        Ok(reverted.finish())
    }
}

/// The files that differ in where their metadata is: several may share a sidecar, whose last change is only one.
pub fn once_each(roots: &Roots, paths: impl IntoIterator<Item = PathBuf>) -> Vec<PathBuf> {
    let mut known = BTreeSet::new();
    let holds_it = |path: &Path| {
        let place = roots.resolve(path).ok()?;
        let target = Target::find(roots, &place).ok();
        Some(target.as_ref().map_or(&place, Target::place).path().to_owned())
    };
    let mut is_new = |path: &PathBuf| known.insert(holds_it(path).unwrap_or_else(|| path.clone()));
    paths.into_iter().filter(|path| is_new(path)).collect()
}

impl Reverted {
    fn add(&mut self, path: &Path, done: Result<Undone, Kind>) {
        let result = match done {
            Ok(undone) => {
                self.reverted += 1;
                FileResult::done(path, words::undone(&undone))
            }
            Err(Kind::CannotUndo(UndoError::Unknown | UndoError::NotMade | UndoError::NothingUndone)) => {
                self.untouched += 1;
                return;
            }
            Err(kind) => {
                self.failed += 1;
                FileResult::failed(&Error::new(path, kind))
            }
        };
        // A failure must be seen, so it takes the place of a success.
        if self.results.len() == MOST_RESULTS && !result.success {
            let last = self.results.iter().rposition(|result| result.success);
            last.map(|at| self.results.remove(at));
        }
        if self.results.len() < MOST_RESULTS {
            self.results.push(result);
        }
    }

    fn finish(mut self) -> Reverted {
        self.success = self.failed == 0;
        self.results.sort_by_key(|result| result.success);
        self.omitted = self.reverted + self.failed - self.results.len();
        self
    }
}

impl fmt::Display for Reverted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let ([only], 0) = (self.results.as_slice(), self.untouched) {
            return write!(f, "{only}");
        }
        let files = if self.reverted == 1 { "file" } else { "files" };
        write!(f, "{} {files} restored", self.reverted)?;
        for (count, what) in [(self.failed, "failed"), (self.untouched, "without a change to take back")] {
            if count > 0 {
                write!(f, ", {count} {what}")?;
            }
        }
        for result in &self.results {
            write!(f, "\n{result}")?;
        }
        if self.omitted > 0 {
            write!(f, "\nand {} more, not listed", self.omitted)?;
        }
        Ok(())
    }
}
