//! `http_request`: a request with secrets in it, to the hosts they are bound to.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use ::mcp::{About, Cx, Fail, Run, Stop, Tool};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;

use super::using::{Wanted, section};
use crate::request::{BadHostRule, Basic, Bound, Bounds, Draft, HostRule, Plan, RequestError, Sender};
use crate::secret::SecretInfo;
use crate::state::State;

/// Keeps its connections between calls.
#[derive(Default)]
pub(crate) struct HttpRequest {
    sender: Sender,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// GET, POST, PUT, PATCH, DELETE, HEAD or OPTIONS.
    #[schemars(length(min = 1, max = 16))]
    method: String,
    /// The address, https unless the owner allows http for its host. {{secret:NAME}} may stand behind the `?`.
    #[schemars(length(min = 1, max = 8192))]
    url: String,
    #[serde(default)]
    #[schemars(schema_with = "headers_schema")]
    headers: Headers,
    /// The body; {{secret:NAME}} in it is escaped as the Content-Type needs it (JSON, form).
    #[schemars(length(max = 1_000_000))]
    body: Option<String>,
    /// Basic authentication by a user name and the secret that is the password.
    basic_auth: Option<BasicAuth>,
    /// How many seconds it may take; 30 if not said.
    #[serde(default = "usual_time")]
    #[schemars(range(min = 1, max = 300))]
    timeout_seconds: u64,
}

/// Headers, as an object or as a list of names and values: models write both.
#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "`headers` is an object such as {\"Authorization\": \"Bearer {{secret:NAME}}\"}"
)]
pub(crate) enum Headers {
    Object(BTreeMap<String, String>),
    List(Vec<Header>),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Header {
    name: String,
    value: String,
}

impl Default for Headers {
    fn default() -> Headers {
        Headers::Object(BTreeMap::new())
    }
}

impl Headers {
    fn into_pairs(self) -> Vec<(String, String)> {
        match self {
            Headers::Object(object) => object.into_iter().collect(),
            Headers::List(list) => list.into_iter().map(|header| (header.name, header.value)).collect(),
        }
    }
}

fn headers_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "description": "Headers, by name; {{secret:NAME}} may stand in their values, as in `Bearer {{secret:NAME}}`.",
        "type": "object",
        "additionalProperties": { "type": "string", "maxLength": 8192 },
        "maxProperties": MOST_HEADERS
    })
}

const MOST_HEADERS: usize = 50;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct BasicAuth {
    /// The user name.
    #[schemars(length(max = 256))]
    user: String,
    /// The name of the secret that is the password.
    #[schemars(length(min = 1, max = 128))]
    secret: String,
}

fn usual_time() -> u64 {
    30
}

impl Tool<State> for HttpRequest {
    type In = Input;
    type Out = String;
    const ABOUT: About = About::new(
        "http_request",
        "Send a request with secrets",
        "Call an HTTP API that needs a secret without seeing it: write {{secret:NAME}} where the value belongs, in a header, \
         the query or the body. The value is put in on the way and taken out of the answer. Use this instead of get_secret \
         for tokens and API keys. A secret goes only to hosts that its owner bound it to (secret_info lists them); \
         redirects are not followed.",
    )
    .core();
    const RUN: Run = Run::Blocking;

    async fn call(&self, state: &State, cx: &Cx, input: Input) -> Result<String, Stop> {
        if !(1..=300).contains(&input.timeout_seconds) {
            return Err(Fail::arguments("`timeout_seconds` is between 1 and 300").into());
        }
        let bounds = Bounds { time: Duration::from_secs(input.timeout_seconds), ..Bounds::default() };
        let draft = draft(input);
        if draft.headers.len() > MOST_HEADERS {
            return Err(Fail::arguments(format!("`headers` has at most {MOST_HEADERS}")).into());
        }
        let plan = Plan::new(&draft)?;
        let session = state.session(cx)?;
        let wanted = Wanted::find(&session, plan.secrets())?;
        // No value is unlocked for a place it may not go to.
        let mut bindings = Vec::with_capacity(wanted.infos().len());
        for info in wanted.infos() {
            let rules = rules(info)?;
            plan.check(info.name.as_str(), &rules)?;
            bindings.push(rules);
        }
        let values = wanted.values(&session, cx, &plan.purpose())?;
        let secrets: Vec<Bound<'_>> =
            values.iter().zip(&bindings).map(|(secret, rules)| Bound { secret, rules }).collect();
        let answer = tokio::select! {
            answer = plan.send(&self.sender, &secrets, bounds) => answer?,
            () = cx.cancelled() => return Err(Fail::new("cancelled").into()),
        };
        let mut text = format!("status {}\n", answer.status);
        for (name, value) in &answer.headers {
            // Writing to a string does not fail.
            let _ = writeln!(text, "{name}: {value}");
        }
        Ok(text + &section("body", &answer.body))
    }
}

fn draft(input: Input) -> Draft {
    Draft {
        method: input.method,
        url: input.url,
        headers: input.headers.into_pairs(),
        body: input.body,
        basic: input.basic_auth.map(|basic| Basic { user: basic.user, secret: basic.secret }),
    }
}

/// The hosts a secret is bound to.
fn rules(info: &SecretInfo) -> Result<Vec<HostRule>, Fail> {
    let parsed: Result<Vec<HostRule>, BadHostRule> =
        info.attributes.hosts.iter().map(|text| text.parse()).collect();
    parsed.map_err(|error| Fail::new(format!("the hosts of `{}` cannot be read: {error}", info.name)))
}

impl From<RequestError> for Fail {
    fn from(error: RequestError) -> Fail {
        Fail::new(error.to_string())
    }
}
