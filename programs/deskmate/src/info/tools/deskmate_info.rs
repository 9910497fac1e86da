//! `deskmate_info`: what Deskmate offers here.

use mcp::{About, Cx, Fail, Output, Reply, Run, Stop, Tool};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::doctor::Report;
use crate::info::State;

pub(super) struct DeskmateInfo;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {}

impl Tool<State> for DeskmateInfo {
    type In = Input;
    type Out = Answer;
    const ABOUT: About = About::new(
        "deskmate_info",
        "What Deskmate offers here",
        "Says which servers of Deskmate are ready, and what is missing with the step that fixes it. Use it when a tool is \
         not there or not set up, or the person asks what Deskmate can do.",
    )
    .read_only()
    .local()
    .core();
    // It looks at files, and starts programs.
    const RUN: Run = Run::Blocking;

    async fn call(&self, state: &State, _: &Cx, _: Input) -> Result<Answer, Stop> {
        Ok(Answer(state.report()))
    }
}

/// The report as structured content, and the same in words.
pub(super) struct Answer(Report);

impl Output for Answer {
    fn into_reply(self) -> Result<Reply, Fail> {
        Reply::structured(&self.0, self.0.to_string())
    }

    fn schema() -> Option<serde_json::Value> {
        Some(mcp::schema::of::<Report>())
    }
}
