//! `readImageMetadata`: what a picture says, and where.

use std::path::Path;

use mcp::{About, Cx, Run, Stop, Tool};
use schemars::JsonSchema;
use serde::Deserialize;

use super::Told;
use crate::State;
use crate::report::Report;

pub(super) struct ReadImageMetadata;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Input {
    /// Absolute path of the picture.
    file_path: String,
}

impl Tool<State> for ReadImageMetadata {
    type In = Input;
    type Out = Told<Report>;
    const ABOUT: About = About::new(
        "readImageMetadata",
        "Read photo metadata",
        "Reads the tags, people, description and place of a picture file: all stores together (XMP, IPTC, EXIF, PNG \
         text) and each for itself, where they disagree and which one counts, and stores that cannot be read. Use it \
         to see how a picture is tagged, or why a photo program shows something else. Changes nothing.",
    )
    .read_only()
    .local();
    const RUN: Run = Run::Blocking;

    async fn call(&self, state: &State, cx: &Cx, input: Input) -> Result<Told<Report>, Stop> {
        Ok(Told(state.writer.read(state.roots(cx.caller()), Path::new(&input.file_path))?))
    }
}
