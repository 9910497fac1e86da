//! The head of an HTTP request: what it says, and whether the body agrees.

use std::borrow::Cow;

use http::header::{ACCEPT, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue, StatusCode};
use serde_json::Value;

use crate::code;
use crate::echo::shown;
use crate::fail::Fail;
use crate::request::Request;
use crate::surface::{HeaderParam, HeaderType, Surface};
use crate::version::Version;
use crate::wire::text_of;

use super::responses::Refused;
use super::{bad_request, refused};

/// What the head of every request is read for.
pub(super) struct Head<'a> {
    pub(super) version: Option<&'a str>,
    pub(super) session: Option<&'a str>,
    pub(super) last_event: Option<&'a str>,
    pub(super) takes_json: bool,
    pub(super) takes_events: bool,
}

impl<'a> Head<'a> {
    pub(super) fn read(headers: &'a HeaderMap) -> Result<Head<'a>, Refused> {
        let accept = accepted(headers);
        Ok(Head {
            version: text(headers, "mcp-protocol-version")?,
            session: text(headers, "mcp-session-id")?,
            last_event: text(headers, "last-event-id")?,
            takes_json: accept.json,
            takes_events: accept.events,
        })
    }

    /// A version we do not know is a modern one: its sender can be told which ones we speak.
    pub(super) fn is_modern(&self) -> bool {
        self.version.is_some_and(|version| Version::parse(version).is_none_or(Version::is_modern))
    }
}

struct Accept {
    json: bool,
    events: bool,
}

/// A client that says nothing, like `curl`, takes anything.
fn accepted(headers: &HeaderMap) -> Accept {
    let mut accept = Accept { json: false, events: false };
    let mut said = false;
    for value in headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok()) {
        said = true;
        for range in value.split(',') {
            match range.split(';').next().unwrap_or_default().trim() {
                "*/*" => accept = Accept { json: true, events: true },
                "application/json" | "application/*" => accept.json = true,
                "text/event-stream" | "text/*" => accept.events = true,
                _ => {}
            }
        }
    }
    if said { accept } else { Accept { json: true, events: true } }
}

pub(super) fn check_content(headers: &HeaderMap) -> Result<(), Refused> {
    let kind = headers.get(CONTENT_TYPE).map(HeaderValue::as_bytes).unwrap_or_default();
    let kind = kind.split(|byte| *byte == b';').next().unwrap_or_default().trim_ascii();
    if kind.eq_ignore_ascii_case(b"application/json") {
        return Ok(());
    }
    let message = "Invalid request: `Content-Type` must be `application/json`";
    Err(refused(StatusCode::UNSUPPORTED_MEDIA_TYPE, code::INVALID_REQUEST, message))
}

/// The one header of this name. Of two that differ, somebody before us may have looked at the other one.
fn only<'a>(headers: &'a HeaderMap, name: &str) -> Result<Option<&'a HeaderValue>, String> {
    let mut all = headers.get_all(name).iter();
    let first = all.next();
    match all.next() {
        None => Ok(first),
        Some(_) => Err(format!("the header `{name}` was sent more than once; send it once")),
    }
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Result<Option<&'a str>, Refused> {
    let only = only(headers, name).map_err(|reason| bad_request(&format!("Invalid request: {reason}")))?;
    match only.map(HeaderValue::to_str) {
        None => Ok(None),
        Some(Ok(text)) => Ok(Some(text.trim())),
        Some(Err(_)) => Err(bad_request(&format!("Invalid request: the header `{name}` is not plain text"))),
    }
}

/// Whether the headers of a modern request repeat its body, as they must.
pub(super) fn check_agreement(
    headers: &HeaderMap,
    request: &Request<'_>,
    surface: &Surface,
) -> Result<(), Fail> {
    same(headers, "mcp-method", Some(&request.method))?;
    let method: &str = &request.method;
    let (named, label) = match method {
        "tools/call" | "prompts/get" => (request.params.name, "mcp-name"),
        "resources/read" => (request.params.uri, "mcp-name"),
        "tasks/get" | "tasks/update" | "tasks/cancel" => (request.params.task_id, "mcp-name"),
        _ => return Ok(()),
    };
    let named = named.and_then(text_of);
    same(headers, label, named.as_deref())?;
    if method == "tools/call"
        && let Some(tool) = named.as_deref().and_then(|name| surface.tool(name))
        && !tool.headers.is_empty()
    {
        let arguments = request.params.arguments.and_then(|raw| serde_json::from_str(raw.get()).ok());
        check_params(headers, &tool.headers, &arguments.unwrap_or_default())?;
    }
    Ok(())
}

pub(super) fn mismatch(message: impl Into<String>) -> Fail {
    Fail::rpc(code::HEADER_MISMATCH, message)
}

fn same(headers: &HeaderMap, name: &str, body: Option<&str>) -> Result<(), Fail> {
    let said = decoded(headers, name)?;
    match (said.as_deref(), body) {
        (Some(said), Some(body)) if said == body => Ok(()),
        // The body is at fault, and the method says so better.
        (_, None) => Ok(()),
        (Some(said), Some(body)) => Err(mismatch(format!(
            "Header mismatch: `{name}` is `{}`, but the body has `{}`",
            shown(said),
            shown(body)
        ))),
        (None, Some(body)) => {
            Err(mismatch(format!("Header mismatch: `{name}` is missing; the body has `{}`", shown(body))))
        }
    }
}

/// A header's value, out of its base64 wrapping where it has one.
fn decoded<'a>(headers: &'a HeaderMap, name: &str) -> Result<Option<Cow<'a, str>>, Fail> {
    let only = only(headers, name).map_err(|reason| mismatch(format!("Header mismatch: {reason}")))?;
    let Some(value) = only else { return Ok(None) };
    let odd = || mismatch(format!("Header mismatch: `{name}` has characters that need base64"));
    let text = value.to_str().map_err(|_| odd())?.trim();
    let Some(wrapped) = text.strip_prefix("=?base64?").and_then(|rest| rest.strip_suffix("?=")) else {
        return Ok(Some(Cow::Borrowed(text)));
    };
    let bytes = base64_simd::STANDARD
        .decode_to_vec(wrapped)
        .map_err(|_| mismatch(format!("Header mismatch: `{name}` is not valid base64")))?;
    String::from_utf8(bytes).map(|text| Some(Cow::Owned(text))).map_err(|_| odd())
}

fn check_params(headers: &HeaderMap, params: &[HeaderParam], arguments: &Value) -> Result<(), Fail> {
    for param in params {
        let argument = param.path.iter().try_fold(arguments, |value, key| value.get(key));
        let Some(argument) = argument.filter(|value| !value.is_null()) else { continue };
        let said = decoded(headers, &param.header)?;
        let agrees = said.as_deref().is_some_and(|said| agrees(said, argument, param.kind));
        if !agrees {
            return Err(match said {
                None => mismatch(format!(
                    "Header mismatch: `{}` is missing; the body has {}",
                    param.header,
                    shown(&argument.to_string())
                )),
                Some(said) => mismatch(format!(
                    "Header mismatch: `{}` is `{}`, but the body has {}",
                    param.header,
                    shown(&said),
                    shown(&argument.to_string())
                )),
            });
        }
    }
    Ok(())
}

fn agrees(said: &str, argument: &Value, kind: HeaderType) -> bool {
    let written = match argument {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let same_number = || match argument {
        Value::Number(number) if kind == HeaderType::Integer => said.parse().ok() == number.as_f64(),
        _ => false,
    };
    said == written || same_number()
}
