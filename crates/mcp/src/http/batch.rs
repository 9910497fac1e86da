//! Batches, which were part of 2025-03-26 alone.

use std::future::poll_fn;
use std::sync::Arc;

use http::{Response, StatusCode};

use crate::code;
use crate::cx::{Caller, Outlet};
use crate::engine::{Flow, Link, Parsed};
use crate::fail::Fail;
use crate::json;
use crate::render::{self, Unreadable};
use crate::wire::{Call, Malformed, Message};

use super::body::Body;
use super::events::{Events, First, Purpose};
use super::headers::Asked;
use super::legacy::under_way;
use super::responses::Refused;
use super::sessions::HttpSession;
use super::{Shared, bad_request, responses};

/// What one request of a batch has come to.
enum Answer {
    Written(Vec<u8>),
    Later(Arc<Events>),
}

impl Shared {
    /// Serves every message, and answers when the last one is done. Nothing can be said in between: a
    /// batch is answered with one array.
    pub(super) async fn batch(
        &self,
        asked: &Asked<'_>,
        messages: Vec<Result<Message<'_>, Malformed>>,
        caller: &Arc<Caller>,
    ) -> Result<Response<Body>, Refused> {
        let session = if asked.session.is_some() { Some(self.session_of(asked, caller)?) } else { None };
        let Some(session) = session.filter(|session| session.session.version().has_batches()) else {
            return Err(bad_request("Invalid request: batches are only spoken in 2025-03-26"));
        };
        let mut answers = Vec::new();
        for message in messages {
            match message {
                Err(bad) => {
                    let mut frame = Vec::new();
                    render::malformed(&mut frame, &bad, Unreadable::Absent);
                    answers.push(Answer::Written(frame));
                }
                Ok(Message::Notification { method, params }) => {
                    self.notification(asked, &method, &params, caller)?;
                }
                Ok(Message::Response { id, answer }) => session.session.answered(id, answer),
                Ok(Message::Request(call)) => answers.push(self.batched(&session, call, caller)?),
            }
        }
        let mut frames = Vec::new();
        for answer in answers {
            match answer {
                Answer::Written(frame) => frames.push(frame),
                Answer::Later(events) => match poll_fn(|cx| events.poll_first(cx)).await {
                    First::Answer(frame) => frames.push(frame),
                    // Cancelled; nothing but the answer is ever sent here.
                    First::Nothing | First::Stream => {}
                },
            }
        }
        if frames.is_empty() {
            return Ok(responses::accepted());
        }
        let mut out = Vec::new();
        json::array(&mut out, &frames, |out, frame| out.extend_from_slice(frame));
        Ok(responses::json(StatusCode::OK, out))
    }

    fn batched(
        &self,
        session: &Arc<HttpSession>,
        call: Call<'_>,
        caller: &Arc<Caller>,
    ) -> Result<Answer, Refused> {
        let mut frame = Vec::new();
        let parsed = match Parsed::read(call) {
            Ok(parsed) => parsed,
            Err((id, refusal)) => {
                render::fail(&mut frame, id, &refusal.fail, false);
                return Ok(Answer::Written(frame));
            }
        };
        if let Err(fail) = may_be_batched(&parsed, session) {
            render::fail(&mut frame, parsed.id, &fail, false);
            return Ok(Answer::Written(frame));
        }
        let events = Events::new(Purpose::Deaf, self.sessions.budget());
        let outlet = Arc::clone(&events) as Arc<dyn Outlet>;
        let link = Link { session: Arc::clone(&session.session), outlet, caller: Arc::clone(caller) };
        match self.engine.serve(&parsed, &link, &mut frame) {
            Flow::Later(pending) => {
                self.spawn(session, &events, pending)?;
                Ok(Answer::Later(events))
            }
            // There are no subscriptions before 2026-07-28.
            Flow::Done(_) | Flow::Listen(_) => Ok(Answer::Written(frame)),
        }
    }
}

fn may_be_batched(parsed: &Parsed<'_>, session: &HttpSession) -> Result<(), Fail> {
    let refuse = |text: &str| Err(Fail::rpc(code::INVALID_REQUEST, format!("Invalid request: {text}")));
    if parsed.method == "initialize" {
        return refuse("`initialize` cannot be part of a batch");
    }
    if parsed.modern {
        return refuse("a request of 2026-07-28 cannot be part of a batch");
    }
    if session.inflight.contains(parsed.id) { Err(under_way(parsed.id)) } else { Ok(()) }
}
