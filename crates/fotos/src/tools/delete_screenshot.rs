//! `delete_screenshot`: forgets one.

use mcp::{About, Cx, Run, Stop, Tool};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::State;

pub(super) struct DeleteScreenshot;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// Which one.
    screenshot_id: String,
}

impl Tool<State> for DeleteScreenshot {
    type In = Input;
    type Out = String;
    const ABOUT: About = About::new(
        "delete_screenshot",
        "Delete a screenshot",
        "Forgets a screenshot and the text that was read in it. Those made of it stay. It cannot be taken back.",
    )
    .local();
    const RUN: Run = Run::Inline;

    async fn call(&self, state: &State, _: &Cx, input: Input) -> Result<String, Stop> {
        let gone = state.host.delete(&input.screenshot_id)?;
        Ok(format!("Deleted screenshot {}; {} are left.", gone.id(), state.host.store.ids().len()))
    }
}
