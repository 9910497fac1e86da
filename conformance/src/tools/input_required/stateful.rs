//! Questions with something to remember until the answer.

use mcp::{About, Cx, Elicited, InputRequest, InputRequests, Run, Stop, Tool};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Confirmation, Name};
use crate::State;
use crate::tools::Nothing;

/// Asks for a confirmation and says whether the state came back.
fn confirm(cx: &Cx) -> Result<String, Stop> {
    const STATE: &str = "waiting for a confirmation";
    match cx.input_response("confirm").and_then(mcp::InputResponse::elicited::<Confirmation>) {
        None => {
            let question = InputRequest::form::<Confirmation>("Please confirm");
            Err(cx.input_required(InputRequests::one("confirm", question).with_state(STATE)))
        }
        Some(_) if cx.request_state() != Some(STATE) => Err("The answer came without its state".into()),
        Some(Elicited::Accepted(Confirmation { ok: true })) => Ok("state-ok: confirmed".into()),
        Some(_) => Ok("state-ok: not confirmed".into()),
    }
}

pub(crate) struct RequestState;

impl Tool<State> for RequestState {
    type In = Nothing;
    type Out = String;
    const ABOUT: About =
        About::new("test_input_required_result_request_state", "Remember", "Remembers what it asked.")
            .read_only();
    const RUN: Run = Run::Inline;

    async fn call(&self, _: &State, cx: &Cx, _: Nothing) -> Result<String, Stop> {
        confirm(cx)
    }
}

/// What the suite changes on its way is refused before this runs.
pub(crate) struct TamperedState;

impl Tool<State> for TamperedState {
    type In = Nothing;
    type Out = String;
    const ABOUT: About =
        About::new("test_input_required_result_tampered_state", "Keep safe", "Notices a changed state.")
            .read_only();
    const RUN: Run = Run::Inline;

    async fn call(&self, _: &State, cx: &Cx, _: Nothing) -> Result<String, Stop> {
        confirm(cx)
    }
}

#[derive(Deserialize, JsonSchema)]
struct Colour {
    color: String,
}

pub(crate) struct MultiRound;

impl Tool<State> for MultiRound {
    type In = Nothing;
    type Out = String;
    const ABOUT: About =
        About::new("test_input_required_result_multi_round", "Ask twice", "Asks one thing after the other.")
            .read_only();
    const RUN: Run = Run::Inline;

    async fn call(&self, _: &State, cx: &Cx, _: Nothing) -> Result<String, Stop> {
        let Elicited::Accepted(Name { name }) = cx.elicit("step1", "Step 1: What is your name?")? else {
            return Ok("No name, no colour".into());
        };
        let Elicited::Accepted(Colour { color }) =
            cx.elicit("step2", "Step 2: What is your favorite color?")?
        else {
            return Ok(format!("{name} has no favorite color"));
        };
        Ok(format!("{name} likes {color}"))
    }
}
