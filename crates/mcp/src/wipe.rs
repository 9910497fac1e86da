//! Overwriting memory that held what a client was told: it may have been a secret or a picture of the screen.

use std::fmt;
use std::hint::black_box;
use std::ops::Range;

/// Overwrites the bytes, also where they are freed next.
pub(crate) fn wipe(bytes: &mut [u8]) {
    bytes.fill(0);
    // Whatever might look at the bytes here keeps the compiler from leaving the writes out.
    black_box(bytes);
}

/// A part of a buffer that is overwritten when it is dropped.
#[derive(Default)]
pub(crate) struct Wiped {
    buffer: Vec<u8>,
    part: Range<usize>,
}

impl Wiped {
    /// `part` must lie within the buffer; otherwise there is nothing in it.
    pub(crate) fn new(buffer: Vec<u8>, part: Range<usize>) -> Wiped {
        Wiped { buffer, part }
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        self.buffer.get(self.part.clone()).unwrap_or_default()
    }

    /// Narrows it to `inner`, which must be a slice of its bytes.
    pub(crate) fn narrowed(mut self, inner: Range<usize>) -> Wiped {
        let start = self.part.start;
        self.part = start + inner.start..start + inner.end;
        self
    }

    /// Narrows it to what comes after its first `bytes` bytes.
    pub(crate) fn advance(&mut self, bytes: usize) {
        self.part.start = self.part.end.min(self.part.start + bytes);
    }

    /// Where a slice of its bytes lies in them.
    pub(crate) fn range_of(&self, slice: &str) -> Range<usize> {
        let start = (slice.as_ptr() as usize).saturating_sub(self.bytes().as_ptr() as usize);
        start..start + slice.len()
    }
}

impl From<Vec<u8>> for Wiped {
    fn from(buffer: Vec<u8>) -> Wiped {
        let part = 0..buffer.len();
        Wiped { buffer, part }
    }
}

impl Drop for Wiped {
    fn drop(&mut self) {
        wipe(&mut self.buffer);
    }
}

impl fmt::Debug for Wiped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.part.len())
    }
}

#[cfg(test)]
mod tests {
    use super::Wiped;

    #[test]
    fn a_part_of_a_part_is_found_again() {
        let line = Wiped::new(b"xx{\"result\":[1,2]}yy".to_vec(), 2..18);
        let text = std::str::from_utf8(line.bytes()).expect("text");
        let at = line.range_of(text.get(10..15).expect("inside"));
        assert_eq!(line.narrowed(at).bytes(), b"[1,2]");
    }
}
