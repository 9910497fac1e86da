//! `redo_edit`: draws again what was taken back.

use mcp::{About, Cx, Reply, Run, Stop, Tool};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{NothingMore, picture_reply};
use crate::State;
use crate::screenshot::By;
use crate::shown::Size;

pub(super) struct RedoEdit;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// Which screenshot.
    screenshot_id: String,
    /// The longest edge of the picture in the answer, in pixels: 0 for full size.
    max_edge: Option<u32>,
}

impl Tool<State> for RedoEdit {
    type In = Input;
    type Out = Reply;
    const ABOUT: About = About::new(
        "redo_edit",
        "Redo an annotation",
        "Draws again what undo_edit took back from a screenshot in the Fotos application, and answers with the picture.",
    )
    .additive()
    .local();
    const RUN: Run = Run::Async;

    async fn call(&self, state: &State, _: &Cx, input: Input) -> Result<Reply, Stop> {
        // One the agent does not see is not there.
        state.host.store.get(&input.screenshot_id)?;
        state.host.redo(&input.screenshot_id, By::Agent)?;
        let screenshot = state.host.store.get(&input.screenshot_id)?;
        picture_reply(state, screenshot, Size::from_max_edge(input.max_edge), &NothingMore {}).await
    }
}
