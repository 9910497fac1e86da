//! The handshake revisions over HTTP: sessions, standing streams, resumption.

use std::future::poll_fn;
use std::sync::Arc;

use http::{HeaderMap, HeaderValue, Response, StatusCode};

use crate::code;
use crate::cx::{Caller, Outlet};
use crate::engine::{Flow, Link, Parsed, Pending};
use crate::fail::Fail;
use crate::id::IdRef;
use crate::inflight::Entry;
use crate::json;
use crate::render::{self, Unreadable};
use crate::wire::{Malformed, Message, Params};

use super::body::{Body, Stream};
use super::events::{Cursor, Events, First, Purpose};
use super::headers::Asked;
use super::sessions::HttpSession;
use super::{Shared, bad_request, refused, responses};

impl Shared {
    pub(super) async fn legacy(
        &self,
        asked: &Asked<'_>,
        parsed: &Parsed<'_>,
        caller: Arc<Caller>,
    ) -> Result<Response<Body>, Response<Body>> {
        if parsed.method == "initialize" {
            return self.initialize(parsed, caller);
        }
        let session = self.session_of(asked, &caller)?;
        if session.inflight.contains(parsed.id) {
            let text = format!(
                "Invalid request: a request with the id {} is under way already",
                parsed.id.as_json()
            );
            return Err(fail(parsed.id, &Fail::rpc(code::INVALID_REQUEST, text)));
        }
        let events = if asked.streams {
            session.request_stream(self.sessions.budget())
        } else {
            Events::new(Purpose::Deaf, self.sessions.budget())
        };
        let outlet = Arc::clone(&events) as Arc<dyn Outlet>;
        let link = Link { session: Arc::clone(&session.session), outlet, caller };
        let mut out = Vec::new();
        match self.engine.serve(parsed, &link, &mut out) {
            Flow::Done(_) if events.is_quiet() => return Ok(responses::json(StatusCode::OK, out)),
            Flow::Done(_) => events.end(out),
            Flow::Later(pending) => self.spawn(&session, &events, pending)?,
            Flow::Listen(_) => {
                return Err(fail(parsed.id, &Fail::rpc(code::METHOD_NOT_FOUND, "Method not found")));
            }
        }
        match poll_fn(|cx| events.poll_first(cx)).await {
            // Cancelled: nothing is ever said about it. Clients know a stream that just ends.
            First::Answer(answer) if answer.is_empty() && asked.streams => {
                Ok(responses::stream(Body::empty()))
            }
            First::Answer(answer) if answer.is_empty() => Ok(responses::plain(StatusCode::NO_CONTENT)),
            First::Answer(answer) => Ok(responses::json(StatusCode::OK, answer)),
            First::Stream => {
                session.keep(&events);
                Ok(self.resume(events, Cursor::default()))
            }
        }
    }

    fn initialize(&self, parsed: &Parsed<'_>, caller: Arc<Caller>) -> Result<Response<Body>, Response<Body>> {
        let (id, session) = self.sessions.open(&caller.principal).map_err(|error| fail(parsed.id, &error))?;
        let outlet = Events::new(Purpose::Deaf, self.sessions.budget());
        let link = Link { session: Arc::clone(&session.session), outlet, caller };
        let mut out = Vec::new();
        self.engine.serve(parsed, &link, &mut out);
        let mut response = responses::json(StatusCode::OK, out);
        if let Ok(id) = HeaderValue::try_from(id) {
            response.headers_mut().insert(responses::SESSION_ID, id);
        }
        Ok(response)
    }

    /// The session a request belongs to: 400 without one, 404 for one that is not there any more.
    pub(super) fn session_of(
        &self,
        asked: &Asked<'_>,
        caller: &Caller,
    ) -> Result<Arc<HttpSession>, Response<Body>> {
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
    fn spawn(
        &self,
        session: &Arc<HttpSession>,
        events: &Arc<Events>,
        pending: Pending,
    ) -> Result<(), Response<Body>> {
        let id = pending.id().clone();
        let cancel = pending.cancel();
        let ending = EndOnDrop(Arc::clone(events));
        let (inflight, own_id) = (Arc::clone(&session.inflight), id.clone());
        let work = async move {
            let answered = pending.finish().await;
            if inflight.take((&own_id).into()).is_some() {
                ending.0.end(answered.frame);
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
    ) -> Result<Response<Body>, Response<Body>> {
        // In the modern era there is nothing a client could tell us.
        if asked.is_modern() {
            return Ok(responses::accepted());
        }
        let session = self.session_of(asked, caller)?;
        if method == "notifications/cancelled" {
            if let Some(entry) =
                params.request_id.and_then(IdRef::from_raw).and_then(|id| session.inflight.take(id))
            {
                entry.stop();
            }
        }
        Ok(responses::accepted())
    }

    /// The standing stream of a session, or the rest of a stream the client lost.
    pub(super) fn get(&self, _: &HeaderMap, asked: &Asked<'_>, caller: &Caller) -> Response<Body> {
        if asked.session.is_none() {
            return responses::not_allowed("POST");
        }
        let session = match self.session_of(asked, caller) {
            Ok(session) => session,
            Err(refused) => return refused,
        };
        if !asked.streams {
            let message = "Invalid request: `Accept` must allow `text/event-stream`";
            return refused(StatusCode::NOT_ACCEPTABLE, code::INVALID_REQUEST, message);
        }
        let lost = asked.last_event.and_then(|id| {
            let (number, seen) = id.split_once('/')?;
            Some((session.stream(number.parse().ok()?)?, seen.parse().ok()?))
        });
        if let Some((events, seen)) = lost {
            return self.resume(events, Cursor::after(seen));
        }
        let events = session.stand(self.sessions.budget());
        Shared::stand(self, &events);
        self.resume(events, Cursor::default())
    }

    pub(super) fn delete(&self, asked: &Asked<'_>, caller: &Caller) -> Response<Body> {
        match asked.session {
            None => responses::not_allowed("POST"),
            Some(id) if self.sessions.close(id, &caller.principal) => responses::plain(StatusCode::OK),
            Some(_) => refused(
                StatusCode::NOT_FOUND,
                code::INVALID_REQUEST,
                "Session not found; there is nothing to end",
            ),
        }
    }

    /// Batches were part of 2025-03-26 alone.
    pub(super) async fn batch(
        &self,
        asked: &Asked<'_>,
        messages: Vec<Result<Message<'_>, Malformed>>,
        caller: &Arc<Caller>,
    ) -> Result<Response<Body>, Response<Body>> {
        let session = if asked.session.is_some() { Some(self.session_of(asked, caller)?) } else { None };
        let Some(session) = session.filter(|session| session.session.version().has_batches()) else {
            return Err(bad_request("Invalid request: batches are only spoken in 2025-03-26"));
        };
        let mut frames = Vec::new();
        let mut later = Vec::new();
        for message in messages {
            let mut frame = Vec::new();
            match message {
                Err(bad) => render::malformed(&mut frame, &bad, Unreadable::Absent),
                Ok(Message::Notification { method, params }) => {
                    self.notification(asked, &method, &params, caller)?;
                }
                Ok(Message::Response { id, answer }) => session.session.answered(id, answer),
                Ok(Message::Request(call)) if call.method == "initialize" => {
                    let text = "Invalid request: `initialize` cannot be part of a batch";
                    render::fail(&mut frame, call.id, &Fail::rpc(code::INVALID_REQUEST, text), false);
                }
                Ok(Message::Request(call)) => match Parsed::read(call) {
                    Err((id, refusal)) => render::fail(&mut frame, id, &refusal.fail, false),
                    Ok(parsed) => {
                        let events = Events::new(Purpose::Deaf, self.sessions.budget());
                        let outlet = Arc::clone(&events) as Arc<dyn Outlet>;
                        let link = Link {
                            session: Arc::clone(&session.session),
                            outlet,
                            caller: Arc::clone(caller),
                        };
                        if let Flow::Later(pending) = self.engine.serve(&parsed, &link, &mut frame) {
                            self.spawn(&session, &events, pending)?;
                            later.push(events);
                        }
                    }
                },
            }
            if !frame.is_empty() {
                frames.push(frame);
            }
        }
        for events in later {
            if let First::Answer(answer) = poll_fn(|cx| events.poll_first(cx)).await
                && !answer.is_empty()
            {
                frames.push(answer);
            }
        }
        if frames.is_empty() {
            return Ok(responses::accepted());
        }
        let mut out = Vec::new();
        json::array(&mut out, &frames, |out, frame| out.extend_from_slice(frame));
        Ok(responses::json(StatusCode::OK, out))
    }
}

fn fail(id: IdRef<'_>, fail: &Fail) -> Response<Body> {
    let mut out = Vec::new();
    render::fail(&mut out, id, fail, false);
    responses::json(StatusCode::OK, out)
}

/// A stream whose writer is gone is over.
struct EndOnDrop(Arc<Events>);

impl Drop for EndOnDrop {
    fn drop(&mut self) {
        if !self.0.is_ended() {
            self.0.end(Vec::new());
        }
    }
}
