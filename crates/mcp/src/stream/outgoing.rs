//! What waits to be written to a stream. Handing something in never blocks: a peer that leaves too much unread is refused
//! more. What was written is overwritten.

use std::collections::VecDeque;
use std::io;
use std::sync::{Mutex, MutexGuard};

use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::Notify;

use crate::lock::unpoisoned;
use crate::wipe::Wiped;

/// Messages smaller than this are joined, so that a burst is one write.
const JOIN: usize = 64 * 1024;

pub(crate) struct Outgoing {
    state: Mutex<State>,
    /// Rung when there is something to write, or nothing will come any more.
    work: Notify,
    /// Rung when something was written, or nothing can be any more.
    room: Notify,
    /// How much may wait.
    most: usize,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Wiped>,
    bytes: usize,
    stage: Stage,
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
    pub(crate) fn new(most: usize) -> Outgoing {
        Outgoing { state: Mutex::default(), work: Notify::new(), room: Notify::new(), most }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        unpoisoned(self.state.lock())
    }

    /// Hands in whole lines, newlines included.
    pub(crate) fn push(&self, lines: Vec<u8>) -> Result<(), Rejected> {
        let mut state = self.state();
        if state.stage != Stage::Open {
            return Err(Rejected::Closed);
        }
        if state.bytes > self.most {
            return Err(Rejected::Full);
        }
        state.bytes += lines.len();
        state.waiting.push_back(Wiped::from(lines));
        drop(state);
        self.work.notify_one();
        Ok(())
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.state().stage == Stage::Closed
    }

    /// Resolves when nothing can be written any more.
    pub(crate) async fn closed(&self) {
        self.until(|state| state.stage == Stage::Closed).await;
    }

    /// Resolves when less than `bytes` wait, or nothing can be written any more.
    pub(crate) async fn room_for(&self, bytes: usize) {
        self.until(|state| state.bytes < bytes || state.stage == Stage::Closed).await;
    }

    async fn until(&self, done: impl Fn(&State) -> bool) {
        loop {
            let rung = self.room.notified();
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
        drop(state);
        self.work.notify_one();
    }

    /// Takes no more, and drops what waits.
    pub(crate) fn close(&self) {
        let mut state = self.state();
        state.stage = Stage::Closed;
        state.waiting.clear();
        state.bytes = 0;
        drop(state);
        self.work.notify_one();
        self.room.notify_waiters();
    }

    /// Writes until told to end, or until the peer is gone.
    pub(crate) async fn write_to(&self, mut writer: impl AsyncWrite + Unpin) -> io::Result<()> {
        let written = loop {
            let next = self.take();
            let Some(next) = next else {
                if self.state().stage != Stage::Open {
                    break writer.flush().await;
                }
                self.work.notified().await;
                continue;
            };
            if let Err(error) = writer.write_all(next.bytes()).await {
                break Err(error);
            }
            self.written(next.bytes().len());
        };
        let _ = writer.shutdown().await;
        self.close();
        written
    }

    /// What is to be written next: one message, or several short ones.
    fn take(&self) -> Option<Wiped> {
        let mut state = self.state();
        let first = state.waiting.pop_front()?;
        let fits = |state: &State, length: usize| {
            state.waiting.front().is_some_and(|next| length + next.bytes().len() <= JOIN)
        };
        if !fits(&state, first.bytes().len()) {
            return Some(first);
        }
        let mut joined = Vec::with_capacity(JOIN);
        joined.extend_from_slice(first.bytes());
        while fits(&state, joined.len())
            && let Some(next) = state.waiting.pop_front()
        {
            joined.extend_from_slice(next.bytes());
        }
        Some(Wiped::from(joined))
    }

    fn written(&self, bytes: usize) {
        let mut state = self.state();
        state.bytes = state.bytes.saturating_sub(bytes);
        drop(state);
        self.room.notify_waiters();
    }
}
