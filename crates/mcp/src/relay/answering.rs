//! What the far side answered, as an outcome of ours.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::client::{Answer, Call, Error, Note, RpcError};
use crate::code;
use crate::cx::Cx;
use crate::fail::Fail;
use crate::input::{InputRequest, InputRequests};
use crate::relayed::Relayed;
use crate::request::{Request, Target};
use crate::service::Outcome;
use crate::wire::plain;

use super::{Inner, Trouble};

/// Marks a state that the far side keeps at our client.
pub(super) const OF_FAR_SIDE: &str = "far:";

/// How long a request for input may be; a form that a person fills in has a few hundred bytes. Read, it takes far more room.
const LONGEST_INPUT_REQUEST: usize = 256 * 1024;

/// What the answer to a request must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Expected {
    Tool,
    Resource,
    Prompt,
    Completion,
    Method,
}

impl Expected {
    pub(super) fn of(request: &Request<'_>) -> Expected {
        match request.target {
            Target::Tool { .. } => Expected::Tool,
            Target::Resource { .. } => Expected::Resource,
            Target::Prompt { .. } => Expected::Prompt,
            Target::Completion { .. } => Expected::Completion,
            Target::Method { .. } => Expected::Method,
        }
    }
}

impl Inner {
    /// Waits for the answer to a call that was sent. It is never sent again.
    pub(super) async fn finish(&self, call: Call, expected: Expected, cx: Cx) -> Outcome {
        let answer = call.finish(|note| pass_on(note, &cx)).await;
        match answer {
            Ok(answer) => self.outcome(answer, expected, &cx),
            Err(error) => Outcome::Fail(self.explain(&Trouble::Call(error))),
        }
    }

    fn outcome(&self, answer: Answer, expected: Expected, cx: &Cx) -> Outcome {
        if let Some(error) = answer.error() {
            return self.failed(error, expected, cx);
        }
        let read = Relayed::read(answer.into_text())
            .map_err(|error| format!("its result is no object that can be read: {}", plain(&error)))
            .and_then(|result| read(result, expected));
        read.unwrap_or_else(|reason| Outcome::Fail(self.explain(&Trouble::Call(Error::garbled(reason)))))
    }

    fn failed(&self, error: RpcError, expected: Expected, cx: &Cx) -> Outcome {
        let RpcError { code, message, data } = error;
        if code == code::MISSING_CAPABILITY && !cx.version().is_modern() {
            // The handshake revisions have no code for this: there it is the tool that fails.
            return self.options.failures.resolve(Fail::new(message));
        }
        let missing = expected == Expected::Resource
            && code == code::INVALID_PARAMS
            && data.as_ref().is_some_and(|data| names_uri(data));
        Outcome::Fail(Fail::relayed(code, message, data, missing))
    }
}

/// Whether this is what comes with the error of a resource that is not there.
fn names_uri(data: &RawValue) -> bool {
    #[derive(Deserialize)]
    struct Missing {
        #[serde(rename = "uri")]
        _uri: String,
    }
    serde_json::from_str::<Missing>(data.get()).is_ok()
}

fn pass_on(note: Note, cx: &Cx) {
    match note {
        Note::Progress { done, total, message } => cx.pass_on_progress(done, total, message.as_deref()),
        Note::Log { level, logger, data } => cx.log(level, &logger, &data),
    }
}

fn read(result: Relayed, expected: Expected) -> Result<Outcome, String> {
    match text(&result, "resultType")?.as_deref() {
        Some("input_required") => return requests(&result).map(Outcome::InputRequired),
        // The result of a bare method: an object without a type.
        None if expected == Expected::Method => return Ok(Outcome::Raw(result.text().to_vec().into())),
        Some("complete") | None => {}
        Some(other) => return Err(format!("its result is of an unknown type, `{other}`")),
    }
    let (name, opening) = match expected {
        Expected::Tool | Expected::Method => ("content", b"["),
        Expected::Resource => ("contents", b"["),
        Expected::Prompt => ("messages", b"["),
        Expected::Completion => ("completion", b"{"),
    };
    match result.member(name) {
        Some(json) if json.starts_with(opening) => Ok(Outcome::Relayed(result)),
        _ => Err(format!("its result has no `{name}`")),
    }
}

/// A member that must be a text where it is there.
fn text<'a>(result: &'a Relayed, name: &str) -> Result<Option<Cow<'a, str>>, String> {
    #[derive(Deserialize)]
    struct Text<'a>(#[serde(borrow)] Cow<'a, str>);
    let read = result.member(name).map(serde_json::from_slice::<Text<'_>>).transpose();
    read.map(|text| text.map(|Text(text)| text)).map_err(|_| format!("`{name}` of its result is no string"))
}

fn requests(result: &Relayed) -> Result<InputRequests, String> {
    #[derive(Deserialize)]
    struct Wire {
        method: String,
        #[serde(default)]
        params: Value,
    }
    let wanted: BTreeMap<String, Wire> = match result.member("inputRequests") {
        None => BTreeMap::new(),
        Some(json) if json.len() > LONGEST_INPUT_REQUEST => {
            return Err(format!("its request for input is longer than {} kB", LONGEST_INPUT_REQUEST / 1_000));
        }
        Some(json) => serde_json::from_slice(json)
            .map_err(|error| format!("its request for input cannot be read: {error}"))?,
    };
    let state = format!("{OF_FAR_SIDE}{}", text(result, "requestState")?.unwrap_or_default());
    let mut requests = InputRequests::again(state);
    for (key, Wire { method, params }) in wanted {
        let request = InputRequest::from_wire(&method, params)
            .ok_or_else(|| format!("it requests input with `{method}`, which is not known here"))?;
        requests = requests.and(key, request);
    }
    Ok(requests)
}
