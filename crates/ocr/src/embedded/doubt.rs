//! Which words of a line read by the quick network are worth the better one.

use std::ops::Range;

use super::ctc::{Glyph, Reading};

/// A word is doubted when any of its characters is less likely than this. Most errors are among them, and few others.
const SURE: f32 = 0.8;
/// A word this short is looked at again with the one before it: alone, a small letter looks like a capital.
const SHORT: usize = 3;

/// The doubted words as ranges of glyphs, from left to right. Neighbours are one range, with the space between them.
pub(super) fn doubted(reading: &Reading) -> Vec<Range<usize>> {
    let words = words(reading);
    let mut doubted: Vec<Range<usize>> = Vec::new();
    for (at, word) in words.iter().enumerate() {
        if !is_doubtful(&reading.glyphs[word.clone()]) {
            continue;
        }
        let first = if word.len() <= SHORT { at.saturating_sub(1) } else { at };
        let range = words[first].start..word.end;
        match doubted.last_mut() {
            Some(last) if last.end + 1 >= range.start => last.end = last.end.max(range.end),
            _ => doubted.push(range),
        }
    }
    doubted
}

fn is_doubtful(word: &[Glyph]) -> bool {
    word.iter().any(|glyph| glyph.probability < SURE)
}

/// The words of a reading; there may be empty ones between two spaces.
fn words(reading: &Reading) -> Vec<Range<usize>> {
    let spaces = reading.glyphs.iter().enumerate().filter(|(_, glyph)| glyph.value == ' ').map(|(at, _)| at);
    let mut start = 0;
    let ends = spaces.chain([reading.glyphs.len()]);
    ends.map(|end| std::mem::replace(&mut start, end + 1)..end).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A reading of this text; a character after a `?` is doubtful.
    fn check(text: &str, expected: &[(usize, usize)]) {
        let mut glyphs = Vec::new();
        let mut probability = 1.0;
        for value in text.chars() {
            if value == '?' {
                probability = 0.5;
                continue;
            }
            glyphs.push(Glyph { value, centre: 0.0, probability });
            probability = 1.0;
        }
        let found: Vec<(usize, usize)> =
            doubted(&Reading { glyphs, steps: 0 }).iter().map(|word| (word.start, word.end)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn words_with_a_doubtful_character_are_doubted() {
        check("all is sure", &[]);
        check("one ?word here", &[(4, 8)]);
        check("?first and l?ast", &[(0, 5), (10, 14)]);
        check("two t?oge?ther", &[(4, 12)]);
        check("side by?te s?ide", &[(5, 14)]);
        check("", &[]);
    }

    #[test]
    fn short_words_take_the_word_before_along() {
        check("pods grep ?-v Running", &[(5, 12)]);
        check("?a", &[(0, 1)]);
        check("?a much longer ?b", &[(0, 1), (7, 15)]);
    }
}
