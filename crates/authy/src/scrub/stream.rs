//! A stream with the secrets taken out.

use std::sync::Arc;

use zeroize::Zeroize as _;

use super::patterns::Patterns;

/// Takes bytes in any pieces and gives them back without the secrets. Everything that belongs to a value, or to several
/// that overlap, is replaced by `[secret:NAME]`.
pub struct Scrubber {
    patterns: Arc<Patterns>,
    /// What has come and is not decided yet.
    held: Vec<u8>,
    /// How many of the bytes held belong to a value that began before them.
    covered: usize,
    /// Whose values the place being replaced belongs to.
    open: Vec<usize>,
}

impl Scrubber {
    /// A stream in which these are replaced.
    pub fn new(patterns: Arc<Patterns>) -> Scrubber {
        Scrubber { patterns, held: Vec::new(), covered: 0, open: Vec::new() }
    }

    /// Takes bytes, and appends to `out` what can be said for certain.
    pub fn push(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        // Growing a vector leaves a copy behind; this way the old one is wiped.
        let mut joined = Vec::with_capacity(self.held.len() + bytes.len());
        joined.extend_from_slice(&self.held);
        joined.extend_from_slice(bytes);
        self.held.zeroize();
        let decided = joined.len().saturating_sub(self.patterns.reach().saturating_sub(1));
        self.decide(&joined, decided, out);
        self.held = joined[decided..].to_vec();
        joined.zeroize();
    }

    /// The rest, when nothing more comes.
    pub fn finish(mut self, out: &mut Vec<u8>) {
        let mut held = std::mem::take(&mut self.held);
        self.decide(&held, held.len(), out);
        self.close(out);
        held.zeroize();
    }

    /// All at once.
    pub fn scrub(patterns: &Arc<Patterns>, bytes: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(bytes.len());
        let mut scrubber = Scrubber::new(Arc::clone(patterns));
        scrubber.push(bytes, &mut out);
        scrubber.finish(&mut out);
        out
    }

    /// Decides about the first `count` bytes. Values are looked for inside values too: where two overlap, replacing the
    /// first alone would show the end of the second.
    fn decide(&mut self, bytes: &[u8], count: usize, out: &mut Vec<u8>) {
        for at in 0..count {
            if let Some(found) = self.patterns.longest_at(&bytes[at..]) {
                self.covered = self.covered.max(found.length);
                if !self.open.contains(&found.name) {
                    self.open.push(found.name);
                }
            }
            if self.covered > 0 {
                self.covered -= 1;
            } else {
                self.close(out);
                out.push(bytes[at]);
            }
        }
    }

    fn close(&mut self, out: &mut Vec<u8>) {
        for name in self.open.drain(..) {
            out.extend_from_slice(b"[secret:");
            out.extend_from_slice(self.patterns.name(name).as_bytes());
            out.push(b']');
        }
    }
}

/// What is kept of an output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Captured {
    /// This, without secrets.
    Shown {
        /// The bytes.
        bytes: Vec<u8>,
        /// Whether there was more.
        cut: bool,
    },
    /// Nothing: a value in reach is too short to be found in it, or the output did not end.
    Withheld,
}

/// Keeps the beginning of a stream, without the secrets in it.
pub(crate) struct Capture {
    scrubber: Scrubber,
    bytes: Vec<u8>,
    most: usize,
}

impl Capture {
    /// Keeps at most so many bytes.
    pub(crate) fn new(patterns: Arc<Patterns>, most: usize) -> Capture {
        Capture { scrubber: Scrubber::new(patterns), bytes: Vec::new(), most }
    }

    /// Whether anything more can be kept.
    pub(crate) fn is_full(&self) -> bool {
        self.bytes.len() > self.most
    }

    pub(crate) fn push(&mut self, bytes: &[u8]) {
        if !self.is_full() {
            self.scrubber.push(bytes, &mut self.bytes);
        }
    }

    pub(crate) fn finish(mut self) -> Captured {
        if !self.is_full() {
            self.scrubber.finish(&mut self.bytes);
        }
        let cut = self.bytes.len() > self.most;
        self.bytes.truncate(self.most);
        Captured::Shown { bytes: self.bytes, cut }
    }
}

impl Drop for Scrubber {
    fn drop(&mut self) {
        self.held.zeroize();
    }
}
