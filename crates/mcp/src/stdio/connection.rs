//! One client on a pair of pipes: lines in, answers out, and an orderly end.

use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use crate::code;
use crate::cx::{Caller, Outlet};
use crate::engine::{Engine, Flow, Link};
use crate::fail::Fail;
use crate::id::IdRef;
use crate::inflight::{Hold, Inflight};
use crate::render::{self, Unreadable};
use crate::request::Request;
use crate::run;
use crate::service::Service;
use crate::session::{RESPONSE_TIME, Session};
use crate::wire::{self, Batch, Line, Malformed, Message, Params};
use crate::workers::Workers;

use super::Limits;
use super::out::Out;
use super::subscriptions::Subscriptions;

/// Answers of one read are held back up to this size, to go out together.
pub(crate) const FLUSH_AT: usize = 64 * 1024;

/// A buffer that grew beyond this for one answer is given back: pictures fit, and films do not stay.
const KEEP: usize = 2 * 1024 * 1024;

/// How long handing over what is finished may take in the end; it is a matter of microseconds, unless the
/// client does not read.
const PARTING: Duration = Duration::from_secs(1);

pub(crate) struct Connection {
    engine: Engine,
    link: Link,
    out: Arc<Out>,
    subscriptions: Subscriptions,
    limits: Limits,
    finished: AtomicBool,
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
        let caller = Caller { principal: "stdio".into(), ..Caller::default() };
        let out = Out::new(writer, closed);
        Connection::of(Engine::new(service, Workers::own(), None), out, limits, caller)
    }

    /// A connection of this caller, whose requests run on these workers.
    pub(crate) fn on(
        service: Arc<dyn Service>,
        writer: Box<dyn Write + Send>,
        limits: Limits,
        caller: Caller,
        workers: Workers,
    ) -> Connection {
        let out = Out::new(writer, Box::new(|| {}));
        Connection::of(Engine::new(service, workers, None), out, limits, caller)
    }

    fn of(engine: Engine, out: Out, limits: Limits, caller: Caller) -> Connection {
        let out = Arc::new(out);
        let outlet: Arc<dyn Outlet> = Arc::clone(&out) as Arc<dyn Outlet>;
        let session = Arc::new(Session::new(Inflight::new(limits.in_flight), RESPONSE_TIME));
        Connection {
            engine,
            link: Link { session, outlet, caller: Arc::new(caller) },
            subscriptions: Subscriptions::new(Arc::clone(&out)),
            out,
            limits,
            finished: AtomicBool::new(false),
        }
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    pub(super) fn is_closed(&self) -> bool {
        self.out.is_closed()
    }

    /// Keeps [`finish`](Connection::finish) waiting until dropped.
    pub(super) fn busy(&self) -> Hold {
        self.inflight().hold()
    }

    fn inflight(&self) -> &Arc<Inflight> {
        &self.link.session.inflight
    }

    /// Sends what was answered at once.
    pub(crate) fn send(&self, replies: &mut Vec<u8>) {
        self.out.send(replies);
        if replies.capacity() > KEEP {
            *replies = Vec::new();
        }
    }

    /// Serves one line. What is answered at once is appended to `replies`. A panic, wherever it comes from, costs the
    /// message it befell and nothing else.
    pub(crate) fn line(&self, line: &[u8], replies: &mut Vec<u8>) {
        let start = replies.len();
        if catch_unwind(AssertUnwindSafe(|| self.serve_line(line, &mut *replies))).is_err() {
            replies.truncate(start);
            if let Some(id) = wire::find_id(line) {
                refuse(replies, (&id).into(), &run::panicked());
            }
        }
    }

    fn serve_line(&self, line: &[u8], replies: &mut Vec<u8>) {
        match wire::parse(line) {
            Ok(Line::Blank) => {}
            Ok(Line::One(Message::Request(request))) => self.request(request, replies),
            Ok(Line::One(Message::Notification { method, params })) => self.notification(&method, &params),
            Ok(Line::One(Message::Response { id, result })) => self.link.session.responded(id, result),
            Ok(Line::Batch(batch)) => self.batch(batch, replies),
            Err(bad) => malformed(replies, &bad),
        }
    }

    pub(crate) fn oversize(&self, head: &[u8], replies: &mut Vec<u8>) {
        malformed(replies, &Malformed::oversize(head, self.limits.line));
    }

    fn request(&self, mut request: Request<'_>, replies: &mut Vec<u8>) {
        let start = replies.len();
        match self.engine.serve(&mut request, &self.link, replies) {
            Flow::Done(_) => {
                debug_assert!(replies.len() > start, "a request was left without an answer");
                replies.push(b'\n');
            }
            Flow::Later(pending) => {
                let out = Arc::clone(&self.out);
                let started =
                    self.inflight().start(&self.engine.workers, pending, move |frame| out.send_frame(frame));
                if let Err((id, fail)) = started {
                    refuse(replies, (&id).into(), &fail);
                }
            }
            Flow::Listen(filter) => {
                self.subscriptions.open(&self.engine, self.inflight(), request.id.to_owned(), filter);
            }
        }
    }

    fn notification(&self, method: &str, params: &Params<'_>) {
        match method {
            "notifications/cancelled" => self.inflight().cancel(params),
            "notifications/initialized" if self.link.session.is_introduced() => {
                self.subscriptions.tell_session(&self.engine, &self.link.session);
            }
            _ => {}
        }
    }

    fn batch(&self, batch: Batch<'_>, replies: &mut Vec<u8>) {
        if !self.link.session.version().has_batches() {
            return malformed(replies, &Batch::not_spoken());
        }
        let answer = self.engine.batch(batch, &self.link, Unreadable::Null, None, |method, params| {
            self.notification(method, params);
        });
        if !answer.is_under_way() {
            if let Some(array) = answer.at_once() {
                line(replies, |out| out.extend_from_slice(&array));
            }
            return;
        }
        let out = Arc::clone(&self.out);
        // The end of input waits for it, as for any request.
        let gathering = self.inflight().hold();
        let gather = async move {
            if let Some(array) = answer.finish().await {
                out.send_frame(array);
            }
            drop(gathering);
        };
        // The threads are there: something of the batch runs on them.
        drop(self.engine.workers.spawn(gather));
    }

    /// Stops what is under way; nothing more is answered.
    pub(crate) fn stop(&self) {
        self.inflight().stop_all();
    }

    /// Finishes what is under way, within the time allowed, and answers for what is not done by then. The last answers are
    /// written by a thread of their own: a client that does not read may keep that one for ever, but not us.
    pub(crate) fn finish(self: &Arc<Self>) {
        if self.finished.swap(true, Ordering::AcqRel) {
            return;
        }
        let (done, is_done) = mpsc::channel::<()>();
        let parting = Arc::clone(self);
        let started = std::thread::Builder::new().name("mcp-parting".into()).spawn(move || {
            parting.part();
            drop(done);
        });
        // Without a thread nothing can be written safely; whoever waits learns of the end by our closing.
        if started.is_ok() {
            let flushing = self.limits.drain.max(PARTING);
            let _ = is_done.recv_timeout(self.limits.drain + PARTING + flushing);
        }
    }

    fn part(&self) {
        self.link.session.hang_up();
        self.subscriptions.close(&self.engine, self.inflight());
        for (id, entry) in self.inflight().drain(self.limits.drain) {
            entry.stop();
            let mut frame = Vec::new();
            let fail = Fail::rpc(code::INTERNAL_ERROR, "The server stopped before this was done");
            render::fail(&mut frame, (&id).into(), &fail, false);
            self.out.send_frame(frame);
        }
        // What was stopped in a batch leaves the rest of the batch to be sent.
        self.inflight().settle(PARTING);
        self.out.flush(self.limits.drain.max(PARTING));
    }
}

/// Appends one line.
fn line(replies: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
    write(replies);
    replies.push(b'\n');
}

fn malformed(replies: &mut Vec<u8>, bad: &Malformed) {
    line(replies, |out| render::malformed(out, bad, Unreadable::Null));
}

fn refuse(replies: &mut Vec<u8>, id: IdRef<'_>, fail: &Fail) {
    line(replies, |out| render::fail(out, id, fail, false));
}
