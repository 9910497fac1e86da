//! The tasks extension: work that goes on without its caller.

use std::time::Duration;

use mcp::{About, Cx, Elicited, Fail, InputRequest, InputRequests, Run, Stop, Tasks, Tool};
use schemars::JsonSchema;
use serde::Deserialize;

use super::Nothing;
use crate::State;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Name {
    /// Who it is
    name: String,
}

pub(super) struct Greet;

impl Tool<State> for Greet {
    type In = Name;
    type Out = String;
    const ABOUT: About = About::new("greet", "Greet", "Greets somebody at once.").read_only();
    const RUN: Run = Run::Inline;

    async fn call(&self, _: &State, _: &Cx, input: Name) -> Result<String, Stop> {
        Ok(format!("Hello, {}!", input.name))
    }
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct Work {
    /// How long it takes, in seconds
    seconds: f64,
    /// What to call it
    #[serde(default)]
    label: Option<String>,
}

pub(super) struct SlowCompute;

impl Tool<State> for SlowCompute {
    type In = Work;
    type Out = String;
    const ABOUT: About =
        About::new("slow_compute", "Slow work", "Works for a while, as a task where it can.")
            .read_only()
            .tasks(Tasks::Optional);

    async fn call(&self, _: &State, _: &Cx, input: Work) -> Result<String, Stop> {
        let time = Duration::try_from_secs_f64(input.seconds)
            .map_err(|error| Fail::arguments(format!("`seconds`: {error}")))?;
        tokio::time::sleep(time).await;
        let label = input.label.as_deref().unwrap_or("the work");
        Ok(format!("Computed {label} in {} s", input.seconds))
    }
}

/// Fails as a tool does: the task is completed, its result an error.
pub(super) struct FailingJob;

impl Tool<State> for FailingJob {
    type In = Nothing;
    type Out = String;
    const ABOUT: About =
        About::new("failing_job", "Failing job", "Works for a second, as a task, and fails.")
            .read_only()
            .tasks(Tasks::Required);

    async fn call(&self, _: &State, _: &Cx, _: Nothing) -> Result<String, Stop> {
        tokio::time::sleep(Duration::from_secs(1)).await;
        Err("This job intentionally fails for testing".into())
    }
}

/// Fails as the protocol does: the task itself has failed.
pub(super) struct ProtocolErrorJob;

impl Tool<State> for ProtocolErrorJob {
    type In = Nothing;
    type Out = String;
    const ABOUT: About = About::new("protocol_error_job", "Broken job", "Breaks down with a protocol error.")
        .read_only()
        .tasks(Tasks::Optional);

    async fn call(&self, _: &State, _: &Cx, _: Nothing) -> Result<String, Stop> {
        Err(Fail::rpc(mcp::code::INTERNAL_ERROR, "This job intentionally breaks down for testing").into())
    }
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct File {
    /// The file that would go
    filename: String,
}

#[derive(Deserialize, JsonSchema)]
struct Confirmation {
    confirm: bool,
}

pub(super) struct ConfirmDelete;

impl Tool<State> for ConfirmDelete {
    type In = File;
    type Out = String;
    const ABOUT: About = About::new("confirm_delete", "Confirm", "Asks before it pretends to delete a file.")
        .read_only()
        .tasks(Tasks::Optional);

    async fn call(&self, _: &State, cx: &Cx, input: File) -> Result<String, Stop> {
        match cx.elicit("confirm", &format!("Delete {}?", input.filename))? {
            Elicited::Accepted(Confirmation { confirm: true }) => Ok(format!("Deleted {}", input.filename)),
            _ => Ok(format!("Kept {}", input.filename)),
        }
    }
}

/// Two questions at once, which may be answered one by one.
pub(super) struct MultiInput;

impl Tool<State> for MultiInput {
    type In = Nothing;
    type Out = String;
    const ABOUT: About =
        About::new("multi_input", "Two questions", "Asks two people for their names at once.")
            .read_only()
            .tasks(Tasks::Optional);

    async fn call(&self, _: &State, cx: &Cx, _: Nothing) -> Result<String, Stop> {
        let (Some(first), Some(second)) = (cx.input_response("first"), cx.input_response("second")) else {
            return Err(cx.input_required(
                InputRequests::one("first", InputRequest::form::<Name>("Who is the first?"))
                    .and("second", InputRequest::form::<Name>("Who is the second?")),
            ));
        };
        match (first.elicited(), second.elicited()) {
            (
                Some(Elicited::Accepted(Name { name: first })),
                Some(Elicited::Accepted(Name { name: second })),
            ) => Ok(format!("{first} and {second}")),
            _ => Err("Somebody has no name".into()),
        }
    }
}

/// Asks first; only what follows is a task.
pub(super) struct ToolWithTask;

impl Tool<State> for ToolWithTask {
    type In = Nothing;
    type Out = String;
    const ABOUT: About =
        About::new("test_tool_with_task", "Question, then task", "Asks for a name, then works as a task.")
            .read_only()
            .tasks(Tasks::RequiredAfterInput);

    async fn call(&self, _: &State, cx: &Cx, _: Nothing) -> Result<String, Stop> {
        let form = cx.elicit::<Name>("user_name", "What is your name?")?;
        tokio::time::sleep(Duration::from_millis(50)).await;
        match form {
            Elicited::Accepted(Name { name }) => Ok(format!("Worked for {name}")),
            Elicited::Declined | Elicited::Cancelled => Ok("Worked for nobody in particular".into()),
        }
    }
}
