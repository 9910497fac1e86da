//! What a batch did, file by file and together.

use std::fmt::{self, Write as _};
use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;

use crate::error::Error;
use crate::undo::BatchId;
use crate::words;
use crate::write::{Done, Effect};

/// More results than this are counted, not listed.
pub const MOST_RESULTS: usize = 1_000;

/// What a batch did.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Summary {
    /// Whether nothing failed and nothing was left out.
    pub success: bool,
    /// How many files the batch was about.
    pub total: usize,
    /// How many were written.
    pub written: usize,
    /// How many had all of it already and were not touched.
    pub unchanged: usize,
    /// How many could not be written; each is as it was.
    pub failed: usize,
    /// How many a search found that are no pictures, and were left alone.
    pub skipped: usize,
    /// How many were not looked at because the batch was cancelled. Files written before that stay written.
    pub not_attempted: usize,
    /// Whether the batch was cancelled.
    pub cancelled: bool,
    /// What became of each file, failures first.
    pub results: Vec<FileResult>,
    /// How many results are not listed.
    pub omitted: usize,
    /// What the batch is called, for taking all of it back with undoImageMetadata.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub batch: Option<String>,
    /// How many of the changes cannot be undone; each result says why.
    pub not_undoable: usize,
}

/// What became of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FileResult {
    /// The file.
    pub file_path: String,
    /// Whether it has the metadata now.
    pub success: bool,
    /// What was done, if it has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// What is wrong, if it has not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Failure>,
}

/// Why a file was not written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Failure {
    /// As for a file alone.
    pub code: i32,
    /// What is wrong, and what to do.
    pub reason: String,
}

impl fmt::Display for FileResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = words::line(&self.file_path);
        match &self.error {
            Some(Failure { code, reason }) => write!(f, "failed: {path}: {} ({code})", words::line(reason)),
            None => write!(f, "{path}: {}", self.message.as_deref().unwrap_or_default()),
        }
    }
}

impl FileResult {
    /// Of a file that has what was wanted.
    pub(crate) fn done(path: &Path, message: String) -> FileResult {
        let file_path = path.display().to_string();
        FileResult { file_path, success: true, message: Some(message), error: None }
    }

    /// Of a file that failed.
    pub fn failed(error: &Error) -> FileResult {
        let failure =
            Failure { code: error.code().unwrap_or(INVALID_PARAMS), reason: error.kind.to_string() };
        FileResult {
            file_path: error.path.display().to_string(),
            success: false,
            message: None,
            error: Some(failure),
        }
    }
}

/// What became of one file of a batch.
#[derive(Debug)]
pub(super) enum Outcome {
    Done(Done),
    Failed(Error),
    /// Our own mistake.
    Broke,
    /// It is no picture, and nobody said that it is.
    Skipped,
}

/// Collects outcomes, as many as are listed.
#[derive(Debug, Default)]
pub(super) struct Collector {
    summary: Summary,
    /// With the place of each in the batch.
    failures: Vec<(usize, FileResult)>,
    successes: Vec<(usize, FileResult)>,
}

impl Collector {
    pub(super) fn new(total: usize) -> Collector {
        Collector { summary: Summary { total, ..Summary::default() }, ..Collector::default() }
    }

    pub(super) fn add(&mut self, index: usize, file_path: String, outcome: &Outcome) {
        match outcome {
            Outcome::Done(done) => {
                match done.effect {
                    Effect::Written => self.summary.written += 1,
                    Effect::Nothing => self.summary.unchanged += 1,
                }
                self.summary.not_undoable += usize::from(done.not_undoable.is_some());
                if self.successes.len() < MOST_RESULTS {
                    let message = Some(words::done(done));
                    self.successes
                        .push((index, FileResult { file_path, success: true, message, error: None }));
                }
            }
            Outcome::Failed(error) => {
                let code = error.code().unwrap_or(INVALID_PARAMS);
                self.fail(index, file_path, Failure { code, reason: error.kind.to_string() });
            }
            Outcome::Broke => {
                let reason =
                    "it broke down on this file, which is as it was; this is a fault of Deskmate, report it";
                self.fail(index, file_path, Failure { code: INTERNAL_ERROR, reason: reason.to_owned() });
            }
            Outcome::Skipped => self.summary.skipped += 1,
        }
    }

    fn fail(&mut self, index: usize, file_path: String, error: Failure) {
        self.summary.failed += 1;
        if self.failures.len() < MOST_RESULTS {
            self.failures
                .push((index, FileResult { file_path, success: false, message: None, error: Some(error) }));
        }
    }

    pub(super) fn finish(mut self, cancelled: bool, batch: BatchId) -> Summary {
        self.failures.sort_by_key(|(index, _)| *index);
        self.successes.sort_by_key(|(index, _)| *index);
        let mut summary = self.summary;
        let done = summary.written + summary.unchanged + summary.failed;
        summary.not_attempted = summary.total.saturating_sub(done + summary.skipped);
        summary.cancelled = cancelled && summary.not_attempted > 0;
        summary.success = summary.failed == 0 && summary.not_attempted == 0;
        let rows = self.failures.into_iter().chain(self.successes).map(|(_, row)| row);
        summary.results = rows.take(MOST_RESULTS).collect();
        summary.omitted = done - summary.results.len();
        summary.batch = (summary.written > 0).then(|| batch.to_string());
        summary
    }
}

/// The codes of JSON-RPC, which the domain does not know otherwise.
const INVALID_PARAMS: i32 = -32602;
const INTERNAL_ERROR: i32 = -32603;

impl Summary {
    /// The numbers, in a line.
    pub fn totals(&self) -> String {
        let files = if self.total == 1 { "file" } else { "files" };
        let mut line = format!("{} {files}: {} written", self.total, self.written);
        for (count, what) in [
            (self.unchanged, "unchanged"),
            (self.failed, "failed"),
            (self.skipped, "not pictures"),
            (self.not_attempted, "not attempted"),
        ] {
            if count > 0 {
                let _ = write!(line, ", {count} {what}");
            }
        }
        if self.cancelled {
            line.push_str("; cancelled: what was written stays written");
        }
        if self.not_undoable > 0 {
            let _ = write!(line, "; {} of the changes cannot be undone", self.not_undoable);
        }
        line
    }

    /// Counts what failed before the batch began, and puts it first.
    pub fn prepend(&mut self, errors: &[Error]) {
        self.total += errors.len();
        self.failed += errors.len();
        self.success &= errors.is_empty();
        self.results.splice(0..0, errors.iter().map(FileResult::failed));
        self.omitted += self.results.len().saturating_sub(MOST_RESULTS);
        self.results.truncate(MOST_RESULTS);
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.totals())?;
        for result in &self.results {
            write!(f, "\n{result}")?;
        }
        if self.omitted > 0 {
            write!(f, "\nand {} more, not listed", self.omitted)?;
        }
        Ok(())
    }
}
