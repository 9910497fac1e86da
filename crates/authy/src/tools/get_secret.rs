//! `get_secret`: a value, for who may see it.

use ::mcp::{About, Cx, Reply, Run, Stop, Tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::required;
use crate::error::Error;
use crate::name::SecretName;
use crate::secret::Consent;
use crate::state::State;

pub(crate) struct GetSecret;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    name: Option<String>,
}

impl Tool<State> for GetSecret {
    type In = Input;
    type Out = Reply;
    const ABOUT: About = About::new("get_secret", "Get a secret", "Retrieve a secret value from the vault")
        .read_only()
        .local();
    const RUN: Run = Run::Blocking;

    async fn call(&self, state: &State, cx: &Cx, input: Input) -> Result<Reply, Stop> {
        let session = state.session(cx)?;
        let name = SecretName::new(required(input.name, "name")?).map_err(Error::from)?;
        let value = session.get(&name, Consent::Unasked)?;
        Ok(Reply::text(value.as_text().map_err(Error::from)?))
    }

    fn input_schema() -> Value {
        json!({
            "type": "object",
            "properties": { "name": { "type": "string", "description": "Secret name" } },
            "required": ["name"]
        })
    }
}
