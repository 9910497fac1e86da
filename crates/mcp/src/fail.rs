//! What can go wrong in a handler, and how a server says it.

use serde::Serialize;
use serde_json::value::RawValue;

use crate::ask::{Asks, Question};
use crate::code;
use crate::content::Reply;
use crate::service::Outcome;

/// A failure with a message for the person or model that made the call.
///
/// Say what was wrong and what to do next; the server's [`Failures`] decide whether it travels as an
/// `isError` result or as a JSON-RPC error.
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

    /// A JSON-RPC error, whatever the server's style.
    pub fn rpc(code: i32, message: impl Into<String>) -> Fail {
        Fail { kind: Kind::Protocol, code: Some(code), ..Fail::new(message) }
    }

    /// There is no resource at this URI.
    pub fn resource_not_found(uri: &str) -> Fail {
        Fail { kind: Kind::ResourceNotFound, ..Fail::new(format!("Resource not found: {uri}")) }
            .data(&serde_json::json!({ "uri": uri }))
    }

    /// There is no tool of this name.
    pub fn unknown_tool(name: &str) -> Fail {
        Fail { kind: Kind::UnknownTool, ..Fail::new(format!("Unknown tool: {name}")) }
    }

    pub(crate) fn missing_capability(question: &Question, modern: bool) -> Fail {
        let message = format!(
            "This needs an answer from the client, which did not declare `{}`",
            question.capability_name()
        );
        // Before 2026-07-28 there was no code for this: there it is the tool that fails.
        let kind = if modern { Kind::Protocol } else { Kind::Tool };
        Fail { kind, code: modern.then_some(code::MISSING_CAPABILITY), ..Fail::new(message) }
            .data(&serde_json::json!({ "requiredCapabilities": question.capability() }))
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

/// Why a handler did not answer. Domain errors convert into it, so handlers use `?`.
#[derive(Debug)]
pub enum Stop {
    /// It failed.
    Fail(Fail),
    /// It must know something first; it is run again, from its start, with the answers.
    Ask(Asks),
}

impl<F: Into<Fail>> From<F> for Stop {
    fn from(fail: F) -> Stop {
        Stop::Fail(fail.into())
    }
}

/// How one kind of failure travels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// As a tool result with `isError: true`, which the model reads.
    IsError,
    /// As a JSON-RPC error: the failure's own code, else this one.
    Rpc(i32),
}

/// How a server's failures travel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Failures {
    /// A tool could not do its work.
    pub tool: Style,
    /// The arguments do not fit the tool.
    pub bad_arguments: Style,
    /// There is no such tool.
    pub unknown_tool: Style,
}

impl Failures {
    /// Gives a failure the form in which it leaves the server.
    pub(crate) fn resolve(self, mut fail: Fail) -> Outcome {
        let style = match fail.kind {
            Kind::Tool => self.tool,
            Kind::Arguments => self.bad_arguments,
            Kind::UnknownTool => self.unknown_tool,
            Kind::ResourceNotFound | Kind::Protocol => return Outcome::Fail(fail),
        };
        match style {
            Style::IsError => Outcome::Reply(Reply::error(fail.message)),
            Style::Rpc(code) => {
                fail.code.get_or_insert(code);
                Outcome::Fail(fail)
            }
        }
    }
}

impl Default for Failures {
    fn default() -> Self {
        Failures {
            tool: Style::IsError,
            bad_arguments: Style::IsError,
            unknown_tool: Style::Rpc(code::INVALID_PARAMS),
        }
    }
}
