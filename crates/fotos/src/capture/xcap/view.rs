//! What a monitor shows, and where it lies among the others.

use geometry::Rect;
use picture::Pixels;

use crate::capture::{Error, MOST_PIXELS};

/// A part of the desktop as pixels. The desktop counts in units of its own, which may be larger than pixels.
#[derive(Debug)]
pub(super) struct View {
    pub(super) pixels: Pixels,
    pub(super) place: Rect,
}

impl View {
    /// Blackens a place of the desktop, and tells whether any of it is in the picture.
    pub(super) fn black_out(&mut self, place: Rect) -> bool {
        let Some(seen) = self.place.common(place) else { return false };
        let seen = seen.seen_from(self.place.x, self.place.y);
        // A pixel that belongs to the place in part is black, too: both ends are moved outwards.
        let edges = |start: i32, length: u32, pixels: u32, units: u32| {
            let (start, pixels, units) =
                (u64::from(start.unsigned_abs()), u64::from(pixels), u64::from(units));
            let end = start + u64::from(length);
            ((start * pixels / units).cast_signed(), (end * pixels).div_ceil(units).cast_signed())
        };
        let (left, right) = edges(seen.x, seen.width, self.pixels.width(), self.place.width);
        let (top, bottom) = edges(seen.y, seen.height, self.pixels.height(), self.place.height);
        let black = Rect::from_edges(left, top, right, bottom);
        if let Some(black) = black {
            self.pixels.fill(black, [0; 3]);
        }
        black.is_some()
    }

    /// How many pixels a unit has in either direction, where that is a whole number.
    fn scale(&self) -> Option<u32> {
        let scale = self.pixels.width().checked_div(self.place.width).filter(|scale| *scale > 0)?;
        let is_exact = self.place.width.checked_mul(scale) == Some(self.pixels.width())
            && self.place.height.checked_mul(scale) == Some(self.pixels.height());
        is_exact.then_some(scale)
    }
}

/// All views as they lie beside each other, black where none is.
pub(super) fn side_by_side(mut views: Vec<View>) -> Result<Pixels, Error> {
    if views.len() < 2 {
        let only = views.pop().ok_or_else(|| Error::Refused { reason: "there is no monitor".to_owned() })?;
        return Ok(only.pixels);
    }
    let mut scales = views.iter().map(View::scale);
    let scale = scales.next().flatten().filter(|first| scales.all(|scale| scale == Some(*first)));
    let scale = scale.ok_or(Error::MixedScales)?;
    let whole = views.iter().map(|view| view.place).reduce(Rect::joined).ok_or(Error::MixedScales)?;
    let (width, height) = (whole.width.saturating_mul(scale), whole.height.saturating_mul(scale));
    let area = u64::from(width) * u64::from(height);
    let size = usize::try_from(area).ok().filter(|_| area <= MOST_PIXELS);
    let size = size.ok_or(Error::TooLarge { width, height })?;
    let mut all = Pixels::new(width, height, vec![0; size * 3])?;
    for View { pixels, place } in &views {
        let place = place.seen_from(whole.x, whole.y);
        let in_pixels = |at: i32| at.saturating_mul(scale.cast_signed());
        let place = Rect { x: in_pixels(place.x), y: in_pixels(place.y), ..pixels.frame() };
        for (target, source) in all.rows_mut(place).zip(pixels.rows(pixels.frame())) {
            target.copy_from_slice(source);
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use geometry::Rect;
    use picture::Pixels;

    use super::{View, side_by_side};
    use crate::capture::Error;

    const GREY: [u8; 3] = [9; 3];
    const BLACK: [u8; 3] = [0; 3];

    /// A monitor of 4x3 units.
    fn view(x: i32, y: i32, scale: u32, colour: [u8; 3]) -> View {
        let place = Rect { x, y, width: 4, height: 3 };
        View { pixels: Pixels::plain(4 * scale, 3 * scale, colour), place }
    }

    #[test]
    fn monitors_lie_beside_each_other() {
        let all = side_by_side(vec![view(0, 0, 2, GREY), view(-4, 1, 2, [7; 3])]).expect("a picture");
        assert_eq!((all.width(), all.height()), (16, 8));
        let seen = [(0, 1), (0, 2), (7, 7), (8, 0), (15, 5), (15, 6)].map(|(x, y)| all.at(x, y));
        assert_eq!(seen, [BLACK, [7; 3], [7; 3], GREY, GREY, BLACK]);
    }

    #[test]
    fn monitors_of_different_scales_are_no_picture() {
        let mixed = side_by_side(vec![view(0, 0, 2, GREY), view(4, 0, 1, GREY)]);
        assert!(matches!(mixed, Err(Error::MixedScales)));
        assert!(side_by_side(vec![view(0, 0, 2, GREY)]).is_ok() && side_by_side(Vec::new()).is_err());
        let far = side_by_side(vec![view(0, 0, 1, GREY), view(i32::MAX, i32::MAX, 1, GREY)]);
        assert!(matches!(far, Err(Error::TooLarge { .. })));
    }

    #[test]
    fn a_place_is_black_in_every_pixel_it_touches() {
        let mut twice = view(10, 0, 2, GREY);
        assert!(twice.black_out(Rect { x: 11, y: -5, width: 2, height: 6 }));
        let seen = [(1, 0), (2, 0), (5, 1), (6, 1), (2, 2)].map(|(x, y)| twice.pixels.at(x, y));
        assert_eq!(seen, [GREY, BLACK, BLACK, GREY, GREY]);
        assert!(!twice.black_out(Rect { x: 0, y: 0, width: 10, height: 9 }));
        // One and a half pixels for a unit.
        let mut between = View { pixels: Pixels::plain(6, 3, GREY), ..view(0, 0, 1, GREY) };
        assert!(between.black_out(Rect { x: 1, y: 0, width: 1, height: 1 }));
        let seen = [0, 1, 2, 3, 4].map(|x| between.pixels.at(x, 0));
        assert_eq!(seen, [GREY, BLACK, BLACK, GREY, GREY]);
    }
}
