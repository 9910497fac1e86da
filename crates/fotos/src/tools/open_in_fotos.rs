//! `open_in_fotos`: shows a screenshot to the person.

use mcp::{About, Cx, Run, Stop, Tool};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::State;

pub(super) struct OpenInFotos;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// Which screenshot.
    screenshot_id: String,
}

impl Tool<State> for OpenInFotos {
    type In = Input;
    type Out = String;
    const ABOUT: About = About::new(
        "open_in_fotos",
        "Show a screenshot to the person",
        "Opens a screenshot in the window of the Fotos application. Use it when the person should look at it, draw on it or \
         save it themselves.",
    )
    .additive()
    .local();
    const RUN: Run = Run::Inline;

    async fn call(&self, state: &State, _: &Cx, input: Input) -> Result<String, Stop> {
        let screenshot = state.host.store.get(&input.screenshot_id)?;
        state.host.bring_up(&input.screenshot_id)?;
        Ok(format!("Screenshot {} is open in Fotos.", screenshot.id()))
    }
}
