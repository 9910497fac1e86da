//! 2026-07-28 over HTTP: one POST, one answer, nothing remembered.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;

use http::{HeaderMap, Response, StatusCode};

use crate::cancel::Cancel;
use crate::code;
use crate::cx::{Caller, Outlet};
use crate::engine::{Answered, Filter, Flow, Link, Parsed, Pending};
use crate::fail::Fail;
use crate::id::{Id, IdRef};
use crate::notify;
use crate::render;
use crate::version::Version;
use crate::wire::text_of;

use super::body::{Body, Stream, Work};
use super::events::{Budget, Events, First, Purpose};
use super::headers::{Asked, check_agreement, mismatch};
use super::responses::Refused;
use super::{Shared, responses};

/// Room for most answers, so that they are written without growing.
const ANSWER: usize = 512;

impl Shared {
    pub(super) async fn modern(
        &self,
        headers: &HeaderMap,
        asked: &Asked<'_>,
        parsed: &Parsed<'_>,
        caller: Arc<Caller>,
    ) -> Result<Response<Body>, Refused> {
        self.check_headers(headers, asked, parsed)?;
        let purpose = if asked.takes_events { Purpose::Request } else { Purpose::Deaf };
        let events = Events::new(purpose, Budget::default());
        let outlet = Arc::clone(&events) as Arc<dyn Outlet>;
        let link = Link { session: Arc::clone(&self.no_session), outlet, caller };
        let mut out = Vec::with_capacity(ANSWER);
        match self.engine.serve(parsed, &link, &mut out) {
            Flow::Done(status) if events.is_quiet() => Ok(responses::json(status.code(), out)),
            Flow::Done(_) => {
                events.end(Some(out));
                Ok(self.stream(events, None))
            }
            Flow::Later(pending) => Ok(self.wait(events, pending).await),
            Flow::Listen(filter) if asked.takes_events => Ok(self.listen(parsed.id.to_owned(), filter)),
            Flow::Listen(_) => {
                let message = "Invalid request: a subscription needs an `Accept` with `text/event-stream`";
                let fail = Fail::rpc(code::INVALID_REQUEST, message);
                Err(failed(StatusCode::NOT_ACCEPTABLE, parsed.id, &fail))
            }
        }
    }

    /// Headers and body must say the same; what is wrong with the body itself the engine says.
    fn check_headers(
        &self,
        headers: &HeaderMap,
        asked: &Asked<'_>,
        parsed: &Parsed<'_>,
    ) -> Result<(), Refused> {
        let Some(version) = parsed.meta.version.and_then(text_of) else { return Ok(()) };
        if parsed.meta.capabilities.is_none() {
            return Ok(());
        }
        let checked = match asked.version {
            Some(said) if said == version => {
                if Version::parse(&version) == Some(Version::MODERN) {
                    check_agreement(headers, parsed, &self.engine.service.surface())
                } else {
                    Ok(())
                }
            }
            Some(said) => Err(mismatch(format!(
                "Header mismatch: `mcp-protocol-version` is `{said}`, but the body has `{version}`"
            ))),
            None => Err(mismatch(format!(
                "Header mismatch: `mcp-protocol-version` is missing; the body has `{version}`"
            ))),
        };
        checked.map_err(|fail| failed(StatusCode::BAD_REQUEST, parsed.id, &fail))
    }

    /// Drives the handler here: when the client hangs up, all of this is dropped.
    async fn wait(&self, events: Arc<Events>, pending: Pending) -> Response<Body> {
        let cancel = CancelOnDrop(pending.cancel());
        let mut work: Work = Box::pin(async move {
            let answered = pending.finish().await;
            drop(cancel);
            answered
        });
        let first = poll_fn(|cx| {
            if let Poll::Ready(answered) = work.as_mut().poll(cx) {
                return Poll::Ready(Some(answered));
            }
            match events.poll_first(cx) {
                Poll::Ready(First::Stream) => Poll::Ready(None),
                // The answer comes from the work itself.
                Poll::Ready(First::Answer(_) | First::Nothing) | Poll::Pending => Poll::Pending,
            }
        })
        .await;
        match first {
            Some(Answered { frame, status }) if events.is_quiet() => {
                responses::json(status.code(), frame.into_bytes())
            }
            Some(Answered { frame, .. }) => {
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

    fn listen(&self, id: Id, filter: Filter) -> Response<Body> {
        let events = Events::new(Purpose::Subscription(id.clone()), Budget::default());
        events.insist(filter.acknowledgement((&id).into()));
        self.stand(&events);
        let told = Arc::clone(&events);
        let listening = self.engine.service.changes().listen(move |change| {
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
