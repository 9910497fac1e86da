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
use crate::request::{Request, Target};
use crate::service::{Outcome, Relayed};

use super::{Inner, Trouble};

/// Marks a state that the far side keeps at our client.
pub(super) const OF_FAR_SIDE: &str = "far:";

/// What a request was for: it decides what an answer must look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asked {
    Tool,
    Resource,
    Prompt,
    Completion,
    Method,
}

impl Asked {
    pub(super) fn of(request: &Request<'_>) -> Asked {
        match request.target {
            Target::Tool { .. } => Asked::Tool,
            Target::Resource { .. } => Asked::Resource,
            Target::Prompt { .. } => Asked::Prompt,
            Target::Completion { .. } => Asked::Completion,
            Target::Method { .. } => Asked::Method,
        }
    }
}

/// The members of a result that say what it is.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Head<'a> {
    #[serde(borrow, default)]
    result_type: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    input_requests: Option<&'a RawValue>,
    #[serde(borrow, default)]
    request_state: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    content: Option<&'a RawValue>,
    #[serde(borrow, default)]
    contents: Option<&'a RawValue>,
    #[serde(borrow, default)]
    messages: Option<&'a RawValue>,
    #[serde(borrow, default)]
    completion: Option<&'a RawValue>,
}

impl Inner {
    /// Waits for the answer to a call that was sent. It is never sent again.
    pub(super) async fn finish(&self, call: Call, asked: Asked, cx: Cx) -> Outcome {
        let answer = call.finish(|note| pass_on(note, &cx)).await;
        match answer {
            Ok(answer) => self.outcome(answer, asked, &cx),
            Err(error) => Outcome::Fail(self.explain(&Trouble::Call(error))),
        }
    }

    fn outcome(&self, answer: Answer, asked: Asked, cx: &Cx) -> Outcome {
        let read = match answer.result() {
            Err(error) => return self.failed(error, asked, cx),
            Ok(text) => read(text, asked),
        };
        match read {
            Ok(Read::Complete) => Outcome::Relayed(Relayed(answer.into_text())),
            Ok(Read::Bare) => Outcome::Raw(answer.into_text().bytes().to_vec().into()),
            Ok(Read::InputRequired(requests)) => Outcome::InputRequired(requests),
            Err(reason) => Outcome::Fail(self.explain(&Trouble::Call(Error::garbled(reason)))),
        }
    }

    fn failed(&self, error: RpcError, asked: Asked, cx: &Cx) -> Outcome {
        let RpcError { code, message, data } = error;
        if code == code::MISSING_CAPABILITY && !cx.version().is_modern() {
            // The handshake revisions have no code for this: there it is the tool that fails.
            return self.options.failures.resolve(Fail::new(message));
        }
        let missing = asked == Asked::Resource
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

enum Read {
    Complete,
    /// The result of a bare method: an object without a type.
    Bare,
    InputRequired(InputRequests),
}

fn read(text: &str, asked: Asked) -> Result<Read, String> {
    if !text.starts_with('{') {
        return Err("its result is no object".to_owned());
    }
    let head: Head<'_> =
        serde_json::from_str(text).map_err(|error| format!("its result cannot be read: {error}"))?;
    match head.result_type.as_deref() {
        Some("input_required") => return requests(&head).map(Read::InputRequired),
        None if asked == Asked::Method => return Ok(Read::Bare),
        Some("complete") | None => {}
        Some(other) => return Err(format!("its result is of an unknown type, `{other}`")),
    }
    let (name, member, opening) = match asked {
        Asked::Tool | Asked::Method => ("content", head.content, '['),
        Asked::Resource => ("contents", head.contents, '['),
        Asked::Prompt => ("messages", head.messages, '['),
        Asked::Completion => ("completion", head.completion, '{'),
    };
    match member {
        Some(raw) if raw.get().starts_with(opening) => Ok(Read::Complete),
        _ => Err(format!("its result has no `{name}`")),
    }
}

fn requests(head: &Head<'_>) -> Result<InputRequests, String> {
    #[derive(Deserialize)]
    struct Wire {
        method: String,
        #[serde(default)]
        params: Value,
    }
    let wanted: BTreeMap<String, Wire> = match head.input_requests {
        None => BTreeMap::new(),
        Some(raw) => serde_json::from_str(raw.get())
            .map_err(|error| format!("its request for input cannot be read: {error}"))?,
    };
    let state = format!("{OF_FAR_SIDE}{}", head.request_state.as_deref().unwrap_or_default());
    let mut requests = InputRequests::again(state);
    for (key, Wire { method, params }) in wanted {
        let request = InputRequest::from_wire(&method, params)
            .ok_or_else(|| format!("it requests input with `{method}`, which is not known here"))?;
        requests = requests.and(key, request);
    }
    Ok(requests)
}
