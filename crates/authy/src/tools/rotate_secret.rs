//! `rotate_secret`: a new value for a secret there is, never shown.

use ::mcp::{About, Cx, Run, Stop, Tool};
use schemars::JsonSchema;
use serde::Deserialize;

use super::new_value::{Kind, Wish, usual_length};
use crate::error::Error;
use crate::name::SecretName;
use crate::state::State;

pub(crate) struct RotateSecret;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The name of the secret.
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

impl Tool<State> for RotateSecret {
    type In = Input;
    type Out = String;
    const ABOUT: About = About::new(
        "rotate_secret",
        "Rotate a secret",
        "Give a secret a new random value, without anybody seeing it; old versions are kept, and the owner can go back to \
         one. Use this when a secret is to be replaced. It changes the vault only: the service that knows the old value \
         must be told the new one, for instance with run_with_secrets or http_request.",
    )
    .local();
    const RUN: Run = Run::Blocking;

    async fn call(&self, state: &State, cx: &Cx, input: Input) -> Result<String, Stop> {
        let session = state.session(cx)?;
        let Input { name, kind, length, symbols, unambiguous } = input;
        let name = SecretName::new(name).map_err(Error::from)?;
        let value = Wish { kind, length, symbols, unambiguous }.value()?;
        let version = session.rotate(&name, &value)?;
        Ok(format!("Rotated secret '{name}'; version {version} was stored and not shown"))
    }
}
