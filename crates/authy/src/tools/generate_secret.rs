//! `generate_secret`: a new value that is stored and never shown.

use ::mcp::{About, Cx, Run, Stop, Tool};
use schemars::JsonSchema;
use serde::Deserialize;

use super::new_value::{Kind, Wish, usual_length};
use crate::error::Error;
use crate::name::SecretName;
use crate::secret::{NewSecret, Overwrite};
use crate::state::State;

pub(crate) struct GenerateSecret;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The name of the new secret.
    #[schemars(length(min = 1, max = 128))]
    name: String,
    /// What it is made of.
    #[serde(default)]
    kind: Kind,
    /// How many characters, or random bytes for hex and base64; 32 if not said.
    #[serde(default = "usual_length")]
    #[schemars(range(min = 8, max = 4096))]
    length: usize,
    /// Marks such as `!` and `%` as well.
    #[serde(default)]
    symbols: bool,
    /// Without characters that look like others, such as `0` and `O`.
    #[serde(default)]
    unambiguous: bool,
}

impl Tool<State> for GenerateSecret {
    type In = Input;
    type Out = String;
    const ABOUT: About = About::new(
        "generate_secret",
        "Generate a secret",
        "Make a random value and store it as a new secret, without anybody seeing it. Use this for passwords and keys that \
         are yet to be set somewhere, then set it there with run_with_secrets or http_request. It fails if the name is \
         taken: use rotate_secret for a new value of a secret there is.",
    )
    .additive()
    .local();
    const RUN: Run = Run::Blocking;

    async fn call(&self, state: &State, cx: &Cx, input: Input) -> Result<String, Stop> {
        let session = state.session(cx)?;
        let Input { name, kind, length, symbols, unambiguous } = input;
        let name = SecretName::new(name).map_err(Error::from)?;
        let value = Wish { kind, length, symbols, unambiguous }.value()?;
        session.store(&NewSecret { name: name.clone(), value, attributes: None }, Overwrite::Refuse)?;
        Ok(format!("Generated secret '{name}'; its value was stored and not shown"))
    }
}
