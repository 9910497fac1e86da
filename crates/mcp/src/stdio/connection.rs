//! One client on a pair of pipes.

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::task::JoinHandle;

use crate::changes::{Change, Listening};
use crate::code;
use crate::cx::{Caller, Outlet};
use crate::engine::{Engine, Filter, Flow, Link, Parsed, Pending};
use crate::fail::Fail;
use crate::frame::Frame;
use crate::id::{Id, IdRef};
use crate::inflight::{Entry, Hold, Inflight};
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

/// How long handing over what is finished may take in the end; it is a matter of microseconds, unless the
/// client does not read.
const PARTING: Duration = Duration::from_secs(1);

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
#[allow(clippy::large_enum_variant)] // taken apart at once, never kept
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

    /// Keeps [`finish`](Connection::finish) waiting until dropped.
    pub(super) fn busy(&self) -> Hold {
        self.inflight.hold()
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
                self.link.session.answered(id, answer);
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
            "notifications/initialized" if self.link.session.is_introduced() => self.start_news(),
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
        self.inflight.insert(id, Entry::Subscription(listening));
    }

    /// Starts what is not answered at once. `deliver` gets the response, unless somebody else answered.
    fn start<T: Send + 'static>(
        &self,
        pending: Pending,
        deliver: impl FnOnce(Frame) -> T + Send + 'static,
    ) -> Result<JoinHandle<Option<T>>, (Id, Fail)> {
        let (id, cancel) = (pending.id().clone(), pending.cancel());
        let (inflight, own_id) = (Arc::clone(&self.inflight), id.clone());
        let work = async move {
            let answered = pending.finish().await;
            let _held = inflight.take_to_answer((&own_id).into())?;
            Some(deliver(answered.frame))
        };
        let started = self.inflight.start(id.clone(), || {
            let task = self.workers().spawn(work)?;
            Ok((Entry::Call { cancel, task: task.abort_handle() }, task))
        });
        started.map_err(|error: std::io::Error| {
            (id, Fail::rpc(code::INTERNAL_ERROR, format!("Cannot start a thread: {error}")))
        })
    }

    fn spawn(&self, pending: Pending, replies: &mut Vec<u8>) {
        let out = Arc::clone(&self.out);
        if let Err((id, fail)) = self.start(pending, move |frame| out.send_frame(frame)) {
            refuse(replies, (&id).into(), &fail);
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
        let mut calls = Vec::new();
        for message in messages {
            let mut lines = Vec::new();
            if let Part::Later(pending) = self.element(message, &mut lines) {
                // Started at once: its id is in use for the rest of the batch.
                match self.start(pending, Frame::into_bytes) {
                    Ok(call) => calls.push(call),
                    Err((id, fail)) => drop(refuse(&mut lines, (&id).into(), &fail)),
                }
            }
            // One answer is one line.
            if lines.pop().is_some() {
                frames.push(lines);
            }
        }
        match self.workers().handle() {
            Ok(workers) if !calls.is_empty() => drop(workers.spawn(self.gather(frames, calls))),
            _ if !frames.is_empty() => answer(replies, |out| out.extend_from_slice(&joined(&frames))),
            _ => {}
        }
    }

    fn element(&self, message: Result<Message<'_>, Malformed>, lines: &mut Vec<u8>) -> Part {
        match message {
            Err(bad) => {
                answer(lines, |out| render::malformed(out, &bad, Unreadable::Null));
                Part::Written
            }
            Ok(Message::Request(call)) if call.method == "initialize" => {
                let text = "Invalid request: `initialize` cannot be part of a batch";
                refuse(lines, call.id, &Fail::rpc(code::INVALID_REQUEST, text))
            }
            Ok(message) => self.message(message, lines),
        }
    }

    /// The answers of a batch go out together, when the last one is there.
    fn gather(
        &self,
        mut frames: Vec<Vec<u8>>,
        calls: Vec<JoinHandle<Option<Vec<u8>>>>,
    ) -> impl Future<Output = ()> + use<> {
        let out = Arc::clone(&self.out);
        // The end of input waits for it, as for any request.
        let gathering = self.inflight.hold();
        async move {
            for call in calls {
                frames.extend(call.await.ok().flatten());
            }
            if !frames.is_empty() {
                out.send_frame(joined(&frames));
            }
            drop(gathering);
        }
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
        // What was stopped in a batch leaves the rest of the batch to be sent.
        self.inflight.settle(PARTING);
        self.out.flush(self.limits.drain.max(PARTING));
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
