//! Finds the places of text: the network gives each pixel a probability, and what hangs together is a mark.
//!
//! It is shown the picture at half its size: that is enough to find lines, and a quarter of the work. Where exactly a
//! line begins and ends, `refine` finds out.

use std::ops::Range;

use super::lengths::{pixels, real};
use super::networks::Networks;
use super::resample::{Levels, Part, resample};
use super::workers::Workers;
use crate::{Error, Image};

/// What the network marks of a line: its middle, without the ends of letters. In pixels of the picture.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Mark {
    pub(super) columns: Range<usize>,
    pub(super) rows: Range<usize>,
}

/// Pictures up to this size are shown as they are: it costs little, and a small part of a screen may be small print.
const MOST_PIXELS_SHOWN_WHOLE: usize = 300_000;
/// The network halves its input five times.
const STEP: usize = 32;
/// Sides of a tile's core: bounds memory, and gives every core of the machine something to do.
const TILE: usize = 640;
/// What a tile sees around its core, so that text at a seam is seen whole.
const MARGIN: usize = 32;
/// A pixel more likely than this is text.
const THRESHOLD: f32 = 0.3;
/// The mean over a mark must be at least this.
const MEAN: f32 = 0.5;
/// Marks that are thinner are specks.
const THINNEST: usize = 2;

/// All marks of a picture that is not empty, from the top.
pub(super) fn detect(image: Image<'_>, networks: &Networks, workers: &Workers) -> Result<Vec<Mark>, Error> {
    let network = networks.detector()?;
    let (width, height) = (image.width() as usize, image.height() as usize);
    let shrink = if width * height > MOST_PIXELS_SHOWN_WHOLE { 2 } else { 1 };
    let size = Size { width: width.div_ceil(shrink), height: height.div_ceil(shrink) };
    let tiles = tiles(size);
    let maps = workers.map(&tiles, |tile, scratch| {
        let seen = tile.seen(size);
        let scaled = |from: usize, length: usize| from * shrink..(from + length) * shrink;
        if is_plain(image, scaled(seen.x, seen.width), scaled(seen.y, seen.height)) {
            return Ok(None);
        }
        let input = resample(image, seen.part(shrink), seen.width, seen.height, Levels::IMAGENET);
        let map = network.run(input, "text", scratch)?;
        Ok(Some((seen, map.values)))
    });
    let mut map = vec![0.0; size.width * size.height];
    for (tile, part) in tiles.iter().zip(maps) {
        if let Some((seen, part)) = part? {
            tile.copy(&seen, &part, &mut map, size);
        }
    }
    let scaled = |range: Range<usize>, limit: usize| range.start * shrink..(range.end * shrink).min(limit);
    let marks = marks(&map, size).into_iter();
    Ok(marks
        .map(|mark| Mark { columns: scaled(mark.columns, width), rows: scaled(mark.rows, height) })
        .collect())
}

#[derive(Clone, Copy)]
struct Size {
    width: usize,
    height: usize,
}

/// A part of what the network is shown.
#[derive(Clone, Copy, Debug)]
struct Tile {
    x: usize,
    y: usize,
    width: usize,
    height: usize,
}

/// Tiles of like size that cover everything.
fn tiles(size: Size) -> Vec<Tile> {
    let starts = |side: usize| {
        let count = side.div_ceil(TILE);
        (0..count).map(move |index| (side * index / count, side * (index + 1) / count))
    };
    starts(size.height)
        .flat_map(|(y, bottom)| {
            starts(size.width).map(move |(x, right)| Tile { x, y, width: right - x, height: bottom - y })
        })
        .collect()
}

impl Tile {
    /// The tile with a margin, to a multiple of [`STEP`], perhaps beyond the picture.
    fn seen(&self, size: Size) -> Self {
        let (x, y) = (self.x.saturating_sub(MARGIN), self.y.saturating_sub(MARGIN));
        let right = (self.x + self.width + MARGIN).min(size.width);
        let bottom = (self.y + self.height + MARGIN).min(size.height);
        Self { x, y, width: (right - x).next_multiple_of(STEP), height: (bottom - y).next_multiple_of(STEP) }
    }

    /// The pixels of the picture it stands for.
    fn part(&self, shrink: usize) -> Part {
        let [x, y, width, height] =
            [self.x, self.y, self.width, self.height].map(|length| real(length * shrink));
        Part { x, y, width, height }
    }

    /// Puts what the network said about this tile in its place.
    fn copy(&self, seen: &Self, part: &[f32], map: &mut [f32], size: Size) {
        for y in self.y..self.y + self.height {
            let from = (y - seen.y) * seen.width + self.x - seen.x;
            map[y * size.width + self.x..][..self.width].copy_from_slice(&part[from..][..self.width]);
        }
    }
}

/// Whether all of it has one colour, as much of it as is inside the picture.
fn is_plain(image: Image<'_>, columns: Range<usize>, rows: Range<usize>) -> bool {
    let (right, bottom) = (pixels(columns.end).min(image.width()), pixels(rows.end).min(image.height()));
    let row = |y: u32| image.row(y, pixels(columns.start), right);
    let first = row(pixels(rows.start));
    let mut colours = first.chunks_exact(image.channels());
    let colour = colours.next();
    colours.all(|other| Some(other) == colour) && (pixels(rows.start)..bottom).all(|y| row(y) == first)
}

/// The boxes of what hangs together, from the top.
fn marks(map: &[f32], size: Size) -> Vec<Mark> {
    let mut seen = vec![false; map.len()];
    let mut marks = Vec::new();
    let mut stack = Vec::new();
    for start in 0..map.len() {
        if map[start] <= THRESHOLD || seen[start] {
            continue;
        }
        let (mut left, mut top, mut right, mut bottom) = (size.width, size.height, 0, 0);
        let (mut sum, mut count) = (0.0, 0.0);
        seen[start] = true;
        stack.push(start);
        while let Some(at) = stack.pop() {
            let (x, y) = (at % size.width, at / size.width);
            (left, right, top, bottom) = (left.min(x), right.max(x), top.min(y), bottom.max(y));
            sum += map[at];
            count += 1.0;
            let neighbours = [
                (x > 0).then(|| at - 1),
                (x + 1 < size.width).then(|| at + 1),
                (y > 0).then(|| at - size.width),
                (y + 1 < size.height).then(|| at + size.width),
            ];
            for next in neighbours.into_iter().flatten() {
                if map[next] > THRESHOLD && !seen[next] {
                    seen[next] = true;
                    stack.push(next);
                }
            }
        }
        let mark = Mark { columns: left..right + 1, rows: top..bottom + 1 };
        if mark.columns.len().min(mark.rows.len()) >= THINNEST && sum / count >= MEAN {
            marks.push(mark);
        }
    }
    marks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_cover_every_pixel_once() {
        for (width, height) in [(1, 1), (640, 400), (641, 3), (2000, 1300)] {
            let size = Size { width, height };
            let area: usize = tiles(size).iter().map(|tile| tile.width * tile.height).sum();
            assert_eq!(area, width * height);
            for tile in tiles(size) {
                let seen = tile.seen(size);
                assert!(
                    tile.width <= TILE
                        && tile.height <= TILE
                        && seen.width % STEP == 0
                        && seen.height % STEP == 0
                );
            }
        }
    }

    #[test]
    fn what_hangs_together_is_one_mark_and_specks_are_none() {
        let map: Vec<f32> = "\
            .##....#\
            .##.....\
            ....###.\
            ....###."
            .chars()
            .map(|c| if c == '#' { 0.9 } else { 0.1 })
            .collect();
        let found = marks(&map, Size { width: 8, height: 4 });
        assert_eq!(found, [Mark { columns: 1..3, rows: 0..2 }, Mark { columns: 4..7, rows: 2..4 }]);
    }

    #[test]
    fn one_colour_is_plain() {
        let mut bytes = [9; 8 * 4 * 3];
        let plain = |bytes: &[u8]| is_plain(Image::rgb(8, 4, bytes).unwrap(), 0..32, 0..32);
        assert!(plain(&bytes));
        bytes[8 * 4 * 3 - 1] = 10;
        assert!(!plain(&bytes));
    }
}
