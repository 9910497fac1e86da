//! `extract_code`: code, and nothing else.

use mcp::{Completing, Completion, Cx, Messages, Prompt, PromptAbout, Run, Stop};

use super::{Input, SCREENSHOT_ID, about, ids};
use crate::State;

pub(super) struct ExtractCode;

const WORDS: &str = "Extract all code visible in this screenshot. Return only the code, properly formatted, with its indentation, in one \
     block for each file or snippet. Leave out line numbers and everything that is not code.";

impl Prompt<State> for ExtractCode {
    type In = Input;
    const ABOUT: PromptAbout = PromptAbout {
        name: "extract_code",
        title: "Extract code",
        description: "Extracts all code in a screenshot",
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
