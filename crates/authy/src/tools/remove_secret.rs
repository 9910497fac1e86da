//! `remove_secret`: a secret taken away, with all its versions.

use ::mcp::{About, Cx, Fail, Run, Stop, Tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::required;
use crate::error::Error;
use crate::name::SecretName;
use crate::state::State;

pub(crate) struct RemoveSecret;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    name: Option<String>,
}

impl Tool<State> for RemoveSecret {
    type In = Input;
    type Out = String;
    const ABOUT: About =
        About::new("remove_secret", "Remove a secret", "Remove a secret from the vault").idempotent().local();
    const RUN: Run = Run::Blocking;

    async fn call(&self, state: &State, cx: &Cx, input: Input) -> Result<String, Stop> {
        let session = state.session(cx)?;
        let name = SecretName::new(required(input.name, "name")?).map_err(Error::from)?;
        if session.remove(&name)? {
            Ok(format!("Removed secret '{name}'"))
        } else {
            // A model must not take it for done.
            Err(Fail::new(format!("Secret '{name}' not found")).into())
        }
    }

    fn input_schema() -> Value {
        json!({
            "type": "object",
            "properties": { "name": { "type": "string", "description": "Secret name" } },
            "required": ["name"]
        })
    }
}
