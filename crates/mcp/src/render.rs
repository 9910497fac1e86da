//! Outcomes to JSON-RPC responses, in the words of the revision the client speaks.

mod relayed;

use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::content::{Completion, Content, Item, ItemBody, Messages, Reply, Role};
use crate::fail::Fail;
use crate::frame::{Frame, Omissions};
use crate::id::{Id, IdRef};
use crate::input::InputRequest;
use crate::json::{self, ObjectWriter};
use crate::notify;
use crate::service::Outcome;
use crate::surface::Surface;
use crate::version::Version;
use crate::wire::Malformed;

/// Writes responses for a revision and a server.
#[derive(Clone, Copy)]
pub(crate) struct Renderer<'a> {
    version: Version,
    surface: &'a Surface,
    /// Where long texts go that need not be part of the response yet.
    omissions: Option<&'a Omissions>,
}

impl<'a> Renderer<'a> {
    pub(crate) fn new(version: Version, surface: &'a Surface) -> Renderer<'a> {
        Renderer { version, surface, omissions: None }
    }
}

/// Enough for what is around a relayed result.
const ROOM: usize = 1024;

/// Opens `{"jsonrpc":"2.0","id":…,"result":`; the caller appends the result and a closing brace.
fn open_response(out: &mut Vec<u8>, id: IdRef<'_>) {
    out.extend_from_slice(b"{\"jsonrpc\":\"2.0\",\"id\":");
    out.extend_from_slice(id.as_json().as_bytes());
    out.extend_from_slice(b",\"result\":");
}

/// A response whose result is already JSON.
pub(crate) fn ready(out: &mut Vec<u8>, id: IdRef<'_>, result: &[u8]) {
    open_response(out, id);
    json::relayed(out, result);
    out.push(b'}');
}

/// An error response.
pub(crate) fn fail(out: &mut Vec<u8>, id: IdRef<'_>, fail: &Fail, modern: bool) {
    let data = fail.data.as_ref().map(|data| data.get());
    error(out, Some(id.as_json()), fail.wire_code(modern), &fail.message, data);
}

/// The answer to a message that is no request. An id that could not be read is `unreadable`.
pub(crate) fn malformed(out: &mut Vec<u8>, bad: &Malformed, unreadable: Unreadable) {
    let id = bad.id.as_ref().map(Id::as_json).or(match unreadable {
        Unreadable::Null => Some("null"),
        #[cfg(feature = "http")]
        Unreadable::Absent => None,
    });
    error(out, id, bad.code, &bad.message, None);
}

/// How to answer when the id could not be read.
#[derive(Clone, Copy)]
pub(crate) enum Unreadable {
    /// `"id": null`, as JSON-RPC has it.
    Null,
    /// No id at all, as MCP has it over HTTP.
    #[cfg(feature = "http")]
    Absent,
}

fn error(out: &mut Vec<u8>, id: Option<&str>, code: i32, message: &str, data: Option<&str>) {
    let mut response = ObjectWriter::open(out);
    response.raw("jsonrpc", b"\"2.0\"");
    if let Some(id) = id {
        response.raw("id", id.as_bytes());
    }
    error_body(response.member("error"), code, message, data);
    response.close();
}

fn error_body(out: &mut Vec<u8>, code: i32, message: &str, data: Option<&str>) {
    let mut error = ObjectWriter::open(out);
    error.value("code", &code).string("message", message);
    if let Some(data) = data {
        error.raw("data", data.as_bytes());
    }
    error.close();
}

/// The `error` member alone, for where it stands inside a result.
pub(crate) fn error_object(out: &mut Vec<u8>, fail: &Fail, modern: bool) {
    error_body(out, fail.wire_code(modern), &fail.message, fail.data.as_ref().map(|data| data.get()));
}

impl Renderer<'_> {
    /// A response of the service as a message of its own.
    pub(crate) fn frame(&self, id: IdRef<'_>, outcome: &Outcome) -> Frame {
        Frame::written(|out, omissions| {
            Renderer { omissions: Some(omissions), ..*self }.outcome(out, id, outcome);
        })
    }

    /// A response of the service. `Outcome::InputRequired` never gets here: that is the engine's business.
    pub(crate) fn outcome(&self, out: &mut Vec<u8>, id: IdRef<'_>, outcome: &Outcome) {
        match outcome {
            Outcome::Fail(failure) => return fail(out, id, failure, self.version.is_modern()),
            Outcome::Raw(result) => return ready(out, id, result),
            Outcome::InputRequired(_) => {
                let failure = Fail::rpc(crate::code::INTERNAL_ERROR, "A request for input was not sent");
                return fail(out, id, &failure, self.version.is_modern());
            }
            // Room for all of it at once: what grows leaves copies behind.
            Outcome::Relayed(result) => out.reserve_exact(result.text().len() + ROOM),
            _ => {}
        }
        open_response(out, id);
        self.result(out, outcome);
        out.push(b'}');
    }

    /// The result object alone, for where it stands inside another one.
    pub(crate) fn result(&self, out: &mut Vec<u8>, outcome: &Outcome) {
        let mut object = ObjectWriter::open(out);
        if self.version.is_modern() {
            object.raw("resultType", b"\"complete\"");
        }
        let mut meta = None;
        let mut relayed_meta = None;
        match outcome {
            Outcome::Reply(reply) => {
                self.reply(&mut object, reply);
                meta = reply.meta.as_deref();
            }
            Outcome::Contents(items) => {
                json::array(object.member("contents"), items, item);
                if self.version.is_modern() {
                    object.raw("ttlMs", b"0").raw("cacheScope", b"\"private\"");
                }
            }
            Outcome::Messages(messages) => self.messages(&mut object, messages),
            Outcome::Completion(suggestions) => completion(&mut object, suggestions),
            Outcome::Relayed(result) => relayed_meta = self.relayed(&mut object, result),
            Outcome::InputRequired(_) | Outcome::Fail(_) | Outcome::Raw(_) => {}
        }
        self.meta(&mut object, relayed_meta.as_deref().or(meta.map(RawValue::get)));
        object.close();
    }

    /// The handler's `_meta`, and in the modern era who answered.
    pub(crate) fn meta(&self, object: &mut ObjectWriter<'_>, own: Option<&str>) {
        let own = own.and_then(|text| text.strip_prefix('{')?.strip_suffix('}')).map(str::trim);
        if !self.version.is_modern() && own.is_none() {
            return;
        }
        let out = object.member("_meta");
        out.push(b'{');
        if let Some(own) = own {
            out.extend_from_slice(own.as_bytes());
        }
        if self.version.is_modern() {
            if own.is_some_and(|own| !own.is_empty()) {
                out.push(b',');
            }
            out.extend_from_slice(b"\"io.modelcontextprotocol/serverInfo\":");
            out.extend_from_slice(self.surface.server_info(self.version));
        }
        out.push(b'}');
    }

    /// A result that says nothing but that the request was taken.
    pub(crate) fn acknowledge(&self, out: &mut Vec<u8>) {
        let mut object = ObjectWriter::open(out);
        object.raw("resultType", b"\"complete\"");
        self.meta(&mut object, None);
        object.close();
    }

    /// The answer to `subscriptions/listen`, which comes when it is over.
    pub(crate) fn subscription_ended(&self, out: &mut Vec<u8>, id: IdRef<'_>) {
        open_response(out, id);
        let mut object = ObjectWriter::open(out);
        object.raw("resultType", b"\"complete\"");
        let own = format!("{{\"{}\":{}}}", notify::SUBSCRIPTION, id.as_json());
        self.meta(&mut object, Some(&own));
        object.close();
        out.push(b'}');
    }

    /// A response that requires input.
    pub(crate) fn input_required(
        &self,
        out: &mut Vec<u8>,
        id: IdRef<'_>,
        requests: &[(String, InputRequest)],
        state: &str,
    ) {
        open_response(out, id);
        let mut object = ObjectWriter::open(out);
        object.raw("resultType", b"\"input_required\"");
        if !requests.is_empty() {
            input_requests(object.member("inputRequests"), requests);
        }
        object.string("requestState", state);
        self.meta(&mut object, None);
        object.close();
        out.push(b'}');
    }

    fn reply(&self, object: &mut ObjectWriter<'_>, reply: &Reply) {
        let structured = reply.structured.as_deref();
        json::array(object.member("content"), &reply.content, |out, content| {
            self.content(out, content, structured);
        });
        // Anything but an object is legal only since 2026-07-28.
        if let Some(structured) = structured
            && self.version.has_structured_content()
            && (self.version.is_modern() || structured.starts_with('{'))
        {
            object.raw("structuredContent", structured.as_bytes());
        }
        if reply.is_error {
            object.raw("isError", b"true");
        }
    }

    fn content(&self, out: &mut Vec<u8>, content: &Content, structured: Option<&str>) {
        match content {
            Content::Text(text) => text_block(out, text),
            Content::SharedText(text) => {
                let mut object = ObjectWriter::open(out);
                object.raw("type", b"\"text\"");
                let out = object.member("text");
                if !self.omissions.is_some_and(|omissions| omissions.take(out, text)) {
                    json::string(out, text);
                }
                object.close();
            }
            Content::Structured => text_block(out, structured.unwrap_or("null")),
            Content::Image { bytes, mime } => media(out, "image", bytes, mime),
            Content::Audio { bytes, mime } if self.version.has_audio() => media(out, "audio", bytes, mime),
            Content::Audio { bytes, mime } => {
                text_block(out, &format!("[{mime}, {} bytes: this client cannot play audio]", bytes.len()));
            }
            Content::Resource(resource) => {
                let mut object = ObjectWriter::open(out);
                object.raw("type", b"\"resource\"");
                item(object.member("resource"), resource);
                object.close();
            }
            Content::Link { uri, name, mime } if self.version.has_resource_links() => {
                let mut object = ObjectWriter::open(out);
                object.raw("type", b"\"resource_link\"").string("uri", uri).string("name", name);
                if let Some(mime) = mime {
                    object.string("mimeType", mime);
                }
                object.close();
            }
            Content::Link { uri, name, .. } => text_block(out, &format!("{name}: {uri}")),
        }
    }

    fn messages(&self, object: &mut ObjectWriter<'_>, messages: &Messages) {
        if let Some(description) = &messages.description {
            object.string("description", description);
        }
        json::array(object.member("messages"), &messages.messages, |out, (role, content)| {
            let mut object = ObjectWriter::open(out);
            let role = match role {
                Role::User => "user",
                Role::Assistant => "assistant",
            };
            object.string("role", role);
            self.content(object.member("content"), content, None);
            object.close();
        });
    }
}

/// Requests by their keys, as modern results and tasks carry them.
pub(crate) fn input_requests(out: &mut Vec<u8>, requests: &[(String, InputRequest)]) {
    let requests: serde_json::Map<String, Value> = requests
        .iter()
        .map(|(key, request)| {
            (key.clone(), json!({ "method": request.method(), "params": request.params(true) }))
        })
        .collect();
    json::value(out, &requests);
}

fn text_block(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(b"{\"type\":\"text\",\"text\":");
    json::string(out, text);
    out.push(b'}');
}

fn media(out: &mut Vec<u8>, kind: &str, bytes: &[u8], mime: &str) {
    let mut object = ObjectWriter::open(out);
    object.string("type", kind);
    json::base64(object.member("data"), bytes);
    object.string("mimeType", mime);
    object.close();
}

fn item(out: &mut Vec<u8>, item: &Item) {
    let mut object = ObjectWriter::open(out);
    object.string("uri", &item.uri);
    if let Some(mime) = &item.mime {
        object.string("mimeType", mime);
    }
    match &item.body {
        ItemBody::Text(text) => drop(object.string("text", text)),
        ItemBody::Blob(bytes) => json::base64(object.member("blob"), bytes),
    }
    if let Some(meta) = &item.meta {
        object.raw("_meta", meta.get().as_bytes());
    }
    object.close();
}

fn completion(object: &mut ObjectWriter<'_>, suggestions: &Completion) {
    let mut inner = ObjectWriter::open(object.member("completion"));
    inner.value("values", &suggestions.values).value("total", &suggestions.total);
    inner.value("hasMore", &(suggestions.total > suggestions.values.len()));
    inner.close();
}
