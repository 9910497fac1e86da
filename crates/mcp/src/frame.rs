//! A message on its way out. Long texts that somebody else keeps too are not copied into it: they become JSON while it is
//! written, a piece at a time.

use std::cell::RefCell;
use std::convert::Infallible;
use std::sync::Arc;

use crate::wipe::wipe;

/// Shorter texts are written with what is around them.
const LONG: usize = 256 * 1024;

/// How much of a text becomes JSON at a time.
const PIECE: usize = 512 * 1024;

/// A whole message, or several.
#[derive(Debug, Default)]
pub(crate) struct Frame {
    bytes: Vec<u8>,
    left_out: Vec<LeftOut>,
}

/// A text, and the place in the bytes where it belongs.
#[derive(Debug)]
struct LeftOut {
    at: usize,
    text: Arc<String>,
}

/// Texts that were left out of a message being written.
#[derive(Debug, Default)]
pub(crate) struct Omissions(RefCell<Vec<LeftOut>>);

impl Omissions {
    /// Leaves out the text that `out` goes on with, if that is worth it.
    pub(crate) fn take(&self, out: &[u8], text: &Arc<String>) -> bool {
        let is_long = text.len() >= LONG;
        if is_long {
            self.0.borrow_mut().push(LeftOut { at: out.len(), text: Arc::clone(text) });
        }
        is_long
    }
}

impl From<Vec<u8>> for Frame {
    fn from(bytes: Vec<u8>) -> Frame {
        Frame { bytes, left_out: Vec::new() }
    }
}

impl Frame {
    /// What `write` writes, without what it leaves out.
    pub(crate) fn written(write: impl FnOnce(&mut Vec<u8>, &Omissions)) -> Frame {
        let (mut bytes, omissions) = (Vec::new(), Omissions::default());
        write(&mut bytes, &omissions);
        Frame { bytes, left_out: omissions.0.into_inner() }
    }

    /// About how long it is.
    pub(crate) fn len(&self) -> usize {
        self.bytes.len() + self.left_out.iter().map(|left_out| left_out.text.len()).sum::<usize>()
    }

    /// Appends bytes.
    pub(crate) fn extend(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Its bytes, if nothing was left out of them.
    pub(crate) fn plain(&self) -> Option<&[u8]> {
        self.left_out.is_empty().then_some(&self.bytes)
    }

    /// All of it in one piece.
    pub(crate) fn into_bytes(mut self) -> Vec<u8> {
        if self.left_out.is_empty() {
            return std::mem::take(&mut self.bytes);
        }
        let mut whole = Vec::with_capacity(self.len() + self.len() / 4);
        let Ok(()) = self.write(|bytes| {
            whole.extend_from_slice(bytes);
            Ok::<_, Infallible>(())
        });
        whole
    }

    /// Writes all of it, with what was left out.
    pub(crate) fn write<E>(&self, mut write: impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
        let (mut from, mut piece) = (0, Vec::new());
        for LeftOut { at, text } in &self.left_out {
            write(&self.bytes[from..*at])?;
            piece.push(b'"');
            for part in text.as_bytes().chunks(PIECE) {
                json_string::escape(&mut piece, part);
                write(&piece)?;
                piece.clear();
            }
            write(b"\"")?;
            from = *at;
        }
        write(&self.bytes[from..])
    }

    /// Overwrites the bytes.
    pub(crate) fn scrub(&mut self) {
        wipe(&mut self.bytes);
    }
}

impl Drop for Frame {
    fn drop(&mut self) {
        // It may have been a secret.
        self.scrub();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{Frame, LONG, Omissions, PIECE};
    use crate::json;

    /// A message with these texts in it, and the same with none left out.
    fn frame(texts: &[&Arc<String>]) -> (Frame, Vec<u8>) {
        let write = |out: &mut Vec<u8>, omissions: Option<&Omissions>| {
            out.push(b'[');
            for text in texts {
                if !omissions.is_some_and(|omissions| omissions.take(out, text)) {
                    json::string(out, text);
                }
                out.push(b',');
            }
            out.extend_from_slice(b"0]");
        };
        let mut whole = Vec::new();
        write(&mut whole, None);
        (Frame::written(|out, omissions| write(out, Some(omissions))), whole)
    }

    #[test]
    fn what_was_left_out_is_written_in_its_place() {
        let short = Arc::new("\"short\"\n".to_owned());
        let long = Arc::new("a \"long\" one, é\n".repeat(LONG / 8));
        let edge = Arc::new("\"".repeat(3 * PIECE));
        for texts in
            [&[][..], &[&short], &[&long], &[&short, &long, &short], &[&edge, &long], &[&long, &edge, &short]]
        {
            let (frame, whole) = frame(texts);
            assert!(frame.len() <= whole.len());
            assert!(frame.into_bytes() == whole, "{} texts", texts.len());
        }
    }

    #[test]
    fn a_long_text_is_not_copied() {
        let long = Arc::new("x".repeat(LONG));
        let (frame, _) = frame(&[&long]);
        assert_eq!((Arc::strong_count(&long), frame.bytes.as_slice()), (2, &b"[,0]"[..]));
    }
}
