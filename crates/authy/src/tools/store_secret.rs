//! `store_secret`: a new secret, or a new version of one.

use ::mcp::{About, Cx, Fail, Run, Stop, Tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::required;
use crate::error::Error;
use crate::name::SecretName;
use crate::secret::{NewSecret, Overwrite};
use crate::state::State;
use crate::value::SecretValue;

pub(crate) struct StoreSecret;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    name: Option<String>,
    value: Option<String>,
    #[serde(default)]
    force: bool,
}

impl Tool<State> for StoreSecret {
    type In = Input;
    type Out = String;
    const ABOUT: About =
        About::new("store_secret", "Store a secret", "Store a secret in the vault. To use one that is there, prefer run_with_secrets; to make a new random one, \
         generate_secret.").local().core();
    const RUN: Run = Run::Blocking;

    async fn call(&self, state: &State, cx: &Cx, input: Input) -> Result<String, Stop> {
        let session = state.session(cx)?;
        let name = SecretName::new(required(input.name, "name")?).map_err(Error::from)?;
        let value = SecretValue::new(required(input.value, "value")?).map_err(Error::from)?;
        let overwrite = if input.force { Overwrite::NewVersion } else { Overwrite::Refuse };
        let secret = NewSecret { name, value, attributes: None };
        session.store(&secret, overwrite).map_err(|error| match error {
            Error::AlreadyExists(name) => {
                Fail::new(format!("Secret already exists: {name} (use `force: true` to overwrite)"))
            }
            other => other.into(),
        })?;
        Ok(format!("Stored secret '{}'", secret.name))
    }

    fn input_schema() -> Value {
        json!({
            "type": "object",
            "properties": {
                "name": { "type": "string", "description": "Secret name" },
                "value": { "type": "string", "description": "Secret value" },
                "force": { "type": "boolean", "description": "Overwrite if exists (default: false)" }
            },
            "required": ["name", "value"]
        })
    }
}
