//! One stream of server-sent events: written by a request under way, read by whoever holds the response.

use std::collections::VecDeque;
use std::io::Write as _;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll, Waker};

use crate::code;
use crate::cx::Outlet;
use crate::fail::Fail;
use crate::id::Id;
use crate::lock::unpoisoned;
use crate::render;

/// How much may wait for a reader that does not keep up, before notifications are dropped.
const MAX_WAITING: usize = 1_000_000;

/// What a client is answered whose answer was too much to keep until it came back.
const NOT_KEPT: &str = "The answer was there while nobody was connected, and too large to keep; call again";

/// How much of what was read is kept for a client that resumes.
const MAX_KEPT: usize = 256_000;

/// How long a client should wait before it resumes, in milliseconds.
const RETRY_MS: u32 = 500;

/// What all streams of an endpoint keep for clients that resume, together.
#[derive(Clone, Default)]
pub(super) struct Budget {
    used: Arc<AtomicUsize>,
    limit: usize,
}

impl Budget {
    pub(super) fn new(limit: usize) -> Budget {
        Budget { used: Arc::default(), limit }
    }

    fn is_spent(&self) -> bool {
        self.used.load(Ordering::Relaxed) > self.limit
    }
}

/// What a stream is for.
pub(super) enum Purpose {
    /// One request; whoever hangs up has lost it.
    Request,
    /// One subscription of the modern era, by its request's id.
    Subscription(Id),
    /// A stream of a session, which can be resumed by its number; `request` is answered on it.
    Resumable { number: u64, priming: bool, request: Option<Id> },
    /// The client takes no events: everything but the answer is dropped.
    AnswerOnly,
}

pub(super) struct Events {
    purpose: Purpose,
    budget: Budget,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    events: VecDeque<Event>,
    next: u64,
    bytes: usize,
    /// Nothing follows.
    ended: bool,
    /// The last event is the answer; without one the request was cancelled.
    answered: bool,
    /// The reader is to hang up, and to resume later.
    released: bool,
    /// Who reads. There is one at a time: a client that resumes has given up its old connection, even
    /// where nobody has noticed yet that it is broken.
    reader: Option<u64>,
    readers: u64,
    waker: Option<Waker>,
}

struct Event {
    number: u64,
    message: Vec<u8>,
}

/// What came first.
pub(super) enum First {
    /// Nothing but the answer: no stream is needed for it.
    Answer(Vec<u8>),
    /// Nothing at all, and nothing will.
    Nothing,
    /// Something else: it takes a stream.
    Stream,
}

impl Events {
    pub(super) fn new(purpose: Purpose, budget: Budget) -> Arc<Events> {
        Arc::new(Events { purpose, budget, state: Mutex::default() })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        unpoisoned(self.state.lock())
    }

    pub(super) fn number(&self) -> Option<u64> {
        match self.purpose {
            Purpose::Resumable { number, .. } => Some(number),
            _ => None,
        }
    }

    pub(super) fn subscription(&self) -> Option<&Id> {
        match &self.purpose {
            Purpose::Subscription(id) => Some(id),
            _ => None,
        }
    }

    pub(super) fn is_ended(&self) -> bool {
        self.state().ended
    }

    /// Whether somebody is connected to it.
    pub(super) fn is_read(&self) -> bool {
        self.state().reader.is_some()
    }

    fn push(&self, message: Vec<u8>, urgency: Urgency) -> bool {
        let mut state = self.state();
        if state.ended || (urgency == Urgency::Droppable && !self.has_room(&state)) {
            return false;
        }
        self.append(&mut state, message);
        wake(state);
        true
    }

    fn append(&self, state: &mut State, message: Vec<u8>) {
        state.next += 1;
        state.bytes += message.len();
        self.budget.used.fetch_add(message.len(), Ordering::Relaxed);
        let number = state.next;
        state.events.push_back(Event { number, message });
    }

    /// What nobody reads may wait for a client that resumes, but all such streams share one budget.
    fn has_room(&self, state: &State) -> bool {
        let waits_unread = matches!(self.purpose, Purpose::Resumable { .. }) && state.reader.is_none();
        state.bytes <= MAX_WAITING && !(waits_unread && self.budget.is_spent())
    }

    /// Sends the answer, if there is one, and ends the stream.
    pub(super) fn end(&self, answer: Option<Vec<u8>>) {
        let mut state = self.state();
        if state.ended {
            return;
        }
        if let Some(answer) = answer {
            self.append(&mut state, answer);
            state.answered = true;
        }
        state.ended = true;
        self.shed(&mut state);
        wake(state);
    }

    /// Holds what nobody reads to its budget: the answer becomes an error that is short, and notifications go.
    fn shed(&self, state: &mut State) {
        let Purpose::Resumable { request, .. } = &self.purpose else { return };
        let is_too_much = |state: &State| state.bytes > MAX_WAITING || self.budget.is_spent();
        if state.reader.is_some() || !is_too_much(state) {
            return;
        }
        if state.answered
            && let Some(request) = request
            && let Some(answer) = state.events.back_mut()
            && answer.message.len() > 1_000
        {
            let mut short = Vec::new();
            let fail = Fail::rpc(code::INTERNAL_ERROR, NOT_KEPT);
            render::fail(&mut short, request.into(), &fail, false);
            let long = std::mem::replace(&mut answer.message, short);
            let saved = long.len() - answer.message.len();
            state.bytes -= saved;
            self.budget.used.fetch_sub(saved, Ordering::Relaxed);
        }
        while is_too_much(state) && state.events.len() > usize::from(state.answered) {
            let Some(event) = state.events.pop_front() else { return };
            state.bytes -= event.message.len();
            self.budget.used.fetch_sub(event.message.len(), Ordering::Relaxed);
        }
    }

    /// A reader from the start.
    pub(super) fn read(&self) -> Cursor {
        Cursor { reader: self.attach(), seen: 0, primed: false, leaving: false }
    }

    /// A reader that resumes after event `seen`.
    pub(super) fn read_after(&self, seen: u64) -> Cursor {
        Cursor { reader: self.attach(), seen, primed: true, leaving: false }
    }

    /// Makes room for a reader; the one before learns that it is over.
    fn attach(&self) -> u64 {
        let mut state = self.state();
        state.readers += 1;
        let reader = state.readers;
        state.reader = Some(reader);
        wake(state);
        reader
    }

    /// A reader is gone.
    pub(super) fn detach(&self, cursor: &Cursor) {
        let mut state = self.state();
        if state.reader == Some(cursor.reader) {
            state.reader = None;
            self.shed(&mut state);
        }
    }

    /// Whether something is to be sent before the answer.
    pub(super) fn is_quiet(&self) -> bool {
        self.state().events.is_empty()
    }

    pub(super) fn poll_first(&self, cx: &mut Context<'_>) -> Poll<First> {
        let mut state = self.state();
        // What came before the answer is known to the client by no other way than the stream.
        if state.ended && state.events.len() == usize::from(state.answered) {
            let Some(Event { message, .. }) = state.events.pop_back() else {
                return Poll::Ready(First::Nothing);
            };
            state.bytes -= message.len();
            self.budget.used.fetch_sub(message.len(), Ordering::Relaxed);
            return Poll::Ready(First::Answer(message));
        }
        if !state.events.is_empty() || state.released {
            return Poll::Ready(First::Stream);
        }
        state.waker = Some(cx.waker().clone());
        Poll::Pending
    }

    /// Everything after `cursor`, as event-stream text; `None` at the end.
    pub(super) fn poll_read(&self, cursor: &mut Cursor, cx: &mut Context<'_>) -> Poll<Option<Vec<u8>>> {
        let mut state = self.state();
        if state.reader != Some(cursor.reader) {
            return Poll::Ready(None);
        }
        let mut out = Vec::new();
        if let Purpose::Resumable { number, priming: true, .. } = self.purpose
            && !std::mem::replace(&mut cursor.primed, true)
        {
            // Gives the client something to resume from before anything happens.
            let _ = write!(out, "id: {number}/{}\ndata:\n\n", cursor.seen);
        }
        for event in &state.events {
            if event.number > cursor.seen {
                self.write(&mut out, event);
                cursor.seen = event.number;
            }
        }
        self.forget(&mut state, cursor.seen);
        if state.ended && state.events.back().is_none_or(|last| last.number <= cursor.seen) {
            return Poll::Ready(if out.is_empty() { None } else { Some(out) });
        }
        if std::mem::take(&mut state.released) {
            let _ = write!(out, "retry: {RETRY_MS}\n\n");
            cursor.leaving = true;
        }
        if !out.is_empty() {
            return Poll::Ready(Some(out));
        }
        if cursor.leaving {
            // From here on what comes is kept for it.
            state.reader = None;
            return Poll::Ready(None);
        }
        state.waker = Some(cx.waker().clone());
        Poll::Pending
    }

    fn write(&self, out: &mut Vec<u8>, event: &Event) {
        if let Purpose::Resumable { number, .. } = self.purpose {
            let _ = writeln!(out, "id: {number}/{}", event.number);
        }
        out.extend_from_slice(b"data: ");
        out.extend_from_slice(&event.message);
        out.extend_from_slice(b"\n\n");
    }

    /// Drops what was read and need not be kept.
    fn forget(&self, state: &mut State, seen: u64) {
        let keep = match self.purpose {
            Purpose::Resumable { .. } if !self.budget.is_spent() => MAX_KEPT,
            _ => 0,
        };
        while state.bytes > keep && state.events.front().is_some_and(|event| event.number <= seen) {
            let Some(event) = state.events.pop_front() else { return };
            state.bytes -= event.message.len();
            self.budget.used.fetch_sub(event.message.len(), Ordering::Relaxed);
        }
    }
}

impl Drop for Events {
    fn drop(&mut self) {
        let bytes = self.state().bytes;
        self.budget.used.fetch_sub(bytes, Ordering::Relaxed);
    }
}

/// What may happen to a message that finds no room.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Urgency {
    Droppable,
    /// Somebody waits for what comes of it.
    Insisted,
}

/// Who reads, and how far it is.
pub(super) struct Cursor {
    reader: u64,
    seen: u64,
    primed: bool,
    leaving: bool,
}

/// Outside the lock, so that the reader does not run into it.
fn wake(mut state: MutexGuard<'_, State>) {
    let waker = state.waker.take();
    drop(state);
    if let Some(waker) = waker {
        waker.wake();
    }
}

impl Outlet for Events {
    fn notify(&self, message: Vec<u8>) {
        if !matches!(self.purpose, Purpose::AnswerOnly) {
            self.push(message, Urgency::Droppable);
        }
    }

    fn insist(&self, message: Vec<u8>) -> bool {
        !matches!(self.purpose, Purpose::AnswerOnly) && self.push(message, Urgency::Insisted)
    }

    fn release(&self) {
        if matches!(self.purpose, Purpose::Resumable { priming: true, .. }) {
            let mut state = self.state();
            state.released = true;
            wake(state);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::task::{Context, Poll, Waker};

    use crate::cx::Outlet as _;

    use super::{Budget, Cursor, Events, First, Purpose};

    fn read(events: &Events, cursor: &mut Cursor) -> Option<String> {
        match events.poll_read(cursor, &mut Context::from_waker(Waker::noop())) {
            Poll::Ready(Some(bytes)) => Some(String::from_utf8(bytes).expect("UTF-8")),
            Poll::Ready(None) => Some("end".into()),
            Poll::Pending => None,
        }
    }

    fn resumable() -> std::sync::Arc<Events> {
        Events::new(Purpose::Resumable { number: 4, priming: false, request: None }, Budget::new(1_000_000))
    }

    #[test]
    fn a_stream_is_resumed_after_the_last_event_seen() {
        let events = resumable();
        events.notify(b"1".to_vec());
        let mut first = events.read();
        assert_eq!(read(&events, &mut first).as_deref(), Some("id: 4/1\ndata: 1\n\n"));
        assert_eq!(read(&events, &mut first), None);
        events.notify(b"2".to_vec());
        events.end(Some(b"3".to_vec()));
        let mut again = events.read_after(1);
        assert_eq!(read(&events, &mut again).as_deref(), Some("id: 4/2\ndata: 2\n\nid: 4/3\ndata: 3\n\n"));
        assert_eq!(read(&events, &mut again).as_deref(), Some("end"));
    }

    #[test]
    fn an_answer_alone_needs_no_stream() {
        let events = Events::new(Purpose::Request, Budget::new(0));
        events.end(Some(b"answer".to_vec()));
        let first = events.poll_first(&mut Context::from_waker(Waker::noop()));
        assert!(matches!(first, Poll::Ready(First::Answer(answer)) if answer == b"answer"));
    }

    #[test]
    fn a_reader_that_does_not_keep_up_misses_notifications_but_not_the_answer() {
        let events = Events::new(Purpose::Request, Budget::new(0));
        for _ in 0..100 {
            events.notify(vec![b'x'; 100_000]);
        }
        events.end(Some(b"answer".to_vec()));
        let text = read(&events, &mut events.read()).expect("events");
        assert!(text.len() < 1_300_000, "{}", text.len());
        assert!(text.ends_with("data: answer\n\n"));
    }

    #[test]
    fn a_spent_budget_keeps_nothing_that_was_read() {
        let events =
            Events::new(Purpose::Resumable { number: 1, priming: false, request: None }, Budget::new(0));
        events.notify(b"1".to_vec());
        read(&events, &mut events.read());
        assert_eq!(read(&events, &mut events.read()), None);
    }

    #[test]
    fn what_nobody_reads_is_kept_only_within_the_budget() {
        let events =
            Events::new(Purpose::Resumable { number: 1, priming: false, request: None }, Budget::new(150));
        for _ in 0..10 {
            events.notify(vec![b'x'; 100]);
        }
        let text = read(&events, &mut events.read()).expect("events");
        assert_eq!(text.matches("data:").count(), 2);
    }

    #[test]
    fn a_reader_that_comes_back_takes_over_from_its_old_connection() {
        let events = resumable();
        events.notify(b"1".to_vec());
        let mut old = events.read();
        read(&events, &mut old);
        let mut new = events.read_after(1);
        events.notify(b"2".to_vec());
        assert_eq!(read(&events, &mut old).as_deref(), Some("end"));
        events.detach(&old);
        assert!(events.is_read());
        assert_eq!(read(&events, &mut new).as_deref(), Some("id: 4/2\ndata: 2\n\n"));
    }

    #[test]
    fn a_notification_is_never_taken_for_the_answer() {
        let events = resumable();
        events.notify(b"1".to_vec());
        events.end(None);
        let first = events.poll_first(&mut Context::from_waker(Waker::noop()));
        assert!(matches!(first, Poll::Ready(First::Stream)));
    }

    #[test]
    fn a_released_reader_is_told_when_to_come_back() {
        let events =
            Events::new(Purpose::Resumable { number: 2, priming: true, request: None }, Budget::new(1_000));
        events.release();
        let mut cursor = events.read();
        assert_eq!(read(&events, &mut cursor).as_deref(), Some("id: 2/0\ndata:\n\nretry: 500\n\n"));
        assert_eq!(read(&events, &mut cursor).as_deref(), Some("end"));
        events.end(Some(b"late".to_vec()));
        assert_eq!(read(&events, &mut events.read_after(0)).as_deref(), Some("id: 2/1\ndata: late\n\n"));
    }
}
