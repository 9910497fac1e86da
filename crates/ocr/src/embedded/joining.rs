//! Puts the pieces of a line together. The detector sees small print at half its size and may lose hold of a line for a
//! letter or two; each piece then reaches over the gap into the next, and would be read twice there.

use super::refine::Region;

/// Pieces of one line share at least this part of the lower one's height.
const SHARED: f32 = 0.6;
/// One is at most so many times as tall as the other.
const TALLER: f32 = 1.8;

/// Regions that overlap and stand on the same line become one.
pub(super) fn joined(mut regions: Vec<Region>) -> Vec<Region> {
    regions.sort_by(|a, b| a.left.total_cmp(&b.left));
    let mut lines: Vec<Region> = Vec::with_capacity(regions.len());
    for region in regions {
        match lines.iter_mut().find(|line| is_same_line(line, &region)) {
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

/// Whether a region that begins no further left goes on with a line.
fn is_same_line(line: &Region, region: &Region) -> bool {
    let heights = [line.bottom - line.top, region.bottom - region.top];
    let (low, tall) = (heights[0].min(heights[1]), heights[0].max(heights[1]));
    let shared = line.bottom.min(region.bottom) - line.top.max(region.top);
    region.left < line.right && shared >= SHARED * low && tall <= TALLER * low
}

#[cfg(test)]
mod tests {
    use super::*;

    fn region(left: f32, right: f32, top: f32, bottom: f32) -> Region {
        Region { left, top, right, bottom }
    }

    #[test]
    fn pieces_that_reach_into_each_other_are_one_line() {
        let pieces =
            vec![region(40.0, 90.0, 1.0, 15.0), region(0.0, 42.0, 0.0, 14.0), region(85.0, 100.0, 0.0, 13.0)];
        assert_eq!(joined(pieces), [region(0.0, 100.0, 0.0, 15.0)]);
    }

    #[test]
    fn lines_above_each_other_and_columns_stay_apart() {
        let apart = vec![
            region(0.0, 90.0, 0.0, 14.0),
            region(0.0, 90.0, 10.0, 24.0),
            region(91.0, 190.0, 0.0, 14.0),
            region(0.0, 30.0, 0.0, 40.0),
        ];
        assert_eq!(joined(apart.clone()).len(), apart.len());
    }
}
