//! What can go wrong in a handler, and how a server says it.

use serde::Serialize;
use serde_json::value::RawValue;

use crate::code;
use crate::content::Reply;
use crate::echo::{Sent, shown};
use crate::input::{InputRequest, InputRequests};
use crate::service::Outcome;

/// A failure with a message for the person or model that made the call.
///
/// Say what was wrong and what to do next; the server's [`Failures`] decide whether it travels as an
/// `isError` result or as a JSON-RPC error.
#[doc(alias("JSONRPCErrorResponse", "Error"))]
#[derive(Debug, Clone)]
pub struct Fail {
    pub(crate) kind: Kind,
    pub(crate) code: Option<i32>,
    pub(crate) message: String,
    pub(crate) data: Option<Box<RawValue>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The tool could not do its work.
    Tool,
    /// The arguments do not fit the tool.
    Arguments,
    UnknownTool,
    /// Its code depends on the revision spoken.
    ResourceNotFound,
    /// Always a JSON-RPC error.
    Protocol,
}

impl Fail {
    /// A tool failed; the message says why and what to do.
    pub fn new(message: impl Into<String>) -> Fail {
        Fail { kind: Kind::Tool, code: None, message: message.into(), data: None }
    }

    /// An argument does not fit; the message names it, what was expected and what came.
    pub fn arguments(message: impl Into<String>) -> Fail {
        Fail { kind: Kind::Arguments, ..Fail::new(message) }
    }

    /// A JSON-RPC error, whatever the server's other failures are.
    pub fn rpc(code: i32, message: impl Into<String>) -> Fail {
        Fail { kind: Kind::Protocol, code: Some(code), ..Fail::new(message) }
    }

    /// There is no resource at this URI.
    pub fn resource_not_found(uri: &str) -> Fail {
        Fail { kind: Kind::ResourceNotFound, ..Fail::new(format!("Resource not found: {}", shown(uri))) }
            .data(&serde_json::json!({ "uri": shown(uri) }))
    }

    /// An error that came from elsewhere. A missing resource gets the code of the client's own revision.
    pub(crate) fn relayed(code: i32, message: String, data: Option<Box<RawValue>>, missing: bool) -> Fail {
        if missing {
            return Fail { kind: Kind::ResourceNotFound, code: None, message, data };
        }
        Fail { kind: Kind::Protocol, code: Some(code), message, data }
    }

    /// There is no tool of this name.
    pub fn unknown_tool(name: &str) -> Fail {
        Fail { kind: Kind::UnknownTool, ..Fail::new(format!("Unknown tool: {}", shown(name))) }
    }

    pub(crate) fn missing_capability(request: &InputRequest, modern: bool) -> Fail {
        let message = format!(
            "This needs an answer from the client, which did not declare `{}`",
            request.capability_name()
        );
        // Before 2026-07-28 there was no code for this: there it is the tool that fails.
        let kind = if modern { Kind::Protocol } else { Kind::Tool };
        Fail { kind, code: modern.then_some(code::MISSING_CAPABILITY), ..Fail::new(message) }
            .data(&serde_json::json!({ "requiredCapabilities": request.capability() }))
    }

    pub(crate) fn missing_tasks() -> Fail {
        Fail::rpc(
            code::MISSING_CAPABILITY,
            "This runs as a task, and the client did not declare `io.modelcontextprotocol/tasks`",
        )
        .data(&serde_json::json!({
            "requiredCapabilities": { "extensions": { "io.modelcontextprotocol/tasks": {} } }
        }))
    }

    /// The JSON-RPC code to use where the failure travels as a JSON-RPC error.
    pub fn code(mut self, code: i32) -> Fail {
        self.code = Some(code);
        self
    }

    /// Machine-readable details, sent as `error.data` where the failure travels as a JSON-RPC error.
    pub fn data(mut self, data: &impl Serialize) -> Fail {
        self.data = serde_json::value::to_raw_value(data).ok();
        self
    }

    /// With no more than the beginnings of what was sent.
    pub(crate) fn repeating_little(mut self, sent: &Sent) -> Fail {
        sent.shorten_in(&mut self.message);
        self.data = self.data.take().and_then(|data| sent.shortened(data));
        self
    }

    /// With a message that somebody may read to its end.
    fn shortened(mut self) -> Fail {
        if let Some((end, _)) = self.message.char_indices().nth(LONGEST_MESSAGE) {
            self.message.truncate(end);
            self.message.push('…');
        }
        self
    }

    /// The code to send in a JSON-RPC error.
    pub(crate) fn wire_code(&self, modern: bool) -> i32 {
        self.code.unwrap_or(match self.kind {
            Kind::Arguments | Kind::UnknownTool => code::INVALID_PARAMS,
            Kind::ResourceNotFound if modern => code::INVALID_PARAMS,
            Kind::ResourceNotFound => code::RESOURCE_NOT_FOUND,
            Kind::Tool | Kind::Protocol => code::INTERNAL_ERROR,
        })
    }

    /// What was wrong, in words.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl From<String> for Fail {
    fn from(message: String) -> Fail {
        Fail::new(message)
    }
}

impl From<&str> for Fail {
    fn from(message: &str) -> Fail {
        Fail::new(message)
    }
}

impl From<std::io::Error> for Fail {
    fn from(error: std::io::Error) -> Fail {
        Fail::new(format!("Reading or writing failed: {error}"))
    }
}

impl From<serde_json::Error> for Fail {
    fn from(error: serde_json::Error) -> Fail {
        Fail::new(format!("This is not the JSON it should be: {error}"))
    }
}

impl From<std::str::Utf8Error> for Fail {
    fn from(error: std::str::Utf8Error) -> Fail {
        Fail::new(format!("This is not text in UTF-8: {error}"))
    }
}

impl From<std::string::FromUtf8Error> for Fail {
    fn from(error: std::string::FromUtf8Error) -> Fail {
        Fail::from(error.utf8_error())
    }
}

impl From<std::num::ParseIntError> for Fail {
    fn from(error: std::num::ParseIntError) -> Fail {
        Fail::arguments(format!("This is not a whole number: {error}"))
    }
}

impl From<tokio::task::JoinError> for Fail {
    fn from(_: tokio::task::JoinError) -> Fail {
        Fail::new("The work was stopped before it was done; try again")
    }
}

impl From<tokio::time::error::Elapsed> for Fail {
    fn from(_: tokio::time::error::Elapsed) -> Fail {
        Fail::new("This took too long; try again, or ask for less")
    }
}

/// Why a handler did not answer. Domain errors convert into it, so handlers use `?`.
#[derive(Debug)]
pub enum Stop {
    /// It failed.
    Fail(Fail),
    /// It needs input first; it is run again, from its start, with what came back.
    InputRequired(InputRequests),
}

impl Stop {
    /// Repeats no more than the beginnings of what was sent.
    pub(crate) fn repeating_little(self, sent: &Sent) -> Stop {
        match self {
            Stop::Fail(fail) => Stop::Fail(fail.repeating_little(sent).shortened()),
            Stop::InputRequired(_) => self,
        }
    }
}

impl<F: Into<Fail>> From<F> for Stop {
    fn from(fail: F) -> Stop {
        Stop::Fail(fail.into())
    }
}

/// Nobody reads more of a failure; what is longer repeats something that was sent.
const LONGEST_MESSAGE: usize = 2_000;

/// How one kind of failure travels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailAs {
    /// As a tool result with `isError: true`, which the model reads.
    IsError,
    /// As a JSON-RPC error: the failure's own code, else this one.
    Rpc(i32),
}

/// How a server's failures travel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Failures {
    /// A tool could not do its work.
    pub tool: FailAs,
    /// The arguments do not fit the tool.
    pub bad_arguments: FailAs,
    /// There is no such tool.
    pub unknown_tool: FailAs,
}

impl Failures {
    /// Gives a failure the form in which it leaves the server.
    pub(crate) fn resolve(self, fail: Fail) -> Outcome {
        let mut fail = fail.shortened();
        let form = match fail.kind {
            Kind::Tool => self.tool,
            Kind::Arguments => self.bad_arguments,
            Kind::UnknownTool => self.unknown_tool,
            Kind::ResourceNotFound | Kind::Protocol => return Outcome::Fail(fail),
        };
        match form {
            FailAs::IsError => Outcome::Reply(Reply::error(fail.message)),
            FailAs::Rpc(code) => {
                fail.code.get_or_insert(code);
                Outcome::Fail(fail)
            }
        }
    }
}

impl Default for Failures {
    fn default() -> Self {
        Failures {
            tool: FailAs::IsError,
            bad_arguments: FailAs::IsError,
            unknown_tool: FailAs::Rpc(code::INVALID_PARAMS),
        }
    }
}
