//! Tools that ask before they answer: in 2026-07-28 the question is a result, in older revisions a request.

pub(super) mod several;
pub(super) mod single;
pub(super) mod stateful;

use mcp::{Elicited, InputResponse};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Name {
    name: String,
}

#[derive(Deserialize, JsonSchema)]
struct Confirmation {
    ok: bool,
}

#[derive(Deserialize)]
struct Roots {
    roots: Vec<Root>,
}

#[derive(Deserialize)]
struct Root {
    uri: String,
}

impl Roots {
    fn uris(&self) -> String {
        self.roots.iter().map(|root| root.uri.as_str()).collect::<Vec<_>>().join(", ")
    }
}

fn greeting(form: Elicited<Name>) -> String {
    match form {
        Elicited::Accepted(Name { name }) => format!("Hello, {name}!"),
        Elicited::Declined | Elicited::Cancelled => "Hello, whoever you are!".to_owned(),
    }
}

/// What was answered, where it fits.
fn read<'a, T: Deserialize<'a>>(answer: Option<InputResponse<'a>>) -> Option<T> {
    answer.and_then(InputResponse::read)
}
