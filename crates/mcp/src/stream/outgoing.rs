//! What waits to be written to a stream. Handing something in never blocks: a peer that leaves too much unread is refused
//! more. What was written is overwritten.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::sync::{Mutex, MutexGuard};
use std::task::{Context, Poll, Waker, ready};

use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::Notify;

use crate::lock::unpoisoned;
use crate::wipe::Wiped;

/// Messages smaller than this are joined, so that a burst is one write.
const JOIN: usize = 64 * 1024;

type Writer = Box<dyn AsyncWrite + Send + Unpin>;

pub(crate) struct Outgoing {
    state: Mutex<State>,
    /// Rung when something was written, or nothing can be any more.
    room: Notify,
    /// Rung when nothing can be written any more.
    ended: Notify,
    /// How much may wait.
    most: usize,
}

struct State {
    /// What is being written.
    current: Wiped,
    waiting: VecDeque<Wiped>,
    /// How much of both is not written yet.
    bytes: usize,
    stage: Stage,
    /// Gone when nothing more is written.
    writer: Option<Writer>,
    /// Wakes the task that writes.
    task: Option<Waker>,
}

#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum Stage {
    #[default]
    Open,
    /// What waits is written, and nothing more is taken.
    Finishing,
    Closed,
}

/// Why something cannot be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rejected {
    /// The peer does not read what was sent before.
    Full,
    Closed,
}

impl Outgoing {
    pub(crate) fn new(writer: Writer, most: usize) -> Outgoing {
        let state = State {
            current: Wiped::default(),
            waiting: VecDeque::new(),
            bytes: 0,
            stage: Stage::Open,
            writer: Some(writer),
            task: None,
        };
        Outgoing { state: Mutex::new(state), room: Notify::new(), ended: Notify::new(), most }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        unpoisoned(self.state.lock())
    }

    /// Hands in whole lines, newlines included. They are written with what else is handed in soon.
    pub(crate) fn push(&self, lines: Vec<u8>) -> Result<(), Rejected> {
        let mut state = self.state();
        state.check(self.most)?;
        state.push(Wiped::from(lines));
        Ok(())
    }

    /// Writes whole lines here and now as far as the stream takes them: that saves waking the task that writes.
    pub(crate) fn send(&self, lines: &[u8]) -> Result<(), Rejected> {
        let mut state = self.state();
        state.check(self.most)?;
        let mut rest = lines;
        // Nobody is woken for room: the task that writes waits for it with what is left.
        let mut cx = Context::from_waker(Waker::noop());
        while !rest.is_empty()
            && state.bytes == 0
            && let Some(writer) = &mut state.writer
        {
            match Pin::new(writer).poll_write(&mut cx, rest) {
                Poll::Ready(Ok(written @ 1..)) => rest = rest.get(written..).unwrap_or_default(),
                // The peer is gone, and has nothing of it.
                Poll::Ready(Err(_)) if rest.len() == lines.len() => return Err(Rejected::Closed),
                // With a part of it gone out, the task that writes comes across the error.
                Poll::Ready(_) | Poll::Pending => break,
            }
        }
        if !rest.is_empty() {
            state.push(Wiped::from(rest.to_vec()));
        }
        Ok(())
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.state().stage == Stage::Closed
    }

    /// Resolves when nothing can be written any more.
    pub(crate) async fn closed(&self) {
        self.until(&self.ended, |state| state.stage == Stage::Closed).await;
    }

    /// Resolves when less than `bytes` wait, or nothing can be written any more.
    pub(crate) async fn room_for(&self, bytes: usize) {
        self.until(&self.room, |state| state.bytes < bytes || state.stage == Stage::Closed).await;
    }

    async fn until(&self, bell: &Notify, done: impl Fn(&State) -> bool) {
        loop {
            let rung = bell.notified();
            let mut rung = std::pin::pin!(rung);
            // Before the look: what happens after it is heard.
            rung.as_mut().enable();
            if done(&self.state()) {
                return;
            }
            rung.await;
        }
    }

    /// Takes no more, and lets the writer end when everything is written.
    pub(crate) fn finish(&self) {
        let mut state = self.state();
        if state.stage == Stage::Open {
            state.stage = Stage::Finishing;
        }
        state.wake();
    }

    /// Takes no more, and drops what waits.
    pub(crate) fn close(&self) {
        let mut state = self.state();
        state.stage = Stage::Closed;
        state.current = Wiped::default();
        state.waiting.clear();
        state.bytes = 0;
        let writer = state.writer.take();
        state.wake();
        drop(state);
        drop(writer);
        self.room.notify_waiters();
        self.ended.notify_waiters();
    }

    /// Writes until told to end, or until the peer is gone.
    pub(crate) async fn write_all(&self) -> io::Result<()> {
        let written = poll_fn(|cx| self.poll_write(cx)).await;
        let writer = self.state().writer.take();
        if let Some(mut writer) = writer {
            let _ = writer.shutdown().await;
        }
        self.close();
        written
    }

    fn poll_write(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut state = self.state();
        let before = state.bytes;
        let polled = state.poll_write(cx);
        if polled.is_pending() {
            state.task = Some(cx.waker().clone());
        }
        let has_room = state.bytes < before;
        drop(state);
        if has_room {
            self.room.notify_waiters();
        }
        polled
    }
}

impl State {
    fn check(&self, most: usize) -> Result<(), Rejected> {
        if self.stage != Stage::Open {
            return Err(Rejected::Closed);
        }
        if self.bytes > most { Err(Rejected::Full) } else { Ok(()) }
    }

    fn push(&mut self, lines: Wiped) {
        let was_idle = self.bytes == 0;
        self.bytes += lines.bytes().len();
        self.waiting.push_back(lines);
        // Otherwise it waits for room in the stream.
        if was_idle {
            self.wake();
        }
    }

    fn wake(&mut self) {
        if let Some(task) = self.task.take() {
            task.wake();
        }
    }

    fn poll_write(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        loop {
            if self.current.bytes().is_empty() {
                self.current = self.next();
            }
            let Some(writer) = &mut self.writer else { return Poll::Ready(Ok(())) };
            let writer = Pin::new(writer);
            if self.bytes == 0 {
                return if self.stage == Stage::Open { Poll::Pending } else { writer.poll_flush(cx) };
            }
            match ready!(writer.poll_write(cx, self.current.bytes()))? {
                0 => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                written => {
                    self.bytes -= written;
                    self.current.advance(written);
                }
            }
        }
    }

    /// What is to be written next: one message, or several short ones.
    fn next(&mut self) -> Wiped {
        let Some(first) = self.waiting.pop_front() else { return Wiped::default() };
        let mut length = first.bytes().len();
        let fit = self.waiting.iter().take_while(|next| {
            length += next.bytes().len();
            length <= JOIN
        });
        let fit = fit.count();
        if fit == 0 {
            return first;
        }
        let mut joined = Vec::with_capacity(JOIN);
        joined.extend_from_slice(first.bytes());
        for next in self.waiting.drain(..fit) {
            joined.extend_from_slice(next.bytes());
        }
        Wiped::from(joined)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tokio::io::AsyncReadExt;

    use super::{Outgoing, Rejected};

    #[test]
    fn what_the_stream_does_not_take_at_once_follows_in_its_order() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        runtime.block_on(async {
            let (to, mut from) = tokio::io::duplex(10);
            let outgoing = Arc::new(Outgoing::new(Box::new(to), 1_000_000));
            let queue = Arc::clone(&outgoing);
            let writing = tokio::spawn(async move { queue.write_all().await });
            let lines: Vec<String> = (0..100).map(|count| format!("line {count}\n")).collect();
            for (count, line) in lines.iter().enumerate() {
                let handed_in = if count % 3 == 0 {
                    outgoing.push(line.clone().into_bytes())
                } else {
                    outgoing.send(line.as_bytes())
                };
                handed_in.expect("taken");
            }
            outgoing.finish();
            assert_eq!(outgoing.send(b"more\n"), Err(Rejected::Closed));
            let mut read = String::new();
            from.read_to_string(&mut read).await.expect("read");
            writing.await.expect("ended").expect("written");
            assert_eq!(read, lines.concat());
        });
    }

    #[test]
    fn what_a_peer_that_is_gone_has_nothing_of_was_not_sent() {
        let (to, from) = tokio::io::duplex(10);
        let outgoing = Outgoing::new(Box::new(to), 100);
        drop(from);
        assert_eq!(outgoing.send(b"more\n"), Err(Rejected::Closed));
    }

    #[test]
    fn a_peer_that_reads_nothing_is_refused_more_and_one_that_is_gone_ends_it() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        runtime.block_on(async {
            let (to, from) = tokio::io::duplex(10);
            let outgoing = Arc::new(Outgoing::new(Box::new(to), 100));
            let queue = Arc::clone(&outgoing);
            let writing = tokio::spawn(async move { queue.write_all().await });
            outgoing.send(&[b'x'; 200]).expect("taken");
            assert_eq!(outgoing.send(b"more"), Err(Rejected::Full));
            assert_eq!(outgoing.push(b"more".to_vec()), Err(Rejected::Full));
            drop(from);
            assert!(writing.await.expect("ended").is_err());
            outgoing.closed().await;
            assert_eq!(outgoing.send(b"more"), Err(Rejected::Closed));
        });
    }
}
