//! `get_totp`: a one-time code from a secret that stays where it is.

use std::time::{SystemTime, UNIX_EPOCH};

use ::mcp::{About, Cx, Fail, Run, Stop, Tool};
use schemars::JsonSchema;
use serde::Deserialize;

use super::using::Wanted;
use crate::state::State;
use crate::totp::Totp;

pub(crate) struct GetTotp;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The name of the secret: a base32 key or an otpauth:// address.
    #[schemars(length(min = 1, max = 128))]
    name: String,
}

impl Tool<State> for GetTotp {
    type In = Input;
    type Out = String;
    const ABOUT: About = About::new(
        "get_totp",
        "Get a one-time code",
        "Make the current one-time code (TOTP, as authenticator apps do) from a secret, without showing the secret. Use \
         this when a login asks for a second factor.",
    )
    .read_only()
    .local();
    const RUN: Run = Run::Blocking;

    async fn call(&self, state: &State, cx: &Cx, input: Input) -> Result<String, Stop> {
        let session = state.session(cx)?;
        let wanted = Wanted::find(&session, [input.name.as_str()])?;
        let values = wanted.values(&session, cx, "make a one-time code")?;
        let totp = Totp::parse(values.get(&input.name)?.value)
            .map_err(|error| Fail::new(format!("`{}` makes no codes: {error}", input.name)))?;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let code = totp.at(now);
        Ok(format!("{} (good for {} s)", code.digits.as_str(), code.seconds_left))
    }
}
