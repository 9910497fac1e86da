//! Tools that do not succeed.

use mcp::{About, Cx, Run, Stop, Tool};

use super::{Nothing, sampling};
use crate::State;

pub(super) struct ErrorHandling;

impl Tool<State> for ErrorHandling {
    type In = Nothing;
    type Out = String;
    const ABOUT: About = About::new("test_error_handling", "Failure", "Always fails.").read_only();
    const RUN: Run = Run::Inline;

    async fn call(&self, _: &State, _: &Cx, _: Nothing) -> Result<String, Stop> {
        Err("This tool intentionally returns an error for testing".into())
    }
}

/// Needs what the suite's client does not declare when it calls this.
pub(super) struct MissingCapability;

impl Tool<State> for MissingCapability {
    type In = Nothing;
    type Out = String;
    const ABOUT: About = About::new(
        "test_missing_capability",
        "Missing capability",
        "Works only where the client can sample.",
    )
    .read_only();
    const RUN: Run = Run::Inline;

    async fn call(&self, _: &State, cx: &Cx, _: Nothing) -> Result<String, Stop> {
        sampling::ask(cx, "sample", "Say anything", 10)
    }
}
