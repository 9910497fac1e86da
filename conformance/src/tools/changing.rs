//! News on demand, for subscriptions to carry.

use mcp::{About, Change, Cx, Run, Stop, Tool};

use super::Nothing;
use crate::State;

pub(super) struct TriggerToolChange;

impl Tool<State> for TriggerToolChange {
    type In = Nothing;
    type Out = String;
    const ABOUT: About =
        About::new("test_trigger_tool_change", "Tools changed", "Tells everybody that the tools changed.");
    const RUN: Run = Run::Inline;

    async fn call(&self, state: &State, _: &Cx, _: Nothing) -> Result<String, Stop> {
        state.changes.tell(&Change::Tools);
        Ok("Told that the tools changed".into())
    }
}

pub(super) struct TriggerPromptChange;

impl Tool<State> for TriggerPromptChange {
    type In = Nothing;
    type Out = String;
    const ABOUT: About = About::new(
        "test_trigger_prompt_change",
        "Prompts changed",
        "Tells everybody that the prompts changed.",
    );
    const RUN: Run = Run::Inline;

    async fn call(&self, state: &State, _: &Cx, _: Nothing) -> Result<String, Stop> {
        state.changes.tell(&Change::Prompts);
        Ok("Told that the prompts changed".into())
    }
}
