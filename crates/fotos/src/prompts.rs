//! The prompts: a screenshot, and what to do with it.

mod accessibility_audit;
mod describe_ui;
mod extract_code;
mod generate_bug_report;

use mcp::{Completing, Completion, Content, Fail, Messages, PromptArgument, Role, Server, Stop};
use serde::Deserialize;

use crate::State;
use crate::error::Error;
use crate::shown::{Size, show};

pub(crate) fn offer(server: Server<State>) -> Server<State> {
    server
        .prompt(describe_ui::DescribeUi)
        .prompt(extract_code::ExtractCode)
        .prompt(generate_bug_report::GenerateBugReport)
        .prompt(accessibility_audit::AccessibilityAudit)
}

const SCREENSHOT_ID: PromptArgument = PromptArgument {
    name: "screenshot_id",
    description: "Which screenshot, as `list_screenshots` names it",
    required: true,
};

/// What most prompts take.
#[derive(Deserialize)]
struct Input {
    screenshot_id: String,
}

/// The picture, and the words that go with it.
fn about(state: &State, id: &str, words: String) -> Result<Messages, Stop> {
    let picture = state.host.store.get(id).and_then(|screenshot| show(&screenshot, Size::Fitting));
    let shown = picture.map_err(|error| match error {
        Error::NotFound { .. } => Fail::rpc(mcp::code::INVALID_PARAMS, error.to_string()),
        other => other.into(),
    })?;
    Ok(Messages::user(Content::png(shown.png)).and(Role::User, Content::Text(words)))
}

/// The names of screenshots that begin as typed, the newest first.
pub(crate) fn ids(state: &State, typed: Completing<'_>) -> Completion {
    if !matches!(typed.argument, "screenshot_id" | "id") {
        return Completion::default();
    }
    Completion::new(state.host.store.ids().into_iter().filter(|id| id.starts_with(typed.value)))
}
