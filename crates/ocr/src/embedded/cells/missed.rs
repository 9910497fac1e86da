//! Lines on a grid that were not read, or only together with others: where the rows of a window leave one out, the shapes that
//! are known from the others tell what stands there.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

use super::finish;
use super::row::{Place, Row, Shape, Strip};
use crate::embedded::ctc::Glyph;
use crate::{Character, Image, Line, Rect, Word};

/// How far rows are apart, as shares of the width of a cell, at least and at most.
const NEAREST: usize = 1;
const FURTHEST: usize = 4;
/// More rows of a page are not looked for, nor of a window.
const MOST_ROWS: usize = 500;
/// Fewer letters and digits in a row are not taken for text.
const FEWEST: usize = 3;

/// The places that were read.
#[derive(Default)]
pub(super) struct Taken(Vec<(Place, Rect)>);

impl Taken {
    pub(super) fn add(&mut self, place: Place, area: Rect) {
        self.0.push((place, area));
    }

    /// The column that another line ends with in the same place, or zero.
    pub(super) fn until(&self, place: &Place) -> u32 {
        let ends = self.0.iter().filter(|(taken, _)| is_same(taken, place)).map(|(_, area)| area.right());
        ends.max().and_then(|end| u32::try_from(end).ok()).unwrap_or(0)
    }

    fn has(&self, place: &Place, column: u32) -> bool {
        let column = i64::from(column);
        self.0
            .iter()
            .any(|(taken, area)| is_same(taken, place) && (i64::from(area.x)..area.right()).contains(&column))
    }
}

fn is_same(one: &Place, other: &Place) -> bool {
    one.style == other.style && one.phase == other.phase && one.base.abs_diff(other.base) <= 1
}

/// How many characters lines have.
pub(super) fn characters(lines: &[Line]) -> usize {
    lines.iter().flat_map(|line| &line.words).map(|word| word.characters.len()).sum()
}

/// Whether a line covers the middle of a frame.
pub(super) fn covers(line: Rect, frame: Rect) -> bool {
    let (_, middle) = frame.centre();
    let across = line.right().min(frame.right()) - i64::from(line.x.max(frame.x));
    let height = i64::from(frame.height) / 2;
    let apart = (i64::from(middle) - i64::from(line.centre().1)).abs();
    apart <= height && 2 * across > i64::from(frame.width.min(line.width))
}

/// The lines between those of a window, and directly above and below them.
pub(super) fn lines<'a>(
    image: Image<'_>,
    rows: impl Iterator<Item = &'a Row>,
    taken: &Taken,
    known: &HashMap<Shape, Glyph>,
) -> Vec<Line> {
    let mut windows: BTreeMap<Place, Vec<(usize, Range<u32>)>> = BTreeMap::new();
    for row in rows {
        let (Some(first), Some(last)) =
            (row.cells.get(row.inside.start), row.cells.get(row.inside.end.max(1) - 1))
        else {
            continue;
        };
        let window = windows.entry(Place { base: 0, ..row.place }).or_default();
        window.push((row.place.base, first.left..last.right));
    }
    let mut lines = Vec::new();
    let mut left = MOST_ROWS;
    for (place, rows) in windows {
        for base in left_out(place, &rows).into_iter().take(left) {
            left -= 1;
            let height = |other: usize| other.abs_diff(base) <= FURTHEST * place.style.0;
            let near = || rows.iter().filter(|(other, _)| height(*other)).map(|(_, columns)| columns);
            let from = near().map(|columns| columns.start).min().unwrap_or(0);
            let to = near().map(|columns| columns.end).max().unwrap_or(0);
            let place = Place { base, ..place };
            if let Some(strip) = Strip::unread(image, place, from..to) {
                lines.extend(runs(&strip, place, taken, known));
            }
        }
    }
    lines
}

/// The bases that no row of a window has, though the distance of the others says there should be one.
fn left_out(place: Place, rows: &[(usize, Range<u32>)]) -> Vec<usize> {
    let (pitch, _) = place.style;
    let bases: BTreeSet<usize> = rows.iter().map(|(base, _)| *base).collect();
    let mut distances = BTreeMap::new();
    for (one, next) in bases.iter().zip(bases.iter().skip(1)) {
        *distances.entry(next - one).or_insert(0_usize) += 1;
    }
    let is_line = |distance: &usize| (NEAREST * pitch + 1..=FURTHEST * pitch).contains(distance);
    let distance =
        distances.into_iter().filter(|(distance, _)| is_line(distance)).max_by_key(|(_, count)| *count);
    let Some((distance, _)) = distance else { return Vec::new() };
    let beside = bases.iter().flat_map(|base| [base.checked_sub(distance), Some(base + distance)]).flatten();
    let mut found = BTreeSet::new();
    let mut next: Vec<usize> = beside.collect();
    let (Some(first), Some(last)) = (bases.first(), bases.last()) else { return Vec::new() };
    while let Some(base) = next.pop() {
        let is_near = base + distance >= *first && base <= last + distance;
        let is_there = bases.range(base.saturating_sub(1)..=base + 1).next().is_some();
        if found.len() < MOST_ROWS && is_near && !is_there && found.insert(base) {
            next.extend([base.checked_sub(distance), Some(base + distance)].into_iter().flatten());
        }
    }
    found.into_iter().collect()
}

/// What is known of a row, from one unknown shape to the next.
fn runs(strip: &Strip, place: Place, taken: &Taken, known: &HashMap<Shape, Glyph>) -> Vec<Line> {
    let row = strip.row(place.phase, place.base);
    let glyph = |at: usize| row.cells[at].shape.as_ref().map(|shape| known.get(shape));
    let is_out = |at: usize| glyph(at) == Some(None) || taken.has(&place, row.cells[at].left);
    let mut lines = Vec::new();
    let mut from = row.inside.start;
    for at in row.inside.start..=row.inside.end {
        if at < row.inside.end && !is_out(at) {
            continue;
        }
        let words: Vec<Word> = row
            .words(from..at)
            .into_iter()
            .filter_map(|word| {
                let characters = word.filter_map(|at| {
                    let (glyph, cell) = (glyph(at)??, &row.cells[at]);
                    let (left, right) = (cell.left, cell.right);
                    Some(Character { value: glyph.value, left, right, confidence: glyph.probability })
                });
                finish(characters.collect(), strip.frame())
            })
            .collect();
        let letters =
            words.iter().flat_map(|word| word.text.chars()).filter(|letter| letter.is_alphanumeric());
        if letters.count() >= FEWEST
            && let Some(area) = words.iter().map(|word| word.area).reduce(Rect::joined)
        {
            lines.push(Line { words, area });
        }
        from = at + 1;
    }
    lines
}
