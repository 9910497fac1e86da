//! Text without wide gaps, every character of which knows where it stands.

use std::ops::Range;

use geometry::Rect;
use ocr::{Line, Page, Word};

/// A gap wider than this many heights of a word is a column, and nothing goes across.
const COLUMN: f32 = 2.5;

/// A gap narrower than this many heights is none: the reader split a word that is one.
const SPLIT: f32 = 0.1;

/// The same beside signs within addresses and keys: they are small, and in fonts of one width stand far from their neighbours.
const SPLIT_AT_SIGNS: f32 = 0.45;

/// The same on a grid of equal cells, in cells: a space takes a whole one.
const SPLIT_ON_GRID: f32 = 0.75;

/// How far the cells of two words may differ where all characters are equally wide.
const EVEN: f32 = 0.08;

/// How much is covered beyond the characters, in heights: letters reach over their boxes, and boxes are never exact.
const MARGIN: f32 = 0.18;

/// How it is told whether two words are one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Spacing {
    /// As the reader has it, but for gaps that are none.
    AsRead,
    /// By the grid of a line whose characters are equally wide; other lines are left out.
    Grid,
}

/// Whether a text may go on beyond what is seen of it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Ends {
    /// Its beginning is at the edge of a window or of the picture.
    pub(crate) cut_left: bool,
    /// Its end is.
    pub(crate) cut_right: bool,
}

/// One character. A space between words stands nowhere.
#[derive(Debug, Clone, Copy)]
struct Cell {
    value: char,
    place: Option<Place>,
}

#[derive(Debug, Clone, Copy)]
struct Place {
    line: usize,
    area: Rect,
}

/// Text without wide gaps: a part of a line, or several lines where one goes on below.
#[derive(Debug, Clone)]
pub(crate) struct Run {
    cells: Vec<Cell>,
    /// The box around all of it.
    pub(crate) area: Rect,
    pub(crate) ends: Ends,
    /// The window it stands in, if that is known.
    pub(crate) window: Option<usize>,
}

/// The parts of all lines between wide gaps and between windows.
pub(crate) fn runs(page: &Page, windows: &[Rect], spacing: Spacing) -> Vec<Run> {
    let picture = page.lines.iter().map(|line| line.area).reduce(Rect::joined);
    page.lines
        .iter()
        .enumerate()
        .flat_map(|(number, line)| {
            let pitch = pitch(line);
            let is_wanted = spacing == Spacing::AsRead || pitch.is_some();
            let words = if is_wanted { line.words.as_slice() } else { &[] };
            let grid = pitch.filter(|_| spacing == Spacing::Grid);
            words
                .chunk_by(|left, right| gap(left, right) <= COLUMN)
                .flat_map(|words| Run::split(number, words, grid, windows))
                .collect::<Vec<_>>()
        })
        .map(|run| run.cut_at(picture).cut_by(windows))
        .collect()
}

/// The gap between two words, in heights of the higher one.
#[allow(clippy::cast_precision_loss, reason = "places in a picture are small")]
fn gap(left: &Word, right: &Word) -> f32 {
    let height = left.area.height.max(right.area.height).max(1) as f32;
    between(left, right) / height
}

#[allow(clippy::cast_precision_loss, reason = "places in a picture are small")]
fn between(left: &Word, right: &Word) -> f32 {
    (i64::from(right.area.x) - left.area.right()).max(0) as f32
}

/// How wide a character is, where all are equally wide.
#[allow(clippy::cast_precision_loss, reason = "words are short")]
fn pitch(line: &Line) -> Option<f32> {
    // Characters do not fill the first and the last cell.
    let width = |word: &Word| word.area.width as f32 / (word.characters.len() as f32 - 0.15);
    let mut widths: Vec<f32> =
        line.words.iter().filter(|word| word.characters.len() >= 4).map(width).collect();
    widths.sort_by(f32::total_cmp);
    let middle = *widths.get(widths.len() / 2).filter(|_| widths.len() >= 2)?;
    let is_even = widths.iter().all(|width| (width / middle - 1.0).abs() <= EVEN);
    is_even.then_some(middle)
}

/// Whether the reader made two words of one.
fn is_one_word(left: &Word, right: &Word, grid: Option<f32>) -> bool {
    if let Some(pitch) = grid {
        return between(left, right) < pitch * SPLIT_ON_GRID;
    }
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

impl Run {
    /// The text of some words, parted where one window ends and another begins.
    fn split(line: usize, words: &[Word], grid: Option<f32>, windows: &[Rect]) -> Vec<Run> {
        let cells = cells(line, words, grid);
        let window_of = |cell: &Cell| {
            let (x, y) = cell.place?.area.centre();
            let point = Rect { x, y, width: 1, height: 1 };
            windows.iter().position(|window| window.contains(point))
        };
        let mut runs: Vec<Run> = Vec::new();
        let mut rest = cells.as_slice();
        while let Some(first) = rest.iter().position(|cell| cell.place.is_some()) {
            rest = rest.get(first..).unwrap_or_default();
            let window = rest.first().and_then(window_of);
            let is_elsewhere = |cell: &Cell| cell.place.is_some() && window_of(cell) != window;
            let length = rest.iter().position(is_elsewhere).unwrap_or(rest.len());
            let (own, others) = rest.split_at(length);
            let is_cut = !others.is_empty();
            let ends =
                Ends { cut_left: runs.last().is_some_and(|run| run.ends.cut_right), cut_right: is_cut };
            runs.extend(Run::new(own.to_vec(), ends, window));
            rest = others;
        }
        runs
    }

    fn new(cells: Vec<Cell>, ends: Ends, window: Option<usize>) -> Option<Run> {
        let area = cells.iter().filter_map(|cell| cell.place).map(|place| place.area).reduce(Rect::joined)?;
        Some(Run { cells, area, ends, window })
    }

    /// Text that reaches as far as any is taken to be cut there.
    fn cut_at(mut self, picture: Option<Rect>) -> Run {
        if let Some(picture) = picture {
            self.ends.cut_left |= self.area.x <= 2;
            self.ends.cut_right |= self.area.right() >= picture.right();
        }
        self
    }

    /// Text that begins or ends beside a window that lies above its own is taken to go on below that one.
    fn cut_by(mut self, windows: &[Rect]) -> Run {
        let above = self.window.and_then(|own| windows.get(..own)).unwrap_or_default();
        let (_, middle) = self.area.centre();
        let near = -2..=2 * self.character_width();
        let in_line = |window: &&Rect| window.y <= middle && i64::from(middle) < window.bottom();
        let (left, right) = (i64::from(self.area.x), self.area.right());
        for window in above.iter().filter(in_line) {
            self.ends.cut_left |= near.contains(&(left - window.right()));
            self.ends.cut_right |= near.contains(&(i64::from(window.x) - right));
        }
        self
    }

    /// This one and those it goes on in, as one text.
    pub(crate) fn joined(runs: &[&Run]) -> Option<Run> {
        let (first, last) = (runs.first()?, runs.last()?);
        let ends = Ends { cut_left: first.ends.cut_left, cut_right: last.ends.cut_right };
        Run::new(runs.iter().flat_map(|run| run.cells.iter().copied()).collect(), ends, first.window)
    }

    /// Its characters, with a space between words.
    pub(crate) fn text(&self) -> Vec<char> {
        self.cells.iter().map(|cell| cell.value).collect()
    }

    /// How long its first word is.
    pub(crate) fn first_word(&self) -> usize {
        self.cells.iter().take_while(|cell| cell.place.is_some()).count()
    }

    /// How wide a character is, about.
    pub(crate) fn character_width(&self) -> i64 {
        let lines = self.lines(0..self.cells.len()).max(1);
        let per_line = (self.cells.len() / lines).max(1);
        i64::from(self.area.width) / i64::try_from(per_line).unwrap_or(i64::MAX)
    }

    /// On how many lines some of its characters stand.
    pub(crate) fn lines(&self, characters: Range<usize>) -> usize {
        let mut lines: Vec<usize> = self.placed(characters).map(|place| place.line).collect();
        lines.dedup();
        lines.len()
    }

    /// Some of its characters, line by line.
    pub(crate) fn by_line(&self, characters: Range<usize>) -> Vec<Range<usize>> {
        let mut lines: Vec<(Option<usize>, Range<usize>)> = Vec::new();
        for at in characters {
            let line = self.cells.get(at).and_then(|cell| cell.place).map(|place| place.line);
            match lines.last_mut() {
                Some((last, range)) if line.is_none() || *last == line => range.end = at + 1,
                _ => lines.push((line, at..at + 1)),
            }
        }
        lines.into_iter().map(|(_, range)| range).collect()
    }

    /// The boxes around some of its characters, one on each line, with a margin.
    pub(crate) fn places(&self, characters: Range<usize>) -> Vec<Rect> {
        let placed: Vec<Place> = self.placed(characters).collect();
        let lines = placed.chunk_by(|one, next| one.line == next.line);
        let around = |line: &[Place]| line.iter().map(|place| place.area).reduce(Rect::joined);
        lines.filter_map(around).map(padded).collect()
    }

    fn placed(&self, characters: Range<usize>) -> impl Iterator<Item = Place> {
        self.cells.get(characters).unwrap_or_default().iter().filter_map(|cell| cell.place)
    }
}

/// Every character of some words and the spaces between them.
fn cells(line: usize, words: &[Word], grid: Option<f32>) -> Vec<Cell> {
    let mut cells = Vec::new();
    for (number, word) in words.iter().enumerate() {
        let before = number.checked_sub(1).and_then(|before| words.get(before));
        if before.is_some_and(|before| !is_one_word(before, word, grid)) {
            cells.push(Cell { value: ' ', place: None });
        }
        cells.extend(word.characters.iter().enumerate().map(|(at, character)| {
            let area = word.part(at..at + 1).unwrap_or(word.area);
            Cell { value: character.value, place: Some(Place { line, area }) }
        }));
    }
    cells
}

fn padded(area: Rect) -> Rect {
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "small"
    )]
    let margin = (area.height as f32 * MARGIN).ceil() as u32 + 1;
    area.grown(margin)
}

#[cfg(test)]
pub(crate) mod tests {
    use geometry::Rect;
    use ocr::{Character, Line, Page, Word};

    use super::{Spacing, runs};

    /// A line of a monospaced font, as a reader sees it: ten pixels for each character, sixteen high.
    pub(crate) fn line(text: &str, y: i32) -> Line {
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
                let area = Rect { x: (at * 10).cast_signed(), y, width, height: 16 };
                words.push(Word { text: word.to_owned(), area, confidence: 1.0, characters });
            }
            at += u32::try_from(part.chars().count()).expect("short");
        }
        let area = words.iter().map(|word| word.area).reduce(Rect::joined).expect("a word");
        Line { words, area }
    }

    /// Lines of a monospaced font below each other.
    pub(crate) fn page(lines: &[&str]) -> Page {
        Page { lines: (0..).step_by(20).zip(lines).map(|(y, text)| line(text, y)).collect() }
    }

    fn texts(page: &Page, windows: &[Rect], spacing: Spacing) -> Vec<String> {
        runs(page, windows, spacing).iter().map(|run| run.text().into_iter().collect()).collect()
    }

    #[test]
    fn a_box_is_cut_to_its_characters() {
        let runs = runs(&page(&["SSN:123-45-6789 end"]), &[], Spacing::AsRead);
        let place = runs[0].places(4..15)[0];
        // Ten pixels a character, and a margin of four.
        assert_eq!((place.x, place.width, place.y, place.height), (36, 118, -4, 24));
    }

    /// A line of two words with a gap of so many pixels.
    fn apart(left: &str, gap: i32, right: &str) -> Page {
        let mut line = line(&format!("{left} {right}"), 0);
        line.words[1].area.x = i32::try_from(line.words[0].area.right()).expect("small") + gap;
        Page { lines: vec![line] }
    }

    #[test]
    fn words_a_reader_split_at_signs_are_one() {
        let text = |left: &str, gap: i32, right: &str| {
            texts(&apart(left, gap, right), &[], Spacing::AsRead).concat()
        };
        // Of sixteen pixels.
        assert_eq!(text("anna@example.", 5, "com"), "anna@example.com");
        assert_eq!(text("anna@example.com.", 5, "Then"), "anna@example.com. Then");
        assert_eq!(text("glpat", 5, "-abc"), "glpat-abc");
        assert_eq!(text("security", 3, "378-09-6947"), "security 378-09-6947");
        assert_eq!(text("Token", 1, "abc"), "Tokenabc");
    }

    #[test]
    fn on_a_grid_a_gap_of_less_than_a_cell_is_none() {
        assert_eq!(texts(&apart("AIzaSyD", 5, "9tSrke"), &[], Spacing::Grid), ["AIzaSyD9tSrke"]);
        assert_eq!(texts(&apart("Token", 10, "9tSrke"), &[], Spacing::Grid), ["Token 9tSrke"]);
    }

    #[test]
    fn a_wide_gap_and_the_edge_of_a_window_end_a_run() {
        assert_eq!(texts(&page(&["one two      three"]), &[], Spacing::AsRead), ["one two", "three"]);
        let windows =
            [Rect { x: 0, y: 0, width: 50, height: 90 }, Rect { x: 50, y: 0, width: 90, height: 90 }];
        assert_eq!(texts(&page(&["ghp_aB3dE5f"]), &windows, Spacing::AsRead), ["ghp_a", "B3dE5f"]);
    }
}
