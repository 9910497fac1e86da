//! Compressed metadata, inflated within a budget: a small file must not become all of the memory. Texts of PNG count too.

use std::io::Read;

/// What all compressed metadata and texts of one picture may become. Real packets of this size exist, but not compressed.
const MOST_BYTES: u64 = 16 << 20;

/// What it costs to begin, however little comes of it: a decoder has tables to make.
const BEGINNING: u64 = 1 << 10;

/// What is left to inflate of one picture.
#[derive(Debug)]
pub(crate) struct Budget {
    left: u64,
    is_exceeded: bool,
}

impl Default for Budget {
    fn default() -> Budget {
        Budget { left: MOST_BYTES, is_exceeded: false }
    }
}

impl Budget {
    /// Everything that a decoder gives; nothing where that is damaged or too much.
    pub(crate) fn inflate<D: Read>(&mut self, decoder: impl FnOnce() -> D) -> Option<Vec<u8>> {
        self.is_exceeded |= BEGINNING > self.left;
        self.left = self.left.saturating_sub(BEGINNING);
        if self.is_exceeded { None } else { self.read(decoder()) }
    }

    /// The same of a text that is not compressed.
    pub(crate) fn read(&mut self, text: impl Read) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        let read = text.take(self.left + 1).read_to_end(&mut bytes);
        let length = bytes.len() as u64;
        self.is_exceeded |= length > self.left;
        self.left = self.left.saturating_sub(length);
        read.ok().map(|_| bytes).filter(|_| !self.is_exceeded)
    }

    /// Whether there was more than was allowed.
    pub(crate) fn is_exceeded(&self) -> bool {
        self.is_exceeded
    }
}
