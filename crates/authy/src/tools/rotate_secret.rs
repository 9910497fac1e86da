//! `rotate_secret`: a new value for a secret there is, never shown.

use ::mcp::{About, Cx, Run, Stop, Tool};

use super::new_value::Wish;
use crate::state::State;

pub(crate) struct RotateSecret;

impl Tool<State> for RotateSecret {
    type In = Wish;
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

    async fn call(&self, state: &State, cx: &Cx, wish: Wish) -> Result<String, Stop> {
        let session = state.session(cx)?;
        let (name, value) = (wish.name()?, wish.value()?);
        let version = session.rotate(&name, &value)?;
        Ok(format!("Rotated secret '{name}'; version {version} was stored and not shown"))
    }
}
