//! The handshake revisions over HTTP: sessions, standing streams, resumption, batches.

use std::future::poll_fn;
use std::sync::Arc;

use http::{HeaderValue, Response, StatusCode};
use tokio::sync::OwnedSemaphorePermit;

use crate::code;
use crate::cx::{Caller, Outlet};
use crate::engine::{Flow, Link, Pending};
use crate::fail::Fail;
use crate::frame::Frame;
use crate::id::IdRef;
use crate::render::{self, Unreadable};
use crate::request::Request;
use crate::session::Session;
use crate::wire::{Batch, Params};

use super::body::{Body, Stream};
use super::events::{Cursor, Events, First, Purpose};
use super::headers::Head;
use super::responses::Refused;
use super::sessions::HttpSession;
use super::{Arriving, Shared, bad_request, malformed, refused, responses};

impl Shared {
    pub(super) async fn legacy(
        &self,
        head: &Head<'_>,
        Arriving { request, held }: Arriving<'_, '_>,
        caller: Arc<Caller>,
    ) -> Result<Response<Body>, Refused> {
        if request.method == "initialize" {
            return self.initialize(request, caller);
        }
        let session = self.session_of(head, &caller)?;
        let events = if head.takes_events {
            session.request_stream(request.id.to_owned(), self.sessions.budget())
        } else {
            Events::new(Purpose::AnswerOnly, self.sessions.budget())
        };
        let outlet = Arc::clone(&events) as Arc<dyn Outlet>;
        let link = Link { session: Arc::clone(&session.session), outlet, caller };
        let _attending = session.attend();
        // Somebody reads from the start: an answer they wait for is not one that is kept for later.
        let reading = Reading::start(&events);
        let mut out = Vec::new();
        match self.engine.serve(request, &link, &mut out) {
            Flow::Done(_) if events.is_quiet() => return Ok(responses::json(StatusCode::OK, out)),
            Flow::Done(_) => events.end(Some(out)),
            Flow::Later(pending) => self.spawn(&session, &events, pending.holding(held))?,
            Flow::Listen(_) => {
                return Err(fail(request.id, &Fail::rpc(code::METHOD_NOT_FOUND, "Method not found")));
            }
        }
        match poll_fn(|cx| events.poll_first(cx)).await {
            First::Answer(answer) => Ok(responses::json(StatusCode::OK, answer)),
            // Cancelled: nothing is ever said about it. Clients know a stream that just ends.
            First::Nothing if head.takes_events => Ok(responses::stream(Body::empty())),
            First::Nothing => Ok(responses::plain(StatusCode::NO_CONTENT)),
            First::Stream => {
                session.keep(&events);
                Ok(self.resume(events, reading.into_cursor()))
            }
        }
    }

    fn initialize(&self, request: &mut Request<'_>, caller: Arc<Caller>) -> Result<Response<Body>, Refused> {
        let (id, session) =
            self.sessions.open(&caller.principal).map_err(|error| fail(request.id, &error))?;
        let outlet = Events::new(Purpose::AnswerOnly, self.sessions.budget());
        let link = Link { session: Arc::clone(&session.session), outlet, caller };
        let mut out = Vec::new();
        let principal = link.caller.principal.as_str();
        self.engine.serve(request, &link, &mut out);
        let mut response = responses::json(StatusCode::OK, out);
        if !session.session.is_introduced() {
            self.sessions.close(&id, principal);
        } else if let Ok(id) = HeaderValue::try_from(id) {
            response.headers_mut().insert(responses::SESSION_ID, id);
        }
        Ok(response)
    }

    /// The session a request belongs to: 400 without one, 404 for one that is not there any more.
    pub(super) fn session_of(&self, head: &Head<'_>, caller: &Caller) -> Result<Arc<HttpSession>, Refused> {
        let Some(id) = head.session else {
            return Err(bad_request(
                "Invalid request: `Mcp-Session-Id` is missing; send `initialize` first, or speak 2026-07-28",
            ));
        };
        self.sessions.find(id, &caller.principal).ok_or_else(|| {
            refused(
                StatusCode::NOT_FOUND,
                code::INVALID_REQUEST,
                "Session not found; send `initialize` again",
            )
        })
    }

    /// Goes on whether or not anybody waits: a session's client may resume the stream of the answer.
    fn spawn(&self, session: &HttpSession, events: &Arc<Events>, pending: Pending) -> Result<(), Refused> {
        let ending = EndOnDrop(Arc::clone(events));
        let deliver = move |frame: Frame| ending.0.end(Some(frame.into_bytes()));
        let started = session.session.inflight.start(&self.engine.workers, pending, deliver);
        started.map(drop).map_err(|(id, error)| fail((&id).into(), &error))
    }

    /// Serves every message, and answers when the last one is done. Nothing can be said in between: a batch is answered
    /// with one array.
    pub(super) async fn batch(
        &self,
        head: &Head<'_>,
        batch: Batch<'_>,
        room: Option<OwnedSemaphorePermit>,
        caller: Arc<Caller>,
    ) -> Result<Response<Body>, Refused> {
        let session = if head.session.is_some() { Some(self.session_of(head, &caller)?) } else { None };
        let Some(session) = session.filter(|session| session.session.version().has_batches()) else {
            return Err(malformed(&Batch::not_spoken()));
        };
        let session = Arc::clone(&session.session);
        let outlet = Events::new(Purpose::AnswerOnly, self.sessions.budget());
        let link = Link { session: Arc::clone(&session), outlet, caller };
        let answer = self.engine.batch(batch, &link, Unreadable::Absent, room, |method, params| {
            notified(&session, method, params);
        });
        match answer.finish().await {
            Some(array) => Ok(responses::json(StatusCode::OK, array)),
            None => Ok(responses::accepted()),
        }
    }

    fn resume(&self, events: Arc<Events>, cursor: Cursor) -> Response<Body> {
        responses::stream(Body::stream(Stream {
            events,
            cursor,
            work: None,
            keep_alive: self.policy.keep_alive,
            quiet: None,
            _listening: None,
        }))
    }

    pub(super) fn notification(
        &self,
        head: &Head<'_>,
        method: &str,
        params: &Params<'_>,
        caller: &Caller,
    ) -> Result<Response<Body>, Refused> {
        // In the modern era there is nothing a client could tell us.
        if head.is_modern() {
            return Ok(responses::accepted());
        }
        notified(&self.session_of(head, caller)?.session, method, params);
        Ok(responses::accepted())
    }

    /// The standing stream of a session, or the rest of a stream the client lost.
    pub(super) fn get(&self, head: &Head<'_>, caller: &Caller) -> Result<Response<Body>, Refused> {
        // Without a session, and in the modern era, there is nothing but POST.
        if head.session.is_none() || head.is_modern() {
            return Ok(responses::not_allowed("POST"));
        }
        let session = self.session_of(head, caller)?;
        if !head.takes_events {
            let message = "Invalid request: `Accept` must allow `text/event-stream`";
            return Err(refused(StatusCode::NOT_ACCEPTABLE, code::INVALID_REQUEST, message));
        }
        let lost = head.last_event.and_then(|id| {
            let (number, seen) = id.split_once('/')?;
            Some((session.stream(number.parse().ok()?)?, seen.parse().ok()?))
        });
        if let Some((events, seen)) = lost {
            let cursor = events.read_after(seen);
            return Ok(self.resume(events, cursor));
        }
        let events = session.stand(self.sessions.budget());
        Shared::stand(self, &events);
        let cursor = events.read();
        Ok(self.resume(events, cursor))
    }

    pub(super) fn delete(&self, head: &Head<'_>, caller: &Caller) -> Result<Response<Body>, Refused> {
        match head.session.filter(|_| !head.is_modern()) {
            None => Ok(responses::not_allowed("POST")),
            Some(id) if self.sessions.close(id, &caller.principal) => Ok(responses::plain(StatusCode::OK)),
            Some(_) => Err(refused(
                StatusCode::NOT_FOUND,
                code::INVALID_REQUEST,
                "Session not found; there is nothing to end",
            )),
        }
    }
}

fn fail(id: IdRef<'_>, fail: &Fail) -> Refused {
    let mut out = Vec::new();
    render::fail(&mut out, id, fail, false);
    Box::new(responses::json(StatusCode::OK, out))
}

/// Of all a client may tell us, only a cancellation changes anything here.
fn notified(session: &Session, method: &str, params: &Params<'_>) {
    if method == "notifications/cancelled" {
        session.inflight.cancel(params);
    }
}

/// A client that waits for the first event; it may hang up meanwhile.
struct Reading {
    events: Arc<Events>,
    cursor: Option<Cursor>,
}

impl Reading {
    fn start(events: &Arc<Events>) -> Reading {
        Reading { events: Arc::clone(events), cursor: Some(events.read()) }
    }

    fn into_cursor(mut self) -> Cursor {
        self.cursor.take().unwrap_or_else(|| self.events.read())
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        if let Some(cursor) = &self.cursor {
            self.events.detach(cursor);
        }
    }
}

/// A stream whose writer is gone is over.
struct EndOnDrop(Arc<Events>);

impl Drop for EndOnDrop {
    fn drop(&mut self) {
        self.0.end(None);
    }
}
