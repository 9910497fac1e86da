//! What differs between two pictures, pixel by pixel, as regions a person can look at.

use std::borrow::Cow;
use std::fmt;

use geometry::Rect;
use serde::Serialize;

use crate::pixels::{Layout, Picture};

/// Differences of a channel up to this are rendering, not design.
const NOTICEABLE: u8 = 24;

/// Regions are made of squares of this edge.
const TILE: u32 = 16;

/// How many regions are told.
const MOST: usize = 20;

/// What differs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Difference {
    /// The width and height of the expected picture.
    pub expected: [u32; 2],
    /// The width and height of the actual one.
    pub actual: [u32; 2],
    /// Percent of the pixels both have that differ.
    pub changed_percent: f64,
    /// The regions that differ, largest first.
    pub regions: Vec<Region>,
    /// How many regions there are.
    pub region_count: usize,
}

/// A region that differs, in pixels of the expected picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Region {
    /// Where it is.
    #[serde(flatten)]
    pub place: Rect,
    /// How many of its pixels differ.
    pub pixels: u32,
}

/// Compares two pictures. Of different sizes, the part both have is compared, from the upper left corner.
pub fn compare(expected: &Picture, actual: &Picture) -> Difference {
    let (expected, actual) = (opaque(expected), opaque(actual));
    let (width, height) = (expected.width().min(actual.width()), expected.height().min(actual.height()));
    let (columns, rows) = (width.div_ceil(TILE), height.div_ceil(TILE));
    let mut tiles = vec![Tile::default(); columns as usize * rows as usize];
    let mut changed = 0_u64;
    for (y, (before, after)) in (0..height).zip(expected.rows().zip(actual.rows())) {
        for (x, (a, b)) in (0..width).zip(before.chunks_exact(3).zip(after.chunks_exact(3))) {
            if a.iter().zip(b).any(|(a, b)| a.abs_diff(*b) > NOTICEABLE) {
                tiles[(y / TILE * columns + x / TILE) as usize].add(x, y);
                changed += 1;
            }
        }
    }
    let mut regions = join(&tiles, columns);
    regions.sort_by_key(|region| (std::cmp::Reverse(region.pixels), region.place.y, region.place.x));
    let region_count = regions.len();
    regions.truncate(MOST);
    let pixels = u64::from(width) * u64::from(height);
    #[allow(clippy::cast_precision_loss, reason = "pictures have fewer pixels than that")]
    let percent = changed as f64 * 100.0 / pixels.max(1) as f64;
    Difference {
        expected: [expected.width(), expected.height()],
        actual: [actual.width(), actual.height()],
        changed_percent: (percent * 1000.0).round() / 1000.0,
        regions,
        region_count,
    }
}

/// The picture on white; without a copy where nothing shines through.
fn opaque(picture: &Picture) -> Cow<'_, Picture> {
    match picture.layout() {
        Layout::Rgb => Cow::Borrowed(picture),
        Layout::Rgba => Cow::Owned(picture.clone().on([u8::MAX; 3])),
    }
}

/// The changed pixels of a square.
#[derive(Debug, Clone, Copy, Default)]
struct Tile {
    pixels: u32,
    left: u32,
    top: u32,
    right: u32,
    bottom: u32,
}

impl Tile {
    fn add(&mut self, x: u32, y: u32) {
        let alone = Tile { pixels: 1, left: x, top: y, right: x + 1, bottom: y + 1 };
        *self = self.with(alone);
    }

    fn with(self, other: Tile) -> Tile {
        match (self.pixels, other.pixels) {
            (0, _) => other,
            (_, 0) => self,
            _ => Tile {
                pixels: self.pixels + other.pixels,
                left: self.left.min(other.left),
                top: self.top.min(other.top),
                right: self.right.max(other.right),
                bottom: self.bottom.max(other.bottom),
            },
        }
    }
}

/// Squares that touch, corners included, are one region.
fn join(tiles: &[Tile], columns: u32) -> Vec<Region> {
    let columns = columns.max(1) as usize;
    let mut seen = vec![false; tiles.len()];
    let mut regions = Vec::new();
    for start in 0..tiles.len() {
        if seen[start] || tiles[start].pixels == 0 {
            continue;
        }
        let mut all = Tile::default();
        let mut waiting = vec![start];
        seen[start] = true;
        while let Some(at) = waiting.pop() {
            all = all.with(tiles[at]);
            let (column, row) = (at % columns, at / columns);
            for near_row in row.saturating_sub(1)..=row + 1 {
                for near_column in column.saturating_sub(1)..=(column + 1).min(columns - 1) {
                    let near = near_row * columns + near_column;
                    if near < tiles.len() && !seen[near] && tiles[near].pixels > 0 {
                        seen[near] = true;
                        waiting.push(near);
                    }
                }
            }
        }
        let [left, top, right, bottom] = [all.left, all.top, all.right, all.bottom].map(i64::from);
        let place = Rect::from_edges(left, top, right, bottom);
        regions.extend(place.map(|place| Region { place, pixels: all.pixels }));
    }
    regions
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.expected != self.actual {
            let ([width, height], [wide, high]) = (self.expected, self.actual);
            writeln!(f, "The sizes differ: expected {width} × {height}, actual {wide} × {high}.")?;
        }
        if self.regions.is_empty() {
            return write!(f, "No pixel differs noticeably.");
        }
        let plural = if self.region_count == 1 { "" } else { "s" };
        write!(
            f,
            "{} % of the pixels differ, in {} region{plural}",
            self.changed_percent, self.region_count
        )?;
        if self.region_count > self.regions.len() {
            write!(f, ", of which the largest {} are", self.regions.len())?;
        }
        f.write_str(":")?;
        for region in &self.regions {
            let Region { place: Rect { x, y, width, height }, pixels } = region;
            write!(f, "\n- {width} × {height} pixels at {x}, {y} ({pixels} differ)")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use geometry::Rect;

    use super::{Region, compare};
    use crate::pixels::{Layout, Picture};

    fn blank(width: u32, height: u32) -> Picture {
        Picture::new(Layout::Rgb, width, height, vec![240; (width * height * 3) as usize]).expect("a picture")
    }

    fn with_box(mut picture: Picture, (x, y, width, height): (u32, u32, u32, u32)) -> Picture {
        let row = picture.width() as usize * 3;
        for line in y..y + height {
            let from = line as usize * row + x as usize * 3;
            picture.bytes_mut()[from..from + width as usize * 3].fill(10);
        }
        picture
    }

    #[test]
    fn equal_pictures_and_noise_do_not_differ() {
        let same = compare(&blank(100, 80), &blank(100, 80));
        assert!(same.regions.is_empty() && same.changed_percent == 0.0);
        let mut noisy = blank(100, 80);
        noisy.bytes_mut().iter_mut().step_by(2).for_each(|byte| *byte -= 20);
        assert!(compare(&blank(100, 80), &noisy).regions.is_empty());
    }

    #[test]
    fn each_change_is_a_region_with_its_exact_place() {
        let actual = with_box(with_box(blank(200, 100), (10, 12, 30, 9)), (150, 70, 5, 5));
        let found = compare(&blank(200, 100), &actual);
        assert_eq!(
            found.regions,
            [
                Region { place: Rect { x: 10, y: 12, width: 30, height: 9 }, pixels: 270 },
                Region { place: Rect { x: 150, y: 70, width: 5, height: 5 }, pixels: 25 },
            ]
        );
        assert!((found.changed_percent - 1.475).abs() < 0.001, "{}", found.changed_percent);
        assert!(found.to_string().contains("30 × 9 pixels at 10, 12"), "{found}");
    }

    #[test]
    fn pictures_of_different_sizes_are_compared_where_both_are() {
        let found = compare(&blank(100, 100), &with_box(blank(120, 50), (0, 0, 4, 4)));
        assert_eq!((found.expected, found.actual, found.regions.len()), ([100, 100], [120, 50], 1));
        assert!(
            found.to_string().starts_with("The sizes differ: expected 100 × 100, actual 120 × 50."),
            "{found}"
        );
    }
}
