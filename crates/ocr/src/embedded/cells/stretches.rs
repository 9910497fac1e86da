//! Stretches of text on a grid: in every row of every window, what the shapes are known as, from one end to the other. Where one
//! window covers another, each has its own grid, and only on the right one the shapes are known.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::row::{Place, Row, Strip};
use super::shapes::Known;
use super::{Read, finish, missed};
use crate::embedded::ctc::Glyph;
use crate::embedded::lengths::{pixels, real, whole};
use crate::{Character, Image, Line, Rect};

/// So many cells that nobody read may stand beside each other in a text, and so many whose shape is not known: more are those of
/// another window.
const UNREAD: usize = 2;
const UNKNOWN: usize = 4;
/// So many cells without ink end a stretch.
const END: usize = 24;
/// Fewer letters and digits are not taken for text, nor is what is known to a lesser part; unless its very pixels are known.
const FEWEST: usize = 3;
const KNOWN: f32 = 0.6;
/// More rows of a page are not looked at.
const MOST_ROWS: usize = 2_000;

/// A line that was read, and is on a grid.
pub(super) struct Placed<'a> {
    pub(super) row: &'a Row,
    /// What was read in each cell of the row.
    pub(super) glyphs: &'a [Vec<Glyph>],
}

/// A cell with ink.
struct Sign {
    left: u32,
    right: u32,
    /// What stands in it: one character, if all is well.
    glyphs: Vec<Glyph>,
    is_known: bool,
    /// Its very pixels are known, and not only some that are like them.
    is_exact: bool,
}

pub(super) struct Stretch {
    signs: Vec<Sign>,
    place: Place,
    frame: Rect,
}

impl Stretch {
    pub(super) fn line(&self) -> Option<Line> {
        let words = self.signs.chunk_by(|one, next| one.right == next.left);
        let words = words.filter_map(|word| {
            let characters = word.iter().flat_map(|sign| {
                sign.glyphs.iter().map(|glyph| Character {
                    value: glyph.value,
                    left: sign.left,
                    right: sign.right,
                    confidence: glyph.probability,
                })
            });
            finish(characters.collect(), self.frame)
        });
        let words: Vec<_> = words.collect();
        let area = words.iter().map(|word| word.area).reduce(Rect::joined)?;
        Some(Line { words, area })
    }

    /// Its first column and the one behind its last.
    pub(super) fn columns(&self) -> Range<f32> {
        let edge =
            |sign: Option<&Sign>, edge: fn(&Sign) -> u32| sign.map_or(0.0, |sign| real(edge(sign) as usize));
        edge(self.signs.first(), |sign| sign.left)..edge(self.signs.last(), |sign| sign.right)
    }

    /// The row of pixels in the middle of its low letters.
    pub(super) fn middle(&self) -> f32 {
        middle(&self.place)
    }

    fn known(&self) -> impl Iterator<Item = &Sign> {
        self.signs.iter().filter(|sign| sign.is_known)
    }

    /// Whether enough of it is known to be text.
    fn is_text(&self) -> bool {
        let values = self.known().flat_map(|sign| &sign.glyphs);
        let letters = values.filter(|glyph| glyph.value.is_alphanumeric()).count();
        let (known, all) = (self.known().count(), self.signs.len());
        let is_mostly_known = letters >= FEWEST && real(known) >= KNOWN * real(all);
        is_mostly_known || (letters > 0 && self.signs.iter().all(|sign| sign.is_exact))
    }

    /// The rows that low letters fill.
    fn rows(&self) -> Range<usize> {
        self.place.base.saturating_sub(self.place.style.0)..self.place.base
    }

    /// The columns that both of two stretches have in the same rows.
    fn shared(&self, other: &Self) -> Option<Range<u32>> {
        let (own, others) = (self.rows(), other.rows());
        let start = self.signs.first()?.left.max(other.signs.first()?.left);
        let end = self.signs.last()?.right.min(other.signs.last()?.right);
        (own.start < others.end && others.start < own.end && start < end).then_some(start..end)
    }

    fn known_in(&self, columns: &Range<u32>) -> usize {
        self.known().filter(|sign| sign.left < columns.end && columns.start < sign.right).count()
    }
}

/// All the text that stands on the grids of a page.
pub(super) fn of(image: Image<'_>, all: &[Read], placed: &[Placed<'_>], known: &Known) -> Vec<Stretch> {
    let mut windows: BTreeMap<Place, Vec<&Placed<'_>>> = BTreeMap::new();
    for placed in placed {
        windows.entry(Place { base: 0, ..placed.row.place }).or_default().push(placed);
    }
    let mut stretches = Vec::new();
    let mut left = MOST_ROWS;
    for (place, rows) in windows {
        let Some(columns) = rows
            .iter()
            .filter_map(|placed| read_columns(placed.row))
            .reduce(|one, other| one.start.min(other.start)..one.end.max(other.end))
        else {
            continue;
        };
        let read: BTreeSet<usize> = rows.iter().map(|placed| placed.row.place.base).collect();
        let bases: BTreeSet<usize> = missed::bases(&place, &read).union(&read).copied().collect();
        for base in bases.into_iter().take(left) {
            left -= 1;
            let place = Place { base, ..place };
            let own = rows.iter().filter(|placed| placed.row.place.base == base);
            let read = own.flat_map(|placed| placed.row.cells.iter().zip(placed.glyphs));
            let read: BTreeMap<u32, &[Glyph]> = read
                .filter(|(_, glyphs)| !glyphs.is_empty())
                .map(|(cell, glyphs)| (cell.left, glyphs.as_slice()))
                .collect();
            if let Some(strip) = Strip::unread(image, place, columns.clone()) {
                stretches.extend(in_row(&strip, place, &read, &in_cells(all, &place), known));
            }
        }
    }
    apart(stretches)
}

/// What was read in the cells of a row, though perhaps together with another row or window.
fn in_cells(all: &[Read], place: &Place) -> BTreeMap<u32, Glyph> {
    let pitch = place.style.0;
    let middle = middle(place);
    let here = all.iter().filter(|read| (read.region.top..read.region.bottom).contains(&middle));
    here.flat_map(Read::characters)
        .map(|(column, glyph)| {
            let column = whole(column);
            let left = column.saturating_sub((column + pitch - place.phase) % pitch);
            (pixels(left), glyph)
        })
        .collect()
}

/// The row of pixels in the middle of low letters.
fn middle(place: &Place) -> f32 {
    real(place.base) - real(place.style.0) / 2.0
}

/// The columns of a row that were read.
fn read_columns(row: &Row) -> Option<Range<u32>> {
    let cells = row.cells.get(row.inside.clone())?;
    Some(cells.first()?.left..cells.last()?.right)
}

/// What is known of a row.
fn in_row(
    strip: &Strip,
    place: Place,
    read: &BTreeMap<u32, &[Glyph]>,
    beside: &BTreeMap<u32, Glyph>,
    known: &Known,
) -> Vec<Stretch> {
    let row = strip.row(place.phase, place.base);
    let mut stretches = Vec::new();
    let mut signs: Vec<Sign> = Vec::new();
    let (mut unread, mut unknown, mut blank) = (0, 0, 0);
    for cell in &row.cells {
        let Some(shape) = &cell.shape else {
            (unread, blank) = (0, blank + 1);
            if blank == END {
                stretches.push(std::mem::take(&mut signs));
                unknown = 0;
            }
            continue;
        };
        blank = 0;
        let glyph = known.near(place.style, shape);
        let otherwise = || known.nearest(shape).or_else(|| beside.get(&cell.left));
        let glyphs = match (glyph, read.get(&cell.left)) {
            (Some(glyph), _) => vec![*glyph],
            (None, Some(read)) => read.to_vec(),
            (None, None) => otherwise().map_or_else(Vec::new, |glyph| vec![*glyph]),
        };
        unread = if glyphs.is_empty() { unread + 1 } else { 0 };
        unknown = if glyph.is_none() { unknown + 1 } else { 0 };
        signs.push(Sign {
            left: cell.left,
            right: cell.right,
            glyphs,
            is_known: glyph.is_some(),
            is_exact: known.get(shape).is_some(),
        });
        if unread > UNREAD || unknown > UNKNOWN {
            signs.truncate(end_of_known(&signs));
            stretches.push(std::mem::take(&mut signs));
        }
    }
    stretches.push(signs);
    let frame = strip.frame();
    let stretches = stretches.into_iter().map(|mut signs| {
        let is_read = |sign: &Sign| !sign.glyphs.is_empty();
        signs.truncate(signs.iter().rposition(is_read).map_or(0, |last| last + 1));
        signs.drain(..signs.iter().position(is_read).unwrap_or(0));
        Stretch { signs, place, frame }
    });
    stretches.filter(Stretch::is_text).collect()
}

/// Where the known part of some cells ends: with the word of its last character, if that word ends.
fn end_of_known(signs: &[Sign]) -> usize {
    let Some(last) = signs.iter().rposition(|sign| sign.is_known) else { return 0 };
    let word = signs[last..].windows(2).position(|pair| pair[0].right != pair[1].left);
    last + 1 + word.unwrap_or(0)
}

/// Where two stretches would have the same place, that of which more is known there has it.
fn apart(mut stretches: Vec<Stretch>) -> Vec<Stretch> {
    stretches.sort_by_key(|stretch| std::cmp::Reverse(stretch.known().count()));
    let mut taken: Vec<Stretch> = Vec::new();
    for mut stretch in stretches {
        for other in &mut taken {
            let Some(shared) = other.shared(&stretch) else { continue };
            let is_weaker = other.known_in(&shared) >= stretch.known_in(&shared);
            let weaker = if is_weaker { &mut stretch } else { other };
            weaker.signs.retain(|sign| sign.right <= shared.start || sign.left >= shared.end);
        }
        taken.push(stretch);
    }
    taken.retain(Stretch::is_text);
    taken
}
