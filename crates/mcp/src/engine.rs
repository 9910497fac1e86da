//! What the protocol does with a message, whatever it came on: revisions, dispatch, asking, tasks.
//! No I/O: a transport hands in parsed calls and takes out finished frames.

mod legacy;
mod listen;
mod modern;
mod owned;
mod pending;
mod turn;

use std::borrow::Cow;
use std::sync::Arc;

use crate::code;
use crate::cx::{Caller, Outlet};
use crate::fail::Fail;
use crate::id::IdRef;
use crate::render::{self, Style};
use crate::seal::Seal;
use crate::service::{Outcome, Service};
use crate::session::Session;
use crate::tasks::TaskStore;
use crate::version::Version;
use crate::wire::{Call, Meta, Params};
use crate::workers::Workers;

pub(crate) use listen::Filter;
pub(crate) use owned::OwnedRequest;
#[cfg(feature = "http")]
pub(crate) use pending::Answered;
pub(crate) use pending::Pending;
use turn::Turn;

/// One service with what the protocol remembers about it.
pub(crate) struct Engine {
    pub(crate) service: Arc<dyn Service>,
    pub(crate) workers: Workers,
    seal: Arc<Seal>,
    tasks: Arc<TaskStore>,
}

/// Where a request came from and where its messages go.
pub(crate) struct Link {
    /// What the handshake left, where there was one.
    pub(crate) session: Arc<Session>,
    pub(crate) outlet: Arc<dyn Outlet>,
    pub(crate) caller: Arc<Caller>,
}

/// A request with its parameters read.
pub(crate) struct Parsed<'a> {
    pub(crate) id: IdRef<'a>,
    pub(crate) method: Cow<'a, str>,
    /// The whole message.
    text: &'a str,
    pub(crate) params: Params<'a>,
    pub(crate) meta: Meta<'a>,
    /// Whether the request carries its own version: then it is served by itself, whatever came before.
    pub(crate) modern: bool,
}

/// What became of a request.
#[allow(clippy::large_enum_variant)] // taken apart by whoever gets it, never kept
pub(crate) enum Flow {
    /// The response is written.
    Done(#[cfg_attr(not(feature = "http"), allow(dead_code))] Status),
    /// The response comes when this is driven to its end.
    Later(Pending),
    /// A subscription was opened; it has no response until it ends.
    Listen(Filter),
}

/// The HTTP status of a response; stdio has no use for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Status {
    Ok,
    BadRequest,
    NotFound,
}

impl Status {
    /// Only 2026-07-28 gives a failure of a handler a status of its own.
    fn of(outcome: &Outcome, version: Version) -> Status {
        match outcome {
            Outcome::Fail(fail)
                if version.is_modern() && fail.wire_code(true) == code::MISSING_CAPABILITY =>
            {
                Status::BadRequest
            }
            _ => Status::Ok,
        }
    }
}

/// A request turned down before any handler saw it.
pub(crate) struct Refusal {
    pub(crate) fail: Fail,
    pub(crate) status: Status,
}

impl From<Fail> for Refusal {
    fn from(fail: Fail) -> Refusal {
        Refusal { fail, status: Status::Ok }
    }
}

impl Refusal {
    pub(crate) fn bad_request(fail: Fail) -> Refusal {
        Refusal { fail, status: Status::BadRequest }
    }

    pub(crate) fn no_method(method: &str) -> Refusal {
        Refusal {
            fail: Fail::rpc(code::METHOD_NOT_FOUND, format!("Method not found: {method}")),
            status: Status::NotFound,
        }
    }
}

impl<'a> Parsed<'a> {
    pub(crate) fn read(call: Call<'a>) -> Result<Parsed<'a>, (IdRef<'a>, Refusal)> {
        let id = call.id;
        let refuse = |message: String| (id, Refusal::bad_request(Fail::rpc(code::INVALID_PARAMS, message)));
        let params = call.params.map_err(refuse)?;
        let meta = params.meta.unwrap_or_default().0;
        Ok(Parsed { id, method: call.method, text: call.text, params, meta, modern: meta.version.is_some() })
    }
}

impl Engine {
    pub(crate) fn new(service: Arc<dyn Service>, workers: Workers, seal_key: Option<[u8; 32]>) -> Engine {
        Engine { service, workers, seal: Arc::new(Seal::new(seal_key)), tasks: Arc::default() }
    }

    /// The response that ends a subscription from our side.
    pub(crate) fn end_subscription(&self, out: &mut Vec<u8>, id: IdRef<'_>) {
        let surface = self.service.surface();
        Style::new(Version::MODERN, &surface).subscription_ended(out, id);
    }

    /// Serves one request. What is answered at once is appended to `out`.
    pub(crate) fn serve(&self, parsed: &Parsed<'_>, link: &Link, out: &mut Vec<u8>) -> Flow {
        let modern = parsed.modern;
        let turn = Turn::new(self, parsed, link);
        let served = if modern {
            turn.and_then(|turn| turn.modern(out))
        } else {
            turn.and_then(|turn| turn.legacy(out))
        };
        served.unwrap_or_else(|refusal| {
            render::fail(out, parsed.id, &refusal.fail, modern);
            Flow::Done(refusal.status)
        })
    }
}
