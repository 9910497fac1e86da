//! Picture sequences: their tables of chunks count from the start of the file.

use std::ops::Range;

use super::boxes::{self, Span};
use crate::bytes::u32_be;

/// The boxes on the way to a table of chunks.
const FOLDERS: [&[u8; 4]; 5] = [b"moov", b"trak", b"mdia", b"minf", b"stbl"];

/// More chunks than any sequence of pictures has; each costs memory besides its bytes.
const MOST_CHUNKS: usize = 1 << 18;

/// A place in a table of chunks: where it stands and what it says.
#[derive(Debug)]
pub(super) struct Chunk {
    pub(super) field: Range<usize>,
    pub(super) place: u64,
}

/// All places in the tables of a `moov` box. Nothing where one cannot be read.
pub(super) fn chunks(file: &[u8], moov: &Span) -> Option<Vec<Chunk>> {
    let mut found = Vec::new();
    let mut open = vec![*moov];
    while let Some(span) = open.pop() {
        let width = match &span.kind {
            b"stco" => 4,
            b"co64" => 8,
            kind => {
                if FOLDERS.contains(&kind) {
                    open.extend(boxes::read_all(file, span.content())?);
                }
                continue;
            }
        };
        let count = usize::try_from(u32_be(file, span.body + 4)?).ok()?;
        let table = span.body + 8..span.end;
        if count.checked_mul(width)? > table.len() || found.len() + count > MOST_CHUNKS {
            return None;
        }
        for number in 0..count {
            let field = table.start + number * width..table.start + (number + 1) * width;
            let place = file.get(field.clone())?.iter().fold(0, |place, byte| place << 8 | u64::from(*byte));
            found.push(Chunk { field, place });
        }
    }
    Some(found)
}
