//! Making a part of a picture unreadable for good. It looks blurred, and its pixels are a function of the box's size and place
//! alone: nothing of what was there goes into them, nor of what is around.

use geometry::Rect;
use picture::Pixels;

/// The lightest and the darkest of the clouds.
const LIGHT: f32 = 152.0;
const DARK: f32 = 104.0;

/// How far the clouds lie apart, in heights of what is covered: wider than any letter, or readers find characters.
const GRAIN: f32 = 1.5;

/// The edge: lighter than the clouds by so much that it is seen beside them where the background is as dark as they are. A dark
/// line would be read as a letter.
const EDGE: [u8; 3] = [232; 3];

/// Boxes narrower than this in any direction have no room for an edge.
const LEAST_FOR_AN_EDGE: u32 = 8;

/// Covers a rectangle.
pub fn blur(pixels: &mut Pixels, rect: Rect) {
    let Some(place) = pixels.frame().common(rect) else { return };
    let clouds = Clouds::new(place);
    for (y, row) in (0_u32..).zip(pixels.rows_mut(place)) {
        for (x, pixel) in (0_u32..).zip(row.chunks_exact_mut(3)) {
            let (from_left, from_top) = (x.min(place.width - 1 - x), y.min(place.height - 1 - y));
            let has_edge = place.width.min(place.height) >= LEAST_FOR_AN_EDGE;
            let colour = match from_left.min(from_top) {
                0 if has_edge => EDGE,
                _ => [clouds.at(x, y); 3],
            };
            pixel.copy_from_slice(&colour);
        }
    }
}

/// Brightness on a grid, and smoothly between its points.
struct Clouds {
    place: Rect,
    step: f32,
}

impl Clouds {
    #[allow(clippy::cast_precision_loss, reason = "pictures are small")]
    fn new(place: Rect) -> Clouds {
        Clouds { place, step: (place.height as f32 * GRAIN).clamp(12.0, 240.0) }
    }

    #[allow(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "pictures are small, and the result lies between two bytes"
    )]
    fn at(&self, x: u32, y: u32) -> u8 {
        let (x, y) = (x as f32 / self.step, y as f32 / self.step);
        let (column, row) = (x as u32, y as u32);
        let (x, y) = (smooth(x.fract()), smooth(y.fract()));
        let upper = self.value(column, row) * (1.0 - x) + self.value(column + 1, row) * x;
        let lower = self.value(column, row + 1) * (1.0 - x) + self.value(column + 1, row + 1) * x;
        let share = upper * (1.0 - y) + lower * y;
        (DARK + (LIGHT - DARK) * share) as u8
    }

    /// From 0 to 1, scattered: the same for the same point of the same box.
    #[allow(clippy::cast_precision_loss, reason = "a share need not be exact")]
    fn value(&self, column: u32, row: u32) -> f32 {
        let Rect { x, y, width, height } = self.place;
        let numbers = [column, row, x.cast_unsigned(), y.cast_unsigned(), width, height];
        let mixed = numbers.into_iter().fold(0x9e37_79b9_u32, |mixed, number| {
            let mixed = (mixed ^ number).wrapping_mul(0x85eb_ca6b);
            mixed ^ (mixed >> 13)
        });
        (mixed >> 8) as f32 / (1 << 24) as f32
    }
}

/// Leaves and arrives slowly.
fn smooth(share: f32) -> f32 {
    share * share * (3.0 - 2.0 * share)
}

#[cfg(test)]
mod tests {
    use geometry::Rect;
    use picture::Pixels;

    use super::blur;

    const SECRET: Rect = Rect { x: 40, y: 20, width: 120, height: 20 };

    /// A page of one colour with something on it, blurred.
    fn blurred(page: [u8; 3], secret: impl Fn(i32, i32) -> bool) -> Pixels {
        let mut pixels = Pixels::plain(200, 60, page);
        for (x, y) in (20..40).flat_map(|y| (40..160).map(move |x| (x, y))).filter(|(x, y)| secret(*x, *y)) {
            pixels.fill(Rect { x, y, width: 1, height: 1 }, [255 - page[0]; 3]);
        }
        blur(&mut pixels, SECRET);
        pixels
    }

    fn inside(pixels: &Pixels) -> Pixels {
        pixels.part(SECRET).expect("a part")
    }

    #[test]
    fn neither_the_text_beneath_nor_what_is_around_makes_a_difference() {
        let empty = blurred([240, 240, 250], |_, _| false);
        for (page, secret) in [([240, 240, 250], 1), ([240, 240, 250], 7), ([10, 12, 14], 3)] {
            let other = blurred(page, |x, y| (x * 3 + y) % (secret + 1) == 0);
            assert_eq!(inside(&other).bytes(), inside(&empty).bytes());
            assert_eq!([(39, 30), (160, 30), (100, 19), (100, 40)].map(|(x, y)| other.at(x, y)), [page; 4]);
        }
        let mut elsewhere = Pixels::plain(200, 60, [0; 3]);
        blur(&mut elsewhere, Rect { x: 41, ..SECRET });
        assert_ne!(elsewhere.part(Rect { x: 41, ..SECRET }).expect("a part").bytes(), inside(&empty).bytes());
    }

    #[test]
    fn its_edge_is_seen_on_any_background() {
        for grey in (0..=255_u8).step_by(5) {
            let pixels = blurred([grey; 3], |_, _| false);
            let steps = [(39, 30), (40, 30), (41, 30), (42, 30)].map(|(x, y)| pixels.at(x, y)[1]);
            let strongest = steps.windows(2).map(|pair| pair[0].abs_diff(pair[1])).max();
            assert!(strongest >= Some(60), "{grey}: {steps:?}");
        }
    }

    #[test]
    fn the_whole_picture_and_a_single_pixel() {
        let mut pixels = Pixels::plain(5, 4, [10, 20, 30]);
        blur(&mut pixels, Rect { x: -10, y: -10, width: 100, height: 100 });
        blur(&mut pixels, Rect { x: 4, y: 3, width: 1, height: 1 });
        blur(&mut pixels, Rect { x: 9, y: 9, width: 1, height: 1 });
        assert_ne!(pixels.at(2, 2), [10, 20, 30]);
    }
}
