//! From a number to an input.

use fuzz::Random;
use fuzz::mutate::{flip_bits, insert, place, remove, repeat, replace_byte, stretch, truncate};

use crate::corpus::{LINES, NOT_UTF8, NUMBERS, TOKENS};

/// Inputs do not grow past this: long ones cost time and find little more.
const MOST: usize = 64 * 1024;

const MUTATIONS: &[fn(&mut Random, &mut Vec<u8>)] = &[
    |random, input| flip_bits(random, input),
    |random, input| replace_byte(random, input),
    splice,
    truncate,
    remove,
    repeat,
    duplicate_key,
    nest,
    break_utf8,
    replace_number,
    insert_token,
    insert_token,
];

/// A line of the corpus with up to eight mutations.
pub(crate) fn input(random: &mut Random) -> Vec<u8> {
    let mut input = random.pick(LINES).to_vec();
    for _ in 0..random.below(9) {
        MUTATIONS[random.below(MUTATIONS.len())](random, &mut input);
        input.truncate(MOST);
    }
    input
}

/// The head of one line and the tail of another.
fn splice(random: &mut Random, input: &mut Vec<u8>) {
    let other = random.pick(LINES);
    input.truncate(place(random, input));
    input.extend_from_slice(&other[place(random, other)..]);
}

/// Says a key twice: the same `"key":` again with another value before it.
fn duplicate_key(random: &mut Random, input: &mut Vec<u8>) {
    let colons: Vec<usize> = positions(input, |pair| pair == b"\":");
    if colons.is_empty() {
        return;
    }
    let end = colons[random.below(colons.len())];
    let Some(start) = input[..end].iter().rposition(|&byte| byte == b'"') else { return };
    let mut piece = input[start..end + 2].to_vec();
    piece.extend_from_slice(random.pick(TOKENS));
    piece.push(b',');
    insert(input, start, &piece);
}

/// Wraps a stretch in brackets, a few or very many, closed or not.
fn nest(random: &mut Random, input: &mut Vec<u8>) {
    let range = stretch(random, input);
    let depth = match random.below(8) {
        0 => random.below(20_000),
        1 => 120 + random.below(16),
        _ => random.below(20),
    };
    let (open, close): (&[u8], &[u8]) = if random.below(2) == 0 { (b"[", b"]") } else { (b"{\"a\":", b"}") };
    if random.below(4) > 0 {
        insert(input, range.end, &close.repeat(depth));
    }
    insert(input, range.start, &open.repeat(depth));
}

fn break_utf8(random: &mut Random, input: &mut Vec<u8>) {
    let at = place(random, input);
    insert(input, at, random.pick(NOT_UTF8));
}

fn replace_number(random: &mut Random, input: &mut Vec<u8>) {
    let starts: Vec<usize> = positions(input, |pair| !pair[0].is_ascii_digit() && pair[1].is_ascii_digit());
    let Some(&before) = starts.get(random.below(starts.len())) else { return };
    let start = before + 1;
    let length = input[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    input.splice(start..start + length, random.pick(NUMBERS).iter().copied());
}

fn insert_token(random: &mut Random, input: &mut Vec<u8>) {
    let at = place(random, input);
    insert(input, at, random.pick(TOKENS));
}

/// Where two neighbouring bytes are as wanted.
fn positions(input: &[u8], wanted: impl Fn(&[u8]) -> bool) -> Vec<usize> {
    input.windows(2).enumerate().filter(|(_, pair)| wanted(pair)).map(|(at, _)| at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_number_is_the_same_input() {
        for number in 0..1000 {
            assert_eq!(input(&mut Random::new(7, number)), input(&mut Random::new(7, number)));
        }
        assert_ne!(input(&mut Random::new(7, 1)), input(&mut Random::new(8, 1)));
    }

    #[test]
    fn mutations_survive_every_line_and_the_empty_one() {
        for (number, line) in LINES.iter().chain([&&b""[..]]).enumerate() {
            for mutation in MUTATIONS {
                mutation(&mut Random::new(1, number as u64), &mut line.to_vec());
            }
        }
    }

    #[test]
    fn a_duplicated_key_is_there_twice() {
        let mut input = br#"{"id":1}"#.to_vec();
        duplicate_key(&mut Random::new(1, 1), &mut input);
        assert_eq!(input.windows(5).filter(|piece| piece == br#""id":"#).count(), 2);
    }
}
