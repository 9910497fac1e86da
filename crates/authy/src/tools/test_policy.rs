//! `test_policy`: whether a policy covers a name.

use ::mcp::{About, Cx, Run, Stop, Tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::required;
use crate::error::Error;
use crate::name::{PolicyName, SecretName};
use crate::state::State;

pub(crate) struct TestPolicy;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    scope: Option<String>,
    secret_name: Option<String>,
}

impl Tool<State> for TestPolicy {
    type In = Input;
    type Out = String;
    const ABOUT: About =
        About::new("test_policy", "Test a policy", "Test whether a policy allows access to a secret name")
            .read_only()
            .local();
    const RUN: Run = Run::Blocking;

    async fn call(&self, state: &State, cx: &Cx, input: Input) -> Result<String, Stop> {
        let session = state.session(cx)?;
        let scope = PolicyName::new(required(input.scope, "scope")?).map_err(Error::from)?;
        let name = SecretName::new(required(input.secret_name, "secret_name")?).map_err(Error::from)?;
        Ok(if session.test_policy(&scope, &name)? {
            format!("allowed: scope '{scope}' can read '{name}'")
        } else {
            format!("denied: scope '{scope}' cannot read '{name}'")
        })
    }

    fn input_schema() -> Value {
        json!({
            "type": "object",
            "properties": {
                "scope": { "type": "string", "description": "Policy/scope name" },
                "secret_name": { "type": "string", "description": "Secret name to test" }
            },
            "required": ["scope", "secret_name"]
        })
    }
}
