//! One question of each kind.

use mcp::{About, Cx, InputRequest, Run, Stop, Tool};

use super::{Name, Roots, greeting};
use crate::State;
use crate::tools::{Nothing, sampling};

pub(crate) struct Elicitation;

impl Tool<State> for Elicitation {
    type In = Nothing;
    type Out = String;
    const ABOUT: About =
        About::new("test_input_required_result_elicitation", "Ask for a name", "Greets the person by name.")
            .read_only();
    const RUN: Run = Run::Inline;

    async fn call(&self, _: &State, cx: &Cx, _: Nothing) -> Result<String, Stop> {
        Ok(greeting(cx.elicit::<Name>("user_name", "What is your name?")?))
    }
}

pub(crate) struct Sampling;

impl Tool<State> for Sampling {
    type In = Nothing;
    type Out = String;
    const ABOUT: About =
        About::new("test_input_required_result_sampling", "Ask the model", "Has the client's model answer.")
            .read_only();
    const RUN: Run = Run::Inline;

    async fn call(&self, _: &State, cx: &Cx, _: Nothing) -> Result<String, Stop> {
        sampling::ask(cx, "capital_question", "What is the capital of France?", 100)
    }
}

pub(crate) struct ListRoots;

impl Tool<State> for ListRoots {
    type In = Nothing;
    type Out = String;
    const ABOUT: About =
        About::new("test_input_required_result_list_roots", "Ask for folders", "Names the client's folders.")
            .read_only();
    const RUN: Run = Run::Inline;

    async fn call(&self, _: &State, cx: &Cx, _: Nothing) -> Result<String, Stop> {
        match cx.request_input("client_roots", InputRequest::Roots)?.read::<Roots>() {
            Some(roots) => Ok(format!("The client works in: {}", roots.uris())),
            None => Err("The client answered without `roots`".into()),
        }
    }
}
