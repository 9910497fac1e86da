//! `list_secrets`: the names there are.

use ::mcp::{About, Cx, Fail, Run, Stop, Tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::error::Error;
use crate::name::PolicyName;
use crate::state::State;

pub(crate) struct ListSecrets;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    scope: Option<String>,
}

impl Tool<State> for ListSecrets {
    type In = Input;
    type Out = String;
    const ABOUT: About = About::new(
        "list_secrets",
        "List secrets",
        "List all secret names, optionally filtered by a policy scope",
    )
    .read_only()
    .local()
    .core();
    const RUN: Run = Run::Blocking;

    async fn call(&self, state: &State, cx: &Cx, input: Input) -> Result<String, Stop> {
        let session = state.session(cx)?;
        let scope = input.scope.map(PolicyName::new).transpose().map_err(Error::from)?;
        let names = session.list(scope.as_ref())?;
        serde_json::to_string(&names).map_err(|error| Fail::new(error.to_string()).into())
    }

    fn input_schema() -> Value {
        json!({
            "type": "object",
            "properties": {
                "scope": { "type": "string", "description": "Policy scope to filter by (optional)" }
            }
        })
    }
}
