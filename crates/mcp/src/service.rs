//! The seam: transports and revisions on one side, servers on the other.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;
use serde_json::value::RawValue;

use crate::ask::Asks;
use crate::changes::Changes;
use crate::content::{Completion, Item, Messages, Reply};
use crate::cx::Cx;
use crate::fail::{Fail, Stop};
use crate::surface::Surface;
use crate::wire;

/// A future on the heap.
pub type BoxFuture<T> = Pin<Box<dyn Future<Output = T> + Send + 'static>>;

/// Anything that can be served: one server, several as one, a filter over another, a relay.
pub trait Service: Send + Sync + 'static {
    /// What it offers now.
    fn surface(&self) -> Arc<Surface>;

    /// Serves one request. Called on the thread that reads: whatever takes longer than microseconds
    /// goes into [`Handled::Later`].
    fn handle(&self, request: Request<'_>, cx: Cx) -> Handled;

    /// Where it tells its changes.
    fn changes(&self) -> &Changes;
}

/// A request for a service, borrowed from the message it came in.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// What is wanted.
    pub ask: Wanted<'a>,
    source: Source<'a>,
}

/// Where the parameters of a request are: most services never look at them whole.
#[derive(Clone, Copy)]
enum Source<'a> {
    Message(&'a str),
    Params(Option<&'a RawValue>),
}

impl<'a> Request<'a> {
    /// A request for `ask`, with `params` as they go over the wire.
    pub fn new(ask: Wanted<'a>, params: Option<&'a RawValue>) -> Request<'a> {
        Request { ask, source: Source::Params(params) }
    }

    pub(crate) fn of_message(ask: Wanted<'a>, message: &'a str) -> Request<'a> {
        Request { ask, source: Source::Message(message) }
    }

    /// The whole `params`, for a service that passes them on.
    pub fn params(&self) -> Option<&'a RawValue> {
        match self.source {
            Source::Message(text) => wire::raw_params(text),
            Source::Params(params) => params,
        }
    }
}

/// What a request wants.
#[derive(Clone, Copy)]
pub enum Wanted<'a> {
    /// `tools/call`.
    Tool {
        /// The tool's name.
        name: &'a str,
        /// Its arguments.
        arguments: Option<&'a RawValue>,
    },
    /// A tool called as a JSON-RPC method of its own; `params` are its arguments.
    Method {
        /// The method.
        name: &'a str,
    },
    /// `resources/read`.
    Resource {
        /// The address.
        uri: &'a str,
    },
    /// `prompts/get`.
    Prompt {
        /// The prompt's name.
        name: &'a str,
        /// Its arguments.
        arguments: Option<&'a RawValue>,
    },
    /// `completion/complete`.
    Completion(Completing<'a>),
}

/// A half-typed argument.
#[derive(Clone, Copy)]
pub struct Completing<'a> {
    /// Of what.
    pub of: Completable<'a>,
    /// The argument's name.
    pub argument: &'a str,
    /// What is typed so far.
    pub value: &'a str,
    /// The other arguments: a JSON object of strings.
    pub others: Option<&'a RawValue>,
}

/// What can have arguments completed.
#[derive(Clone, Copy)]
pub enum Completable<'a> {
    /// A prompt, by name.
    Prompt(&'a str),
    /// A resource template.
    Template(&'a str),
}

/// What became of a request.
pub enum Handled {
    /// Done.
    Now(Outcome),
    /// Under way; dropped when the client cancels.
    Later(BoxFuture<Outcome>),
}

/// How a request ended.
#[derive(Debug)]
pub enum Outcome {
    /// A tool's answer.
    Reply(Reply),
    /// What was read.
    Contents(Vec<Item>),
    /// A prompt's messages.
    Messages(Messages),
    /// Suggestions.
    Completion(Completion),
    /// The handler needs answers first.
    Ask(Asks),
    /// It failed, as a JSON-RPC error.
    Fail(Fail),
    /// A result object, relayed as it came.
    Raw(Bytes),
}

impl From<Stop> for Outcome {
    fn from(stop: Stop) -> Outcome {
        match stop {
            Stop::Fail(fail) => Outcome::Fail(fail),
            Stop::Ask(asks) => Outcome::Ask(asks),
        }
    }
}
