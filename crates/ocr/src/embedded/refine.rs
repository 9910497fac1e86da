//! Puts the edges of a line where its ink ends. The detector sees the picture at half its size and is a pixel or two off.
//! With exact edges every line is shown to the recogniser at its best size, and the same line is always cut the same way.

use std::ops::Range;

use super::detector::Mark;
use super::lengths::{pixels, real, whole};
use crate::Image;
use crate::image::brightness;

/// What is shown to the recogniser: one line of text, or a part of one, with a margin; perhaps beyond the picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Region {
    pub(super) left: f32,
    pub(super) top: f32,
    pub(super) right: f32,
    pub(super) bottom: f32,
}

/// A change of brightness from one pixel to the next is ink if it is this share of the sharpest one in the mark.
const SHARP: f32 = 0.25;
/// Softer edges than this are noise or shade.
const SOFTEST: u8 = 10;
/// How far letters reach above and below their mark, as a share of its height.
const REACH: f32 = 0.9;
/// Ink taller than this many times the mark is no line of text.
const TALLEST: f32 = 3.2;
/// A line of low letters only, like `...`, is not shown larger than one this many times as tall as the mark.
const LOWEST: f32 = 1.2;
/// The margins, as shares of the ink's height: the networks read best with these.
const ABOVE_AND_BELOW: f32 = 0.2;
const ASIDE: f32 = 0.25;
/// Without edges to go by: how far a line reaches beyond its mark, as a share of area over perimeter.
const GROWTH: f32 = 1.6;

/// The lines under a mark: usually one. None reaches beyond `limits`, its window.
pub(super) fn refine(image: Image<'_>, mark: &Mark, limits: &Range<usize>) -> Vec<Region> {
    let mut regions = lines(image, mark, limits);
    for region in &mut regions {
        // A margin beyond the picture is as good as any.
        if limits.start > 0 {
            region.left = region.left.max(real(limits.start));
        }
        if limits.end < image.width() as usize {
            region.right = region.right.min(real(limits.end));
        }
    }
    regions
}

fn lines(image: Image<'_>, mark: &Mark, limits: &Range<usize>) -> Vec<Region> {
    let window = Window::new(image, mark, limits);
    let bands = window.bands(mark);
    if bands.is_empty() {
        return vec![grown(mark)];
    }
    // The mark of several lines tells nothing about the height of one.
    let least = if bands.len() == 1 { LOWEST * real(mark.rows.len()) } else { 0.0 };
    let region = |band| {
        let columns = window.columns(mark, &band);
        let rows = window.all_rows(&band, &columns);
        with_margins(least, &rows, &columns)
    };
    bands.into_iter().map(region).collect()
}

/// How many lines there are under a mark; none where this is no plain text.
pub(super) fn line_count(image: Image<'_>, mark: &Mark) -> usize {
    Window::new(image, mark, &(0..image.width() as usize)).bands(mark).len()
}

fn with_margins(least: f32, rows: &Range<usize>, columns: &Range<usize>) -> Region {
    let height = real(rows.len()).max(least);
    let middle = real(rows.start + rows.end) / 2.0;
    let half = height * (0.5 + ABOVE_AND_BELOW);
    let aside = height * ASIDE;
    Region {
        left: real(columns.start) - aside,
        top: middle - half,
        right: real(columns.end) + aside,
        bottom: middle + half,
    }
}

impl Region {
    /// Its rows without the margins.
    pub(super) fn ink_rows(&self) -> (f32, f32) {
        let margin = (self.bottom - self.top) * ABOVE_AND_BELOW / (1.0 + 2.0 * ABOVE_AND_BELOW);
        (self.top + margin, self.bottom - margin)
    }

    /// With margins above and below the ink that it ends with now.
    pub(super) fn with_margins(self) -> Self {
        let margin = (self.bottom - self.top) * ABOVE_AND_BELOW;
        Self { top: self.top - margin, bottom: self.bottom + margin, ..self }
    }
}

/// As the detector's authors do it, for text on pictures or shade.
fn grown(mark: &Mark) -> Region {
    let (width, height) = (real(mark.columns.len()), real(mark.rows.len()));
    let by = width * height * GROWTH / (2.0 * (width + height));
    Region {
        left: real(mark.columns.start) - by,
        top: real(mark.rows.start) - by,
        right: real(mark.columns.end) + by,
        bottom: real(mark.rows.end) + by,
    }
}

/// The brightness of the pixels around a mark.
struct Window {
    x: usize,
    y: usize,
    width: usize,
    height: usize,
    bytes: Vec<u8>,
    sharp: u8,
}

impl Window {
    fn new(image: Image<'_>, mark: &Mark, limits: &Range<usize>) -> Self {
        let height = mark.rows.len();
        let reach = whole((real(height) * REACH).ceil());
        let x = mark.columns.start.saturating_sub(2 * height).max(limits.start);
        let y = mark.rows.start.saturating_sub(reach);
        let right = (mark.columns.end + 2 * height).min(limits.end);
        let bottom = (mark.rows.end + reach).min(image.height() as usize);
        let mut bytes = Vec::with_capacity((right - x) * (bottom - y));
        for y in y..bottom {
            let row = image.row(pixels(y), pixels(x), pixels(right));
            bytes.extend(row.chunks_exact(image.channels()).map(brightness));
        }
        let mut window = Self { x, y, width: right - x, height: bottom - y, bytes, sharp: SOFTEST };
        let sharpest =
            mark.rows.clone().filter_map(|y| window.changes(y, &mark.columns).max()).max().unwrap_or(0);
        let sharp = u8::try_from(whole(SHARP * f32::from(sharpest))).unwrap_or(u8::MAX);
        window.sharp = sharp.max(SOFTEST);
        window
    }

    fn bottom(&self) -> usize {
        self.y + self.height
    }

    fn right(&self) -> usize {
        self.x + self.width
    }

    fn row(&self, y: usize) -> &[u8] {
        &self.bytes[(y - self.y) * self.width..][..self.width]
    }

    /// How much brightness changes from each pixel of a row to the next.
    fn changes(&self, y: usize, columns: &Range<usize>) -> impl Iterator<Item = u8> {
        let row = &self.row(y)[columns.start - self.x..columns.end - self.x];
        row.windows(2).map(|pair| pair[0].abs_diff(pair[1]))
    }

    /// The rows of each line under the mark; none if this is no plain text.
    fn bands(&self, mark: &Mark) -> Vec<Range<usize>> {
        // One sharp pixel in a long row is a speck.
        let enough = 1 + mark.columns.len() / 200;
        let is_inked = |y: &usize| {
            self.changes(*y, &mark.columns).filter(|change| *change > self.sharp).count() >= enough
        };
        let mut bands: Vec<Range<usize>> = Vec::new();
        for y in (self.y..self.bottom()).filter(is_inked) {
            match bands.last_mut() {
                Some(band) if band.end == y => band.end += 1,
                _ => bands.push(y..y + 1),
            }
        }
        let height = mark.rows.len();
        let mut bands = join_accents(bands, height);
        bands.retain(|band| {
            band.start < mark.rows.end && band.end > mark.rows.start && 2 * band.len() >= height
        });
        // Ink in every row is a picture or a pattern.
        let is_line =
            |band: &Range<usize>| real(band.len()) <= TALLEST * real(height) && band.len() < self.height;
        if bands.iter().all(is_line) { bands } else { Vec::new() }
    }

    /// From the first to the last column with ink, as far as it goes on without a wide gap.
    fn columns(&self, mark: &Mark, rows: &Range<usize>) -> Range<usize> {
        // With a row of background on each side: a stroke as tall as the line has no change within it.
        let around = rows.start.saturating_sub(1).max(self.y)..(rows.end + 1).min(self.bottom());
        let is_inked = |x: usize| {
            let column = around.clone().map(|y| self.row(y)[x - self.x]);
            let (low, high) = column.fold((u8::MAX, 0), |(low, high), byte| (low.min(byte), high.max(byte)));
            high.saturating_sub(low) > self.sharp
        };
        let height = mark.rows.len();
        let inside = height.min(mark.columns.len() - 1);
        let gap = (height * 2 / 3).max(2);
        let left = last_inked((self.x..=mark.columns.start + inside).rev(), is_inked, gap);
        let right = last_inked(mark.columns.end - 1 - inside..self.right(), is_inked, gap);
        let left = left.unwrap_or(mark.columns.start);
        let right = right.map_or(mark.columns.end, |last| last + 1);
        left..right.max(left + 1)
    }

    /// The rows of a line once all its columns are known.
    fn all_rows(&self, rows: &Range<usize>, columns: &Range<usize>) -> Range<usize> {
        let wider = columns.start.saturating_sub(1).max(self.x)..(columns.end + 1).min(self.right());
        let is_inked = |y: &usize| self.changes(*y, &wider).any(|change| change > self.sharp);
        let above = (self.y..rows.start).rev().take_while(is_inked).count();
        let below = (rows.end..self.bottom()).take_while(is_inked).count();
        rows.start - above..rows.end + below
    }
}

/// Goes along and tells the last inked place before a gap wider than `gap`.
fn last_inked(
    along: impl Iterator<Item = usize>,
    is_inked: impl Fn(usize) -> bool,
    gap: usize,
) -> Option<usize> {
    let (mut last, mut blank) = (None, 0);
    for at in along {
        if is_inked(at) {
            (last, blank) = (Some(at), 0);
        } else {
            blank += 1;
            if blank > gap && last.is_some() {
                break;
            }
        }
    }
    last
}

/// Dots and accents stand apart from their letters, and belong to the line below them; so do underscores, above.
fn join_accents(bands: Vec<Range<usize>>, height: usize) -> Vec<Range<usize>> {
    let mut joined: Vec<Range<usize>> = Vec::with_capacity(bands.len());
    for band in bands {
        match joined.last_mut() {
            Some(last)
                if band.start - last.end <= 1 + height / 10
                    && (2 * last.len() <= height || 2 * band.len() <= height) =>
            {
                last.end = band.end;
            }
            _ => joined.push(band),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    /// White, with black blocks: columns, then rows.
    fn picture(blocks: &[(Range<usize>, Range<usize>)]) -> Vec<u8> {
        let mut bytes = vec![255; 100 * 60 * 3];
        for (columns, rows) in blocks {
            for y in rows.clone() {
                // Strokes with gaps, like letters.
                for x in columns.clone().filter(|x| x % 4 < 2) {
                    bytes[3 * (100 * y + x)..][..3].fill(0);
                }
            }
        }
        bytes
    }

    fn check(
        blocks: &[(Range<usize>, Range<usize>)],
        mark: &Mark,
        expected: &[(Range<usize>, Range<usize>)],
    ) {
        let bytes = picture(blocks);
        let found = refine(Image::rgb(100, 60, &bytes).unwrap(), mark, &(0..100));
        let expected: Vec<Region> =
            expected.iter().map(|(columns, rows)| with_margins(0.0, rows, columns)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn edges_are_where_the_ink_ends() {
        let mark = Mark { columns: 24..70, rows: 22..30, fill: 1.0 };
        check(&[(20..74, 20..32)], &mark, &[(20..74, 20..32)]);
    }

    #[test]
    fn two_lines_under_one_mark_are_two() {
        let mark = Mark { columns: 24..70, rows: 12..34, fill: 1.0 };
        check(&[(20..74, 10..21), (20..74, 26..37)], &mark, &[(20..74, 10..21), (20..74, 26..37)]);
    }

    #[test]
    fn dots_belong_to_the_letters_below_them_and_neighbours_do_not() {
        let mark = Mark { columns: 24..70, rows: 22..30, fill: 1.0 };
        check(&[(20..74, 20..32), (40..42, 17..19), (20..74, 37..48)], &mark, &[(20..74, 17..32)]);
    }

    #[test]
    fn what_has_no_edges_keeps_the_place_the_detector_gave_it() {
        let mark = Mark { columns: 24..70, rows: 22..30, fill: 1.0 };
        let bytes = picture(&[]);
        assert_eq!(refine(Image::rgb(100, 60, &bytes).unwrap(), &mark, &(0..100)), [grown(&mark)]);
    }
}
