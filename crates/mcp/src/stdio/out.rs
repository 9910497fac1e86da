//! The outgoing side: whoever has something to say writes it, unless somebody is writing already; then
//! it is left for them.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use crate::bell::Bell;
use crate::cx::Outlet;
use crate::frame::Frame;
use crate::lock::unpoisoned;

/// Frames smaller than this are joined, so that a burst of answers is one write.
const JOIN: usize = 64 * 1024;

/// How much may wait for a client that does not read, before those who answer it wait as well.
const MAX_WAITING: usize = 64 * 1024 * 1024;

/// How much may wait before notifications, which nobody depends on, are dropped.
const MAX_WAITING_FOR_NOTIFICATIONS: usize = 4 * 1024 * 1024;

pub(super) struct Out {
    state: Mutex<State>,
    room: Bell,
    is_closed: AtomicBool,
    closed: Box<dyn Fn() + Send + Sync>,
}

struct State {
    /// Absent while somebody writes.
    writer: Option<Box<dyn Write + Send>>,
    waiting: VecDeque<Frame>,
    waiting_bytes: usize,
}

impl Out {
    /// `closed` is called once, when the client turns out to be gone.
    pub(super) fn new(writer: Box<dyn Write + Send>, closed: Box<dyn Fn() + Send + Sync>) -> Out {
        let state = State { writer: Some(writer), waiting: VecDeque::new(), waiting_bytes: 0 };
        Out { state: Mutex::new(state), room: Bell::default(), is_closed: AtomicBool::new(false), closed }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        unpoisoned(self.state.lock())
    }

    pub(super) fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::Acquire)
    }

    /// Sends whole lines and empties `lines`, keeping its memory for the next ones.
    pub(super) fn send(&self, lines: &mut Vec<u8>) {
        if !lines.is_empty() {
            *lines = self.deliver(std::mem::take(lines).into()).into_bytes();
            lines.clear();
        }
    }

    /// Sends one message, to which the newline is added.
    pub(super) fn send_frame(&self, frame: impl Into<Frame>) {
        let mut frame = frame.into();
        frame.extend(b"\n");
        self.deliver(frame);
    }

    /// Writes it or leaves it to who is writing; gives back the memory it was in.
    fn deliver(&self, mut frame: Frame) -> Frame {
        let mut state = self.wait_for_room();
        match state.writer.take() {
            None if self.is_closed() => {}
            None => state.push(std::mem::take(&mut frame)),
            Some(mut writer) => {
                drop(state);
                let written = write(&mut writer, &frame);
                // It may have been a secret, and the memory may be used for what comes next, and kept in between.
                frame.scrub();
                self.write_waiting(writer, written);
            }
        }
        frame
    }

    fn wait_for_room(&self) -> MutexGuard<'_, State> {
        let state = self.state();
        if state.waiting_bytes <= MAX_WAITING {
            return state;
        }
        self.room.wait_while(state, None, |state| state.waiting_bytes > MAX_WAITING && !self.is_closed())
    }

    /// Writes until nothing is left, then puts the writer back.
    fn write_waiting(&self, mut writer: Box<dyn Write + Send>, mut written: io::Result<()>) {
        loop {
            let mut state = self.state();
            if written.is_err() {
                state.waiting.clear();
                state.waiting_bytes = 0;
                let news = !self.is_closed.swap(true, Ordering::AcqRel);
                state.writer = Some(writer);
                drop(state);
                self.room.ring();
                if news {
                    (self.closed)();
                }
                return;
            }
            let Some(next) = state.waiting.pop_front() else {
                state.writer = Some(writer);
                self.room.ring();
                return;
            };
            state.waiting_bytes -= next.len();
            drop(state);
            self.room.ring();
            written = write(&mut writer, &next);
        }
    }

    /// Waits until everything handed in was written, or the client is gone, or does not read for so long.
    pub(super) fn flush(&self, patience: Duration) {
        let unwritten =
            |state: &mut State| (state.writer.is_none() || !state.waiting.is_empty()) && !self.is_closed();
        drop(self.room.wait_while(self.state(), Some(patience), unwritten));
    }
}

impl State {
    fn push(&mut self, frame: Frame) {
        self.waiting_bytes += frame.len();
        match (self.waiting.back_mut(), frame.plain()) {
            (Some(last), Some(bytes)) if last.len() + bytes.len() <= JOIN => last.extend(bytes),
            _ => self.waiting.push_back(frame),
        }
    }
}

/// A client begins to read when a write is done: a long message goes out in pieces, so that both work.
const PIECES: usize = 8;

/// Shorter pieces would wake the client more often than that is worth.
const SHORTEST_PIECE: usize = 128 * 1024;

fn write(writer: &mut Box<dyn Write + Send>, frame: &Frame) -> io::Result<()> {
    let piece = (frame.len() / PIECES).max(SHORTEST_PIECE);
    frame.write(|bytes| bytes.chunks(piece).try_for_each(|piece| writer.write_all(piece)))?;
    writer.flush()
}

impl Outlet for Out {
    fn notify(&self, message: Vec<u8>) {
        if self.state().waiting_bytes <= MAX_WAITING_FOR_NOTIFICATIONS {
            self.send_frame(message);
        }
    }

    fn insist(&self, message: Vec<u8>) -> bool {
        self.send_frame(message);
        !self.is_closed()
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::sync::mpsc::{Receiver, Sender, channel};
    use std::sync::{Arc, Mutex};

    use crate::cx::Outlet;

    use super::{MAX_WAITING_FOR_NOTIFICATIONS, Out, unpoisoned};

    /// Tells when it is about to write, and writes when told to.
    struct Slow {
        about_to: Sender<()>,
        go_on: Receiver<()>,
        written: Arc<Mutex<Vec<u8>>>,
    }

    impl Write for Slow {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            let _ = self.about_to.send(());
            let _ = self.go_on.recv();
            unpoisoned(self.written.lock()).extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_client_that_does_not_keep_up_misses_notifications_but_no_answers_and_no_questions() {
        let (about_to, begun) = channel();
        let (go_on, gate) = channel();
        let written = Arc::default();
        let slow = Slow { about_to, go_on: gate, written: Arc::clone(&written) };
        let out = Arc::new(Out::new(Box::new(slow), Box::new(|| {})));
        let first = Arc::clone(&out);
        let writing = std::thread::spawn(move || first.send_frame(b"first".to_vec()));
        begun.recv().expect("the first one is being written");
        out.send_frame(vec![b'x'; MAX_WAITING_FOR_NOTIFICATIONS + 1]);
        out.notify(b"news".to_vec());
        out.insist(b"question".to_vec());
        out.send_frame(b"answer".to_vec());
        drop(go_on);
        writing.join().expect("written");
        let written = String::from_utf8(written.lock().expect("written").clone()).expect("text");
        let short: Vec<&str> = written.lines().filter(|line| !line.starts_with('x')).collect();
        assert_eq!(short, ["first", "question", "answer"]);
    }
}
