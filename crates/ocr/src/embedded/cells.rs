//! Text on a grid, as terminals draw it: every character fills a cell of the same width, and the same character has the same
//! pixels wherever it stands. So all places with the same pixels are read alike: the networks' readings of them are votes. What
//! a network left out is known from elsewhere, and a space is a cell without ink.

mod grid;
mod missed;
mod rest;
mod row;
mod shapes;
mod stretches;

use std::collections::{BTreeSet, HashMap};

use super::ctc::{Glyph, Reading};
use super::lengths::real;
use super::refine::Region;
use super::words;
use crate::{Character, Image, Line, Rect, Word};
use row::{Row, Shape, Strip};
use shapes::{Known, Shapes};
use stretches::{Placed, Stretch};

/// Of the cells with ink in a line on a grid, at least this share looks like another cell of the page. Only a grid repeats pixels.
const REPEATED: f32 = 0.7;
/// Of the characters that were read in a line on a grid, at least this share is what their shapes are known as.
const ALIKE: f32 = 0.7;
/// So many words as were read, at least, are parted by cells without ink.
const PARTED: f32 = 0.6;
/// Lines find their places by each other, which takes a few rounds.
const ROUNDS: usize = 4;
/// So many pixels are looked at, at most, to find the places of lines: some ten times what a screen full of terminals takes.
const MOST_WORK: usize = 1_000_000_000;
/// A page with more lines is no screen, and is taken as it was read.
const MOST_LINES: usize = 2_000;

/// A line as it was cut out and read.
pub(super) struct Read {
    pub(super) region: Region,
    pub(super) reading: Reading,
}

impl Read {
    /// Its characters and the columns of the picture where their middles are.
    fn characters(&self) -> impl Iterator<Item = (f32, Glyph)> {
        let step = (self.region.right - self.region.left) / real(self.reading.steps.max(1));
        let glyphs = self.reading.glyphs.iter().filter(|glyph| !glyph.value.is_whitespace());
        glyphs.map(move |glyph| (self.region.left + glyph.centre * step, *glyph))
    }
}

/// How often each shape occurs on the page.
type Counts = HashMap<Shape, usize>;

/// The lines of a page.
pub(super) struct Lines {
    /// Those on a grid, read by all that is known of its characters, and also those that no network read.
    on_grid: Vec<Line>,
    /// All others.
    as_read: Vec<Line>,
}

impl Lines {
    pub(super) fn all(self) -> Vec<Line> {
        self.on_grid.into_iter().chain(self.as_read).collect()
    }
}

/// The lines of what was read, and the lines that were missed.
pub(super) fn lines(image: Image<'_>, read: &[Read]) -> Lines {
    let as_read = |read: &[Read]| {
        read.iter().filter_map(|read| words::line(image, &read.region, &read.reading)).collect()
    };
    if read.len() > MOST_LINES {
        return Lines { on_grid: Vec::new(), as_read: as_read(read) };
    }
    let rows = rows(image, read);
    let counts = counts(rows.iter().flatten());
    let on_grid: Vec<Option<&Row>> = rows
        .iter()
        .map(|row| {
            row.as_ref().filter(|row| repeated(row, &counts) >= REPEATED * real(row.shapes().count().max(1)))
        })
        .collect();
    let assigned: Vec<Vec<Vec<Glyph>>> = on_grid
        .iter()
        .zip(read)
        .map(|(row, read)| row.map_or_else(Vec::new, |row| assigned(row, read)))
        .collect();
    let mut shapes = Shapes::default();
    for (row, glyphs) in on_grid.iter().zip(&assigned) {
        for (cell, glyphs) in row.iter().flat_map(|row| &row.cells).zip(glyphs) {
            if let (Some(shape), [glyph], Some(row)) = (&cell.shape, glyphs.as_slice(), row) {
                shapes.vote(row.place.style, shape, glyph);
            }
        }
    }
    let known = shapes.settled();
    let placed: Vec<Placed<'_>> = on_grid
        .into_iter()
        .zip(read)
        .zip(&assigned)
        .filter_map(|((row, read), glyphs)| {
            let row = row.filter(|row| agrees(row, read, glyphs, &known))?;
            Some(Placed { row, glyphs })
        })
        .collect();
    if placed.is_empty() {
        return Lines { on_grid: Vec::new(), as_read: as_read(read) };
    }
    let stretches = stretches::of(image, read, &placed, &known);
    let rests = read.iter().flat_map(|read| rest::of(read, &stretches));
    let as_read = rests.filter_map(|rest| words::line(image, &rest.region, &rest.reading)).collect();
    Lines { on_grid: stretches.iter().filter_map(Stretch::line).collect(), as_read }
}

/// The row of each line on a grid. Lines find their places by each other: where most of a line looks like other lines.
fn rows(image: Image<'_>, read: &[Read]) -> Vec<Option<Row>> {
    let grids = grid::of(image, read);
    let pitches: BTreeSet<usize> = grids.iter().flatten().map(|grid| grid.pitch).collect();
    let regions: Vec<Region> = read.iter().map(|read| read.region).collect();
    // Made when needed: together they would take as much memory as the picture, for each pitch.
    let strip = |index: usize, pitch: usize| Strip::new(image, &regions, index, pitch);
    let mut rows: Vec<Option<Row>> = grids
        .iter()
        .enumerate()
        .map(|(index, grid)| {
            let grid = (*grid)?;
            let strip = strip(index, grid.pitch)?;
            Some(strip.row(grid.phase, strip.base(grid.phase)?))
        })
        .collect();
    let mut work = MOST_WORK;
    for _ in 0..ROUNDS {
        let counts = counts(rows.iter().flatten());
        for (index, row) in rows.iter_mut().enumerate() {
            let is_settled =
                row.as_ref().is_some_and(|row| repeated(row, &counts) >= real(row.shapes().count()));
            if is_settled {
                continue;
            }
            let pitches = pitches.iter().filter(|pitch| grid::may_be(&read[index], **pitch));
            for strip in pitches.filter_map(|pitch| strip(index, *pitch)) {
                let Some(left) = work.checked_sub(strip.work()) else { return rows };
                work = left;
                *row = placed(row.take(), &strip, &counts);
            }
        }
    }
    rows
}

/// A row where it looks most like the others.
fn placed(row: Option<Row>, strip: &Strip, counts: &Counts) -> Option<Row> {
    // Each shape of the row as it was taken occurs once in itself.
    let rated = |row: Row, own: usize| {
        let elsewhere =
            row.shapes().map(|shape| counts.get(shape).map_or(0, |count| count.saturating_sub(own)));
        (elsewhere.map(|count| real(count).ln_1p()).sum::<f32>(), row)
    };
    let own = row.map(|row| rated(row, 1));
    let variants = strip.variants().map(|variant| rated(variant, 0));
    own.into_iter().chain(variants).max_by(|one, other| one.0.total_cmp(&other.0)).map(|(_, row)| row)
}

fn counts<'a>(rows: impl Iterator<Item = &'a Row>) -> Counts {
    let mut counts = Counts::new();
    for shape in rows.flat_map(Row::shapes) {
        if let Some(count) = counts.get_mut(shape) {
            *count += 1;
        } else {
            counts.insert(shape.clone(), 1);
        }
    }
    counts
}

/// How many shapes of a row occur more than once.
fn repeated(row: &Row, counts: &Counts) -> f32 {
    real(row.shapes().filter(|shape| counts.get(shape).is_some_and(|count| *count > 1)).count())
}

/// Whether what is known of the shapes of a row is mostly what was read: a character for a cell, and the same. In a proportional font
/// slices of pixels may occur again, too, but no characters do with them.
fn agrees(row: &Row, read: &Read, glyphs: &[Vec<Glyph>], known: &Known) -> bool {
    let cells =
        row.cells.iter().zip(glyphs).filter_map(|(cell, glyphs)| Some((cell.shape.as_ref()?, glyphs)));
    let is_alike = |(shape, glyphs): &(&Shape, &Vec<Glyph>)| matches!((known.get(shape), glyphs.as_slice()), (Some(known), [glyph]) if known.value == glyph.value);
    let alike = cells.filter(is_alike).count();
    let spaces = read.reading.glyphs.iter().filter(|glyph| glyph.value.is_whitespace()).count();
    let parted = real(row.words(row.inside.clone()).len()) >= PARTED * real(spaces + 1);
    parted && real(alike) >= ALIKE * real(row.shapes().count().max(read.characters().count()))
}

/// The glyphs of a reading by the cell they belong to. In a word with as many glyphs as cells each has its own; else the middle
/// of a glyph tells.
fn assigned(row: &Row, read: &Read) -> Vec<Vec<Glyph>> {
    let mut cells: Vec<Vec<Glyph>> = vec![Vec::new(); row.cells.len()];
    let glyphs: Vec<(usize, Glyph)> =
        read.characters().filter_map(|(middle, glyph)| Some((row.cell_at(middle)?, glyph))).collect();
    for word in row.words(row.inside.clone()) {
        // A middle may be a little beyond its cell, and beside a word there is nothing but space.
        let near = word.start.saturating_sub(1)..word.end + 1;
        let own: Vec<&(usize, Glyph)> = glyphs.iter().filter(|(at, _)| near.contains(at)).collect();
        if own.len() == word.len() {
            for (cell, (_, glyph)) in word.zip(own) {
                cells[cell].push(*glyph);
            }
        } else {
            for (at, glyph) in own.into_iter().filter(|(at, _)| word.contains(at)) {
                cells[*at].push(*glyph);
            }
        }
    }
    cells
}

fn finish(characters: Vec<Character>, frame: Rect) -> Option<Word> {
    let (first, last) = (characters.first()?, characters.last()?);
    let area = Rect { x: first.left.cast_signed(), width: last.right - first.left, ..frame };
    let confidence = characters.iter().map(|one| one.confidence).sum::<f32>() / real(characters.len());
    let text = characters.iter().map(|one| one.value).collect();
    Some(Word { text, area, confidence, characters })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embedded::ctc::Glyph;

    const PITCH: usize = 7;
    const HEIGHT: usize = 14;

    /// A letter of a font that does not exist, five pixels wide and seven tall: pixels from its number.
    fn is_ink(letter: char, x: usize, y: usize) -> bool {
        let seed = u64::from(u32::from(letter)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        // The lowest row is full, so that all stand on one line.
        letter != ' ' && (y == 6 || (seed >> (y * 5 + x)) & 1 == 1)
    }

    const WIDTH: usize = 500;

    fn picture(lines: &[&str]) -> (u32, u32, Vec<u8>) {
        let height = 40 + lines.len() * HEIGHT;
        let mut bytes = vec![255; WIDTH * height * 3];
        draw(&mut bytes, (20, 20), lines);
        (u32::try_from(WIDTH).unwrap(), u32::try_from(height).unwrap(), bytes)
    }

    fn draw(bytes: &mut [u8], (left, top): (usize, usize), lines: &[&str]) {
        for (row, line) in lines.iter().enumerate() {
            for (column, letter) in line.chars().enumerate() {
                for (x, y) in
                    (0..5).flat_map(|x| (0..7).map(move |y| (x, y))).filter(|(x, y)| is_ink(letter, *x, *y))
                {
                    let at = (top + row * HEIGHT + y) * WIDTH + left + column * PITCH + x;
                    bytes[3 * at..3 * at + 3].fill(0);
                }
            }
        }
    }

    /// What a network that reads `text` in a row says of it.
    fn reading(row: usize, text: &str) -> Read {
        let glyphs = text.chars().enumerate();
        let glyphs = glyphs.filter(|(_, value)| *value != '\u{0}').map(|(column, value)| Glyph {
            value,
            centre: real(column * PITCH) + 6.5,
            probability: 0.9,
        });
        let columns = text.chars().count() * PITCH + 8;
        let top = real(20 + row * HEIGHT);
        let region = Region { left: 16.0, right: 16.0 + real(columns), top: top - 1.4, bottom: top + 8.4 };
        Read { region, reading: Reading { glyphs: glyphs.collect(), steps: columns } }
    }

    fn read(drawn: &[&str], read: &[Read]) -> Vec<String> {
        let (width, height, bytes) = picture(drawn);
        let mut lines = lines(Image::rgb(width, height, &bytes).unwrap(), read).on_grid;
        lines.sort_by_key(|line| line.area.y);
        lines.iter().map(Line::to_string).collect()
    }

    const PART: [&str; 5] = [
        "let total = items.len();",
        "for item in items.iter()",
        "Order 0815 of 2 items OK",
        "total 10 items in 0 sets",
        "Only one OK item is left",
    ];

    /// Enough text to know each character by.
    fn drawn() -> Vec<&'static str> {
        PART.repeat(3)
    }

    #[test]
    fn the_same_pixels_are_the_same_character() {
        let mut texts = drawn();
        texts[0] = "let total = items,1en();";
        texts[2] = "0rder 0815 of 2 items 0K";
        let readings = texts.iter().enumerate().map(|(row, text)| reading(row, text)).collect::<Vec<_>>();
        assert_eq!(read(&drawn(), &readings), drawn());
    }

    #[test]
    fn what_was_left_out_is_known_from_elsewhere() {
        let mut texts = drawn();
        texts[1] = "for item in items\u{0}iter()";
        let readings = texts.iter().enumerate().map(|(row, text)| reading(row, text)).collect::<Vec<_>>();
        assert_eq!(read(&drawn(), &readings), drawn());
    }

    #[test]
    fn a_line_that_was_missed_is_read_by_the_shapes_of_the_others() {
        let texts = drawn();
        let read_ones = texts.iter().enumerate().filter(|(row, _)| *row != 3);
        let readings = read_ones.map(|(row, text)| reading(row, text)).collect::<Vec<_>>();
        assert_eq!(read(&drawn(), &readings), drawn());
    }

    #[test]
    fn a_line_that_was_read_as_something_else_is_read_by_the_shapes_of_the_others() {
        let mut texts = drawn();
        texts[3] = "t0ta1l 1O iterns |n O setss";
        let readings = texts.iter().enumerate().map(|(row, text)| reading(row, text)).collect::<Vec<_>>();
        assert_eq!(read(&drawn(), &readings), drawn());
    }

    #[test]
    fn lines_at_the_end_of_a_window_that_were_missed_are_read_too() {
        let texts = drawn();
        let read_ones = texts.iter().enumerate().filter(|(row, _)| (2..13).contains(row));
        let readings = read_ones.map(|(row, text)| reading(row, text)).collect::<Vec<_>>();
        assert_eq!(read(&drawn(), &readings), drawn());
    }

    #[test]
    fn what_was_read_across_two_windows_is_read_on_the_grid_of_each() {
        let (width, height, mut bytes) = picture(&drawn());
        // Half a cell further than a whole number of them, and a little lower.
        let aside = 26 * PITCH + 3;
        draw(&mut bytes, (20 + aside, 22), &drawn());
        let mut readings = Vec::new();
        for (row, text) in drawn().into_iter().enumerate() {
            if row == 4 {
                readings.push(reading(row, &format!("{text}  0nIy 0ne 0K iten")));
                continue;
            }
            let mut other = reading(row, text);
            let Region { left, right, top, bottom } = other.region;
            let (left, right) = (left + real(aside), right + real(aside));
            other.region = Region { left, right, top: top + 2.0, bottom: bottom + 2.0 };
            readings.extend([reading(row, text), other]);
        }
        let lines = lines(Image::rgb(width, height, &bytes).unwrap(), &readings);
        let mut texts: Vec<String> = lines.on_grid.iter().map(Line::to_string).collect();
        texts.sort_unstable();
        let mut wanted: Vec<&str> = drawn().repeat(2);
        wanted.sort_unstable();
        assert_eq!(texts, wanted);
        assert!(lines.as_read.is_empty());
    }

    /// Whatever is read in whatever places, no word on a grid is beyond the picture.
    #[test]
    fn any_readings_at_all() {
        let (width, height, clean) = picture(&drawn());
        let mut seed = 1_u32;
        let mut dice = move |sides: u16| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            usize::try_from((seed >> 8) % u32::from(sides)).unwrap()
        };
        let mut found = 0;
        for _ in 0..60 {
            let mut bytes = clean.clone();
            for _ in 0..dice(2_000) {
                let at = dice(u16::MAX) * 11 % bytes.len();
                bytes[at] = u8::try_from(dice(256)).unwrap();
            }
            let mut readings: Vec<Read> =
                drawn().iter().enumerate().map(|(row, text)| reading(row, text)).collect();
            for read in &mut readings {
                if dice(3) > 0 {
                    continue;
                }
                let (left, top) = (real(dice(490)), real(dice(230)));
                let right = (left + 1.0 + real(dice(90)) * real(dice(90)) / 13.0).min(500.0);
                read.region =
                    Region { left, right, top, bottom: (top + 1.0 + real(dice(400)) / 9.0).min(250.0) };
                read.reading.steps = dice(120);
            }
            let lines = lines(Image::rgb(width, height, &bytes).unwrap(), &readings);
            found += lines.on_grid.len();
            for area in lines.on_grid.iter().flat_map(|line| &line.words).map(|word| word.area) {
                let (right, bottom) = (area.right(), area.bottom());
                assert!(right <= i64::from(width) && bottom <= i64::from(height), "{area:?}");
                assert!(area.x >= 0 && area.y >= 0 && area.width > 0 && area.height > 0, "{area:?}");
            }
        }
        assert!(found > 100, "{found}");
    }

    #[test]
    fn a_few_words_show_no_grid() {
        let readings = [reading(0, "too short"), reading(1, "for this")];
        assert!(read(&["too short", "for this"], &readings).is_empty());
    }
}
