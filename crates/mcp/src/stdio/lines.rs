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
    buffer: Vec<u8>,
    /// Where the next line starts.
    start: usize,
    /// How far the unfinished line was searched for its end.
    searched: usize,
    limit: usize,
    /// The head of a line that is too long, while the rest of it is skipped.
    skipping: Option<Vec<u8>>,
    ended: bool,
}

/// What there is in the buffer.
pub(super) enum Next<'a> {
    /// A line, without its newline.
    Line(&'a [u8]),
    /// A line over the limit, of which only the head was kept.
    Oversize(&'a [u8]),
    /// No whole line: [`Lines::fill`] reads more.
    WouldRead,
    /// The reader ended and everything was handed out.
    End,
}

impl<R: Read> Lines<R> {
    pub(super) fn new(reader: R, limit: usize) -> Lines<R> {
        Lines { reader, buffer: Vec::new(), start: 0, searched: 0, limit, skipping: None, ended: false }
    }

    pub(super) fn next(&mut self) -> io::Result<Next<'_>> {
        let unsearched = self.buffer.get(self.searched..).unwrap_or_default();
        if let Some(at) = memchr::memchr(b'\n', unsearched) {
            let (from, to) = (self.start, self.searched + at);
            self.start = to + 1;
            self.searched = to + 1;
            if self.skipping.is_some() {
                return Ok(self.skipped());
            }
            return Ok(Next::Line(self.buffer.get(from..to).unwrap_or_default()));
        }
        self.searched = self.buffer.len();
        if self.ended {
            return Ok(self.last());
        }
        Ok(Next::WouldRead)
    }

    /// The head of a line that was skipped; dropped with the next call.
    fn skipped(&mut self) -> Next<'_> {
        let head = self.skipping.take().unwrap_or_default();
        // Handed out from the buffer's place, so that it lives as long as a line does.
        self.buffer.drain(..self.start);
        self.start = head.len();
        self.searched = head.len();
        self.buffer.splice(..0, head);
        Next::Oversize(self.buffer.get(..self.start).unwrap_or_default())
    }

    /// What stands after the last newline; once.
    fn last(&mut self) -> Next<'_> {
        if self.skipping.is_some() {
            self.start = self.buffer.len();
            return self.skipped();
        }
        let from = std::mem::replace(&mut self.start, self.buffer.len());
        match self.buffer.get(from..) {
            Some(rest) if !rest.is_empty() => Next::Line(rest),
            _ => Next::End,
        }
    }

    /// Reads once; blocks until there is something.
    pub(super) fn fill(&mut self) -> io::Result<()> {
        self.make_room();
        let filled = self.buffer.len();
        self.buffer.resize(filled + CHUNK, 0);
        let read = loop {
            match self.reader.read(self.buffer.get_mut(filled..).unwrap_or_default()) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                other => break other,
            }
        };
        let read = match read {
            Ok(read) => read,
            Err(error) => {
                self.buffer.truncate(filled);
                return Err(error);
            }
        };
        self.buffer.truncate(filled + read);
        self.ended = read == 0;
        Ok(())
    }

    /// Drops what was handed out, and what is over the limit.
    fn make_room(&mut self) {
        self.buffer.drain(..self.start);
        self.searched -= self.start;
        self.start = 0;
        if self.skipping.is_some() {
            self.buffer.clear();
            self.searched = 0;
        } else if self.buffer.len() > self.limit {
            self.buffer.truncate(HEAD);
            self.skipping = Some(std::mem::take(&mut self.buffer));
            self.searched = 0;
        }
        if self.buffer.is_empty() && self.buffer.capacity() > KEEP {
            self.buffer = Vec::new();
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
            match lines.next().expect("read") {
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
    fn a_last_line_over_the_limit_is_reported_too() {
        assert_eq!(all(&vec![b'x'; 500_000], 65_536, 200_000), ["oversize 65536"]);
    }
}
