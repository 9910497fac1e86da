//! Puts the pieces of a line together. The detector sees small print at half its size and may lose hold of a line for some
//! letters; the pieces then reach into each other and would be read twice there, or leave letters unread between them.

use super::lengths::{pixels, whole};
use super::refine::Region;
use crate::Image;
use crate::image::brightness;

/// Pieces of one line share at least this part of the lower one's height.
const SHARED: f32 = 0.6;
/// One is at most so many times as tall as the other.
const TALLER: f32 = 1.8;
/// What was lost between two pieces is at most so many times as wide as they are tall.
const LOST: f32 = 12.0;
/// In what was lost, no blank is wider than this share of the height; between columns of text there is more.
const BLANK: f32 = 0.6;
/// A column has ink if brightness changes in it by more than this share of all the change there is.
const INK: u8 = 4;
/// Less change than this is noise or shade.
const SOFTEST: u8 = 20;

/// Regions that stand on the same line, and overlap or have letters between them, become one.
pub(super) fn joined(image: Image<'_>, mut regions: Vec<Region>) -> Vec<Region> {
    regions.sort_by(|a, b| a.left.total_cmp(&b.left));
    let mut lines: Vec<Region> = Vec::with_capacity(regions.len());
    for region in regions {
        let goes_on = |line: &&mut Region| is_level(line, &region) && is_near(image, line, &region);
        match lines.iter_mut().find(goes_on) {
            Some(line) => {
                line.right = line.right.max(region.right);
                line.top = line.top.min(region.top);
                line.bottom = line.bottom.max(region.bottom);
            }
            None => lines.push(region),
        }
    }
    lines
}

/// Whether two regions stand on the same line.
fn is_level(line: &Region, region: &Region) -> bool {
    let heights = [line.bottom - line.top, region.bottom - region.top];
    let (low, tall) = (heights[0].min(heights[1]), heights[0].max(heights[1]));
    let shared = line.bottom.min(region.bottom) - line.top.max(region.top);
    shared >= SHARED * low && tall <= TALLER * low
}

/// Whether a region that begins no further left overlaps a line, or is parted from it by letters.
fn is_near(image: Image<'_>, line: &Region, region: &Region) -> bool {
    let gap = region.left - line.right;
    let height = line.bottom - line.top;
    gap < 0.0 || (gap <= LOST * height && has_letters(image, line, region, whole(BLANK * height)))
}

/// Whether there is ink all the way from the end of a line to a region, but for short blanks.
fn has_letters(image: Image<'_>, line: &Region, region: &Region, longest: usize) -> bool {
    let inside = |edge: f32, limit: u32| pixels(whole(edge)).min(limit);
    let (left, right) = (inside(line.right, image.width()), inside(region.left, image.width()));
    let (top, bottom) = (inside(line.top, image.height()), inside(line.bottom, image.height()));
    let mut spans = vec![(u8::MAX, 0); (right - left) as usize];
    for y in top..bottom {
        let row = image.row(y, left, right).chunks_exact(image.channels());
        for ((low, high), pixel) in spans.iter_mut().zip(row) {
            let value = brightness(pixel);
            (*low, *high) = ((*low).min(value), (*high).max(value));
        }
    }
    let changes = spans.iter().map(|(low, high)| high.saturating_sub(*low));
    let sharp = (changes.clone().max().unwrap_or(0) / INK).max(SOFTEST);
    let mut blank = 0;
    // Margins of both sides alone are no letters.
    let mut is_inked = false;
    for change in changes {
        blank = if change > sharp { 0 } else { blank + 1 };
        is_inked |= blank == 0;
        if blank > longest {
            return false;
        }
    }
    is_inked
}

#[cfg(test)]
mod tests {
    use super::*;

    fn region(left: f32, right: f32, top: f32, bottom: f32) -> Region {
        Region { left, top, right, bottom }
    }

    /// On white, with black columns where there is ink.
    fn check(ink: &[std::ops::Range<usize>], regions: &[Region], expected: &[Region]) {
        let (width, height) = (400, 40);
        let bytes: Vec<u8> = (0..width * height)
            .flat_map(|at| {
                let is_ink =
                    (3..11).contains(&(at / width)) && ink.iter().any(|ink| ink.contains(&(at % width)));
                [if is_ink { 0 } else { 255 }; 3]
            })
            .collect();
        let image = Image::rgb(pixels(width), pixels(height), &bytes).unwrap();
        assert_eq!(joined(image, regions.to_vec()), expected);
    }

    #[test]
    fn pieces_that_reach_into_each_other_are_one_line() {
        let pieces =
            [region(40.0, 90.0, 1.0, 15.0), region(0.0, 42.0, 0.0, 14.0), region(85.0, 100.0, 0.0, 13.0)];
        check(&[], &pieces, &[region(0.0, 100.0, 0.0, 15.0)]);
    }

    #[test]
    fn letters_between_two_pieces_belong_to_their_line() {
        let pieces = [region(0.0, 100.0, 0.0, 14.0), region(150.0, 200.0, 0.0, 14.0)];
        check(&[105..120, 124..146], &pieces, &[region(0.0, 200.0, 0.0, 14.0)]);
        check(&[105..120, 135..146], &pieces, &pieces);
        check(&[], &pieces, &pieces);
    }

    #[test]
    fn lines_above_each_other_and_columns_stay_apart() {
        let apart = [
            region(0.0, 30.0, 0.0, 40.0),
            region(0.0, 90.0, 0.0, 14.0),
            region(0.0, 90.0, 10.0, 24.0),
            region(91.0, 190.0, 0.0, 14.0),
            region(380.0, 390.0, 0.0, 14.0),
        ];
        check(&[], &apart, &apart);
        check(&[195..290, 290..378], &apart, &apart);
    }
}
