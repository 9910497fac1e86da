//! `removeImageTags`: single tags taken away, wherever they are.

use std::path::Path;

use mcp::{About, Cx, Fail, Run, Stop, Tool};
use schemars::JsonSchema;
use serde::Deserialize;

use super::Told;
use crate::State;
use crate::model::Removal;
use crate::removed::RemovedReport;

pub(super) struct RemoveImageTags;

/// More than this is no list somebody made.
const MOST: usize = 1_000;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Input {
    /// Absolute path of the picture.
    file_path: String,
    /// Tags to remove, spelled as readImageMetadata shows them under `keywords`; of a path, its last part.
    #[schemars(length(max = 1_000))]
    tags: Vec<String>,
    /// Names of people to remove, from the people shown and from the tags.
    #[serde(default)]
    #[schemars(length(max = 1_000))]
    people: Vec<String>,
}

impl Tool<State> for RemoveImageTags {
    type In = Input;
    type Out = Told<RemovedReport>;
    const ABOUT: About = About::new(
        "removeImageTags",
        "Remove photo tags",
        "Removes single tags from a picture file, from every store that has them, and people only if they are named \
         under `people`. All other tags stay. Tags that are not there are reported, and if none is there the file is \
         not touched. To remove all tags, use writeImageMetadata with an empty list.",
    )
    .idempotent()
    .local();
    const RUN: Run = Run::Blocking;

    async fn call(&self, state: &State, cx: &Cx, input: Input) -> Result<Told<RemovedReport>, Stop> {
        let Input { file_path, tags, people } = input;
        for (name, list) in [("tags", &tags), ("people", &people)] {
            if list.len() > MOST {
                let message = format!("Argument `{name}`: at most {MOST} entries, not {}", list.len());
                return Err(Fail::arguments(message).into());
            }
        }
        if tags.is_empty() && people.is_empty() {
            return Err(Fail::arguments("Give at least one entry in `tags` or `people`").into());
        }
        let removal = Removal { tags, people };
        let removed = state.writer.remove(state.roots(cx.caller()), Path::new(&file_path), &removal)?;
        Ok(Told(RemovedReport::of(&file_path, removal, removed)))
    }
}
