//! What the protocol does with a request, whatever it came on: admission, revisions, dispatch, input, tasks.
//! No I/O: a transport hands in requests and takes out finished responses.

mod batch;
mod legacy;
mod listen;
mod modern;
mod pending;
mod turn;

use std::sync::Arc;
#[cfg(feature = "http")]
use std::time::Duration;

use crate::code;
use crate::cx::{Caller, Outlet};
use crate::echo::shown;
use crate::fail::Fail;
use crate::id::IdRef;
use crate::render::{self, Renderer};
use crate::request::Request;
use crate::seal::Seal;
use crate::service::{Outcome, Service};
use crate::session::Session;
use crate::tasks::TaskStore;
use crate::version::Version;
use crate::workers::Workers;

pub(crate) use listen::Filter;
pub(crate) use pending::Pending;
#[cfg(feature = "http")]
pub(crate) use pending::Response;
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
    /// The client, and what its handshake left where there was one.
    pub(crate) session: Arc<Session>,
    pub(crate) outlet: Arc<dyn Outlet>,
    pub(crate) caller: Arc<Caller>,
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
            fail: Fail::rpc(code::METHOD_NOT_FOUND, format!("Method not found: {}", shown(method))),
            status: Status::NotFound,
        }
    }
}

impl Engine {
    pub(crate) fn new(service: Arc<dyn Service>, workers: Workers, seal_key: Option<[u8; 32]>) -> Engine {
        Engine { service, workers, seal: Arc::new(Seal::new(seal_key)), tasks: Arc::default() }
    }

    /// Keeps tasks for so long.
    #[cfg(feature = "http")]
    pub(crate) fn keeping_tasks(mut self, time: Duration) -> Engine {
        self.tasks = Arc::new(TaskStore::new(time));
        self
    }

    /// The response that ends a subscription from our side.
    pub(crate) fn end_subscription(&self, out: &mut Vec<u8>, id: IdRef<'_>) {
        let surface = self.service.surface();
        Renderer::new(Version::MODERN, &surface).subscription_ended(out, id);
    }

    /// Admits one request and serves it. What is answered at once is appended to `out`.
    pub(crate) fn serve(&self, request: &mut Request<'_>, link: &Link, out: &mut Vec<u8>) -> Flow {
        let (id, modern) = (request.id, request.modern);
        let admitted = link.session.inflight.admit(id).map_err(Refusal::from);
        let served = admitted.and_then(|()| {
            let turn = Turn::new(self, request, link)?;
            if modern { turn.modern(out) } else { turn.legacy(out) }
        });
        served.unwrap_or_else(|refusal| {
            render::fail(out, id, &refusal.fail, modern);
            Flow::Done(refusal.status)
        })
    }
}
