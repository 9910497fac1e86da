//! The seam: transports and revisions on one side, servers on the other.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;
use serde_json::value::RawValue;

use crate::changes::Changes;
use crate::content::{Completion, Item, Messages, Reply};
use crate::cx::Cx;
use crate::fail::{Fail, Stop};
use crate::input::InputRequests;
use crate::relayed::Relayed;
use crate::request::Request;
use crate::surface::Surface;

/// A future on the heap.
pub type BoxFuture<T> = Pin<Box<dyn Future<Output = T> + Send + 'static>>;

/// Anything that can be served: one server, several as one, a filter over another, a relay.
pub trait Service: Send + Sync + 'static {
    /// What it offers now.
    fn surface(&self) -> Arc<Surface>;

    /// Serves one request. Called on the thread that reads: whatever takes longer than microseconds
    /// goes into [`Handled::Later`].
    fn handle(&self, request: &Request<'_>, cx: Cx) -> Handled;

    /// Where it tells its changes.
    fn changes(&self) -> &Changes;
}

/// A half-typed argument.
#[doc(alias = "CompleteRequest")]
#[derive(Clone, Copy)]
pub struct Completing<'a> {
    /// The argument's name.
    pub argument: &'a str,
    /// What is typed so far.
    pub value: &'a str,
    /// The other arguments: a JSON object of strings.
    pub others: Option<&'a RawValue>,
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
#[non_exhaustive]
pub enum Outcome {
    /// A tool's answer.
    Reply(Reply),
    /// What was read.
    Contents(Vec<Item>),
    /// A prompt's messages.
    Messages(Messages),
    /// Suggestions.
    Completion(Completion),
    /// The handler needs input first.
    #[doc(alias = "InputRequiredResult")]
    InputRequired(InputRequests),
    /// It failed, as a JSON-RPC error.
    Fail(Fail),
    /// A result object, sent as it is in every revision.
    Raw(Bytes),
    /// A result of another server, said in the words of the client's revision.
    Relayed(Relayed),
}

impl From<Stop> for Outcome {
    fn from(stop: Stop) -> Outcome {
        match stop {
            Stop::Fail(fail) => Outcome::Fail(fail),
            Stop::InputRequired(requests) => Outcome::InputRequired(requests),
        }
    }
}
