//! `undoImageMetadata`: the last changes of a picture taken back, byte for byte.

use std::path::Path;

use mcp::{About, Cx, Fail, Run, Stop, Tool};
use schemars::JsonSchema;
use serde::Deserialize;

use super::Told;
use crate::State;
use crate::undo::{MOST_STEPS, Undone};

pub(super) struct UndoImageMetadata;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Input {
    /// Absolute path of the picture.
    file_path: String,
    /// How many changes to take back, 1 to 100; 1 if left out.
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = 100))]
    steps: u32,
}

fn one() -> u32 {
    1
}

impl Tool<State> for UndoImageMetadata {
    type In = Input;
    type Out = Told<Undone>;
    const ABOUT: About = About::new(
        "undoImageMetadata",
        "Undo photo metadata (撤销图片元数据更改)",
        "Takes back the last change that this server made to a picture file: the file becomes byte for byte what it \
         was. Refused if another program has changed the file since. Use it when a write was a mistake. It cannot be \
         taken back itself.",
    )
    .local();
    const RUN: Run = Run::Blocking;

    async fn call(&self, state: &State, cx: &Cx, input: Input) -> Result<Told<Undone>, Stop> {
        if !(1..=MOST_STEPS).contains(&input.steps) {
            let message = format!("Argument `steps`: expected 1 to {MOST_STEPS}, got {}", input.steps);
            return Err(Fail::arguments(message).into());
        }
        Ok(Told(state.writer.undo(state.roots(cx.caller()), Path::new(&input.file_path), input.steps)?))
    }
}
