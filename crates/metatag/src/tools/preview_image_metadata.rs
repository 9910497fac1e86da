//! `previewImageMetadata`: what a write would change, with nothing written.

use std::path::Path;

use mcp::{About, Cx, Run, Stop, Tool};
use schemars::JsonSchema;
use serde::Deserialize;

use super::full_metadata::FullMetadata;
use super::{Told, metadata};
use crate::State;
use crate::preview::Preview;

pub(super) struct PreviewImageMetadata;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Input {
    /// Absolute path of the picture.
    file_path: String,
    /// What would be written. A field that is left out is not touched.
    metadata: FullMetadata,
    /// Whether new values replace old ones (the default). If false, lists grow, and what is there stays.
    #[serde(default = "metadata::overwrites")]
    overwrite: bool,
}

impl Tool<State> for PreviewImageMetadata {
    type In = Input;
    type Out = Told<Preview>;
    const ABOUT: About = About::new(
        "previewImageMetadata",
        "Preview photo metadata",
        "Shows what writeImageMetadata or batchWriteImageMetadata would change in a picture file with the same \
         arguments: each place in each store, before and after. Everything is checked as for a write, and nothing is written. Use it before a write \
         that replaces or removes something.",
    )
    .read_only()
    .local();
    const RUN: Run = Run::Blocking;

    async fn call(&self, state: &State, cx: &Cx, input: Input) -> Result<Told<Preview>, Stop> {
        let wish = input.metadata.into_wish(input.overwrite, None)?;
        Ok(Told(state.writer.preview(state.roots(cx.caller()), Path::new(&input.file_path), &wish)?))
    }
}
