//! One client on a pair of pipes.

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::changes::{Change, Listening};
use crate::code;
use crate::cx::{Caller, Outlet};
use crate::engine::{Engine, Filter, Flow, Link, Parsed, Pending};
use crate::fail::Fail;
use crate::id::IdRef;
use crate::inflight::{Entry, Inflight};
use crate::notify;
use crate::render::{self, Unreadable};
use crate::service::Service;
use crate::session::Session;
use crate::version::Version;
use crate::wire::{self, Call, Line, Malformed, Message, Params};
use crate::workers::Workers;

use super::Limits;
use super::out::Out;

/// Answers of one read are held back up to this size, to go out together.
pub(super) const FLUSH_AT: usize = 64 * 1024;

/// A buffer that grew beyond this for one answer is given back: pictures fit, and films do not stay.
const KEEP: usize = 2 * 1024 * 1024;

pub(super) struct Connection {
    engine: Engine,
    link: Link,
    out: Arc<Out>,
    inflight: Arc<Inflight>,
    limits: Limits,
    /// Tells a session about changes, from its handshake on.
    news: Mutex<Option<Listening>>,
    finished: AtomicBool,
}

/// What one message of a batch came to.
enum Part {
    Nothing,
    Written,
    Later(Pending),
}

impl Connection {
    pub(super) fn new(
        service: Arc<dyn Service>,
        writer: Box<dyn Write + Send>,
        limits: Limits,
    ) -> Connection {
        Connection::with(service, writer, limits, Box::new(|| {}))
    }

    /// `closed` is called once, when the client turns out not to read any more.
    pub(super) fn with(
        service: Arc<dyn Service>,
        writer: Box<dyn Write + Send>,
        limits: Limits,
        closed: Box<dyn Fn() + Send + Sync>,
    ) -> Connection {
        let out = Arc::new(Out::new(writer, closed));
        let outlet: Arc<dyn Outlet> = Arc::clone(&out) as Arc<dyn Outlet>;
        let caller = Arc::new(Caller { principal: "stdio".into(), ..Caller::default() });
        Connection {
            engine: Engine::new(service, Workers::own(), None),
            link: Link { session: Arc::new(Session::default()), outlet, caller },
            out,
            inflight: Arc::default(),
            limits,
            news: Mutex::new(None),
            finished: AtomicBool::new(false),
        }
    }

    pub(super) fn limits(&self) -> &Limits {
        &self.limits
    }

    pub(super) fn is_closed(&self) -> bool {
        self.out.is_closed()
    }

    pub(super) fn workers(&self) -> &Workers {
        &self.engine.workers
    }

    /// Sends what was answered at once.
    pub(super) fn send(&self, replies: &mut Vec<u8>) {
        self.out.send(replies);
        if replies.capacity() > KEEP {
            *replies = Vec::new();
        }
    }

    /// Serves one line. What is answered at once is appended to `replies`.
    pub(super) fn line(&self, line: &[u8], replies: &mut Vec<u8>) {
        match wire::parse(line) {
            Ok(Line::Blank) => {}
            Ok(Line::One(message)) => {
                if let Part::Later(pending) = self.message(message, replies) {
                    self.spawn(pending, replies);
                }
            }
            Ok(Line::Batch(messages)) => self.batch(messages, replies),
            Err(bad) => answer(replies, |out| render::malformed(out, &bad, Unreadable::Null)),
        }
    }

    pub(super) fn oversize(&self, head: &[u8], replies: &mut Vec<u8>) {
        let bad = Malformed::oversize(head, self.limits.line);
        answer(replies, |out| render::malformed(out, &bad, Unreadable::Null));
    }

    fn message(&self, message: Message<'_>, replies: &mut Vec<u8>) -> Part {
        match message {
            Message::Request(call) => self.request(call, replies),
            Message::Notification { method, params } => {
                self.notification(&method, &params);
                Part::Nothing
            }
            Message::Response { id, answer } => {
                self.link.session.answered(id.as_json(), answer);
                Part::Nothing
            }
        }
    }

    fn request(&self, call: Call<'_>, replies: &mut Vec<u8>) -> Part {
        let id = call.id;
        if self.inflight.contains(id) {
            let text =
                format!("Invalid request: a request with the id {} is under way already", id.as_json());
            return refuse(replies, id, &Fail::rpc(code::INVALID_REQUEST, text));
        }
        if self.inflight.len() >= self.limits.in_flight {
            let text =
                format!("{} requests are under way already; wait for some of them", self.limits.in_flight);
            return refuse(replies, id, &Fail::rpc(code::BUSY, text));
        }
        let parsed = match Parsed::read(call) {
            Ok(parsed) => parsed,
            Err((id, refusal)) => return refuse(replies, id, &refusal.fail),
        };
        let start = replies.len();
        match self.engine.serve(&parsed, &self.link, replies) {
            Flow::Done(_) => {
                debug_assert!(replies.len() > start, "a request was left without an answer");
                replies.push(b'\n');
                Part::Written
            }
            Flow::Later(pending) => Part::Later(pending),
            Flow::Listen(filter) => {
                self.listen(id, filter);
                Part::Nothing
            }
        }
    }

    fn notification(&self, method: &str, params: &Params<'_>) {
        match method {
            "notifications/cancelled" => {
                if let Some(entry) =
                    params.request_id.and_then(IdRef::from_raw).and_then(|id| self.inflight.take(id))
                {
                    entry.stop();
                }
            }
            "notifications/initialized" => self.start_news(),
            _ => {}
        }
    }

    /// From now on the session hears about changes.
    fn start_news(&self) {
        let session = Arc::clone(&self.link.session);
        let out = Arc::clone(&self.out);
        let listening = self.engine.service.changes().listen(move |change| {
            let wanted = match change {
                Change::Resource(uri) => session.watches(uri),
                Change::Tools | Change::Prompts | Change::Resources => true,
            };
            if wanted {
                out.notify(notify::change(change, None));
            }
        });
        *self.news.lock().unwrap_or_else(PoisonError::into_inner) = Some(listening);
    }

    fn listen(&self, id: IdRef<'_>, filter: Filter) {
        let id = id.to_owned();
        // Acknowledged before the first change can be told.
        self.out.send_frame(filter.acknowledgement((&id).into()));
        let (out, subscription) = (Arc::clone(&self.out), id.clone());
        let listening = self.engine.service.changes().listen(move |change| {
            if filter.admits(change) {
                out.notify(notify::change(change, Some((&subscription).into())));
            }
        });
        self.inflight.insert(id, || Entry::Subscription(listening));
    }

    fn spawn(&self, pending: Pending, replies: &mut Vec<u8>) {
        let id = pending.id().clone();
        let cancel = pending.cancel();
        let (out, inflight, own_id) = (Arc::clone(&self.out), Arc::clone(&self.inflight), id.clone());
        let work = async move {
            let answered = pending.finish().await;
            if inflight.take((&own_id).into()).is_some() {
                out.send_frame(answered.frame);
            }
        };
        let started = self.inflight.start(id.clone(), || {
            self.workers().spawn(work).map(|task| Entry::Call { cancel, task: task.abort_handle() })
        });
        if let Err(error) = started {
            refuse(
                replies,
                (&id).into(),
                &Fail::rpc(code::INTERNAL_ERROR, format!("Cannot start a thread: {error}")),
            );
        }
    }

    /// Batches were part of 2025-03-26 alone.
    fn batch(&self, messages: Vec<Result<Message<'_>, Malformed>>, replies: &mut Vec<u8>) {
        if !self.link.session.version().has_batches() {
            let text = format!("Invalid request: batches are only spoken in {}", Version::V2025_03_26);
            let bad = Malformed { id: None, code: code::INVALID_REQUEST, message: text };
            return answer(replies, |out| render::malformed(out, &bad, Unreadable::Null));
        }
        let mut frames = Vec::new();
        let mut later = Vec::new();
        for message in messages {
            let mut frame = Vec::new();
            match message {
                Err(bad) => {
                    render::malformed(&mut frame, &bad, Unreadable::Null);
                    frames.push(frame);
                }
                Ok(Message::Request(call)) if call.method == "initialize" => {
                    let text = "Invalid request: `initialize` cannot be part of a batch";
                    render::fail(&mut frame, call.id, &Fail::rpc(code::INVALID_REQUEST, text), false);
                    frames.push(frame);
                }
                Ok(message) => match self.message(message, &mut frame) {
                    Part::Nothing => {}
                    Part::Written => {
                        frame.pop();
                        frames.push(frame);
                    }
                    Part::Later(pending) => later.push(pending),
                },
            }
        }
        if later.is_empty() {
            if !frames.is_empty() {
                answer(replies, |out| out.extend_from_slice(&joined(&frames)));
            }
        } else {
            self.spawn_batch(frames, later, replies);
        }
    }

    /// The answers of a batch go out together, when the last one is there.
    fn spawn_batch(&self, mut frames: Vec<Vec<u8>>, later: Vec<Pending>, replies: &mut Vec<u8>) {
        let Ok(workers) = self.workers().handle() else {
            let bad =
                Malformed { id: None, code: code::INTERNAL_ERROR, message: "Cannot start a thread".into() };
            return answer(replies, |out| render::malformed(out, &bad, Unreadable::Null));
        };
        let mut calls = Vec::new();
        for pending in later {
            let (id, cancel, inflight) = (pending.id().clone(), pending.cancel(), Arc::clone(&self.inflight));
            let own_id = id.clone();
            self.inflight.insert(id, || {
                let call = workers.spawn(async move {
                    let answered = pending.finish().await;
                    inflight.take((&own_id).into()).map(|_| answered.frame)
                });
                let task = call.abort_handle();
                calls.push(call);
                Entry::Call { cancel, task }
            });
        }
        let out = Arc::clone(&self.out);
        // The end of input waits for it, as for any request.
        let gathering = self.inflight.hold();
        workers.spawn(async move {
            for call in calls {
                frames.extend(call.await.ok().flatten());
            }
            if !frames.is_empty() {
                out.send_frame(joined(&frames));
            }
            drop(gathering);
        });
    }

    /// Finishes what is under way, within the time allowed, and answers for what is not done by then.
    pub(super) fn finish(&self) {
        if self.finished.swap(true, Ordering::AcqRel) {
            return;
        }
        self.news.lock().unwrap_or_else(PoisonError::into_inner).take();
        self.link.session.hang_up();
        for id in self.inflight.take_subscriptions() {
            self.out.send_frame(notify::cancelled((&id).into()));
            let mut frame = Vec::new();
            self.engine.end_subscription(&mut frame, (&id).into());
            self.out.send_frame(frame);
        }
        for (id, entry) in self.inflight.drain(self.limits.drain) {
            entry.stop();
            let mut frame = Vec::new();
            let fail = Fail::rpc(code::INTERNAL_ERROR, "The server stopped before this was done");
            render::fail(&mut frame, (&id).into(), &fail, false);
            self.out.send_frame(frame);
        }
        self.out.flush();
    }
}

/// Appends one line.
fn answer(replies: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
    write(replies);
    replies.push(b'\n');
}

fn refuse(replies: &mut Vec<u8>, id: IdRef<'_>, fail: &Fail) -> Part {
    answer(replies, |out| render::fail(out, id, fail, false));
    Part::Written
}

fn joined(frames: &[Vec<u8>]) -> Vec<u8> {
    let mut all = Vec::new();
    crate::json::array(&mut all, frames, |out, frame| out.extend_from_slice(frame));
    all
}
