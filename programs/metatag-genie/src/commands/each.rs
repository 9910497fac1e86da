//! One file after the other, with what is to say about each.

use std::fmt::Display;
use std::path::PathBuf;
use std::process::ExitCode;

use cli::{exit, terminal};
use metatag::batch::FileResult;
use metatag::error::Error;
use serde::Serialize;

use super::{answer, json};

/// How results are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::Args)]
pub(super) struct Form {
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
}

/// A result, or what went wrong.
#[derive(Serialize)]
#[serde(untagged)]
enum Row<T> {
    Told(T),
    Failed(FileResult),
}

/// Does the job for each file, and prints as it goes; JSON is one list, printed at the end.
pub(super) fn each<T: Serialize + Display>(
    paths: impl IntoIterator<Item = PathBuf>,
    earlier: &[Error],
    form: Form,
    job: impl Fn(PathBuf) -> Result<T, Error>,
) -> ExitCode {
    let mut rows = Vec::new();
    let mut worked = true;
    let mut failed = |error: &Error, rows: &mut Vec<Row<T>>| {
        worked = false;
        if form.json {
            rows.push(Row::Failed(FileResult::failed(error)));
        } else {
            terminal::complain(&format!("error: {error}"));
        }
    };
    for error in earlier {
        failed(error, &mut rows);
    }
    for path in paths {
        match job(path) {
            Err(error) => failed(&error, &mut rows),
            Ok(told) if form.json => rows.push(Row::Told(told)),
            Ok(told) => {
                if let Err(error) = terminal::say(&told.to_string()) {
                    terminal::complain(&format!("error: cannot write to stdout: {error}"));
                    return ExitCode::from(exit::FAILED);
                }
            }
        }
    }
    if form.json {
        return answer(&json(&rows), worked);
    }
    if worked { ExitCode::SUCCESS } else { ExitCode::from(exit::FAILED) }
}
