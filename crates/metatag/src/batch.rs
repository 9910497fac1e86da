//! One change to many pictures, several at a time: what takes long is the disk, and that can take care of several.

mod glob;
mod selection;
mod summary;

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use files::Roots;

pub use selection::{Depth, Files, MOST_FILES, MOST_PATHS, Selection};
pub use summary::{Failure, FileResult, MOST_RESULTS, Summary};

use crate::model::Change;
use crate::undo::BatchId;
use crate::write::Writer;
use selection::Origin;
use summary::{Collector, Outcome};

/// How many files are worked on at a time.
const THREADS: usize = 4;
/// Of files larger than this, one at a time is: each is held in memory twice.
const LARGE: u64 = 32 << 20;
/// Enough to tell a picture by.
const BEGINNING: u64 = 4096;

/// A change to many pictures.
#[derive(Debug, Clone, Copy)]
pub struct Batch<'a> {
    /// Who writes.
    pub writer: &'a Writer,
    /// Where pictures may be.
    pub roots: &'a Roots,
    /// What to do with each.
    pub change: Change<'a>,
}

/// How far a batch is.
#[derive(Debug, Clone, Copy)]
pub struct Step<'a> {
    /// How many files are done with.
    pub done: usize,
    /// How many there are.
    pub total: usize,
    /// The file that was done last.
    pub path: &'a Path,
}

impl Batch<'_> {
    /// Makes the change to each file. One that fails stops no other. `tell` hears of every file that is done, from any
    /// thread, and may stop the batch: then the files under way are finished, and no other is begun.
    pub fn run(&self, files: Files, tell: impl Fn(Step<'_>) -> ControlFlow<()> + Sync) -> Summary {
        let Files { paths, unlisted } = files;
        let batch = BatchId::new();
        let _held = self.writer.journal.hold();
        let total = paths.len() + unlisted.len();
        let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(unlisted.len()));
        let mut collector = Collector::new(total);
        for (index, error) in unlisted.into_iter().enumerate() {
            collector.add(index, error.path.display().to_string(), &Outcome::Failed(error));
        }
        let collector = Mutex::new(collector);
        let (stopped, large) = (AtomicBool::new(false), Mutex::new(()));
        let add = |index, path: &Path, outcome: &Outcome| {
            let mut collector = collector.lock().unwrap_or_else(PoisonError::into_inner);
            collector.add(index, path.display().to_string(), outcome);
        };
        let work = || {
            while !stopped.load(Ordering::Acquire) {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some((path, origin)) = paths.get(index) else { return };
                let attempt = catch_unwind(AssertUnwindSafe(|| self.one(path, *origin, batch, &large)));
                add(index, path, &attempt.unwrap_or(Outcome::Broke));
                let done = done.fetch_add(1, Ordering::Relaxed) + 1;
                if tell(Step { done, total, path }).is_break() {
                    stopped.store(true, Ordering::Release);
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..THREADS.min(paths.len()) {
                scope.spawn(work);
            }
            work();
        });
        let collector = collector.into_inner().unwrap_or_else(PoisonError::into_inner);
        collector.finish(stopped.into_inner(), batch)
    }

    fn one(&self, path: &Path, origin: Origin, batch: BatchId, large: &Mutex<()>) -> Outcome {
        // What is wrong with the path is told by the writer, in the words for it.
        let beginning = self.roots.resolve(path).ok().and_then(|place| place.begin(BEGINNING).ok());
        if let Some(beginning) = &beginning
            && origin == Origin::Found
            && !selection::is_ours(path, &beginning.bytes)
        {
            return Outcome::Skipped;
        }
        let is_large = beginning.is_some_and(|beginning| beginning.size > LARGE);
        let _alone = is_large.then(|| large.lock().unwrap_or_else(PoisonError::into_inner));
        match self.writer.write_in(self.roots, path, self.change, Some(batch)) {
            Ok(done) => Outcome::Done(done),
            Err(error) => Outcome::Failed(error),
        }
    }
}

#[cfg(test)]
mod tests;
