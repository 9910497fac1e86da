//! `batchWriteImageMetadata`: the same metadata, into many pictures.

use std::path::PathBuf;

use mcp::{About, Cx, Fail, Run, Stop, Tool};
use schemars::JsonSchema;
use serde::Deserialize;

use super::Told;
use super::full_metadata::FullMetadata;
use super::metadata;
use crate::State;
use crate::batch::{Batch, Depth, Selection, Summary};

pub(super) struct BatchWriteImageMetadata;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Input {
    /// Absolute paths of pictures, at most 10,000. Give exactly one of `paths`, `folder` and `glob`.
    #[schemars(length(min = 1, max = 10_000))]
    paths: Option<Vec<String>>,
    /// Absolute path of a folder: the pictures in it, by content.
    folder: Option<String>,
    /// With `folder`: also the pictures in all folders below it. Links and hidden folders are not followed.
    #[serde(default)]
    recursive: bool,
    /// An absolute pattern such as `/home/ada/photos/**/*.jpg`; `*`, `?`, `[a-z]` within a name, `**` for any folders.
    glob: Option<String>,
    /// What to write. A field that is left out is not touched.
    metadata: FullMetadata,
    /// Whether new values replace old ones (the default). If false, lists grow, and a description or place stays.
    #[serde(default = "metadata::overwrites")]
    overwrite: bool,
    /// `keep` leaves the date of each file as it is; a date such as `2024-05-01T18:30:00+02:00` sets it. Without it, the date is
    /// that of the write, by which programs that back up or index files notice it.
    file_modified: Option<String>,
}

impl Tool<State> for BatchWriteImageMetadata {
    type In = Input;
    type Out = Told<Summary>;
    const ABOUT: About = About::new(
        "batchWriteImageMetadata",
        "Write metadata of many photos",
        "Writes the same metadata into many picture files: a list of paths, a folder, or a pattern. Besides tags, \
         description, people and place it takes title, creator, copyright, rating, date, position and more, which \
         writeImageMetadata does not. A file that fails is reported and stops no other. Reports progress; when cancelled, no further file \
         is begun, and those already written stay written. Use it instead of many calls of writeImageMetadata.",
    )
    .idempotent()
    .local();
    const RUN: Run = Run::Blocking;

    async fn call(&self, state: &State, cx: &Cx, input: Input) -> Result<Told<Summary>, Stop> {
        let selection = selection(input.paths, input.folder, input.recursive, input.glob)?;
        let wish = input.metadata.into_wish(input.overwrite, input.file_modified.as_deref())?;
        let roots = state.roots(cx.caller());
        crate::model::check((&wish).into()).map_err(|error| crate::error::Error::new("".as_ref(), error))?;
        let files = selection.files(roots)?;
        let batch = Batch { writer: &state.writer, roots, change: (&wish).into() };
        let summary = batch.run(files, |step| {
            let name = step.path.file_name().map(|name| name.to_string_lossy());
            #[allow(clippy::cast_precision_loss, reason = "there are not that many files")]
            cx.advance(step.done as f64, Some(step.total as f64), name.as_deref())
        });
        Ok(Told(summary))
    }
}

/// In bytes: the longest that the operating system takes.
const LONGEST_PATH: usize = 4_096;

fn selection(
    paths: Option<Vec<String>>,
    folder: Option<String>,
    recursive: bool,
    glob: Option<String>,
) -> Result<Selection, Fail> {
    let depth = if recursive { Depth::Recursive } else { Depth::Flat };
    let all = paths.iter().flatten().chain(&folder).chain(&glob);
    if let Some(length) = all.map(String::len).find(|length| *length > LONGEST_PATH) {
        return Err(Fail::arguments(format!(
            "A path of {length} bytes; no path is longer than {LONGEST_PATH}"
        )));
    }
    match (paths, folder, glob) {
        (Some(paths), None, None) if !paths.is_empty() => {
            Ok(Selection::Paths(paths.into_iter().map(PathBuf::from).collect()))
        }
        (None, Some(folder), None) => Ok(Selection::Folder { path: folder.into(), depth }),
        (None, None, Some(glob)) => Ok(Selection::Glob(glob)),
        _ => Err(Fail::arguments("Give exactly one of `paths` (not empty), `folder` and `glob`")),
    }
}
