//! `describe_ui`: what is on the screen.

use mcp::{Completing, Completion, Cx, Messages, Prompt, PromptAbout, Run, Stop};

use super::{Input, SCREENSHOT_ID, about, ids};
use crate::State;

pub(super) struct DescribeUi;

const WORDS: &str = "Describe the UI elements visible in this screenshot: windows, menus, buttons, fields, icons and text, where each is, \
     what state it is in and what it is for.";

impl Prompt<State> for DescribeUi {
    type In = Input;
    const ABOUT: PromptAbout = PromptAbout {
        name: "describe_ui",
        title: "Describe the user interface",
        description: "Describes the elements of the user interface in a screenshot",
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
