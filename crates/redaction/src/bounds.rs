//! Boxes that keep to their line: half way to the lines above and below, and no further.

use geometry::Rect;
use ocr::Page;

/// Where the words of a page are. Lines would not do: a reader may take two rows for one.
#[derive(Debug)]
pub(crate) struct Bounds {
    words: Vec<Rect>,
}

impl Bounds {
    pub(crate) fn of(page: &Page) -> Bounds {
        Bounds { words: page.words().map(|word| word.area).collect() }
    }

    /// The part of a box that belongs to its own line.
    pub(crate) fn fit(&self, place: Rect) -> Rect {
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
        let bounds = Bounds { words: vec![line(0), line(23), line(46)] };
        let fitted = bounds.fit(Rect { x: 50, y: 15, width: 100, height: 53 });
        assert_eq!((fitted.y, fitted.height), (29, 23));
        let aside = Bounds { words: vec![line(0)] }.fit(Rect { x: 400, y: 15, width: 100, height: 53 });
        assert_eq!(aside.height, 53);
    }
}
