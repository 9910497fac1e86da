//! `secret_info`: everything about a secret but its value.

use ::mcp::{About, Cx, Fail, Run, Stop, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::name::SecretName;
use crate::secret::SecretInfo;
use crate::state::State;

pub(crate) struct DescribeSecret;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The name of the secret.
    #[schemars(length(min = 1, max = 128))]
    name: String,
}

#[derive(Serialize)]
struct Answer {
    #[serde(flatten)]
    info: SecretInfo,
    /// What this session may do, so that the next call is one that works.
    capabilities: String,
}

impl Tool<State> for DescribeSecret {
    type In = Input;
    type Out = String;
    const ABOUT: About = About::new(
        "secret_info",
        "Describe a secret",
        "Tell what is known about a secret without its value: description, version, when it was stored and expires, the \
         hosts http_request may send it to, the commands run_with_secrets may give it to, and whether a person must agree \
         each time. Use this before using a secret, or when a use was refused.",
    )
    .read_only()
    .local();
    const RUN: Run = Run::Blocking;

    async fn call(&self, state: &State, cx: &Cx, input: Input) -> Result<String, Stop> {
        let session = state.session(cx)?;
        let info = session.info(&SecretName::new(input.name).map_err(Error::from)?)?;
        let answer = Answer { info, capabilities: session.capabilities().to_string() };
        Ok(serde_json::to_string_pretty(&answer).map_err(|error| Fail::new(error.to_string()))?)
    }
}
