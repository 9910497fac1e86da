//! `generate_secret`: a new value that is stored and never shown.

use ::mcp::{About, Cx, Run, Stop, Tool};

use super::new_value::Wish;
use crate::secret::{NewSecret, Overwrite};
use crate::state::State;

pub(crate) struct GenerateSecret;

impl Tool<State> for GenerateSecret {
    type In = Wish;
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

    async fn call(&self, state: &State, cx: &Cx, wish: Wish) -> Result<String, Stop> {
        let session = state.session(cx)?;
        let (name, value) = (wish.name()?, wish.value()?);
        session.store(&NewSecret { name: name.clone(), value, attributes: None }, Overwrite::Refuse)?;
        Ok(format!("Generated secret '{name}'; its value was stored and not shown"))
    }
}
