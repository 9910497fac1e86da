//! Bytes to JSON-RPC messages. Pure functions on slices; what a method does is the business of the engine.

mod batch;
mod bounds;
mod fields;
mod params;
mod scan;

use std::borrow::Cow;

use serde::{Deserialize, Deserializer};
use serde_json::error::Category;
use serde_json::value::RawValue;

use crate::code;
use crate::id::{Id, IdRef};
use crate::request::Request;

pub(crate) use batch::Batch;
pub(crate) use fields::{invalid_params, optional_object, optional_text, required_object, required_text};
use params::FromObject;
pub(crate) use params::{Meta, Params, text_of};
pub(crate) use scan::find_id;

/// How deep arrays and objects may nest; what `serde_json` itself allows when it builds values.
pub(crate) const MAX_DEPTH: usize = 128;

/// How many values one message may have; the largest that anybody sends has a few thousand.
const MAX_VALUES: usize = 100_000;

/// What one line (or one HTTP body) turned out to be.
#[allow(clippy::large_enum_variant)] // taken apart at once; a box would cost every message an allocation
pub(crate) enum Line<'a> {
    /// Nothing but white space.
    Blank,
    One(Message<'a>),
    Batch(Batch<'a>),
}

pub(crate) enum Message<'a> {
    Request(Request<'a>),
    Notification {
        method: Cow<'a, str>,
        params: Params<'a>,
    },
    /// Without an id where the client could not read ours.
    Response {
        id: Option<IdRef<'a>>,
        result: Result<&'a RawValue, &'a RawValue>,
    },
}

/// A message that cannot be served, with the id where one could be read.
#[derive(Debug)]
pub(crate) struct Malformed {
    pub(crate) id: Option<Id>,
    pub(crate) code: i32,
    pub(crate) message: String,
}

impl Malformed {
    fn parse_error(bytes: &[u8], reason: impl std::fmt::Display) -> Malformed {
        Malformed {
            id: scan::find_id(bytes),
            code: code::PARSE_ERROR,
            message: format!("Parse error: {reason}"),
        }
    }

    fn invalid(id: Option<Id>, reason: impl std::fmt::Display) -> Malformed {
        Malformed { id, code: code::INVALID_REQUEST, message: format!("Invalid request: {reason}") }
    }

    /// For a body with nothing in it.
    #[cfg(feature = "http")]
    pub(crate) fn empty() -> Malformed {
        Malformed::parse_error(b"", "the body is empty")
    }

    /// For a line that was cut off at `limit` bytes; `head` is its beginning.
    pub(crate) fn oversize(head: &[u8], limit: usize) -> Malformed {
        if matches!(trimmed(head).first(), Some(b'{' | b'[')) {
            let reason = format!("message over {} MB; send less at once", limit / 1_000_000);
            Malformed::invalid(scan::find_id(head), reason)
        } else {
            Malformed::parse_error(head, format!("not JSON, and over {} MB", limit / 1_000_000))
        }
    }
}

/// Reads one line. Never panics, and allocates next to nothing.
pub(crate) fn parse(bytes: &[u8]) -> Result<Line<'_>, Malformed> {
    read(bytes, MAX_VALUES)
}

/// Reads one line of a server. Its answers have as many values as it likes: they are passed on, not taken apart.
pub(crate) fn parse_of_server(bytes: &[u8]) -> Result<Line<'_>, Malformed> {
    read(bytes, usize::MAX)
}

fn read(bytes: &[u8], most_values: usize) -> Result<Line<'_>, Malformed> {
    let bytes = trimmed(bytes);
    let text = std::str::from_utf8(bytes).map_err(|error| {
        Malformed::parse_error(bytes, format!("invalid UTF-8 at byte {}", error.valid_up_to()))
    })?;
    if bounds::exceeds(bytes, MAX_DEPTH) {
        return Err(Malformed::parse_error(bytes, format!("nested more than {MAX_DEPTH} levels deep")));
    }
    if bounds::has_more_values(bytes, most_values) {
        let reason = format!("more than {most_values} values in one message; send less at once");
        return Err(Malformed::invalid(scan::find_id(bytes), reason));
    }
    match bytes.first() {
        None => Ok(Line::Blank),
        Some(b'[') => Batch::open(text).map(Line::Batch),
        Some(_) => message(text).map(Line::One),
    }
}

/// Without white space around it, and the byte order mark some tools put before it.
fn trimmed(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii()
}

/// A message. `P` is how its parameters are read.
#[derive(Deserialize)]
struct Envelope<'a, P> {
    #[serde(borrow, default, deserialize_with = "present")]
    jsonrpc: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    id: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    method: Option<&'a RawValue>,
    #[serde(default = "nothing")]
    params: Option<P>,
    #[serde(borrow, default, deserialize_with = "present")]
    result: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    error: Option<&'a RawValue>,
}

fn nothing<P>() -> Option<P> {
    None
}

/// Keeps `null` apart from a missing member: an id of `null` is a fault, no id is a notification.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

/// Reads a message in one pass; only where that fails, once more to find out what is wrong with it.
pub(crate) fn message(text: &str) -> Result<Message<'_>, Malformed> {
    match serde_json::from_str::<FromObject<Envelope<'_, FromObject<Params<'_>>>>>(text) {
        Ok(FromObject(envelope)) => {
            let (envelope, params) = envelope.split();
            envelope.message(text, Ok(params.unwrap_or_default().0))
        }
        Err(_) => troubled(text),
    }
}

fn troubled(text: &str) -> Result<Message<'_>, Malformed> {
    let malformed = |error: serde_json::Error| match error.classify() {
        Category::Data => Malformed::invalid(scan::find_id(text.as_bytes()), plain(&error)),
        Category::Syntax | Category::Eof | Category::Io => {
            Malformed::parse_error(text.as_bytes(), plain(&error))
        }
    };
    if !text.starts_with('{') {
        let value: &RawValue = serde_json::from_str(text).map_err(malformed)?;
        return Err(Malformed::invalid(None, format!("a message must be an object, not {}", kind(value))));
    }
    let envelope: FromObject<Envelope<'_, &RawValue>> = serde_json::from_str(text).map_err(malformed)?;
    let FromObject(envelope) = envelope;
    let params = match envelope.params.filter(|_| envelope.result().is_none()) {
        Some(raw) if !raw.get().starts_with('{') => {
            let reason = format!("`params` must be an object, not {}", kind(raw));
            return Err(Malformed::invalid(scan::find_id(text.as_bytes()), reason));
        }
        raw => Params::read(raw),
    };
    envelope.message(text, params)
}

/// The raw `params` of a message that was read before.
pub(crate) fn raw_params(text: &str) -> Option<&RawValue> {
    serde_json::from_str::<Envelope<'_, &RawValue>>(text).ok()?.params
}

/// The raw `_meta` of a message that was read before.
pub(crate) fn raw_meta(text: &str) -> Option<&RawValue> {
    #[derive(Deserialize)]
    struct OnlyMeta<'a> {
        #[serde(borrow, default, rename = "_meta")]
        meta: Option<&'a RawValue>,
    }
    serde_json::from_str::<OnlyMeta<'_>>(raw_params(text)?.get()).ok()?.meta
}

impl<'a, P> Envelope<'a, P> {
    /// Takes the parameters out.
    fn split(self) -> (Envelope<'a, ()>, Option<P>) {
        let Envelope { jsonrpc, id, method, params, result, error } = self;
        (Envelope { jsonrpc, id, method, params: None, result, error }, params)
    }

    /// What it brings, if it is a response.
    fn result(&self) -> Option<Result<&'a RawValue, &'a RawValue>> {
        // JSON-RPC 1.0 had both, one of them `null`.
        let error = self.error.filter(|error| error.get() != "null" || self.result.is_none());
        match self.method {
            Some(_) => None,
            None => error.map(Err).or(self.result.map(Ok)),
        }
    }

    fn message(self, text: &'a str, params: Result<Params<'a>, String>) -> Result<Message<'a>, Malformed> {
        // Never answered, whatever else is wrong with it: two peers that did would go on for ever.
        if let Some(result) = self.result() {
            return Ok(Message::Response { id: self.id.and_then(IdRef::from_raw), result });
        }
        let id = match self.id {
            None => None,
            Some(raw) => Some(IdRef::from_raw(raw).ok_or_else(|| {
                Malformed::invalid(None, format!("`id` must be a string or an integer, not {}", kind(raw)))
            })?),
        };
        let invalid = |reason: String| Err(Malformed::invalid(id.map(IdRef::to_owned), reason));
        if self.jsonrpc.map(RawValue::get) != Some("\"2.0\"") {
            return invalid("`jsonrpc` must be \"2.0\"".into());
        }
        let Some(method) = self.method else {
            return invalid("`method` is missing".into());
        };
        let Some(method) = text_of(method) else {
            return invalid(format!("`method` must be a string, not {}", kind(method)));
        };
        Ok(match id {
            Some(id) => {
                let malformed =
                    |message| Malformed { id: Some(id.to_owned()), code: code::INVALID_PARAMS, message };
                Message::Request(Request::new(id, method, &params.map_err(malformed)?, text))
            }
            None => Message::Notification { method, params: params.unwrap_or_default() },
        })
    }
}

/// What sort of JSON value this is, for messages.
pub(crate) fn kind(raw: &RawValue) -> &'static str {
    match raw.get().as_bytes().first() {
        Some(b'"') if text_of(raw).is_none() => "a string with half a character in it",
        Some(b'"') => "a string",
        Some(b'{') => "an object",
        Some(b'[') => "an array",
        Some(b't' | b'f') => "a boolean",
        Some(b'n') => "null",
        _ => "a number",
    }
}

/// `serde_json`'s message without the position, which means nothing to a person or a model.
pub(crate) fn plain(error: &serde_json::Error) -> String {
    without_position(error.to_string())
}

pub(crate) fn without_position(mut message: String) -> String {
    if let Some(at) = message.rfind(" at line ") {
        message.truncate(at);
    }
    message
}

#[cfg(test)]
mod tests {
    use super::{Line, Message, parse};

    fn fault(line: &[u8]) -> (i32, Option<String>) {
        match parse(line) {
            Err(bad) => (bad.code, bad.id.map(|id| id.as_json().to_owned())),
            Ok(_) => panic!("accepted: {}", String::from_utf8_lossy(line)),
        }
    }

    #[test]
    fn a_request_keeps_its_id_and_params_as_written() {
        let line = br#"{"jsonrpc":"2.0","id":18446744073709551615,"method":"a\u002fb","params":{"x":1.50}}"#;
        let Ok(Line::One(Message::Request(request))) = parse(line) else { panic!("not a request") };
        assert_eq!(request.id.as_json(), "18446744073709551615");
        assert_eq!(request.method, "a/b");
        assert_eq!(request.params().expect("params").get(), r#"{"x":1.50}"#);
    }

    #[test]
    fn text_that_is_not_json_is_a_parse_error() {
        assert_eq!(fault(b"hello"), (-32700, None));
        assert_eq!(fault(br#"{"jsonrpc":"2.0","id":7,"method":"#), (-32700, Some("7".into())));
    }

    #[test]
    fn invalid_utf8_is_a_parse_error_with_the_id() {
        assert_eq!(fault(b"{\"id\":\"x\",\"method\":\"\xff\"}"), (-32700, Some("\"x\"".into())));
    }

    #[test]
    fn json_that_is_no_request_is_an_invalid_request_with_the_id() {
        assert_eq!(fault(b"42"), (-32600, None));
        assert_eq!(fault(b"null"), (-32600, None));
        assert_eq!(fault(b"[]"), (-32600, None));
        assert_eq!(fault(br#"{"id":3,"method":"ping"}"#), (-32600, Some("3".into())));
        assert_eq!(fault(br#"{"jsonrpc":"1.0","id":3,"method":"ping"}"#), (-32600, Some("3".into())));
        assert_eq!(
            fault(br#"{"jsonrpc":"2.0","id":3,"method":"ping","params":[1]}"#),
            (-32600, Some("3".into()))
        );
        assert_eq!(fault(br#"{"jsonrpc":"2.0","id":3,"id":4,"method":"ping"}"#), (-32600, Some("3".into())));
        assert_eq!(fault(br#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#), (-32600, None));
        assert_eq!(fault(br#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#), (-32600, None));
    }

    #[test]
    fn nesting_beyond_the_limit_is_a_parse_error_with_the_id() {
        let deep = format!(
            r#"{{"jsonrpc":"2.0","id":9,"method":"m","params":{{"a":{}{}}}}}"#,
            "[".repeat(100_000),
            "]".repeat(100_000)
        );
        assert_eq!(fault(deep.as_bytes()), (-32700, Some("9".into())));
    }

    #[test]
    fn blank_lines_carriage_returns_and_a_byte_order_mark_are_no_fault() {
        assert!(matches!(parse(b"  \r"), Ok(Line::Blank)));
        assert!(matches!(
            parse(b"\xef\xbb\xbf{\"jsonrpc\":\"2.0\",\"method\":\"m\"}\r"),
            Ok(Line::One(Message::Notification { .. }))
        ));
    }
}
