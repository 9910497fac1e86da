//! `accessibility_audit`: who is kept out.

use mcp::{Completing, Completion, Cx, Messages, Prompt, PromptAbout, Run, Stop};

use super::{Input, SCREENSHOT_ID, about, ids};
use crate::State;

pub(super) struct AccessibilityAudit;

const WORDS: &str = "Audit the UI in this screenshot for accessibility issues: contrast, size of text and of what is clicked, labels, what \
     is said by colour alone, focus, and order. For each issue name the element, what is wrong, whom it keeps out, the \
     criterion of WCAG it fails, and a remedy.";

impl Prompt<State> for AccessibilityAudit {
    type In = Input;
    const ABOUT: PromptAbout = PromptAbout {
        name: "accessibility_audit",
        title: "Audit accessibility",
        description: "Audits the user interface in a screenshot for accessibility issues",
        arguments: &[SCREENSHOT_ID],
        completes: true,
    };
    const RUN: Run = Run::Blocking;

    async fn get(&self, state: &State, _: &Cx, input: Input) -> Result<Messages, Stop> {
        about(state, &input.screenshot_id, WORDS.to_owned())
    }

    fn complete(&self, state: &State, typed: Completing<'_>) -> Completion {
        ids(state, typed)
    }
}
