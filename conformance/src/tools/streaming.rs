//! Tools that are hard on the stream their answer comes on.

use std::time::Duration;

use mcp::{About, Cx, Elicited, Stop, Tool};
use schemars::JsonSchema;
use serde::Deserialize;

use super::Nothing;
use crate::State;

/// Lets the client hang up in the middle and come back for the answer.
pub(super) struct Reconnection;

impl Tool<State> for Reconnection {
    type In = Nothing;
    type Out = String;
    const ABOUT: About =
        About::new("test_reconnection", "Reconnection", "Closes its stream before it answers.").read_only();

    async fn call(&self, _: &State, cx: &Cx, _: Nothing) -> Result<String, Stop> {
        cx.release_stream();
        tokio::time::sleep(Duration::from_millis(100)).await;
        Ok("Reconnection test completed successfully".into())
    }
}

#[derive(Deserialize, JsonSchema)]
struct Name {
    name: String,
}

/// Asks in the middle of its work; in 2026-07-28 that must not be a request on the stream.
pub(super) struct StreamingElicitation;

impl Tool<State> for StreamingElicitation {
    type In = Nothing;
    type Out = String;
    const ABOUT: About =
        About::new("test_streaming_elicitation", "Question on a stream", "Reports progress, then asks.")
            .read_only();

    async fn call(&self, _: &State, cx: &Cx, _: Nothing) -> Result<String, Stop> {
        cx.progress(1.0, Some(2.0), None);
        tokio::time::sleep(Duration::from_millis(10)).await;
        match cx.elicit::<Name>("user_name", "What is your name?")? {
            Elicited::Accepted(Name { name }) => Ok(format!("Hello, {name}!")),
            Elicited::Declined | Elicited::Cancelled => Ok("Hello, whoever you are!".into()),
        }
    }
}
