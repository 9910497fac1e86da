//! Lines from a stream, never longer than allowed. A long line is handed out in the buffer it was read into, and whatever
//! was read is overwritten once it is not needed.

use std::io;

use tokio::io::{AsyncRead, AsyncReadExt};

use crate::wipe::{Wiped, wipe};

/// How much is read at once.
const CHUNK: usize = 64 * 1024;

/// Shorter lines are copied out of the buffer.
const LONG: usize = 64 * 1024;

/// How much of a line that is too long is kept: enough to find its id.
const HEAD: usize = 4 * 1024;

pub(crate) struct Lines<R> {
    reader: R,
    buffer: Vec<u8>,
    /// Where the next line starts.
    start: usize,
    /// How far the unfinished line was searched for its end.
    searched: usize,
    limit: usize,
    /// How long the last long line was: the next one gets as much room at once, rather than by copies as it grows.
    usual: usize,
    /// The head of a line that is too long, while the rest of it is skipped.
    skipping: Option<Vec<u8>>,
    ended: bool,
}

/// What there is in the buffer.
pub(crate) enum Next {
    /// A line, without its newline.
    Line(Wiped),
    /// The head of a line over the limit; the rest of it was skipped.
    Oversize(Vec<u8>),
    /// No whole line: [`Lines::fill`] reads more.
    WouldRead,
    /// The stream ended and everything was handed out.
    End,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    pub(crate) fn new(reader: R, limit: usize) -> Lines<R> {
        Lines {
            reader,
            buffer: Vec::new(),
            start: 0,
            searched: 0,
            limit,
            usual: 0,
            skipping: None,
            ended: false,
        }
    }

    pub(crate) fn next(&mut self) -> Next {
        let unsearched = self.buffer.get(self.searched..).unwrap_or_default();
        if let Some(at) = memchr::memchr(b'\n', unsearched) {
            let end = self.searched + at;
            let next = self.hand_out(end);
            self.searched = self.start;
            return next;
        }
        self.searched = self.buffer.len();
        if !self.ended {
            return Next::WouldRead;
        }
        if self.start == self.buffer.len() && self.skipping.is_none() {
            return Next::End;
        }
        // What stands after the last newline.
        let end = self.buffer.len();
        let next = self.hand_out(end);
        self.searched = self.start;
        next
    }

    /// Hands out the line that ends at `end`, where its newline is, if it has one.
    fn hand_out(&mut self, end: usize) -> Next {
        let (start, after) = (self.start, (end + 1).min(self.buffer.len()));
        self.start = after;
        if let Some(head) = self.skipping.take() {
            return Next::Oversize(head);
        }
        let line = self.buffer.get(start..end).unwrap_or_default();
        if line.len() > self.limit {
            return Next::Oversize(line.get(..HEAD.min(line.len())).unwrap_or_default().to_vec());
        }
        if line.len() < LONG {
            return Next::Line(Wiped::from(line.to_vec()));
        }
        self.usual = line.len();
        let rest = self.buffer.get(after..).unwrap_or_default().to_vec();
        let buffer = std::mem::replace(&mut self.buffer, rest);
        self.start = 0;
        Next::Line(Wiped::new(buffer, start..end))
    }

    /// Whether the stream has ended; something may be left to be handed out.
    pub(crate) fn has_ended(&self) -> bool {
        self.ended
    }

    /// Reads once; waits until there is something.
    pub(crate) async fn fill(&mut self) -> io::Result<()> {
        self.make_room();
        self.ended = self.reader.read_buf(&mut self.buffer).await? == 0;
        Ok(())
    }

    /// Makes room for one more chunk: drops what was handed out, and what is over the limit.
    fn make_room(&mut self) {
        if self.skipping.is_some() {
            self.start = self.buffer.len();
        }
        if self.start > 0 {
            let left = self.buffer.len() - self.start;
            self.buffer.copy_within(self.start.., 0);
            wipe(self.buffer.get_mut(left..).unwrap_or_default());
            self.buffer.truncate(left);
            self.searched -= self.start;
            self.start = 0;
        }
        if self.buffer.len() > self.limit {
            let head = HEAD.min(self.buffer.len());
            self.skipping = Some(self.buffer.get(..head).unwrap_or_default().to_vec());
            self.replace(Vec::new());
            self.searched = 0;
        }
        if self.buffer.capacity() - self.buffer.len() < CHUNK / 2 {
            // By half, not twofold: a long line should not cost twice its length.
            let more = (self.buffer.len() / 2).max(CHUNK);
            // What is not used of it is never touched.
            let usual = if self.buffer.len() < LONG / 2 { 0 } else { self.usual + CHUNK };
            let mut larger = Vec::with_capacity(usual.max(self.buffer.len() + more));
            larger.extend_from_slice(&self.buffer);
            self.replace(larger);
        }
    }

    fn replace(&mut self, buffer: Vec<u8>) {
        wipe(&mut self.buffer);
        self.buffer = buffer;
    }
}

impl<R> Drop for Lines<R> {
    fn drop(&mut self) {
        wipe(&mut self.buffer);
    }
}

#[cfg(test)]
mod tests {
    use super::{Lines, Next};

    /// Every line of `input`, of which `step` bytes are read at a time.
    fn all(input: &[u8], step: usize, limit: usize) -> Vec<String> {
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        runtime.block_on(async {
            let (mut to, from) = tokio::io::duplex(step);
            let input = input.to_vec();
            let writing = tokio::spawn(async move {
                tokio::io::AsyncWriteExt::write_all(&mut to, &input).await.expect("written");
            });
            let mut lines = Lines::new(from, limit);
            let mut seen = Vec::new();
            loop {
                match lines.next() {
                    Next::Line(line) => seen.push(String::from_utf8_lossy(line.bytes()).into_owned()),
                    Next::Oversize(head) => seen.push(format!("oversize {}", head.len())),
                    Next::WouldRead => lines.fill().await.expect("read"),
                    Next::End => break,
                }
            }
            writing.await.expect("written");
            seen
        })
    }

    #[test]
    fn lines_come_whole_however_they_trickle_in() {
        for step in [1, 3, 1_000] {
            assert_eq!(all(b"one\n\ntwo\nthree", step, 100), ["one", "", "two", "three"], "step {step}");
        }
    }

    #[test]
    fn long_lines_are_handed_out_and_what_follows_is_kept() {
        let long = "x".repeat(200_000);
        for step in [1_000, 65_536, 1_000_000] {
            let input = format!("a\n{long}\nb\n{long}\n");
            assert_eq!(all(input.as_bytes(), step, 200_000), ["a", &long, "b", &long], "step {step}");
        }
    }

    #[test]
    fn a_line_over_the_limit_is_skipped_and_the_next_one_read() {
        for step in [1_000, 65_536, 1_000_000] {
            let input = [vec![b'x'; 500_000], b"\nnext\n".to_vec(), vec![b'y'; 200_001]].concat();
            assert_eq!(all(&input, step, 200_000), ["oversize 4096", "next", "oversize 4096"], "step {step}");
        }
    }
}
