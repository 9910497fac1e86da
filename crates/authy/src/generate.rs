//! New values: random, unbiased, and with the kinds of characters that somebody's rules demand.

use zeroize::{Zeroize as _, Zeroizing};

/// What a new value is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recipe {
    /// This many characters, at least one of each of these kinds.
    Characters {
        /// How many.
        length: usize,
        /// Of which kinds.
        classes: Classes,
    },
    /// This many bytes, as hexadecimal digits.
    Hex {
        /// How many bytes.
        bytes: usize,
    },
    /// This many bytes, as base64 for URLs, without padding.
    Base64 {
        /// How many bytes.
        bytes: usize,
    },
}

/// Kinds of characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "a set of four, each chosen by itself")]
pub struct Classes {
    /// `a` to `z`.
    pub lower: bool,
    /// `A` to `Z`.
    pub upper: bool,
    /// `0` to `9`.
    pub digits: bool,
    /// Marks that need no quoting in the usual shells and URLs, and some that do.
    pub symbols: bool,
    /// Leaves out what looks like something else: `0 O o 1 l I |`.
    pub unambiguous: bool,
}

impl Default for Classes {
    fn default() -> Classes {
        Classes { lower: true, upper: true, digits: true, symbols: false, unambiguous: false }
    }
}

/// The fewest characters or bytes of a value.
pub const SHORTEST: usize = 8;
/// The most.
pub const LONGEST: usize = 4096;

/// Why no value was made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GenerateError {
    /// Too short or too long.
    #[error(
        "a generated value has {SHORTEST} to {LONGEST} characters or bytes, not {0}; choose another length"
    )]
    Length(usize),
    /// Nothing to choose from.
    #[error("no kind of character is allowed; allow at least one")]
    NoCharacters,
    /// The operating system has no randomness.
    #[error("the operating system gives no random numbers; nothing was made")]
    NoRandomness,
}

const LOWER: &[u8] = b"abcdefghijklmnopqrstuvwxyz";
const UPPER: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const DIGITS: &[u8] = b"0123456789";
const SYMBOLS: &[u8] = b"!#$%&()*+,-./:;<=>?@[]^_{|}~";
const AMBIGUOUS: &[u8] = b"0Oo1lI|";

/// Makes a value.
pub fn generate(recipe: Recipe) -> Result<Zeroizing<Vec<u8>>, GenerateError> {
    let (Recipe::Characters { length, .. }
    | Recipe::Hex { bytes: length }
    | Recipe::Base64 { bytes: length }) = recipe;
    if !(SHORTEST..=LONGEST).contains(&length) {
        return Err(GenerateError::Length(length));
    }
    match recipe {
        Recipe::Characters { length, classes } => characters(length, classes),
        Recipe::Hex { bytes } => {
            let random = random_bytes(bytes)?;
            let text = base16(&random);
            Ok(text)
        }
        Recipe::Base64 { bytes } => {
            let random = random_bytes(bytes)?;
            Ok(Zeroizing::new(base64_simd::URL_SAFE_NO_PAD.encode_to_string(&*random).into_bytes()))
        }
    }
}

impl Classes {
    fn alphabets(self) -> Vec<Vec<u8>> {
        let chosen =
            [(self.lower, LOWER), (self.upper, UPPER), (self.digits, DIGITS), (self.symbols, SYMBOLS)];
        let keep = |byte: &u8| !(self.unambiguous && AMBIGUOUS.contains(byte));
        chosen
            .into_iter()
            .filter(|(wanted, _)| *wanted)
            .map(|(_, all)| all.iter().copied().filter(keep).collect())
            .collect()
    }
}

/// All characters from all kinds alike; when a kind is missing, all again. So every value that has all kinds is as likely
/// as every other, which putting one of each in and shuffling would not give.
fn characters(length: usize, classes: Classes) -> Result<Zeroizing<Vec<u8>>, GenerateError> {
    let alphabets = classes.alphabets();
    let all = alphabets.concat();
    if all.is_empty() {
        return Err(GenerateError::NoCharacters);
    }
    let mut value = Zeroizing::new(Vec::with_capacity(length));
    loop {
        value.zeroize();
        while value.len() < length {
            value.push(all[below(all.len())?]);
        }
        if alphabets.iter().all(|kind| value.iter().any(|byte| kind.contains(byte))) {
            return Ok(value);
        }
    }
}

/// A number below `bound`, which is at most 256, each as likely as the others: those that would not be are thrown away.
fn below(bound: usize) -> Result<usize, GenerateError> {
    let fair = 256 - 256 % bound;
    loop {
        let mut byte = [0; 1];
        getrandom::fill(&mut byte).map_err(|_| GenerateError::NoRandomness)?;
        let number = usize::from(byte[0]);
        byte.zeroize();
        if number < fair {
            return Ok(number % bound);
        }
    }
}

fn random_bytes(count: usize) -> Result<Zeroizing<Vec<u8>>, GenerateError> {
    let mut bytes = Zeroizing::new(vec![0; count]);
    getrandom::fill(&mut bytes).map_err(|_| GenerateError::NoRandomness)?;
    Ok(bytes)
}

fn base16(bytes: &[u8]) -> Zeroizing<Vec<u8>> {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut text = Zeroizing::new(Vec::with_capacity(bytes.len() * 2));
    for byte in bytes {
        text.push(DIGITS[usize::from(byte >> 4)]);
        text.push(DIGITS[usize::from(byte & 15)]);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{AMBIGUOUS, Classes, GenerateError, LONGEST, Recipe, below, generate};

    const ALL: Classes =
        Classes { lower: true, upper: true, digits: true, symbols: true, unambiguous: false };

    #[test]
    fn every_kind_that_is_asked_for_is_there_even_in_the_shortest() {
        for _ in 0..500 {
            let value = generate(Recipe::Characters { length: 8, classes: ALL }).expect("a value");
            assert_eq!(value.len(), 8);
            assert!(value.iter().any(u8::is_ascii_lowercase) && value.iter().any(u8::is_ascii_uppercase));
            assert!(value.iter().any(u8::is_ascii_digit) && value.iter().any(u8::is_ascii_punctuation));
        }
    }

    #[test]
    fn only_what_is_allowed_is_there() {
        let classes = Classes { upper: false, symbols: false, unambiguous: true, ..ALL };
        let value = generate(Recipe::Characters { length: LONGEST, classes }).expect("a value");
        let fits =
            |byte: &u8| (byte.is_ascii_lowercase() || byte.is_ascii_digit()) && !AMBIGUOUS.contains(byte);
        assert!(value.iter().all(fits));
    }

    #[test]
    fn bytes_come_as_hex_or_base64() {
        assert_eq!(generate(Recipe::Hex { bytes: 32 }).expect("a value").len(), 64);
        assert_eq!(generate(Recipe::Base64 { bytes: 32 }).expect("a value").len(), 43);
        assert_ne!(generate(Recipe::Hex { bytes: 32 }), generate(Recipe::Hex { bytes: 32 }));
    }

    #[test]
    fn what_cannot_be_made_is_refused() {
        for length in [0, 7, LONGEST + 1, usize::MAX] {
            assert_eq!(generate(Recipe::Hex { bytes: length }), Err(GenerateError::Length(length)));
        }
        let none = Classes { lower: false, upper: false, digits: false, ..Classes::default() };
        assert_eq!(
            generate(Recipe::Characters { length: 20, classes: none }),
            Err(GenerateError::NoCharacters)
        );
    }

    #[test]
    fn every_number_comes_up_about_as_often() {
        // 100 does not divide 256: without throwing away, those below 56 would come half as often again.
        let mut counts = [0_u32; 100];
        for _ in 0..100_000 {
            counts[below(100).expect("a number")] += 1;
        }
        let low: u32 = counts[..56].iter().sum();
        // 56,000 expected, standard deviation 157; a biased one would have 65,625.
        assert!((54_500..57_500).contains(&low), "{low}");
    }
}
