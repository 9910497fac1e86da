//! From random numbers to an input: a seed, damaged.

use fuzz::Random;
use fuzz::mutate::{flip_bits, insert, place, remove, repeat, replace_byte, truncate};

/// Inputs do not grow past this: long ones cost time and find little more.
const MOST: usize = 64 * 1024;

/// What the mutations of one target start from.
pub(crate) struct Seeds {
    /// Whole inputs.
    pub(crate) whole: Vec<Vec<u8>>,
    /// Pieces to drop anywhere.
    pub(crate) pieces: Vec<&'static [u8]>,
}

/// What a blown up input grows by.
const LARGE: usize = 2 << 20;

type Mutation = fn(&Seeds, &mut Random, &mut Vec<u8>);

const MUTATIONS: &[Mutation] = &[
    |_, random, input| flip_bits(random, input),
    |_, random, input| replace_byte(random, input),
    |_, random, input| truncate(random, input),
    |_, random, input| remove(random, input),
    |_, random, input| repeat(random, input),
    |_, random, input| replace_number(random, input),
    |_, random, input| replace_number(random, input),
    splice,
    insert_piece,
    write_piece,
];

impl Seeds {
    /// A seed with up to six mutations; now and then none.
    pub(crate) fn input(&self, random: &mut Random) -> Vec<u8> {
        let seed = &self.whole[random.below(self.whole.len())];
        self.mutated(random, seed)
    }

    /// An input with up to six mutations. Now and then a piece of it is said so often that what is not linear takes forever.
    pub(crate) fn mutated(&self, random: &mut Random, input: &[u8]) -> Vec<u8> {
        let mut input = input.to_vec();
        for _ in 0..random.below(7) {
            MUTATIONS[random.below(MUTATIONS.len())](self, random, &mut input);
            input.truncate(MOST);
        }
        if random.below(400) == 0 {
            blow_up(random, &mut input);
        }
        input
    }
}

/// Says a short stretch many thousand times.
fn blow_up(random: &mut Random, input: &mut Vec<u8>) {
    let start = place(random, input);
    let end = input.len().min(start + 1 + random.below(64));
    let piece = input[start..end].to_vec();
    if !piece.is_empty() {
        insert(input, end, &piece.repeat(LARGE / piece.len()));
    }
}

/// The head of one seed and the tail of another.
fn splice(seeds: &Seeds, random: &mut Random, input: &mut Vec<u8>) {
    let other = &seeds.whole[random.below(seeds.whole.len())];
    input.truncate(place(random, input));
    input.extend_from_slice(&other[place(random, other)..]);
}

fn insert_piece(seeds: &Seeds, random: &mut Random, input: &mut Vec<u8>) {
    let at = place(random, input);
    insert(input, at, random.pick(&seeds.pieces));
}

fn write_piece(seeds: &Seeds, random: &mut Random, input: &mut Vec<u8>) {
    let piece = random.pick(&seeds.pieces);
    let at = place(random, input);
    let end = input.len().min(at + piece.len());
    input.splice(at..end, piece.iter().copied());
}

/// Writes a length, a count or an offset that is wrong by much or by little, in either byte order.
fn replace_number(random: &mut Random, input: &mut [u8]) {
    let width = [1, 2, 4, 8][random.below(4)];
    let at = random.below(input.len());
    let length = input.len() as u64;
    let Some(place) = input.get_mut(at..at + width) else { return };
    let little = random.below(2) == 0;
    let mut old = [0; 8];
    if little {
        old[..width].copy_from_slice(place);
    } else {
        old[8 - width..].copy_from_slice(place);
    }
    let old = if little { u64::from_le_bytes(old) } else { u64::from_be_bytes(old) };
    let new = match random.below(10) {
        0 => 0,
        1 => 1,
        2 => u64::MAX,
        3 => i64::MAX.unsigned_abs(),
        4 => 0x7FFF_FFFF,
        5 => length,
        6 => length - at as u64,
        7 => old.wrapping_add(random.below(9) as u64).wrapping_sub(4),
        8 => old.wrapping_mul(2),
        _ => random.below(input_sized(length)) as u64,
    };
    if little {
        place.copy_from_slice(&new.to_le_bytes()[..width]);
    } else {
        place.copy_from_slice(&new.to_be_bytes()[8 - width..]);
    }
}

fn input_sized(length: u64) -> usize {
    usize::try_from(length).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::{MUTATIONS, Seeds};
    use crate::{AVIF, EXIF, GIF, HEIC, IIM, JPEG, PNG, TIFF, WEBP, XMP};
    use fuzz::Random;

    #[test]
    fn the_same_number_is_the_same_input() {
        for number in 0..1000 {
            assert_eq!(JPEG.input(&mut Random::new(7, number)), JPEG.input(&mut Random::new(7, number)));
        }
    }

    #[test]
    fn mutations_survive_every_seed_and_the_empty_one() {
        for seeds in [&*JPEG, &*PNG, &*HEIC, &*AVIF, &*WEBP, &*GIF, &*TIFF, &*XMP, &*EXIF, &*IIM] {
            let empty = Seeds { whole: vec![Vec::new()], pieces: seeds.pieces.clone() };
            for (number, whole) in seeds.whole.iter().chain(&empty.whole).enumerate() {
                for mutation in MUTATIONS {
                    mutation(seeds, &mut Random::new(1, number as u64), &mut whole.clone());
                }
            }
        }
    }
}
