//! The cells of one line, and the pixels in each.

use std::ops::{Range, RangeInclusive};

use crate::embedded::lengths::{pixels, real, whole};
use crate::embedded::refine::Region;
use crate::image::brightness;
use crate::{Image, Rect};

/// How far characters reach above and below the line they stand on, as shares of the width of a cell.
const ABOVE: f32 = 1.35;
const BELOW: f32 = 0.42;
/// What goes on above and below that for so much is the border of a window or a table; bars of two rows may touch.
const BEYOND: f32 = 1.5;
/// A pixel is ink when it differs from the background by this share of what any pixel of the line does.
const INK: f32 = 0.3;
/// Where that is less, it is noise or shade.
const SOFTEST: u8 = 40;
/// Above and below the rows of a line, as a share of them.
const MARGIN: f32 = 0.15;
/// How much more contrast one colour may have than another.
const FACTORS: RangeInclusive<f32> = 0.3..=3.3;
/// So many cells to each side of what was read are looked at.
const ASIDE: usize = 24;

/// How the pixels of a cell differ from the background, from its upper left corner, row by row.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub(super) struct Shape {
    pitch: usize,
    pixels: Vec<i16>,
}

impl Shape {
    /// The share of the ink by which two shapes differ: little where neighbours left it in the cell, as letters may be a little
    /// wider than theirs. None where they cannot be compared.
    pub(super) fn apart(&self, other: &Self) -> Option<f32> {
        self.apart_by(other, 1.0)
    }

    /// The same for shapes of other colours, such as light on dark: pixels then differ by a factor.
    pub(super) fn apart_in_colour(&self, other: &Self) -> Option<f32> {
        let product = |one: &Self, other: &Self| -> f32 {
            one.pixels.iter().zip(&other.pixels).map(|(one, other)| f32::from(*one) * f32::from(*other)).sum()
        };
        let factor = product(self, other) / product(self, self).max(1.0);
        FACTORS.contains(&factor.abs()).then(|| self.apart_by(other, factor)).flatten()
    }

    fn apart_by(&self, other: &Self, factor: f32) -> Option<f32> {
        if (self.pitch, self.pixels.len()) != (other.pitch, other.pixels.len()) {
            return None;
        }
        let (mut apart, mut ink) = (0.0_f32, 0.0_f32);
        for (one, other) in self.pixels.iter().zip(&other.pixels) {
            let (one, other) = (factor * f32::from(*one), f32::from(*other));
            apart += (one - other).abs();
            ink += one.abs().max(other.abs());
        }
        Some(apart / ink.max(1.0))
    }
}

#[cfg(test)]
impl Shape {
    pub(super) fn example(pixels: &[i16]) -> Shape {
        Shape { pitch: 3, pixels: pixels.to_vec() }
    }
}

/// What lines of one look have in common: pitch and background.
pub(super) type Style = (usize, u8);

pub(super) struct Cell {
    pub(super) left: u32,
    pub(super) right: u32,
    /// None where there is no ink.
    pub(super) shape: Option<Shape>,
}

/// A line of cells.
pub(super) struct Row {
    pub(super) cells: Vec<Cell>,
    /// The cells that were read; those beside them may belong to the line.
    pub(super) inside: Range<usize>,
    pub(super) place: Place,
}

/// Where a row is: rows of one window differ in their base only.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub(super) struct Place {
    pub(super) style: Style,
    /// Where cells begin, modulo the pitch.
    pub(super) phase: usize,
    /// The row of pixels below the line that characters stand on.
    pub(super) base: usize,
}

impl Row {
    pub(super) fn shapes(&self) -> impl Iterator<Item = &Shape> {
        self.cells[self.inside.clone()].iter().filter_map(|cell| cell.shape.as_ref())
    }

    /// Cells with ink that stand beside each other, of some of the cells.
    pub(super) fn words(&self, among: Range<usize>) -> Vec<Range<usize>> {
        let mut words: Vec<Range<usize>> = Vec::new();
        for at in among.filter(|at| self.cells[*at].shape.is_some()) {
            match words.last_mut() {
                Some(word) if word.end == at => word.end += 1,
                _ => words.push(at..at + 1),
            }
        }
        words
    }

    /// The cell a column belongs to.
    pub(super) fn cell_at(&self, column: f32) -> Option<usize> {
        let column = pixels(whole(column));
        self.cells.iter().position(|cell| (cell.left..cell.right).contains(&column))
    }
}

/// The brightness around a line.
pub(super) struct Strip {
    pub(super) pitch: usize,
    x: usize,
    y: usize,
    width: usize,
    height: usize,
    bytes: Vec<u8>,
    /// The columns and rows of the picture that were read.
    columns: Range<usize>,
    rows: Range<usize>,
    ground: u8,
    /// Less difference from the background is no ink.
    ink: u8,
}

impl Strip {
    /// What is around a region, as far as it is not in one of the others.
    pub(super) fn new(image: Image<'_>, regions: &[Region], index: usize, pitch: usize) -> Option<Self> {
        let region = regions.get(index)?;
        let (width, height) = (image.width() as usize, image.height() as usize);
        let (top, bottom) = region.ink_rows();
        let rows = whole(top.floor()).min(height)..whole(bottom.ceil()).min(height);
        let columns = whole(region.left.ceil()).min(width)..whole(region.right.floor()).min(width);
        let aside = ASIDE * pitch;
        let (mut left, mut right) = (columns.start.saturating_sub(aside), (columns.end + aside).min(width));
        let others = regions.iter().filter(|other| is_level(region, other));
        for other in others {
            if other.right <= region.left {
                left = left.max(whole(other.right.ceil()));
            } else if other.left >= region.right {
                right = right.min(whole(other.left));
            }
        }
        let reach = 2 * pitch;
        let (y, end) = (rows.start.saturating_sub(reach), (rows.end + reach).min(height));
        let mut bytes = Vec::with_capacity((right - left) * (end - y));
        for y in y..end {
            let row = image.row(pixels(y), pixels(left), pixels(right));
            bytes.extend(row.chunks_exact(image.channels()).map(brightness));
        }
        let mut strip = Self {
            pitch,
            x: left,
            y,
            width: right - left,
            height: end - y,
            bytes,
            columns,
            rows,
            ground: 0,
            ink: 0,
        };
        strip.ground = ground(strip.inner());
        let contrast = strip.inner().map(|byte| byte.abs_diff(strip.ground)).max()?;
        let ink = whole(INK * f32::from(contrast));
        strip.ink = u8::try_from(ink).unwrap_or(u8::MAX);
        (contrast >= SOFTEST).then_some(strip)
    }

    /// What is around a row that was not read, from one column to another.
    pub(super) fn unread(image: Image<'_>, place: Place, columns: Range<u32>) -> Option<Self> {
        let (pitch, _) = place.style;
        let (top, bottom) = (real(place.base) - ABOVE * real(pitch), real(place.base) + BELOW * real(pitch));
        let region =
            Region { left: real(columns.start as usize), right: real(columns.end as usize), top, bottom };
        let mut strip = Self::new(image, &[region.with_margins()], 0, pitch)?;
        strip.ground = place.style.1;
        Some(strip)
    }

    /// Its place in the picture, as wide as what was looked at, with the margins that lines have which a network read.
    pub(super) fn frame(&self) -> Rect {
        let (top, bottom) = (self.rows.start, self.rows.end);
        let margin = whole(MARGIN * real(bottom - top));
        let (x, y) = (pixels(self.columns.start), pixels(top.saturating_sub(margin)));
        Rect {
            x: x.cast_signed(),
            y: y.cast_signed(),
            width: pixels(self.columns.len()),
            height: pixels((bottom + margin).min(self.y + self.height)) - y,
        }
    }

    /// How many pixels `variants` looks at.
    pub(super) fn work(&self) -> usize {
        self.pitch * self.bases().len() * self.bytes.len()
    }

    /// All the rows this may be: any grid, and any line to stand on that is near.
    pub(super) fn variants(&self) -> impl Iterator<Item = Row> {
        (0..self.pitch).flat_map(move |phase| self.bases().map(move |base| self.row(phase, base)))
    }

    /// The rows that may be the one below the line characters stand on: so that they are in the middle of what was read, but for
    /// less than half a line.
    fn bases(&self) -> Range<usize> {
        let middle = real(self.rows.start + self.rows.end) / 2.0;
        let base = whole((middle + real(self.pitch) * (ABOVE - BELOW) / 2.0).round());
        let off = self.pitch.div_ceil(2);
        base.saturating_sub(off)..base + off + 1
    }

    /// What was read.
    fn inner(&self) -> impl Iterator<Item = u8> {
        self.rows.clone().flat_map(move |y| self.columns.clone().map(move |x| self.at(x, y)))
    }

    fn at(&self, x: usize, y: usize) -> u8 {
        self.bytes[(y - self.y) * self.width + x - self.x]
    }

    fn is_ink(&self, x: usize, y: usize) -> bool {
        self.at(x, y).abs_diff(self.ground) > self.ink
    }

    /// Where cells begin, from left to right.
    fn lefts(&self, phase: usize) -> impl Iterator<Item = usize> {
        let first = self.x + (phase + self.pitch - self.x % self.pitch) % self.pitch;
        (first..(self.x + self.width + 1).saturating_sub(self.pitch)).step_by(self.pitch)
    }

    fn was_read(&self, left: usize) -> bool {
        self.columns.contains(&(left + self.pitch / 2))
    }

    /// The row below the one that most characters end with.
    pub(super) fn base(&self, phase: usize) -> Option<usize> {
        let bases = self.bases();
        let lowest = |left: usize| {
            let is_inked = |y: &usize| (left..left + self.pitch).any(|x| self.is_ink(x, *y));
            let end = bases.end.min(self.y + self.height);
            (bases.start.saturating_sub(1).max(self.y)..end.saturating_sub(1))
                .rev()
                .find(is_inked)
                .map(|y| y + 1)
        };
        most_common(self.lefts(phase).filter(|left| self.was_read(*left)).filter_map(lowest))
    }

    pub(super) fn row(&self, phase: usize, base: usize) -> Row {
        let above = whole((ABOVE * real(self.pitch)).round());
        let below = whole((BELOW * real(self.pitch)).round());
        let end = self.y + self.height;
        let rows = base.saturating_sub(above).max(self.y)..(base + below).min(end);
        let beyond = whole(BEYOND * real(self.pitch));
        let around = rows.start.saturating_sub(beyond).max(self.y)..(rows.end + beyond).min(end);
        let is_rule = |x: usize| around.clone().all(|y| self.is_ink(x, y));
        let shape = |left: usize| {
            let columns = left..left + self.pitch;
            let is_inked = columns.clone().any(|x| rows.clone().any(|y| self.is_ink(x, y)));
            let difference = |x: usize, y: usize| i16::from(self.at(x, y)) - i16::from(self.ground);
            (is_inked && !columns.clone().any(is_rule)).then(|| Shape {
                pitch: self.pitch,
                pixels: rows.clone().flat_map(|y| columns.clone().map(move |x| difference(x, y))).collect(),
            })
        };
        let lefts: Vec<usize> = self.lefts(phase).collect();
        let start = lefts.iter().position(|left| self.was_read(*left)).unwrap_or(lefts.len());
        let count = lefts[start..].iter().take_while(|left| self.was_read(**left)).count();
        let cells = lefts.into_iter().map(|left| Cell {
            left: pixels(left),
            right: pixels(left + self.pitch),
            shape: shape(left),
        });
        Row {
            cells: cells.collect(),
            inside: start..start + count,
            place: Place { style: (self.pitch, self.ground), phase, base },
        }
    }
}

/// Whether two regions share most of the lower one's height.
fn is_level(one: &Region, other: &Region) -> bool {
    let shared = one.bottom.min(other.bottom) - one.top.max(other.top);
    2.0 * shared > (one.bottom - one.top).min(other.bottom - other.top)
}

/// The brightness most pixels have.
pub(super) fn ground(values: impl Iterator<Item = u8>) -> u8 {
    let mut counts = [0_usize; 256];
    for value in values {
        counts[usize::from(value)] += 1;
    }
    (0..=u8::MAX).max_by_key(|value| counts[usize::from(*value)]).unwrap_or(0)
}

fn most_common(values: impl Iterator<Item = usize>) -> Option<usize> {
    let mut counts = std::collections::BTreeMap::new();
    for value in values {
        *counts.entry(value).or_insert(0_usize) += 1;
    }
    counts.into_iter().max_by_key(|(_, count)| *count).map(|(value, _)| value)
}

#[cfg(test)]
mod tests {
    use super::Shape;

    fn shape(pixels: [i16; 6]) -> Shape {
        Shape { pitch: 3, pixels: pixels.to_vec() }
    }

    #[test]
    fn a_letter_in_other_colours_has_the_same_shape() {
        let dark = shape([-224, -112, 0, -56, 0, -224]);
        let light = shape([196, 98, 0, 49, 0, 196]);
        assert!(dark.apart_in_colour(&light).unwrap() < 0.01);
        assert!(dark.apart(&light).unwrap() > 1.0);
        let other = shape([196, 98, 0, 49, 98, 196]);
        assert!(dark.apart_in_colour(&other).unwrap() > 0.1);
    }

    #[test]
    fn what_is_hardly_seen_is_no_letter_in_other_colours() {
        assert_eq!(shape([-224, -112, 0, -56, 0, -224]).apart_in_colour(&shape([22, 11, 0, 6, 0, 22])), None);
    }

    #[test]
    fn cells_of_other_sizes_are_not_compared() {
        let narrow = Shape { pitch: 2, pixels: vec![1, 2] };
        assert_eq!(narrow.apart(&shape([1; 6])), None);
    }
}
