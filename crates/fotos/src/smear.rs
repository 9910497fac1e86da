//! Making a part of a picture unreadable for good. It looks blurred, and nothing of what was there goes into it: its
//! colours come from around it, its unevenness from the operating system's random numbers.

use crate::pixels::{BYTES, Pixels};
use crate::rect::Rect;

/// How far the unevenness goes, in steps of brightness to either side.
const UNEVENNESS: f32 = 7.0;

/// How far random values lie apart, in heights of what is covered: clouds wider than any letter, or readers find characters.
const GRAIN: f32 = 2.0;

/// Covers a rectangle.
pub fn smear(pixels: &mut Pixels, rect: Rect) {
    let Some(place) = pixels.frame().common(rect) else { return };
    let around = Around::new(pixels, place);
    let noise = Noise::new(place);
    for (y, row) in (0_u16..).zip(pixels.rows_mut(place)) {
        for (x, pixel) in (0_u16..).zip(row.chunks_exact_mut(BYTES)) {
            let (x, y) = (f32::from(x), f32::from(y));
            let (colour, more) = (around.at(x, y), noise.at(x, y));
            for (channel, value) in pixel.iter_mut().zip(colour) {
                #[allow(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "clamped to a byte"
                )]
                let byte = (value + more).clamp(0.0, 255.0) as u8;
                *channel = byte;
            }
        }
    }
}

/// The colours around a rectangle, from edge to edge.
struct Around {
    left: [f32; 3],
    right: [f32; 3],
    width: f32,
}

impl Around {
    fn new(pixels: &Pixels, place: Rect) -> Around {
        let column = |x: i32| mean(pixels, Rect { x, width: 2, ..place });
        let row = |y: i32| mean(pixels, Rect { y, height: 2, ..place });
        let (width, height) = (place.width.cast_signed(), place.height.cast_signed());
        let (above, below) = (row(place.y - 2), row(place.y.saturating_add(height)));
        let sides = [column(place.x - 2), column(place.x.saturating_add(width))];
        // Where one side is the edge of the picture, the others speak for it.
        let any = [sides[0], sides[1], above, below].into_iter().flatten().next().unwrap_or([128.0; 3]);
        let middle = match (above, below) {
            (Some(above), Some(below)) => half_way(above, below),
            (one, other) => one.or(other).unwrap_or(any),
        };
        let [left, right] = sides.map(|side| half_way(side.unwrap_or(middle), middle));
        #[allow(clippy::cast_precision_loss, reason = "pictures are small")]
        Around { left, right, width: place.width as f32 }
    }

    fn at(&self, x: f32, _: f32) -> [f32; 3] {
        let share = x / self.width;
        std::array::from_fn(|channel| self.left[channel] * (1.0 - share) + self.right[channel] * share)
    }
}

fn half_way(one: [f32; 3], other: [f32; 3]) -> [f32; 3] {
    std::array::from_fn(|channel| f32::midpoint(one[channel], other[channel]))
}

/// The mean colour of a part, if it is in the picture at all.
fn mean(pixels: &Pixels, rect: Rect) -> Option<[f32; 3]> {
    let (mut sum, mut count) = ([0_u64; 3], 0_u32);
    for pixel in pixels.rows(rect).flat_map(|row| row.chunks_exact(BYTES)) {
        for (sum, byte) in sum.iter_mut().zip(pixel) {
            *sum += u64::from(*byte);
        }
        count += 1;
    }
    #[allow(clippy::cast_precision_loss, reason = "a mean need not be exact")]
    (count > 0).then(|| sum.map(|sum| sum as f32 / count as f32))
}

/// Random brightness on a grid, and smoothly between its points.
struct Noise {
    values: Vec<f32>,
    columns: usize,
    step: f32,
}

impl Noise {
    fn new(place: Rect) -> Noise {
        #[allow(clippy::cast_precision_loss, reason = "pictures are small")]
        let step = (place.height as f32 * GRAIN).clamp(16.0, 400.0);
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss,
            reason = "small"
        )]
        let points = |length: u32| (length as f32 / step) as usize + 2;
        let (columns, rows) = (points(place.width), points(place.height));
        let mut bytes = vec![0; columns * rows];
        // Without random numbers the area is even, which tells as little.
        let values = match getrandom::fill(&mut bytes) {
            Ok(()) => bytes.iter().map(|byte| (f32::from(*byte) / 127.5 - 1.0) * UNEVENNESS).collect(),
            Err(_) => vec![0.0; columns * rows],
        };
        Noise { values, columns, step }
    }

    fn at(&self, x: f32, y: f32) -> f32 {
        let (x, y) = (x / self.step, y / self.step);
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "within the grid")]
        let (column, row) = (x as usize, y as usize);
        let (x, y) = (x.fract(), y.fract());
        let value = |column: usize, row: usize| {
            self.values.get(row * self.columns + column).copied().unwrap_or_default()
        };
        let upper = value(column, row) * (1.0 - x) + value(column + 1, row) * x;
        let lower = value(column, row + 1) * (1.0 - x) + value(column + 1, row + 1) * x;
        upper * (1.0 - y) + lower * y
    }
}

#[cfg(test)]
mod tests {
    use super::smear;
    use crate::pixels::Pixels;
    use crate::rect::Rect;

    const SECRET: Rect = Rect { x: 40, y: 20, width: 120, height: 20 };

    fn mean(part: &Pixels) -> f64 {
        let sum: u32 = part.bytes().iter().map(|byte| u32::from(*byte)).sum();
        f64::from(sum) / f64::from(part.width() * part.height() * 3)
    }

    /// A page with something on it, smeared; the mean of what is then there.
    fn smeared(secret: impl Fn(u32, u32) -> bool) -> (Pixels, f64) {
        let mut pixels = Pixels::plain(200, 60, [240, 240, 250]);
        for (x, y) in (20..40).flat_map(|y| (40..160).map(move |x| (x, y))).filter(|(x, y)| secret(*x, *y)) {
            let dot = Rect { x: x.cast_signed(), y: y.cast_signed(), width: 1, height: 1 };
            pixels.fill(dot, [0, 0, 0]);
        }
        smear(&mut pixels, SECRET);
        let part = pixels.part(SECRET).expect("a part");
        let mean = mean(&part);
        (pixels, mean)
    }

    #[test]
    fn nothing_of_what_was_there_is_left() {
        let means: Vec<f64> =
            [smeared(|_, _| false), smeared(|_, _| true), smeared(|x, _| x % 7 < 3), smeared(|x, _| x < 100)]
                .into_iter()
                .map(|(_, mean)| mean)
                .collect();
        // All are the colour of the page, give or take the noise; black would be far away.
        assert!(means.iter().all(|mean| (235.0..250.0).contains(mean)), "{means:?}");
        // Left and right alike, also where only the left was black.
        let (pixels, _) = smeared(|x, _| x < 100);
        let half = |x| pixels.part(Rect { x, y: 20, width: 60, height: 20 }).expect("a part");
        assert!((mean(&half(40)) - mean(&half(100))).abs() < 6.0);
    }

    #[test]
    fn it_is_never_the_same_twice_and_stays_in_its_place() {
        let (one, _) = smeared(|x, _| x % 2 == 0);
        let (other, _) = smeared(|x, _| x % 2 == 0);
        assert_ne!(one.bytes(), other.bytes());
        assert_eq!(
            (one.at(39, 30), one.at(160, 30), one.at(100, 19), one.at(100, 40)),
            ([240, 240, 250], [240, 240, 250], [240, 240, 250], [240, 240, 250])
        );
    }

    #[test]
    fn the_whole_picture_and_a_single_pixel() {
        let mut pixels = Pixels::plain(5, 4, [10, 20, 30]);
        smear(&mut pixels, Rect { x: -10, y: -10, width: 100, height: 100 });
        smear(&mut pixels, Rect { x: 4, y: 3, width: 1, height: 1 });
        smear(&mut pixels, Rect { x: 9, y: 9, width: 1, height: 1 });
    }
}
