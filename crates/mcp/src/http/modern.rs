//! 2026-07-28 over HTTP: one POST, one answer, nothing remembered.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;

use http::{HeaderMap, Response, StatusCode};
use tokio::sync::OwnedSemaphorePermit;

use crate::cancel::Cancel;
use crate::code;
use crate::cx::{Caller, Outlet};
use crate::echo::shown;
use crate::engine::{self, Filter, Flow, Link, Pending};
use crate::fail::Fail;
use crate::id::{Id, IdRef};
use crate::notify;
use crate::render;
use crate::request::Request;
use crate::version::Version;
use crate::wire::text_of;

use super::body::{Body, Stream, Work};
use super::events::{Budget, Events, First, Purpose};
use super::headers::{Head, check_agreement, mismatch};
use super::responses::Refused;
use super::{Arriving, Shared, responses};

/// Room for most answers, so that they are written without growing.
const ANSWER: usize = 512;

impl Shared {
    pub(super) async fn modern(
        &self,
        headers: &HeaderMap,
        head: &Head<'_>,
        Arriving { request, held }: Arriving<'_, '_>,
        caller: Arc<Caller>,
    ) -> Result<Response<Body>, Refused> {
        self.check_headers(headers, head, request)?;
        let purpose = if head.takes_events { Purpose::Request } else { Purpose::AnswerOnly };
        let events = Events::new(purpose, Budget::default());
        let outlet = Arc::clone(&events) as Arc<dyn Outlet>;
        let link = Link { session: Arc::clone(&self.no_session), outlet, caller };
        let mut out = Vec::with_capacity(ANSWER);
        match self.engine.serve(request, &link, &mut out) {
            Flow::Done(status) if events.is_quiet() => Ok(responses::json(status.code(), out)),
            Flow::Done(_) => {
                events.end(Some(out));
                Ok(self.stream(events, None))
            }
            Flow::Later(pending) => Ok(self.wait(events, pending.holding(held)).await),
            Flow::Listen(filter) if head.takes_events => Ok(self.listen(request.id.to_owned(), filter, held)),
            Flow::Listen(_) => {
                let message = "Invalid request: a subscription needs an `Accept` with `text/event-stream`";
                let fail = Fail::rpc(code::INVALID_REQUEST, message);
                Err(failed(StatusCode::NOT_ACCEPTABLE, request.id, &fail))
            }
        }
    }

    /// Headers and body must say the same; what is wrong with the body itself the engine says.
    fn check_headers(
        &self,
        headers: &HeaderMap,
        head: &Head<'_>,
        request: &Request<'_>,
    ) -> Result<(), Refused> {
        let meta = request.meta();
        let Some(version) = meta.version.and_then(text_of) else { return Ok(()) };
        if meta.capabilities.is_none() {
            return Ok(());
        }
        let checked = match head.version {
            Some(said) if said == version => {
                if Version::parse(&version) == Some(Version::MODERN) {
                    check_agreement(headers, request, &self.engine.service.surface())
                } else {
                    Ok(())
                }
            }
            Some(said) => Err(mismatch(format!(
                "Header mismatch: `mcp-protocol-version` is `{}`, but the body has `{}`",
                shown(said),
                shown(&version)
            ))),
            None => Err(mismatch(format!(
                "Header mismatch: `mcp-protocol-version` is missing; the body has `{}`",
                shown(&version)
            ))),
        };
        checked.map_err(|fail| failed(StatusCode::BAD_REQUEST, request.id, &fail))
    }

    /// Drives the handler here: when the client hangs up, all of this is dropped.
    async fn wait(&self, events: Arc<Events>, pending: Pending) -> Response<Body> {
        let cancel = CancelOnDrop(pending.cancel());
        let mut work: Work = Box::pin(async move {
            let response = pending.finish().await;
            drop(cancel);
            response
        });
        let first = poll_fn(|cx| {
            if let Poll::Ready(response) = work.as_mut().poll(cx) {
                return Poll::Ready(Some(response));
            }
            match events.poll_first(cx) {
                Poll::Ready(First::Stream) => Poll::Ready(None),
                // The answer comes from the work itself.
                Poll::Ready(First::Answer(_) | First::Nothing) | Poll::Pending => Poll::Pending,
            }
        })
        .await;
        match first {
            Some(engine::Response { frame, status }) if events.is_quiet() => {
                responses::json(status.code(), frame.into_bytes())
            }
            Some(engine::Response { frame, .. }) => {
                events.end(Some(frame.into_bytes()));
                self.stream(events, None)
            }
            None => self.stream(events, Some(work)),
        }
    }

    fn stream(&self, events: Arc<Events>, work: Option<Work>) -> Response<Body> {
        responses::stream(Body::stream(Stream {
            cursor: events.read(),
            events,
            work,
            keep_alive: self.policy.keep_alive,
            quiet: None,
            _listening: None,
        }))
    }

    /// `held` is the room that the addresses in the filter take.
    fn listen(&self, id: Id, filter: Filter, held: Option<OwnedSemaphorePermit>) -> Response<Body> {
        let events = Events::new(Purpose::Subscription(id.clone()), Budget::default());
        events.insist(filter.acknowledgement((&id).into()));
        self.stand(&events);
        let told = Arc::clone(&events);
        let watching = filter.watch(self.engine.service.changes());
        let listening = self.engine.service.changes().listen(move |change| {
            let _kept = (&watching, &held);
            if filter.admits(change) {
                told.notify(notify::change(change, Some((&id).into())));
            }
        });
        responses::stream(Body::stream(Stream {
            cursor: events.read(),
            events,
            work: None,
            keep_alive: self.policy.keep_alive,
            quiet: None,
            _listening: Some(listening),
        }))
    }
}

fn failed(status: StatusCode, id: IdRef<'_>, fail: &Fail) -> Refused {
    let mut out = Vec::new();
    render::fail(&mut out, id, fail, true);
    Box::new(responses::json(status, out))
}

/// Tells a handler on a thread that nobody waits any more.
struct CancelOnDrop(Cancel);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.set();
    }
}
