//! Rectangles of whole pixels: the one kind that screens, windows, pictures, text and redactions share.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A rectangle of whole pixels. Its place may lie outside of what is seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rect {
    /// Left edge.
    pub x: i32,
    /// Upper edge.
    pub y: i32,
    /// How wide it is.
    pub width: u32,
    /// How high it is.
    pub height: u32,
}

impl Rect {
    /// A rectangle at the origin.
    pub fn of_size(width: u32, height: u32) -> Rect {
        Rect { x: 0, y: 0, width, height }
    }

    /// From its edges, those on the right and at the bottom being the first that do not belong to it.
    pub fn from_edges(left: i64, top: i64, right: i64, bottom: i64) -> Option<Rect> {
        let width = u32::try_from(right - left).ok().filter(|width| *width > 0)?;
        let height = u32::try_from(bottom - top).ok().filter(|height| *height > 0)?;
        Some(Rect { x: i32::try_from(left).ok()?, y: i32::try_from(top).ok()?, width, height })
    }

    /// The first column right of it.
    pub fn right(self) -> i64 {
        i64::from(self.x) + i64::from(self.width)
    }

    /// The first row below it.
    pub fn bottom(self) -> i64 {
        i64::from(self.y) + i64::from(self.height)
    }

    /// What belongs to both, if anything does.
    pub fn common(self, other: Rect) -> Option<Rect> {
        Rect::from_edges(
            i64::from(self.x.max(other.x)),
            i64::from(self.y.max(other.y)),
            self.right().min(other.right()),
            self.bottom().min(other.bottom()),
        )
    }

    /// The smallest rectangle with both in it, cut at the largest numbers there are.
    pub fn joined(self, other: Rect) -> Rect {
        let (x, y) = (self.x.min(other.x), self.y.min(other.y));
        let length = |end: i64, start: i32| u32::try_from(end - i64::from(start)).unwrap_or(u32::MAX);
        Rect {
            x,
            y,
            width: length(self.right().max(other.right()), x),
            height: length(self.bottom().max(other.bottom()), y),
        }
    }

    /// How many pixels it has.
    pub fn area(self) -> u64 {
        u64::from(self.width) * u64::from(self.height)
    }

    /// The pixel in its middle, as `x` and `y`.
    pub fn centre(self) -> (i32, i32) {
        let middle = |start: i32, length: u32| start.saturating_add((length / 2).cast_signed());
        (middle(self.x, self.width), middle(self.y, self.height))
    }

    /// Whether all of `other` belongs to this one.
    pub fn contains(self, other: Rect) -> bool {
        self.common(other) == Some(other)
    }

    /// The same rectangle, seen from a place `x` to the right and `y` further down.
    pub fn seen_from(self, x: i32, y: i32) -> Rect {
        Rect { x: self.x.saturating_sub(x), y: self.y.saturating_sub(y), ..self }
    }

    /// The same rectangle, moved `x` to the right and `y` down.
    pub fn moved(self, x: i32, y: i32) -> Rect {
        Rect { x: self.x.saturating_add(x), y: self.y.saturating_add(y), ..self }
    }

    /// The same rectangle with a margin all around.
    pub fn grown(self, by: u32) -> Rect {
        let step = i32::try_from(by).unwrap_or(i32::MAX);
        Rect {
            x: self.x.saturating_sub(step),
            y: self.y.saturating_sub(step),
            width: self.width.saturating_add(by.saturating_mul(2)),
            height: self.height.saturating_add(by.saturating_mul(2)),
        }
    }

    /// What is left of it without `hole`: at most four rectangles.
    fn without(self, hole: Rect) -> Vec<Rect> {
        let Some(hole) = self.common(hole) else { return vec![self] };
        let (left, top) = (i64::from(self.x), i64::from(self.y));
        let (hole_left, hole_top) = (i64::from(hole.x), i64::from(hole.y));
        [
            Rect::from_edges(left, top, self.right(), hole_top),
            Rect::from_edges(left, hole.bottom(), self.right(), self.bottom()),
            Rect::from_edges(left, hole_top, hole_left, hole.bottom()),
            Rect::from_edges(hole.right(), hole_top, self.right(), hole.bottom()),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}

/// More pieces than a desktop makes; a region with more is kept whole, which hides too much rather than too little.
const MOST_PIECES: usize = 4_096;

/// What is left of some rectangles without `hole`.
pub fn without(rects: &[Rect], hole: Rect) -> Vec<Rect> {
    if rects.len() > MOST_PIECES {
        return rects.to_vec();
    }
    rects.iter().flat_map(|rect| rect.without(hole)).collect()
}

#[cfg(test)]
mod tests {
    use super::{Rect, without};

    fn rect(x: i32, y: i32, width: u32, height: u32) -> Rect {
        Rect { x, y, width, height }
    }

    fn area(rects: &[Rect]) -> u32 {
        rects.iter().map(|rect| rect.width * rect.height).sum()
    }

    #[test]
    fn what_two_have_in_common() {
        let a = rect(0, 0, 10, 10);
        assert_eq!(a.common(rect(5, -5, 10, 10)), Some(rect(5, 0, 5, 5)));
        assert_eq!(a.common(rect(10, 0, 1, 1)), None);
        assert_eq!(
            rect(i32::MAX, 0, u32::MAX, 1).common(rect(i32::MAX, 0, 5, 5)),
            Some(rect(i32::MAX, 0, 5, 1))
        );
        assert_eq!(a.joined(rect(-5, 3, 5, 10)), rect(-5, 0, 15, 13));
        assert!(a.contains(rect(1, 1, 9, 9)) && !a.contains(rect(1, 1, 10, 9)));
    }

    #[test]
    fn a_hole_leaves_a_frame() {
        let left = without(&[rect(0, 0, 10, 10)], rect(3, 3, 2, 2));
        assert_eq!((left.len(), area(&left)), (4, 96));
        assert!(left.iter().all(|piece| piece.common(rect(3, 3, 2, 2)).is_none()));
        assert_eq!(without(&left, rect(-5, -5, 50, 50)), []);
        assert_eq!(without(&left, rect(20, 20, 5, 5)), left);
    }
}
