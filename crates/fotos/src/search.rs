//! Finding text in a picture that was read: words, a phrase or a pattern, to boxes.

use std::ops::Range;

use geometry::Rect;
use ocr::{Line, Page};
use regex::{Regex, RegexBuilder};

use crate::error::Error;

/// What is looked for.
#[derive(Debug, Clone)]
pub enum Query {
    /// These words in this order, in upper or lower case, with at most so many characters different, missing or too many.
    Phrase {
        /// The words, in lower case.
        text: Vec<char>,
        /// How many characters may be wrong.
        distance: usize,
    },
    /// What this regular expression matches within a line.
    Pattern(Regex),
}

/// Where something was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Match {
    /// What stands there.
    pub text: String,
    /// Where, in pixels of the picture.
    pub place: Rect,
    /// How many characters are not as they were looked for.
    pub distance: usize,
    /// How sure the reader is, from 0 to 1.
    pub confidence: f32,
}

/// The longest phrase, in characters.
pub const LONGEST: usize = 500;

/// How large a compiled pattern may be, in bytes.
const PATTERN_SIZE: usize = 1 << 20;

impl Query {
    /// A phrase; spaces of any length are one.
    pub fn phrase(text: &str, distance: usize) -> Query {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let text: Vec<char> = text.chars().map(lower).take(LONGEST).collect();
        let distance = distance.min(text.len().saturating_sub(1));
        Query::Phrase { text, distance }
    }

    /// A regular expression.
    pub fn pattern(text: &str) -> Result<Query, Error> {
        let built = RegexBuilder::new(text).case_insensitive(true).size_limit(PATTERN_SIZE).build();
        built.map(Query::Pattern).map_err(|error| Error::Pattern { reason: error.to_string() })
    }

    /// Everything that is found on a page, in reading order.
    pub fn search(&self, page: &Page) -> Vec<Match> {
        page.lines.iter().flat_map(|line| self.in_line(line)).collect()
    }

    fn in_line(&self, line: &Line) -> Vec<Match> {
        let cells = cells(line);
        let found = match self {
            Query::Phrase { text, distance } => {
                let characters: Vec<char> = cells.iter().map(|cell| lower(cell.value)).collect();
                nearest(&characters, text, *distance)
            }
            Query::Pattern(pattern) => {
                let text: String = cells.iter().map(|cell| cell.value).collect();
                let character = |byte: usize| text[..byte].chars().count();
                let hits = pattern.find_iter(&text).filter(|hit| !hit.is_empty());
                hits.map(|hit| (character(hit.start())..character(hit.end()), 0)).collect()
            }
        };
        found.into_iter().filter_map(|(range, distance)| matched(&cells, range, distance)).collect()
    }
}

/// One character of a line; a space between words stands nowhere.
#[derive(Clone, Copy)]
struct Cell {
    value: char,
    place: Option<(Rect, f32)>,
}

fn cells(line: &Line) -> Vec<Cell> {
    let mut cells = Vec::new();
    for word in &line.words {
        if !cells.is_empty() {
            cells.push(Cell { value: ' ', place: None });
        }
        cells.extend(word.characters.iter().enumerate().map(|(at, character)| Cell {
            value: character.value,
            place: word.part(at..at + 1).map(|place| (place, character.confidence)),
        }));
    }
    cells
}

fn matched(cells: &[Cell], range: Range<usize>, distance: usize) -> Option<Match> {
    let part = cells.get(range)?;
    let placed: Vec<(Rect, f32)> = part.iter().filter_map(|cell| cell.place).collect();
    let place = placed.iter().map(|(place, _)| *place).reduce(Rect::joined)?;
    #[allow(clippy::cast_precision_loss, reason = "lines are short")]
    let confidence = placed.iter().map(|(_, sure)| sure).sum::<f32>() / placed.len().max(1) as f32;
    let text = part.iter().map(|cell| cell.value).collect::<String>().trim().to_owned();
    Some(Match { text, place, distance, confidence })
}

/// One letter in lower case; letters that become several stay as they are.
fn lower(letter: char) -> char {
    let mut letters = letter.to_lowercase();
    match (letters.next(), letters.next()) {
        (Some(one), None) => one,
        _ => letter,
    }
}

/// Where `wanted` stands in `text` with at most `most` edits, none overlapping another, the best first choice.
fn nearest(text: &[char], wanted: &[char], most: usize) -> Vec<(Range<usize>, usize)> {
    if wanted.is_empty() {
        return Vec::new();
    }
    // For every end in the text, the fewest edits of a part that ends there, and where that part begins.
    let mut column: Vec<(usize, usize)> = (0..=wanted.len()).map(|edits| (edits, 0)).collect();
    let mut ends: Vec<(usize, Range<usize>)> = Vec::new();
    for (at, letter) in text.iter().enumerate() {
        let mut before = column[0];
        column[0] = (0, at + 1);
        for (row, wanted) in wanted.iter().enumerate() {
            let (here, above) = (column[row + 1], column[row]);
            let changed = (before.0 + usize::from(letter != wanted), before.1);
            let best = [changed, (here.0 + 1, here.1), (above.0 + 1, above.1)];
            before = here;
            column[row + 1] = best.into_iter().min_by_key(|(edits, _)| *edits).unwrap_or(changed);
        }
        let (edits, start) = column[wanted.len()];
        if edits <= most && start <= at {
            ends.push((edits, start..at + 1));
        }
    }
    // The best ones are taken first; what overlaps them is a worse reading of the same place.
    ends.sort_by_key(|(edits, range)| (*edits, range.len().abs_diff(wanted.len()), range.start));
    let mut taken: Vec<(Range<usize>, usize)> = Vec::new();
    for (edits, range) in ends {
        if taken.iter().all(|(other, _)| range.end <= other.start || other.end <= range.start) {
            taken.push((range, edits));
        }
    }
    taken.sort_by_key(|(range, _)| range.start);
    taken
}

#[cfg(test)]
mod tests {
    use geometry::Rect;
    use ocr::{Character, Line, Page, Word};

    use super::{Match, Query};

    /// A page of one line; ten pixels for each character.
    fn page(text: &str) -> Page {
        let mut at = 0_u32;
        let mut words = Vec::new();
        for word in text.split(' ') {
            let characters: Vec<Character> = (at..)
                .zip(word.chars())
                .map(|(at, value)| Character { value, left: at * 10, right: at * 10 + 10, confidence: 1.0 })
                .collect();
            let width = u32::try_from(characters.len()).expect("short") * 10;
            let area = Rect { x: (at * 10).cast_signed(), y: 50, width, height: 16 };
            at += u32::try_from(characters.len()).expect("short") + 1;
            words.push(Word { text: word.to_owned(), area, confidence: 1.0, characters });
        }
        let area = words.iter().map(|word| word.area).reduce(Rect::joined).expect("a word");
        Page { lines: vec![Line { words, area }] }
    }

    #[track_caller]
    fn check(query: &Query, text: &str, expected: &[(&str, i32, u32, usize)]) {
        let found = query.search(&page(text));
        let found: Vec<(&str, i32, u32, usize)> = found
            .iter()
            .map(|Match { text, place, distance, .. }| (text.as_str(), place.x, place.width, *distance))
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_phrase_is_found_in_any_case_and_with_its_box() {
        check(
            &Query::phrase("save  AS", 0),
            "File Save as Save As",
            &[("Save as", 50, 70, 0), ("Save As", 130, 70, 0)],
        );
        check(&Query::phrase("av", 0), "Save", &[("av", 10, 20, 0)]);
        check(&Query::phrase("quit", 0), "Save", &[]);
        check(&Query::phrase("  ", 3), "Save", &[]);
    }

    #[test]
    fn a_phrase_is_found_with_as_many_mistakes_as_are_allowed() {
        check(&Query::phrase("Cancel", 1), "OK Cance1 Apply", &[("Cance1", 30, 60, 1)]);
        check(&Query::phrase("Cancel", 0), "OK Cance1 Apply", &[]);
        // Never so many that anything is the same.
        check(&Query::phrase("a", 5), "xyz", &[]);
    }

    #[test]
    fn a_pattern_is_found_within_a_line() {
        let pattern = Query::pattern(r"\d+ files?").expect("sound");
        check(&pattern, "Deleted 12 Files and 1 file", &[("12 Files", 80, 80, 0), ("1 file", 210, 60, 0)]);
        assert!(Query::pattern("(").is_err() && Query::pattern(&"(a{1000}){1000}".repeat(9)).is_err());
    }
}
