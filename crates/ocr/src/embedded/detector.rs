//! Finds the places of text: the network gives each pixel a probability, and what hangs together is a region.

use rten_tensor::NdTensor;
use rten_tensor::prelude::*;

use super::networks::Networks;
use super::resample::{Levels, Part, resample};
use super::workers::Workers;
use crate::{Error, Image};

/// A place that holds one line of text, or a part of one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Region {
    pub(super) left: f32,
    pub(super) top: f32,
    pub(super) right: f32,
    pub(super) bottom: f32,
}

/// The network halves its input five times.
const STEP: usize = 32;
/// Sides of a tile's core: bounds memory, and gives every core of the machine something to do.
const TILE: usize = 704;
/// What a tile sees around its core, so that text at a seam is seen whole.
const MARGIN: usize = 32;
/// A pixel more likely than this is text.
const THRESHOLD: f32 = 0.3;
/// The mean over a region must be at least this.
const MEAN: f32 = 0.5;
/// The network marks the middle of a line; how far its border is away, as a share of area over perimeter.
const GROWTH: f32 = 1.6;
/// Regions that are thinner are specks.
const THINNEST: usize = 3;

/// All regions of a picture that is not empty.
pub(super) fn detect(image: Image<'_>, networks: &Networks, workers: &Workers) -> Result<Vec<Region>, Error> {
    let network = networks.detector()?;
    let output = network.output(None)?;
    let size = Size { width: image.width() as usize, height: image.height() as usize };
    let tiles = tiles(size);
    let mut map = vec![0.0; size.width * size.height];
    let masks = workers.map(&tiles, |tile, options| {
        let Some(seen) = tile.seen(image) else { return Ok(None) };
        let planes = resample(image, seen.part(), seen.width, seen.height, Levels::IMAGENET);
        let input = NdTensor::from_data([1, 3, seen.height, seen.width], planes);
        let mask: NdTensor<f32, 4> = network.run(&input, output, options)?;
        Ok(Some((seen, mask.to_vec())))
    });
    for (tile, mask) in tiles.iter().zip(masks) {
        if let Some((seen, mask)) = mask? {
            tile.copy(&seen, &mask, &mut map, size);
        }
    }
    Ok(regions(&map, size))
}

#[derive(Clone, Copy)]
struct Size {
    width: usize,
    height: usize,
}

/// The core of a tile.
#[derive(Clone, Copy, Debug)]
struct Tile {
    x: usize,
    y: usize,
    width: usize,
    height: usize,
}

/// What the network is shown of a tile: its core and a margin, to a multiple of [`STEP`], perhaps beyond the picture.
struct Seen {
    x: usize,
    y: usize,
    width: usize,
    height: usize,
}

impl Seen {
    #[expect(clippy::cast_precision_loss, reason = "sides of pictures are far below 2^24")]
    fn part(&self) -> Part {
        Part { x: self.x as f32, y: self.y as f32, width: self.width as f32, height: self.height as f32 }
    }
}

/// Tiles of like size that cover the picture.
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
    /// What to show; nothing if all of it has one colour.
    fn seen(&self, image: Image<'_>) -> Option<Seen> {
        let (x, y) = (self.x.saturating_sub(MARGIN), self.y.saturating_sub(MARGIN));
        let right = (self.x + self.width + MARGIN).min(image.width() as usize);
        let bottom = (self.y + self.height + MARGIN).min(image.height() as usize);
        if is_plain(image, x..right, y..bottom) {
            return None;
        }
        let up = |side: usize| side.next_multiple_of(STEP);
        Some(Seen { x, y, width: up(right - x), height: up(bottom - y) })
    }

    /// Puts the core of what the network said in its place.
    fn copy(&self, seen: &Seen, mask: &[f32], map: &mut [f32], size: Size) {
        for y in self.y..self.y + self.height {
            let from = (y - seen.y) * seen.width + self.x - seen.x;
            map[y * size.width + self.x..][..self.width].copy_from_slice(&mask[from..][..self.width]);
        }
    }
}

fn is_plain(image: Image<'_>, x: std::ops::Range<usize>, y: std::ops::Range<usize>) -> bool {
    #[expect(clippy::cast_possible_truncation, reason = "inside the picture")]
    let row = |y: usize| image.row(y as u32, x.start as u32, x.end as u32);
    let first = row(y.start);
    let pixels = first.chunks_exact(image.channels());
    pixels.clone().all(|pixel| pixels.clone().next() == Some(pixel)) && y.clone().all(|y| row(y) == first)
}

/// The boxes of what hangs together, from the top.
fn regions(map: &[f32], size: Size) -> Vec<Region> {
    let mut seen = vec![false; map.len()];
    let mut regions = Vec::new();
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
        let (width, height) = (right + 1 - left, bottom + 1 - top);
        if width.min(height) >= THINNEST && sum / count >= MEAN {
            regions.push(grown(left, top, width, height));
        }
    }
    regions
}

#[expect(clippy::cast_precision_loss, reason = "sides of pictures are far below 2^24")]
fn grown(left: usize, top: usize, width: usize, height: usize) -> Region {
    let [left, top, width, height] = [left, top, width, height].map(|side| side as f32);
    let by = width * height * GROWTH / (2.0 * (width + height));
    Region { left: left - by, top: top - by, right: left + width + by, bottom: top + height + by }
}
