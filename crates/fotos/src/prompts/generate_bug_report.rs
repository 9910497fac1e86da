//! `generate_bug_report`: what went wrong, for those who can mend it.

use mcp::{Completing, Completion, Cx, Messages, Prompt, PromptAbout, PromptArgument, Run, Stop};
use serde::Deserialize;

use super::{SCREENSHOT_ID, about, ids};
use crate::State;

pub(super) struct GenerateBugReport;

#[derive(Deserialize)]
pub(super) struct Input {
    screenshot_id: String,
    context: Option<String>,
}

const WORDS: &str = "Analyze the error shown in this screenshot and generate a bug report with a summary, steps to reproduce, \
     expected vs. actual behavior, and a severity assessment. Quote error messages word by word, and say what you \
     cannot tell from the picture.";

impl Prompt<State> for GenerateBugReport {
    type In = Input;
    const ABOUT: PromptAbout = PromptAbout {
        name: "generate_bug_report",
        title: "Generate a bug report",
        description: "Makes a bug report of a screenshot that shows an error",
        arguments: &[
            SCREENSHOT_ID,
            PromptArgument {
                name: "context",
                description: "What else is known: what was done before, what was expected",
                required: false,
            },
        ],
        completes: true,
    };
    const RUN: Run = Run::Blocking;

    async fn get(&self, state: &State, _: &Cx, input: Input) -> Result<Messages, Stop> {
        let words = match input.context.filter(|context| !context.trim().is_empty()) {
            Some(context) => format!("{WORDS}\n\nAdditional context: {context}"),
            None => WORDS.to_owned(),
        };
        about(state, &input.screenshot_id, words)
    }

    fn complete(&self, state: &State, typed: Completing<'_>) -> Completion {
        ids(state, typed)
    }
}
