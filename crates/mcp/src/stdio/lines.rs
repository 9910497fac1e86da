//! Lines from a reader, found with SIMD in one buffer, never longer than allowed.

use std::io::{self, Read};

/// How much is read at once.
const CHUNK: usize = 64 * 1024;

/// A buffer that grew beyond this for one long line is given back after it.
const KEEP: usize = 256 * 1024;

/// How much of a line that is too long is kept: enough to find its id.
const HEAD: usize = 64 * 1024;

pub(super) struct Lines<R> {
    reader: R,
    /// Always initialised to its end, so that reading does not have to clear it first.
    buffer: Vec<u8>,
    /// Where the next line starts.
    start: usize,
    /// How far the unfinished line was searched for its end.
    searched: usize,
    /// Where what was read ends.
    end: usize,
    limit: usize,
    /// The head of a line that is too long, while the rest of it is skipped.
    skipping: Option<Vec<u8>>,
    ended: bool,
}

/// What there is in the buffer.
pub(super) enum Next<'a> {
    /// A line, without its newline.
    Line(&'a [u8]),
    /// The head of a line over the limit; the rest of it was skipped.
    Oversize(Vec<u8>),
    /// No whole line: [`Lines::fill`] reads more.
    WouldRead,
    /// The reader ended and everything was handed out.
    End,
}

impl<R: Read> Lines<R> {
    pub(super) fn new(reader: R, limit: usize) -> Lines<R> {
        let buffer = vec![0; CHUNK];
        Lines { reader, buffer, start: 0, searched: 0, end: 0, limit, skipping: None, ended: false }
    }

    pub(super) fn next(&mut self) -> Next<'_> {
        let unsearched = self.buffer.get(self.searched..self.end).unwrap_or_default();
        if let Some(at) = memchr::memchr(b'\n', unsearched) {
            let (from, to) = (self.start, self.searched + at);
            self.start = to + 1;
            self.searched = to + 1;
            return self.hand_out(from, to);
        }
        self.searched = self.end;
        if !self.ended {
            return Next::WouldRead;
        }
        // What stands after the last newline; once.
        let from = std::mem::replace(&mut self.start, self.end);
        if from == self.end && self.skipping.is_none() { Next::End } else { self.hand_out(from, self.end) }
    }

    fn hand_out(&mut self, from: usize, to: usize) -> Next<'_> {
        match self.skipping.take() {
            Some(head) => Next::Oversize(head),
            // The buffer is larger than the longest line.
            None if to - from > self.limit => {
                Next::Oversize(self.buffer.get(from..to.min(from + HEAD)).unwrap_or_default().to_vec())
            }
            None => Next::Line(self.buffer.get(from..to).unwrap_or_default()),
        }
    }

    /// Reads once; blocks until there is something.
    pub(super) fn fill(&mut self) -> io::Result<()> {
        self.make_room();
        let read = loop {
            match self.reader.read(self.buffer.get_mut(self.end..).unwrap_or_default()) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                other => break other?,
            }
        };
        self.end += read;
        self.ended = read == 0;
        Ok(())
    }

    /// Makes room for one more chunk: drops what was handed out, and what is over the limit.
    fn make_room(&mut self) {
        if self.skipping.is_some() {
            self.start = self.end;
        }
        if self.start == self.end {
            // It may have been a secret; the buffer lives as long as the process.
            self.buffer.get_mut(..self.end).unwrap_or_default().fill(0);
            (self.start, self.searched, self.end) = (0, 0, 0);
            if self.buffer.len() > KEEP {
                self.buffer = vec![0; CHUNK];
            }
        }
        if self.buffer.len() - self.end >= CHUNK / 2 {
            return;
        }
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.searched -= self.start;
            self.start = 0;
        }
        if self.end > self.limit {
            self.skipping = Some(self.buffer.get(..HEAD.min(self.end)).unwrap_or_default().to_vec());
            (self.start, self.searched, self.end) = (0, 0, 0);
            self.buffer = vec![0; CHUNK];
        } else if self.buffer.len() - self.end < CHUNK / 2 {
            // By half, not twofold: a long line should not cost twice its length.
            let more = (self.buffer.len() / 2).max(CHUNK);
            self.buffer.reserve_exact(more);
            self.buffer.resize(self.buffer.len() + more, 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::{Lines, Next};

    /// Hands out at most `step` bytes at a time.
    struct Dribble<'a>(&'a [u8], usize);

    impl Read for Dribble<'_> {
        fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
            let count = self.0.len().min(self.1).min(into.len());
            let (now, later) = self.0.split_at(count);
            into[..count].copy_from_slice(now);
            self.0 = later;
            Ok(count)
        }
    }

    fn all(input: &[u8], step: usize, limit: usize) -> Vec<String> {
        let mut lines = Lines::new(Dribble(input, step), limit);
        let mut found = Vec::new();
        loop {
            match lines.next() {
                Next::Line(line) => found.push(String::from_utf8_lossy(line).into_owned()),
                Next::Oversize(head) => found.push(format!("oversize {}", head.len())),
                Next::WouldRead => lines.fill().expect("read"),
                Next::End => return found,
            }
        }
    }

    #[test]
    fn lines_are_the_same_however_they_arrive() {
        for step in [1, 2, 7, 100_000] {
            assert_eq!(all(b"one\n\ntwo\nthree", step, 1000), ["one", "", "two", "three"], "step {step}");
        }
    }

    #[test]
    fn a_line_over_the_limit_is_skipped_and_the_next_one_read() {
        let mut input = vec![b'x'; 500_000];
        input.extend_from_slice(b"\nnext\n");
        for step in [4_096, 65_536, 1_000_000] {
            assert_eq!(all(&input, step, 200_000), ["oversize 65536", "next"], "step {step}");
        }
    }

    #[test]
    fn a_line_of_exactly_the_limit_is_read() {
        let line = |length: usize| [vec![b'x'; length], b"\nnext\n".to_vec()].concat();
        for step in [4_096, 65_536, 1_000_000] {
            assert_eq!(all(&line(200_000), step, 200_000), ["x".repeat(200_000).as_str(), "next"]);
            assert_eq!(all(&line(200_001), step, 200_000), ["oversize 65536", "next"], "step {step}");
        }
    }

    #[test]
    fn a_last_line_over_the_limit_is_reported_too() {
        assert_eq!(all(&vec![b'x'; 500_000], 65_536, 200_000), ["oversize 65536"]);
    }
}
