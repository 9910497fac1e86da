//! Which words of a line read by the quick network are worth the better one.

use std::ops::Range;

use super::ctc::Reading;

/// A word is doubted when any of its characters is less likely than this. Most errors are among them, and few others.
const SURE: f32 = 0.8;

/// The doubted words as ranges of glyphs, from left to right. Neighbours are one range, with the space between them.
pub(super) fn doubted(reading: &Reading) -> Vec<Range<usize>> {
    let mut words: Vec<Range<usize>> = Vec::new();
    let mut start = 0;
    for (end, is_end) in ends(reading) {
        if !is_end {
            continue;
        }
        if reading.glyphs[start..end].iter().any(|glyph| glyph.probability < SURE) {
            match words.last_mut() {
                Some(last) if last.end + 1 == start => last.end = end,
                _ => words.push(start..end),
            }
        }
        start = end + 1;
    }
    words
}

/// Every index up to the number of glyphs, and whether a word ends before it.
fn ends(reading: &Reading) -> impl Iterator<Item = (usize, bool)> {
    let spaces = reading.glyphs.iter().map(|glyph| glyph.value == ' ');
    spaces.chain([true]).enumerate()
}

#[cfg(test)]
mod tests {
    use super::super::ctc::Glyph;
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
        check("side b?y s?ide", &[(5, 12)]);
        check("", &[]);
    }
}
