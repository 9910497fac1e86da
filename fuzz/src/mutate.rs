//! Mutations that suit any input.

use crate::Random;

/// A place in `input`, its end included.
pub fn place(random: &mut Random, input: &[u8]) -> usize {
    random.below(input.len() + 1)
}

/// A stretch of `input`, possibly empty.
pub fn stretch(random: &mut Random, input: &[u8]) -> std::ops::Range<usize> {
    let (one, other) = (place(random, input), place(random, input));
    one.min(other)..one.max(other)
}

/// Puts a piece into the input.
pub fn insert(input: &mut Vec<u8>, at: usize, piece: &[u8]) {
    input.splice(at..at, piece.iter().copied());
}

/// Turns a few bits over.
pub fn flip_bits(random: &mut Random, input: &mut [u8]) {
    for _ in 0..=random.below(4) {
        let at = random.below(input.len());
        if let Some(byte) = input.get_mut(at) {
            *byte ^= 1 << random.below(8);
        }
    }
}

/// Writes any byte over one.
pub fn replace_byte(random: &mut Random, input: &mut [u8]) {
    let at = random.below(input.len());
    if let Some(byte) = input.get_mut(at) {
        *byte = random.byte();
    }
}

/// Cuts the end off.
pub fn truncate(random: &mut Random, input: &mut Vec<u8>) {
    input.truncate(place(random, input));
}

/// Takes a stretch out.
pub fn remove(random: &mut Random, input: &mut Vec<u8>) {
    input.drain(stretch(random, input));
}

/// Says a stretch several times.
pub fn repeat(random: &mut Random, input: &mut Vec<u8>) {
    let range = stretch(random, input);
    let times = random.below(16) + 1;
    let piece = input[range.clone()].repeat(times);
    insert(input, range.end, &piece);
}
