//! What was read: words with boxes, in lines, in reading order.

use std::fmt;

use geometry::Rect;
use serde::{Deserialize, Serialize};

/// One character of a word and where it stands. Top and bottom are those of the word.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Character {
    /// What was read.
    pub value: char,
    /// The first column of its cell. Cells of neighbours touch.
    pub left: u32,
    /// The first column right of its cell.
    pub right: u32,
    /// How sure the engine is, from 0 to 1.
    pub confidence: f32,
}

/// Characters without a gap between them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Word {
    /// What was read; as many characters as `characters`.
    pub text: String,
    /// Where it stands.
    pub area: Rect,
    /// How sure the engine is, from 0 to 1: the mean over its characters.
    pub confidence: f32,
    /// Where each character stands, from left to right. Tesseract tells only boxes of words: they are shared out evenly.
    pub characters: Vec<Character>,
}

impl Word {
    /// The box of some of its characters, as when only a part of the word is to be covered.
    pub fn part(&self, characters: std::ops::Range<usize>) -> Option<Rect> {
        let part = self.characters.get(characters)?;
        let (first, last) = (part.first()?, part.last()?);
        Some(Rect { x: first.left.cast_signed(), width: last.right - first.left, ..self.area })
    }
}

/// Words that stand beside each other. It has at least one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// The words from left to right.
    pub words: Vec<Word>,
    /// The box around them.
    pub area: Rect,
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, word) in self.words.iter().enumerate() {
            if index > 0 {
                f.write_str(" ")?;
            }
            f.write_str(&word.text)?;
        }
        Ok(())
    }
}

/// All text of a picture. `to_string` gives it line by line.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Page {
    /// The lines in reading order: columns from left to right, each from top to bottom.
    pub lines: Vec<Line>,
}

impl Page {
    /// All words in reading order.
    pub fn words(&self) -> impl Iterator<Item = &Word> {
        self.lines.iter().flat_map(|line| &line.words)
    }

    /// About how many bytes it takes in memory.
    pub fn memory(&self) -> usize {
        let word =
            |word: &Word| size_of::<Word>() + word.text.len() + size_of_val(word.characters.as_slice());
        let line = |line: &Line| size_of::<Line>() + line.words.iter().map(word).sum::<usize>();
        size_of::<Page>() + self.lines.iter().map(line).sum::<usize>()
    }

    /// How sure the engine is of all of it, from 0 to 1: the mean over characters. A page without text has none.
    pub fn confidence(&self) -> Option<f32> {
        let (mut sum, mut count) = (0.0, 0_u32);
        for character in self.words().flat_map(|word| &word.characters) {
            sum += f64::from(character.confidence);
            count += 1;
        }
        #[expect(clippy::cast_possible_truncation, reason = "a mean between 0 and 1")]
        (count > 0).then(|| (sum / f64::from(count)) as f32)
    }
}

impl fmt::Display for Page {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, line) in self.lines.iter().enumerate() {
            if index > 0 {
                f.write_str("\n")?;
            }
            line.fmt(f)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(text: &str, x: u32) -> Word {
        let characters = (x..)
            .step_by(10)
            .zip(text.chars())
            .map(|(left, value)| Character { value, left, right: left + 10, confidence: 0.5 })
            .collect::<Vec<_>>();
        let area = Rect {
            x: x.cast_signed(),
            y: 5,
            width: 10 * u32::try_from(characters.len()).unwrap(),
            height: 12,
        };
        Word { text: text.to_owned(), area, confidence: 0.5, characters }
    }

    #[test]
    fn a_part_of_a_word_has_a_box_of_its_own() {
        let word = word("ssn:123", 100);
        assert_eq!(word.part(4..7), Some(Rect { x: 140, y: 5, width: 30, height: 12 }));
        assert_eq!(word.part(0..7), Some(word.area));
        assert_eq!(word.part(3..3), None);
        assert_eq!(word.part(5..8), None);
    }

    #[test]
    fn a_page_is_its_lines_and_a_line_is_its_words() {
        let line = |words: Vec<Word>| {
            let area = words.iter().skip(1).fold(words[0].area, |area, word| area.joined(word.area));
            Line { words, area }
        };
        let page = Page { lines: vec![line(vec![word("a", 0), word("bc", 20)]), line(vec![word("d", 0)])] };
        assert_eq!(page.to_string(), "a bc\nd");
        assert_eq!(page.lines[0].area, Rect { x: 0, y: 5, width: 40, height: 12 });
        assert_eq!(page.confidence(), Some(0.5));
        assert_eq!(Page::default().confidence(), None);
    }

    #[test]
    fn a_page_is_read_back_as_it_was_written() {
        let word = word("grüße", 7);
        let page = Page { lines: vec![Line { area: word.area, words: vec![word] }] };
        let json = serde_json::to_string(&page).unwrap();
        assert_eq!(serde_json::from_str::<Page>(&json).unwrap(), page);
    }
}
