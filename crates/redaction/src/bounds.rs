//! Boxes that keep to their line: half way to the lines above and below, and no further. Their edges lie on a coarse grid, so that
//! the width of letters is not told by the pixel.

use geometry::Rect;
use ocr::{Page, Word};

/// Where the words of a page are. Lines would not do: a reader may take two rows for one.
#[derive(Debug, Default)]
pub(crate) struct Bounds {
    words: Vec<Rect>,
    letters: Vec<Rect>,
}

/// The finest grid on which left and right edges lie, in pixels; that of large letters is coarser.
const FINEST: u32 = 8;

/// How far edges stay from letters beside the place, in pixels: readers take what touches a letter for a part of it.
const CLEAR: i64 = 3;

/// The grid of upper and lower edges.
const ROWS: u32 = 4;

impl Bounds {
    pub(crate) fn of(page: &Page) -> Bounds {
        let letters = |word: &Word| -> Vec<Rect> {
            (0..word.characters.len()).filter_map(|at| word.part(at..at + 1)).collect()
        };
        Bounds {
            words: page.words().map(|word| word.area).collect(),
            letters: page.words().flat_map(letters).collect(),
        }
    }

    /// The box that is covered for a place: as wide as the grid has it, without letters beside it, and in its own line.
    pub(crate) fn fit(&self, place: Rect) -> Rect {
        self.in_line(self.on_grid(place))
    }

    /// Moves edges outwards to the grid, but not over letters that stand beside the place: where those are is seen anyway.
    fn on_grid(&self, place: Rect) -> Rect {
        let step = i64::from((place.height / 2).next_power_of_two().max(FINEST));
        let (_, middle) = place.centre();
        let in_line = |letter: &&Rect| letter.y <= middle && i64::from(middle) < letter.bottom();
        let centre = |letter: &Rect| i64::from(letter.centre().0);
        let (left, right) = (i64::from(place.x), place.right());
        let beside = || self.letters.iter().filter(in_line);
        let before = beside().filter(|letter| centre(letter) < left).map(|letter| letter.right()).max();
        let after = beside().filter(|letter| centre(letter) >= right).map(|letter| i64::from(letter.x)).min();
        let down = |edge: i64, step: i64| edge.div_euclid(step) * step;
        let up = |edge: i64, step: i64| -down(-edge, step);
        let from = down(left, step).max(before.map_or(i64::MIN, |letter| letter + CLEAR)).min(left);
        let to = up(right, step).min(after.map_or(i64::MAX, |letter| letter - CLEAR)).max(right);
        let rows = i64::from(ROWS);
        Rect::from_edges(from, down(place.y.into(), rows), to, up(place.bottom(), rows)).unwrap_or(place)
    }

    /// The part of a box that belongs to its own line.
    fn in_line(&self, place: Rect) -> Rect {
        let (_, middle) = place.centre();
        let beside = |word: &&Rect| i64::from(word.x) < place.right() && i64::from(place.x) < word.right();
        let middles = || self.words.iter().filter(beside).map(|word| word.centre().1);
        // Words whose middle lies in the middle third are in this line.
        let slack = (place.height / 6).cast_signed().max(2);
        let core = i64::from(place.height / 5);
        let above = middles().filter(|other| *other < middle - slack).max();
        let below = middles().filter(|other| *other > middle + slack).min();
        // However close the next line is, the middle is covered: letters stand there.
        let (least_top, least_bottom) = (i64::from(middle) - core, i64::from(middle) + core);
        let top = above.map_or(i64::from(place.y), |above| {
            i64::from(place.y.max(middle.midpoint(above))).min(least_top)
        });
        let bottom = below.map_or(place.bottom(), |below| {
            place.bottom().min(i64::from(middle.midpoint(below))).max(least_bottom)
        });
        Rect::from_edges(place.x.into(), top, place.right(), bottom).unwrap_or(place)
    }
}

#[cfg(test)]
mod tests {
    use geometry::Rect;

    use super::Bounds;

    #[test]
    fn a_box_reaches_half_way_to_its_neighbours() {
        let line = |y| Rect { x: 0, y, width: 300, height: 37 };
        // Lines 23 pixels apart, which a reader sees 37 pixels high.
        let bounds = Bounds { words: vec![line(0), line(23), line(46)], ..Bounds::default() };
        let fitted = bounds.fit(Rect { x: 50, y: 15, width: 100, height: 53 });
        assert_eq!((fitted.y, fitted.height), (29, 23));
        let aside = Bounds { words: vec![line(0)], ..Bounds::default() };
        let aside = aside.fit(Rect { x: 400, y: 15, width: 100, height: 53 });
        assert_eq!((aside.y, aside.height), (12, 56));
    }

    #[test]
    fn boxes_that_differ_by_the_ink_of_a_letter_are_the_same() {
        let letter = |x| Rect { x, y: 20, width: 9, height: 16 };
        // A label far before the place, and a word right after it.
        let bounds = Bounds { words: Vec::new(), letters: vec![letter(10), letter(60), letter(150)] };
        let fitted = [(57, 18, 86, 22), (58, 19, 84, 20), (60, 17, 81, 23)]
            .map(|(x, y, width, height)| bounds.fit(Rect { x, y, width, height }));
        assert_eq!(fitted, [Rect { x: 48, y: 16, width: 96, height: 24 }; 3]);
        // What stands beside it is not covered.
        let close = bounds.fit(Rect { x: 57, y: 19, width: 91, height: 21 });
        assert_eq!((close.x, close.right()), (48, 148));
        let touching = bounds.fit(Rect { x: 20, y: 19, width: 30, height: 21 });
        assert_eq!((touching.x, touching.right()), (20, 57));
    }
}
