//! `previewImageMetadata`: what a write would change, with nothing written.

use std::path::Path;

use mcp::{About, Cx, Run, Stop, Tool};
use serde_json::Value;

use super::Told;
use super::write_image_metadata::{Input, WriteImageMetadata};
use crate::State;
use crate::preview::Preview;

pub(super) struct PreviewImageMetadata;

impl Tool<State> for PreviewImageMetadata {
    type In = Input;
    type Out = Told<Preview>;
    const ABOUT: About = About::new(
        "previewImageMetadata",
        "Preview photo metadata (预览图片元数据更改)",
        "Shows what writeImageMetadata would change in a picture file with the same arguments: each place in each \
         store, before and after. Everything is checked as for a write, and nothing is written. Use it before a write \
         that replaces or removes something.",
    )
    .read_only()
    .local();
    const RUN: Run = Run::Blocking;

    async fn call(&self, state: &State, cx: &Cx, input: Input) -> Result<Told<Preview>, Stop> {
        let (path, wish) = input.into_wish();
        Ok(Told(state.writer.preview(state.roots(cx.caller()), Path::new(&path), &wish)?))
    }

    /// The same as for a write.
    fn input_schema() -> Value {
        WriteImageMetadata::input_schema()
    }
}
