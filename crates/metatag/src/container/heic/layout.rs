//! A file as a row of old and new parts, and where each old byte is in it.

use std::ops::Range;

use crate::memory;

/// A part of the new file.
#[derive(Debug)]
pub(super) enum Part {
    /// As it was.
    Old(Range<usize>),
    New(Vec<u8>),
}

/// The new file.
#[derive(Debug, Default)]
pub(super) struct Layout {
    parts: Vec<Part>,
    length: usize,
    /// Old ranges and where they begin now, in the order of the old file.
    moves: Vec<(Range<usize>, usize)>,
}

impl Layout {
    /// Adds a part, and says where it begins.
    pub(super) fn push(&mut self, part: Part) -> usize {
        let start = self.length;
        match &part {
            Part::Old(range) => {
                self.moves.push((range.clone(), start));
                self.length += range.len();
            }
            Part::New(bytes) => self.length += bytes.len(),
        }
        self.parts.push(part);
        start
    }

    /// Where an old range begins now; nothing if it is not there in one piece.
    pub(super) fn moved(&self, range: &Range<usize>) -> Option<usize> {
        let at = self.moves.partition_point(|(old, _)| old.end <= range.start);
        // An empty range at the border of two belongs to either.
        let (old, new) = self.moves.get(at).or_else(|| self.moves.last())?;
        (old.start <= range.start && range.end <= old.end).then(|| range.start - old.start + new)
    }

    pub(super) fn build(&self, file: &[u8]) -> Vec<u8> {
        let mut bytes = memory::take(self.length);
        for part in &self.parts {
            match part {
                Part::Old(range) => bytes.extend_from_slice(file.get(range.clone()).unwrap_or_default()),
                Part::New(new) => bytes.extend_from_slice(new),
            }
        }
        bytes
    }
}
