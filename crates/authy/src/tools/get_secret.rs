//! `get_secret`: a value, for who may see it.

use ::mcp::{About, Cx, Fail, Reply, Run, Stop, Tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::required;
use crate::error::Error;
use crate::name::SecretName;
use crate::secret::Consent;
use crate::state::{State, who};

pub(crate) struct GetSecret;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    name: Option<String>,
}

impl Tool<State> for GetSecret {
    type In = Input;
    type Out = Reply;
    const ABOUT: About = About::new("get_secret", "Get a secret", "Retrieve a secret value from the vault. It \
         becomes part of this conversation: prefer run_with_secrets or http_request, which use it without showing it.")
        .read_only()
        .local();
    // A read of an open vault takes microseconds. What takes longer goes elsewhere, below.
    const RUN: Run = Run::Inline;

    async fn call(&self, state: &State, cx: &Cx, input: Input) -> Result<Reply, Stop> {
        let who = who(cx)?;
        let name = required(input.name, "name").map(SecretName::new);
        let at_once = match (state.open_session(&who), &name) {
            (Some(session), Ok(Ok(name))) => session.get_at_once(name, Consent::Unasked),
            (None | Some(_), _) => None,
        };
        let value = if let Some(value) = at_once {
            value?
        } else {
            // From here on it is a task: the vault has to be unlocked, or another process is writing to it.
            tokio::task::yield_now().await;
            let state = state.clone();
            let opened = tokio::task::spawn_blocking(move || state.session_of(&who)).await;
            let session = opened.map_err(|_| Fail::new("unlocking the vault broke down; try again"))??;
            let name = name?.map_err(Error::from)?;
            let got = tokio::task::spawn_blocking(move || session.get(&name, Consent::Unasked)).await;
            got.map_err(|_| Fail::new("reading the vault broke down; try again"))??
        };
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
