//! One stream of server-sent events: written by a request under way, read by whoever holds the response.

use std::collections::VecDeque;
use std::io::Write as _;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use crate::cx::Outlet;
use crate::id::Id;

/// How much may wait for a reader that does not keep up, before notifications are dropped.
const MAX_WAITING: usize = 1_000_000;

/// How much of what was read is kept for a client that comes back.
const MAX_KEPT: usize = 256_000;

/// How long a client should wait before it comes back, in milliseconds.
const RETRY_MS: u32 = 500;

/// What all streams of an endpoint keep for clients that come back, together.
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
    /// A stream of a session, which can be resumed by its number.
    Resumable { number: u64, priming: bool },
    /// The client takes no events: everything but the answer is dropped.
    Deaf,
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
    /// The answer came; nothing follows.
    ended: bool,
    /// The reader is to go, and to come back later.
    released: bool,
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
    /// Something else: it takes a stream.
    Stream,
}

impl Events {
    pub(super) fn new(purpose: Purpose, budget: Budget) -> Arc<Events> {
        Arc::new(Events { purpose, budget, state: Mutex::default() })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
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

    fn push(&self, message: Vec<u8>, droppable: bool) -> bool {
        let mut state = self.state();
        if state.ended || (droppable && state.bytes > MAX_WAITING) {
            return false;
        }
        state.next += 1;
        state.bytes += message.len();
        self.budget.used.fetch_add(message.len(), Ordering::Relaxed);
        let number = state.next;
        state.events.push_back(Event { number, message });
        wake(state);
        true
    }

    /// Sends the answer, unless it is empty, and ends the stream.
    pub(super) fn end(&self, answer: Vec<u8>) {
        if !answer.is_empty() {
            self.push(answer, false);
        }
        let mut state = self.state();
        state.ended = true;
        wake(state);
    }

    /// Whether something is to be sent before the answer.
    pub(super) fn is_quiet(&self) -> bool {
        self.state().events.is_empty()
    }

    pub(super) fn poll_first(&self, cx: &mut Context<'_>) -> Poll<First> {
        let mut state = self.state();
        if state.ended && (state.events.len() <= 1 || matches!(self.purpose, Purpose::Deaf)) {
            let answer = state.events.pop_back().map(|event| event.message).unwrap_or_default();
            state.bytes = state.bytes.saturating_sub(answer.len());
            self.budget.used.fetch_sub(answer.len(), Ordering::Relaxed);
            return Poll::Ready(First::Answer(answer));
        }
        if (!state.events.is_empty() || state.released) && !matches!(self.purpose, Purpose::Deaf) {
            return Poll::Ready(First::Stream);
        }
        state.waker = Some(cx.waker().clone());
        Poll::Pending
    }

    /// Everything after `cursor`, as event-stream text; `None` at the end.
    pub(super) fn poll_read(&self, cursor: &mut Cursor, cx: &mut Context<'_>) -> Poll<Option<Vec<u8>>> {
        let mut state = self.state();
        let mut out = Vec::new();
        if let Purpose::Resumable { number, priming: true } = self.purpose
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

/// How far a reader is.
#[derive(Default)]
pub(super) struct Cursor {
    pub(super) seen: u64,
    primed: bool,
    leaving: bool,
}

impl Cursor {
    /// A reader that comes back after event `seen`.
    pub(super) fn after(seen: u64) -> Cursor {
        Cursor { seen, primed: true, leaving: false }
    }
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
        if !matches!(self.purpose, Purpose::Deaf) {
            self.push(message, true);
        }
    }

    fn insist(&self, message: Vec<u8>) -> bool {
        !matches!(self.purpose, Purpose::Deaf) && self.push(message, false)
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
        Events::new(Purpose::Resumable { number: 4, priming: false }, Budget::new(1_000_000))
    }

    #[test]
    fn a_stream_is_resumed_after_the_last_event_seen() {
        let events = resumable();
        events.notify(b"1".to_vec());
        let mut first = Cursor::default();
        assert_eq!(read(&events, &mut first).as_deref(), Some("id: 4/1\ndata: 1\n\n"));
        assert_eq!(read(&events, &mut first), None);
        events.notify(b"2".to_vec());
        events.end(b"3".to_vec());
        let mut again = Cursor::after(1);
        assert_eq!(read(&events, &mut again).as_deref(), Some("id: 4/2\ndata: 2\n\nid: 4/3\ndata: 3\n\n"));
        assert_eq!(read(&events, &mut again).as_deref(), Some("end"));
    }

    #[test]
    fn an_answer_alone_needs_no_stream() {
        let events = Events::new(Purpose::Request, Budget::new(0));
        events.end(b"answer".to_vec());
        let first = events.poll_first(&mut Context::from_waker(Waker::noop()));
        assert!(matches!(first, Poll::Ready(First::Answer(answer)) if answer == b"answer"));
    }

    #[test]
    fn a_reader_that_does_not_keep_up_misses_notifications_but_not_the_answer() {
        let events = Events::new(Purpose::Request, Budget::new(0));
        for _ in 0..100 {
            events.notify(vec![b'x'; 100_000]);
        }
        events.end(b"answer".to_vec());
        let text = read(&events, &mut Cursor::default()).expect("events");
        assert!(text.len() < 1_300_000, "{}", text.len());
        assert!(text.ends_with("data: answer\n\n"));
    }

    #[test]
    fn a_spent_budget_keeps_nothing_that_was_read() {
        let events = Events::new(Purpose::Resumable { number: 1, priming: false }, Budget::new(0));
        events.notify(b"1".to_vec());
        read(&events, &mut Cursor::default());
        assert_eq!(read(&events, &mut Cursor::default()), None);
    }

    #[test]
    fn a_released_reader_is_told_when_to_come_back() {
        let events = Events::new(Purpose::Resumable { number: 2, priming: true }, Budget::new(1_000));
        events.release();
        let mut cursor = Cursor::default();
        assert_eq!(read(&events, &mut cursor).as_deref(), Some("id: 2/0\ndata:\n\nretry: 500\n\n"));
        assert_eq!(read(&events, &mut cursor).as_deref(), Some("end"));
        events.end(b"late".to_vec());
        assert_eq!(read(&events, &mut Cursor::after(0)).as_deref(), Some("id: 2/1\ndata: late\n\n"));
    }
}
