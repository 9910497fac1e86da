//! The handshake revisions over HTTP: sessions, standing streams, resumption.

use std::future::poll_fn;
use std::sync::Arc;

use http::{HeaderValue, Response, StatusCode};

use crate::code;
use crate::cx::{Caller, Outlet};
use crate::engine::{Flow, Link, Parsed, Pending};
use crate::fail::Fail;
use crate::id::IdRef;
use crate::inflight::Entry;
use crate::render;
use crate::wire::Params;

use super::body::{Body, Stream};
use super::events::{Cursor, Events, First, Purpose};
use super::headers::Asked;
use super::responses::Refused;
use super::sessions::HttpSession;
use super::{Shared, bad_request, refused, responses};

impl Shared {
    pub(super) async fn legacy(
        &self,
        asked: &Asked<'_>,
        parsed: &Parsed<'_>,
        caller: Arc<Caller>,
    ) -> Result<Response<Body>, Refused> {
        if parsed.method == "initialize" {
            return self.initialize(parsed, caller);
        }
        let session = self.session_of(asked, &caller)?;
        if session.inflight.contains(parsed.id) {
            return Err(fail(parsed.id, &under_way(parsed.id)));
        }
        let events = if asked.takes_events {
            session.request_stream(self.sessions.budget())
        } else {
            Events::new(Purpose::Deaf, self.sessions.budget())
        };
        let outlet = Arc::clone(&events) as Arc<dyn Outlet>;
        let link = Link { session: Arc::clone(&session.session), outlet, caller };
        let mut out = Vec::new();
        match self.engine.serve(parsed, &link, &mut out) {
            Flow::Done(_) if events.is_quiet() => return Ok(responses::json(StatusCode::OK, out)),
            Flow::Done(_) => events.end(Some(out)),
            Flow::Later(pending) => self.spawn(&session, &events, pending)?,
            Flow::Listen(_) => {
                return Err(fail(parsed.id, &Fail::rpc(code::METHOD_NOT_FOUND, "Method not found")));
            }
        }
        match poll_fn(|cx| events.poll_first(cx)).await {
            First::Answer(answer) => Ok(responses::json(StatusCode::OK, answer)),
            // Cancelled: nothing is ever said about it. Clients know a stream that just ends.
            First::Nothing if asked.takes_events => Ok(responses::stream(Body::empty())),
            First::Nothing => Ok(responses::plain(StatusCode::NO_CONTENT)),
            First::Stream => {
                session.keep(&events);
                let cursor = events.read();
                Ok(self.resume(events, cursor))
            }
        }
    }

    fn initialize(&self, parsed: &Parsed<'_>, caller: Arc<Caller>) -> Result<Response<Body>, Refused> {
        let (id, session) = self.sessions.open(&caller.principal).map_err(|error| fail(parsed.id, &error))?;
        let outlet = Events::new(Purpose::Deaf, self.sessions.budget());
        let link = Link { session: Arc::clone(&session.session), outlet, caller };
        let mut out = Vec::new();
        let principal = link.caller.principal.as_str();
        self.engine.serve(parsed, &link, &mut out);
        let mut response = responses::json(StatusCode::OK, out);
        if !session.session.is_introduced() {
            self.sessions.close(&id, principal);
        } else if let Ok(id) = HeaderValue::try_from(id) {
            response.headers_mut().insert(responses::SESSION_ID, id);
        }
        Ok(response)
    }

    /// The session a request belongs to: 400 without one, 404 for one that is not there any more.
    pub(super) fn session_of(&self, asked: &Asked<'_>, caller: &Caller) -> Result<Arc<HttpSession>, Refused> {
        let Some(id) = asked.session else {
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

    /// Goes on whether or not anybody waits: a session's client may come back for the answer.
    pub(super) fn spawn(
        &self,
        session: &Arc<HttpSession>,
        events: &Arc<Events>,
        pending: Pending,
    ) -> Result<(), Refused> {
        let id = pending.id().clone();
        let cancel = pending.cancel();
        let ending = EndOnDrop(Arc::clone(events));
        let (inflight, own_id) = (Arc::clone(&session.inflight), id.clone());
        let work = async move {
            let answered = pending.finish().await;
            if inflight.take((&own_id).into()).is_some() {
                ending.0.end(Some(answered.frame.into_bytes()));
            }
        };
        let started = session.inflight.start(id.clone(), || {
            let task = self.engine.workers.spawn(work)?;
            Ok((Entry::Call { cancel, task: task.abort_handle() }, ()))
        });
        started.map_err(|error: std::io::Error| {
            fail((&id).into(), &Fail::rpc(code::INTERNAL_ERROR, format!("Cannot start a task: {error}")))
        })
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
        asked: &Asked<'_>,
        method: &str,
        params: &Params<'_>,
        caller: &Caller,
    ) -> Result<Response<Body>, Refused> {
        // In the modern era there is nothing a client could tell us.
        if asked.is_modern() {
            return Ok(responses::accepted());
        }
        let session = self.session_of(asked, caller)?;
        if method == "notifications/cancelled"
            && let Some(id) = params.request_id.and_then(IdRef::from_raw)
            && let Some(entry) = session.inflight.take(id)
        {
            entry.stop();
        }
        Ok(responses::accepted())
    }

    /// The standing stream of a session, or the rest of a stream the client lost.
    pub(super) fn get(&self, asked: &Asked<'_>, caller: &Caller) -> Result<Response<Body>, Refused> {
        // Without a session, and in the modern era, there is nothing but POST.
        if asked.session.is_none() || asked.is_modern() {
            return Ok(responses::not_allowed("POST"));
        }
        let session = self.session_of(asked, caller)?;
        if !asked.takes_events {
            let message = "Invalid request: `Accept` must allow `text/event-stream`";
            return Err(refused(StatusCode::NOT_ACCEPTABLE, code::INVALID_REQUEST, message));
        }
        let lost = asked.last_event.and_then(|id| {
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

    pub(super) fn delete(&self, asked: &Asked<'_>, caller: &Caller) -> Result<Response<Body>, Refused> {
        match asked.session.filter(|_| !asked.is_modern()) {
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

pub(super) fn under_way(id: IdRef<'_>) -> Fail {
    let text = format!("Invalid request: a request with the id {} is under way already", id.as_json());
    Fail::rpc(code::INVALID_REQUEST, text)
}

/// A stream whose writer is gone is over.
struct EndOnDrop(Arc<Events>);

impl Drop for EndOnDrop {
    fn drop(&mut self) {
        self.0.end(None);
    }
}
