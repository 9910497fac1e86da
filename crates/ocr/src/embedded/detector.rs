//! Finds the places of text: the network gives each pixel a probability, and what hangs together is a mark.
//!
//! It is shown the picture at half its size: that is enough to find lines, and a quarter of the work. Where lines run into each
//! other, as in terminals, it is shown that part again, larger. Where exactly a line begins and ends, `refine` finds out.

use std::ops::Range;

use super::lengths::{pixels, real, whole};
use super::networks::{Named, Networks};
use super::refine::line_count;
use super::resample::{Levels, Part, resample};
use super::workers::Workers;
use crate::{Error, Image};

/// What the network marks of a line: its middle, without the ends of letters. In pixels of the picture.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Mark {
    pub(super) columns: Range<usize>,
    pub(super) rows: Range<usize>,
    /// How much of this box is marked, of one: a line fills it, several lines that run into each other do not.
    pub(super) fill: f32,
}

/// Pictures up to this size are shown as they are: it costs little, and a small part of a screen may be small print.
const MOST_PIXELS_SHOWN_WHOLE: usize = 300_000;
/// The network halves its input five times.
const STEP: usize = 32;
/// Sides of a tile's core: bounds memory, and gives every core of the machine something to do.
const TILE: usize = 640;
/// What a tile sees around its core, so that text at a seam is seen whole.
const MARGIN: usize = 32;
/// A pixel more likely than this is text, of 255.
const THRESHOLD: u8 = 76;
/// The mean over a mark must be at least this.
const MEAN: f32 = 127.5;
/// A mark that fills less of its box than this is no single line.
const FULL: f32 = 0.6;
/// What is crowded is shown as it is, and then twice as large.
const CLOSER: [f32; 2] = [1.0, 2.0];
/// Maps of more places than this are not made: larger pictures are looked at less closely.
const MOST_PLACES: usize = 40_000_000;
/// Marks that are thinner are specks.
const THINNEST: usize = 2;

/// All marks of a picture that is not empty, from the top.
pub(super) fn detect(image: Image<'_>, networks: &Networks, workers: &Workers) -> Result<Vec<Mark>, Error> {
    let look = Look { image, network: networks.detector()?, workers };
    let (width, height) = (image.width() as usize, image.height() as usize);
    let first = if width * height > MOST_PIXELS_SHOWN_WHOLE { 0.5 } else { 1.0 };
    let mut marks = look.at(first, &tiles(Size::of(image, first)))?;
    for zoom in CLOSER.into_iter().filter(|zoom| *zoom > first) {
        let size = Size::of(image, zoom);
        let crowded: Vec<&Mark> = marks.iter().filter(|mark| is_crowded(image, mark)).collect();
        if crowded.is_empty() || size.width * size.height > MOST_PLACES {
            break;
        }
        let again = around(&crowded, &marks, tiles(size), zoom);
        let closer = look.at(zoom, &again)?;
        marks.retain(|mark| !again.iter().any(|tile| tile.touches(mark, zoom)));
        marks.extend(closer);
    }
    marks.sort_by_key(|mark| (mark.rows.start, mark.columns.start));
    Ok(marks)
}

/// Whether a mark is more than one line, or no line at all.
fn is_crowded(image: Image<'_>, mark: &Mark) -> bool {
    mark.fill < FULL || line_count(image, mark) != 1
}

/// The tiles in which marks are crowded, and those into which marks go on from there: so no line is cut.
fn around(crowded: &[&Mark], marks: &[Mark], tiles: Vec<Tile>, zoom: f32) -> Vec<Tile> {
    let touches = |tile: &Tile, mark: &&Mark| tile.touches(mark, zoom);
    let (mut again, mut rest): (Vec<Tile>, Vec<Tile>) =
        tiles.into_iter().partition(|tile| crowded.iter().any(|mark| touches(tile, mark)));
    loop {
        let reached: Vec<&Mark> =
            marks.iter().filter(|mark| again.iter().any(|tile| touches(tile, mark))).collect();
        let (more, others): (Vec<Tile>, Vec<Tile>) =
            rest.into_iter().partition(|tile| reached.iter().any(|mark| touches(tile, mark)));
        if more.is_empty() {
            return again;
        }
        again.extend(more);
        rest = others;
    }
}

/// Shows a picture to the detector.
struct Look<'a> {
    image: Image<'a>,
    network: &'a Named,
    workers: &'a Workers,
}

impl Look<'_> {
    /// The marks in some tiles, with so many places of the network for a pixel of the picture.
    fn at(&self, zoom: f32, tiles: &[Tile]) -> Result<Vec<Mark>, Error> {
        let Look { image, network, workers } = *self;
        let size = Size::of(image, zoom);
        let maps = workers.map(tiles, |tile, scratch| {
            let seen = tile.seen(size);
            if is_plain(image, scaled(seen.columns(), zoom), scaled(seen.rows(), zoom)) {
                return Ok(None);
            }
            let input = resample(image, seen.part(zoom), seen.width, seen.height, Levels::IMAGENET);
            let map = network.run(input, "text", scratch)?;
            Ok(Some((seen, map.values)))
        });
        let mut map = vec![0; size.width * size.height];
        for (tile, part) in tiles.iter().zip(maps) {
            if let Some((seen, part)) = part? {
                tile.copy(&seen, &part, &mut map, size);
            }
        }
        let (width, height) = (image.width() as usize, image.height() as usize);
        let inside = |range: Range<usize>, limit: usize| {
            let range = scaled(range, zoom);
            range.start..range.end.min(limit)
        };
        let in_picture = |mark: Mark| Mark {
            columns: inside(mark.columns, width),
            rows: inside(mark.rows, height),
            fill: mark.fill,
        };
        Ok(marks(map, size).into_iter().map(in_picture).collect())
    }
}

/// A range of places of the network in pixels of the picture.
fn scaled(range: Range<usize>, zoom: f32) -> Range<usize> {
    whole((real(range.start) / zoom).floor())..whole((real(range.end) / zoom).ceil())
}

#[derive(Clone, Copy)]
struct Size {
    width: usize,
    height: usize,
}

impl Size {
    /// How many places there are for a picture.
    fn of(image: Image<'_>, zoom: f32) -> Size {
        let places = |side: u32| whole((real(side as usize) * zoom).ceil());
        Size { width: places(image.width()), height: places(image.height()) }
    }
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

    fn columns(&self) -> Range<usize> {
        self.x..self.x + self.width
    }

    fn rows(&self) -> Range<usize> {
        self.y..self.y + self.height
    }

    /// Whether a mark lies in it, at least in part.
    fn touches(&self, mark: &Mark, zoom: f32) -> bool {
        let (columns, rows) = (scaled(self.columns(), zoom), scaled(self.rows(), zoom));
        let meet = |one: &Range<usize>, other: &Range<usize>| one.start < other.end && other.start < one.end;
        meet(&columns, &mark.columns) && meet(&rows, &mark.rows)
    }

    /// The pixels of the picture it stands for.
    fn part(&self, zoom: f32) -> Part {
        let [x, y, width, height] =
            [self.x, self.y, self.width, self.height].map(|length| real(length) / zoom);
        Part { x, y, width, height }
    }

    /// Puts what the network said about this tile in its place.
    fn copy(&self, seen: &Self, part: &[f32], map: &mut [u8], size: Size) {
        for y in self.rows() {
            let from = (y - seen.y) * seen.width + self.x - seen.x;
            let row = map[y * size.width + self.x..][..self.width].iter_mut();
            for (place, likely) in row.zip(&part[from..]) {
                *place = level(*likely);
            }
        }
    }
}

/// A probability as a byte.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 255")]
fn level(likely: f32) -> u8 {
    (likely.clamp(0.0, 1.0) * 255.0) as u8
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
fn marks(mut map: Vec<u8>, size: Size) -> Vec<Mark> {
    let mut marks = Vec::new();
    let mut stack = Vec::new();
    for start in 0..map.len() {
        if map[start] <= THRESHOLD {
            continue;
        }
        let (mut left, mut top, mut right, mut bottom) = (size.width, size.height, 0, 0);
        let (mut sum, mut count) = (0.0, 0.0);
        // What was seen is wiped out.
        stack.push((start, std::mem::take(&mut map[start])));
        while let Some((at, likely)) = stack.pop() {
            let (x, y) = (at % size.width, at / size.width);
            (left, right, top, bottom) = (left.min(x), right.max(x), top.min(y), bottom.max(y));
            sum += f32::from(likely);
            count += 1.0;
            let neighbours = [
                (x > 0).then(|| at - 1),
                (x + 1 < size.width).then(|| at + 1),
                (y > 0).then(|| at - size.width),
                (y + 1 < size.height).then(|| at + size.width),
            ];
            for next in neighbours.into_iter().flatten() {
                if map[next] > THRESHOLD {
                    stack.push((next, std::mem::take(&mut map[next])));
                }
            }
        }
        let fill = count / real((right + 1 - left) * (bottom + 1 - top));
        let mark = Mark { columns: left..right + 1, rows: top..bottom + 1, fill };
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
        let map: Vec<u8> = "\
            .##....#\
            .##.....\
            ....###.\
            ....###."
            .chars()
            .map(|c| if c == '#' { 230 } else { 25 })
            .collect();
        let found = marks(map, Size { width: 8, height: 4 });
        let mark = |columns, rows| Mark { columns, rows, fill: 1.0 };
        assert_eq!(found, [mark(1..3, 0..2), mark(4..7, 2..4)]);
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
