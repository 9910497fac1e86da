//! Several questions at once.

use mcp::{About, Cx, InputRequest, InputRequests, Run, Stop, Tool};

use super::{Name, Roots, read};
use crate::State;
use crate::tools::{Nothing, sampling};

pub(crate) struct MultipleInputs;

impl Tool<State> for MultipleInputs {
    type In = Nothing;
    type Out = String;
    const ABOUT: About = About::new(
        "test_input_required_result_multiple_inputs",
        "Ask three things",
        "Asks everybody at once.",
    )
    .read_only();
    const RUN: Run = Run::Inline;

    async fn call(&self, _: &State, cx: &Cx, _: Nothing) -> Result<String, Stop> {
        let answers = (
            cx.input_response("user_name"),
            cx.input_response("greeting"),
            read::<Roots>(cx.input_response("client_roots")),
        );
        let (Some(_), Some(_), Some(roots)) = answers else {
            return Err(cx.input_required(
                InputRequests::one("user_name", InputRequest::form::<Name>("What is your name?"))
                    .and("greeting", sampling::question("Generate a greeting", 50))
                    .and("client_roots", InputRequest::Roots)
                    .with_state("asked for three things"),
            ));
        };
        Ok(format!("Everybody answered; the client works in: {}", roots.uris()))
    }
}

/// Asks only what this client can be asked.
pub(crate) struct Capabilities;

impl Tool<State> for Capabilities {
    type In = Nothing;
    type Out = String;
    const ABOUT: About =
        About::new("test_input_required_result_capabilities", "Ask what can be asked", "Asks what it can.")
            .read_only();
    const RUN: Run = Run::Inline;

    async fn call(&self, _: &State, cx: &Cx, _: Nothing) -> Result<String, Stop> {
        let askable = [
            ("user_name", InputRequest::form::<Name>("What is your name?")),
            ("greeting", sampling::question("Generate a greeting", 50)),
        ];
        let mut open = InputRequests::default();
        for (key, question) in askable.into_iter().filter(|(_, question)| cx.can_request(question)) {
            if cx.input_response(key).is_none() {
                open = open.and(key, question);
            }
        }
        if open.is_empty() { Ok("Nothing is left to ask".into()) } else { Err(cx.input_required(open)) }
    }
}
