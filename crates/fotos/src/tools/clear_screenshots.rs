//! `clear_screenshots`: forgets all of them.

use mcp::{About, Cx, Run, Stop, Tool};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::State;

pub(super) struct ClearScreenshots;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {}

impl Tool<State> for ClearScreenshots {
    type In = Input;
    type Out = String;
    const ABOUT: About = About::new(
        "clear_screenshots",
        "Delete all screenshots",
        "Forgets all screenshots of this session and the text that was read in them. It cannot be taken back.",
    )
    .idempotent()
    .local();
    const RUN: Run = Run::Inline;

    async fn call(&self, state: &State, _: &Cx, _: Input) -> Result<String, Stop> {
        Ok(format!("Deleted {} screenshots.", state.host.clear()))
    }
}
