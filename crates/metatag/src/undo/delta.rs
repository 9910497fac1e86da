//! What it takes to make old bytes from new ones. Ranges both have are named, not kept: a picture's data, wherever it
//! moved to, costs a few bytes.

use std::collections::HashMap;

/// Shorter ranges than this are not looked for.
const BLOCK: usize = 64;
/// How many blocks are remembered at most, which bounds time and memory: in large files they stand further apart. A range
/// that lies between two of them is kept rather than found, but what is large there, the picture, has many.
const MOST_BLOCKS: usize = 1 << 12;
/// Multiplies in the rolling hash; any odd number with bits all over does.
const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;

const INSERT: u8 = 0;
const COPY: u8 = 1;

/// Why old bytes cannot be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the record of the change is damaged")]
pub struct Damaged;

/// What makes `old` from `new`.
pub(super) fn make(old: &[u8], new: &[u8]) -> Vec<u8> {
    let prefix = common_prefix(old, new);
    let (old_rest, new_rest) = (&old[prefix..], &new[prefix..]);
    let suffix = common_suffix(old_rest, new_rest);
    let middle = &old_rest[..old_rest.len() - suffix];
    let source = Source { new, from: prefix, to: new.len() - suffix };
    let mut delta = Writer::default();
    delta.copy(0, prefix);
    source.describe(middle, &mut delta);
    delta.copy(new.len() - suffix, suffix);
    delta.finish()
}

/// Makes the old bytes, which were `length`, from the new ones.
pub(super) fn apply(delta: &[u8], new: &[u8], length: usize) -> Result<Vec<u8>, Damaged> {
    // The length may be damaged, too: no more is reserved than there can be.
    let mut old = Vec::with_capacity(length.min(new.len().saturating_add(delta.len())));
    let mut rest = delta;
    while let Some((kind, after)) = rest.split_first() {
        rest = after;
        let piece = match *kind {
            INSERT => {
                let length = number(&mut rest)?;
                let (piece, after) = rest.split_at_checked(length).ok_or(Damaged)?;
                rest = after;
                piece
            }
            COPY => {
                let from = number(&mut rest)?;
                let to = from.checked_add(number(&mut rest)?).ok_or(Damaged)?;
                new.get(from..to).ok_or(Damaged)?
            }
            _ => return Err(Damaged),
        };
        if old.len() + piece.len() > length {
            return Err(Damaged);
        }
        old.extend_from_slice(piece);
    }
    if old.len() == length { Ok(old) } else { Err(Damaged) }
}

/// Compared at once: long ranges are as good as always the same.
const STRIDE: usize = 4096;

fn common_prefix(a: &[u8], b: &[u8]) -> usize {
    let strides = a.chunks_exact(STRIDE).zip(b.chunks_exact(STRIDE)).take_while(|(a, b)| a == b).count();
    let start = strides * STRIDE;
    start + a[start..].iter().zip(&b[start..]).take_while(|(a, b)| a == b).count()
}

fn common_suffix(a: &[u8], b: &[u8]) -> usize {
    let strides = a.rchunks_exact(STRIDE).zip(b.rchunks_exact(STRIDE)).take_while(|(a, b)| a == b).count();
    let end = strides * STRIDE;
    let (a, b) = (&a[..a.len() - end], &b[..b.len() - end]);
    end + a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count()
}

/// The part of the new bytes that has no counterpart yet.
struct Source<'n> {
    new: &'n [u8],
    from: usize,
    to: usize,
}

impl Source<'_> {
    /// Finds the pieces of `old` in the source: blocks of the source are looked up at every place of `old`.
    fn describe(&self, old: &[u8], delta: &mut Writer) {
        let length = self.to - self.from;
        if old.len() < BLOCK || length < BLOCK {
            return delta.insert(old);
        }
        let mut blocks: HashMap<u64, usize> = HashMap::new();
        for start in (self.from..=self.to - BLOCK).step_by(BLOCK.max(length / MOST_BLOCKS)) {
            blocks.entry(hash(&self.new[start..start + BLOCK])).or_insert(start);
        }
        let leaving = (1..BLOCK).fold(1_u64, |power, _| power.wrapping_mul(FACTOR));
        let (mut at, mut told) = (0, 0);
        let mut rolling = hash(&old[..BLOCK]);
        while at + BLOCK <= old.len() {
            let found = blocks
                .get(&rolling)
                .filter(|start| self.new[**start..**start + BLOCK] == old[at..at + BLOCK]);
            if let Some(start) = found {
                let (mut first, mut from) = (at, *start);
                while first > told && from > self.from && old[first - 1] == self.new[from - 1] {
                    first -= 1;
                    from -= 1;
                }
                let same = common_prefix(&old[at..], &self.new[*start..self.to]);
                delta.insert(&old[told..first]);
                delta.copy(from, at - first + same);
                at += same;
                told = at;
                if at + BLOCK <= old.len() {
                    rolling = hash(&old[at..at + BLOCK]);
                }
            } else {
                if let (Some(gone), Some(come)) = (old.get(at), old.get(at + BLOCK)) {
                    let rest = rolling.wrapping_sub(u64::from(*gone).wrapping_mul(leaving));
                    rolling = rest.wrapping_mul(FACTOR).wrapping_add(u64::from(*come));
                }
                at += 1;
            }
        }
        delta.insert(&old[told..]);
    }
}

fn hash(block: &[u8]) -> u64 {
    block.iter().fold(0, |hash, byte| hash.wrapping_mul(FACTOR).wrapping_add(u64::from(*byte)))
}

/// Writes a delta; pieces that follow each other become one.
#[derive(Default)]
struct Writer {
    delta: Vec<u8>,
    /// A range to copy that may still grow.
    pending: Option<(usize, usize)>,
}

impl Writer {
    fn insert(&mut self, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        self.flush();
        self.delta.push(INSERT);
        put_number(&mut self.delta, bytes.len());
        self.delta.extend_from_slice(bytes);
    }

    fn copy(&mut self, from: usize, length: usize) {
        if length == 0 {
            return;
        }
        match &mut self.pending {
            Some((start, so_far)) if *start + *so_far == from => *so_far += length,
            _ => {
                self.flush();
                self.pending = Some((from, length));
            }
        }
    }

    fn flush(&mut self) {
        if let Some((from, length)) = self.pending.take() {
            self.delta.push(COPY);
            put_number(&mut self.delta, from);
            put_number(&mut self.delta, length);
        }
    }

    fn finish(mut self) -> Vec<u8> {
        self.flush();
        self.delta
    }
}

/// Seven bits a byte, the lowest first; the top bit says that more follow.
fn put_number(to: &mut Vec<u8>, mut number: usize) {
    while number >= 0x80 {
        #[allow(clippy::cast_possible_truncation, reason = "the low bits are meant")]
        to.push(number as u8 | 0x80);
        number >>= 7;
    }
    #[allow(clippy::cast_possible_truncation, reason = "less than 0x80")]
    to.push(number as u8);
}

fn number(from: &mut &[u8]) -> Result<usize, Damaged> {
    let mut number = 0_usize;
    for shift in (0..usize::BITS).step_by(7) {
        let (byte, rest) = from.split_first().ok_or(Damaged)?;
        *from = rest;
        let bits = usize::from(byte & 0x7F);
        if bits << shift >> shift != bits {
            return Err(Damaged);
        }
        number |= bits << shift;
        if byte & 0x80 == 0 {
            return Ok(number);
        }
    }
    Err(Damaged)
}

#[cfg(test)]
mod tests {
    use super::{apply, make};

    /// A small generator of numbers (`SplitMix64`), the same everywhere.
    struct Random(u64);

    impl Random {
        fn next(&mut self) -> u64 {
            self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mut z = self.0;
            z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            z ^ (z >> 31)
        }

        fn below(&mut self, limit: usize) -> usize {
            usize::try_from(self.next() % limit.max(1) as u64).unwrap()
        }

        fn bytes(&mut self, most: usize) -> Vec<u8> {
            // Few different values, so that there is something to find.
            let values = 1 + self.below(200);
            (0..self.below(most)).map(|_| u8::try_from(self.below(values)).unwrap()).collect()
        }
    }

    #[track_caller]
    fn check(old: &[u8], new: &[u8]) -> usize {
        let delta = make(old, new);
        assert_eq!(apply(&delta, new, old.len()).as_deref(), Ok(old));
        delta.len()
    }

    #[test]
    fn old_bytes_come_back_from_any_new_ones() {
        for seed in 0..3000 {
            let mut random = Random(seed);
            let parts: Vec<Vec<u8>> = (0..6).map(|_| random.bytes(400)).collect();
            let whole = |random: &mut Random| -> Vec<u8> {
                (0..random.below(8)).flat_map(|_| parts[random.below(parts.len())].clone()).collect()
            };
            let (old, new) = (whole(&mut random), whole(&mut random));
            let length = check(&old, &new);
            assert!(length <= old.len() + 64, "seed {seed}: {length} for {}", old.len());
        }
    }

    #[test]
    fn what_moved_is_not_kept() {
        let mut random = Random(7);
        let picture: Vec<u8> = (0..300_000).map(|_| u8::try_from(random.below(256)).unwrap()).collect();
        let (metadata, other) = (random.bytes(3000), random.bytes(3000));
        let old = [b"start".as_slice(), &metadata, &picture, b"end"].concat();
        let new = [b"start".as_slice(), &other, &picture, &metadata, b"end"].concat();
        assert!(check(&old, &new) < 2000);
        assert!(check(&new, &old) < 8000);
        assert!(check(&old, &old) < 16);
        assert_eq!(check(&[], &old), 0);
        // Large enough for blocks to stand far apart.
        let large = picture.repeat(10);
        let old = [b"start".as_slice(), &metadata, &large, b"end"].concat();
        let new = [b"other".as_slice(), &other, &large, &metadata].concat();
        assert!(check(&old, &new) < 8000);
    }

    #[test]
    fn damage_is_an_error_and_never_more_bytes_than_there_were() {
        for seed in 0..5000 {
            let mut random = Random(seed);
            let (old, new) = (random.bytes(300), random.bytes(300));
            let mut delta = make(&old, &new);
            for _ in 0..=random.below(4) {
                if let Some(byte) = {
                    let at = random.below(delta.len());
                    delta.get_mut(at)
                } {
                    *byte = u8::try_from(random.below(256)).unwrap();
                }
            }
            delta.truncate(delta.len() - random.below(3).min(delta.len()));
            if let Ok(made) = apply(&delta, &new, old.len()) {
                assert_eq!(made.len(), old.len(), "seed {seed}");
            }
        }
        assert!(apply(&[1, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1], b"a", 1).is_err());
    }
}
