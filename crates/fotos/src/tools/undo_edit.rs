//! `undo_edit`: takes the last annotations back.

use mcp::{About, Cx, Reply, Run, Stop, Tool};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{NothingMore, picture_reply};
use crate::State;
use crate::screenshot::By;
use crate::shown::Size;

pub(super) struct UndoEdit;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// Which screenshot.
    screenshot_id: String,
    /// The longest edge of the picture in the answer, in pixels: 0 for full size.
    max_edge: Option<u32>,
}

impl Tool<State> for UndoEdit {
    type In = Input;
    type Out = Reply;
    const ABOUT: About = About::new(
        "undo_edit",
        "Undo an annotation",
        "Takes back the last annotations that an agent made on a screenshot in the Fotos application, and answers with the \
         picture as it is then. What the person drew, only the person takes back.",
    )
    .additive()
    .local();
    const RUN: Run = Run::Async;

    async fn call(&self, state: &State, _: &Cx, input: Input) -> Result<Reply, Stop> {
        // One the agent does not see is not there.
        state.host.store.get(&input.screenshot_id)?;
        state.host.undo(&input.screenshot_id, By::Agent)?;
        let screenshot = state.host.store.get(&input.screenshot_id)?;
        picture_reply(state, screenshot, Size::from_max_edge(input.max_edge), &NothingMore {}).await
    }
}
