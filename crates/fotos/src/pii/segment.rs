//! Words that belong together, as one text whose every character knows where it stands.

use std::ops::Range;

use ocr::{Area, Line, Word};

use crate::rect::Rect;

/// A gap wider than this many heights of a word is a column, and nothing goes across.
const COLUMN: f32 = 2.5;

/// A gap narrower than this many heights is none: the reader split a word that is one.
const SPLIT: f32 = 0.1;

/// The same beside signs within addresses and keys: they are small, and in fonts of one width stand far from their neighbours.
const SPLIT_AT_SIGNS: f32 = 0.45;

/// How much is covered beyond the characters, in heights: letters reach over their boxes, and boxes are never exact.
const MARGIN: f32 = 0.18;

/// A part of a line without wide gaps.
pub(super) struct Segment<'a> {
    words: &'a [Word],
}

/// The parts of a line between wide gaps.
pub(super) fn segments(line: &Line) -> Vec<Segment<'_>> {
    let is_together = |left: &Word, right: &Word| gap(left, right) <= COLUMN;
    line.words.chunk_by(is_together).map(|words| Segment { words }).collect()
}

/// The gap between two words, in heights of the higher one.
#[allow(clippy::cast_precision_loss, reason = "places in a picture are small")]
fn gap(left: &Word, right: &Word) -> f32 {
    let height = left.area.height.max(right.area.height).max(1) as f32;
    right.area.x.saturating_sub(left.area.right()) as f32 / height
}

/// Whether the reader made two words of one.
fn is_one_word(left: &Word, right: &Word) -> bool {
    let ends = (left.characters.last(), right.characters.first());
    let (Some(last), Some(first)) = (ends.0.map(|cell| cell.value), ends.1.map(|cell| cell.value)) else {
        return false;
    };
    // After a full stop, a capital begins a sentence.
    let is_inside = match (last, first) {
        ('.', next) => next.is_ascii_lowercase() || next.is_ascii_digit(),
        (':' | '@' | '-' | '_', _) | (_, '.' | ':' | '@' | '-' | '_') => true,
        _ => false,
    };
    gap(left, right) <= if is_inside { SPLIT_AT_SIGNS } else { SPLIT }
}

/// The text of a segment. Characters that stand nowhere are the spaces between words.
pub(super) struct Text {
    pub(super) characters: Vec<char>,
}

impl Segment<'_> {
    /// One text, with a space between words.
    pub(super) fn text(&self) -> Text {
        Text { characters: self.cells().map(|(character, _)| character).collect() }
    }

    /// Every character, with the word it is in and its number there.
    fn cells(&self) -> impl Iterator<Item = (char, Option<(usize, usize)>)> {
        self.words.iter().enumerate().flat_map(move |(number, word)| {
            let before = number.checked_sub(1).and_then(|before| self.words.get(before));
            let space = before.is_some_and(|before| !is_one_word(before, word)).then_some((' ', None));
            let cells =
                word.characters.iter().enumerate().map(move |(at, cell)| (cell.value, Some((number, at))));
            space.into_iter().chain(cells)
        })
    }

    /// The box around some characters of the text.
    pub(super) fn place(&self, characters: Range<usize>) -> Option<Rect> {
        let length = characters.len();
        let places = self.cells().skip(characters.start).take(length).filter_map(|(_, place)| place);
        let mut spans: Vec<(usize, Range<usize>)> = Vec::new();
        for (word, at) in places {
            match spans.last_mut() {
                Some((last, span)) if *last == word => span.end = at + 1,
                _ => spans.push((word, at..at + 1)),
            }
        }
        let areas = spans.into_iter().filter_map(|(word, span)| self.words.get(word)?.part(span));
        areas.reduce(|all, area| all.union(&area)).map(padded)
    }
}

fn padded(area: Area) -> Rect {
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "small"
    )]
    let margin = (area.height as f32 * MARGIN).ceil() as u32 + 1;
    let rect =
        Rect { x: area.x.cast_signed(), y: area.y.cast_signed(), width: area.width, height: area.height };
    rect.grown(margin)
}

#[cfg(test)]
pub(super) mod tests {
    use ocr::{Area, Character, Line, Word};

    use super::segments;

    /// A line of a monospaced font, as a reader sees it: ten pixels for each character.
    pub(in crate::pii) fn line(text: &str) -> Line {
        let mut words = Vec::new();
        let mut at = 0;
        for part in text.split_inclusive(' ') {
            let word = part.trim_end();
            if !word.is_empty() {
                let characters: Vec<Character> = (at..)
                    .zip(word.chars())
                    .map(|(at, value)| Character {
                        value,
                        left: at * 10,
                        right: at * 10 + 10,
                        confidence: 1.0,
                    })
                    .collect();
                let width = u32::try_from(characters.len()).expect("short") * 10;
                let area = Area { x: at * 10, y: 100, width, height: 16 };
                words.push(Word { text: word.to_owned(), area, confidence: 1.0, characters });
            }
            at += u32::try_from(part.chars().count()).expect("short");
        }
        let area = words.iter().skip(1).fold(words[0].area, |area, word| area.union(&word.area));
        Line { words, area }
    }

    #[test]
    fn a_box_is_cut_to_its_characters() {
        let line = line("SSN:123-45-6789 end");
        let segments = segments(&line);
        let place = segments[0].place(4..15).expect("a place");
        // Ten pixels a character, and a margin of four.
        assert_eq!((place.x, place.width, place.y, place.height), (36, 118, 96, 24));
    }

    #[test]
    fn words_a_reader_split_at_signs_are_one() {
        let text = |left: &str, gap: u32, right: &str| -> String {
            let mut line = line(&format!("{left} {right}"));
            let start = line.words[0].area.right() + gap;
            line.words[1].area.x = start;
            segments(&line)[0].text().characters.into_iter().collect()
        };
        // Of sixteen pixels.
        assert_eq!(text("anna@example.", 5, "com"), "anna@example.com");
        assert_eq!(text("anna@example.com.", 5, "Then"), "anna@example.com. Then");
        assert_eq!(text("glpat", 5, "-abc"), "glpat-abc");
        assert_eq!(text("security", 3, "378-09-6947"), "security 378-09-6947");
        assert_eq!(text("Token", 1, "abc"), "Tokenabc");
    }

    #[test]
    fn a_wide_gap_ends_a_segment() {
        let line = line("one two      three");
        let texts: Vec<String> =
            segments(&line).iter().map(|segment| segment.text().characters.iter().collect()).collect();
        assert_eq!(texts, ["one two", "three"]);
    }
}
