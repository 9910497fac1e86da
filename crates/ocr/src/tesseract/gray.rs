//! The picture as Tesseract reads it best: gray, dark on light, and small print twice as large.

use crate::Image;
use crate::image::brightness;

/// Above this, the screen is a dense one and its letters are large already.
const MOST_PIXELS_DOUBLED: usize = 4_000_000;

/// Tesseract refuses what is smaller.
const SMALLEST_SIDE: usize = 3;

/// The weights of four neighbours for a point a quarter of a pixel behind the second: a cubic that keeps edges sharp.
const CUBIC: [i32; 4] = [-18, 222, 58, -6];

/// A gray picture.
pub(super) struct Gray {
    bytes: Vec<u8>,
    width: usize,
    height: usize,
    scale: u32,
}

impl Gray {
    pub(super) fn new(image: Image<'_>) -> Self {
        let (width, height) = (image.width() as usize, image.height() as usize);
        let mut bytes = Vec::with_capacity(width * height);
        for y in 0..image.height() {
            bytes.extend(image.row(y, 0, image.width()).chunks_exact(image.channels()).map(brightness));
        }
        if is_dark(&bytes) {
            for byte in &mut bytes {
                *byte = u8::MAX - *byte;
            }
        }
        let gray = Self { bytes, width, height, scale: 1 };
        if gray.bytes.len() <= MOST_PIXELS_DOUBLED && !gray.bytes.is_empty() { gray.doubled() } else { gray }
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(super) fn width(&self) -> usize {
        self.width
    }

    pub(super) fn height(&self) -> usize {
        self.height
    }

    /// How many of its pixels are one of the picture it was made from.
    pub(super) fn scale(&self) -> u32 {
        self.scale
    }

    pub(super) fn is_too_small(&self) -> bool {
        self.width.min(self.height) < SMALLEST_SIDE
    }

    fn doubled(&self) -> Self {
        let wide: Vec<u8> = self.bytes.chunks_exact(self.width).flat_map(double).collect();
        let (width, height) = (2 * self.width, 2 * self.height);
        let mut bytes = vec![0; width * height];
        let last = self.height - 1;
        for (y, target) in bytes.chunks_exact_mut(width).enumerate() {
            let row = |offset: usize| {
                let at = (y / 2 + offset).saturating_sub(if y % 2 == 0 { 2 } else { 1 }).min(last);
                &wide[at * width..][..width]
            };
            let weights = if y % 2 == 0 { [CUBIC[3], CUBIC[2], CUBIC[1], CUBIC[0]] } else { CUBIC };
            let rows = [row(0), row(1), row(2), row(3)];
            for (x, byte) in target.iter_mut().enumerate() {
                *byte = weighed(weights, rows.map(|row| row[x]));
            }
        }
        Self { bytes, width, height, scale: 2 }
    }
}

/// More than half of it is darker than the middle.
fn is_dark(bytes: &[u8]) -> bool {
    bytes.iter().filter(|byte| **byte < 128).count() * 2 > bytes.len()
}

/// A row with twice as many points, a quarter of a pixel before and behind each.
fn double(row: &[u8]) -> Vec<u8> {
    let last = row.len() - 1;
    let at = |x: usize, offset: usize| row[(x + offset).saturating_sub(2).min(last)];
    (0..row.len())
        .flat_map(|x| {
            let near = [at(x, 0), at(x, 1), at(x, 2), at(x, 3), at(x, 4)];
            let before =
                weighed([CUBIC[3], CUBIC[2], CUBIC[1], CUBIC[0]], [near[0], near[1], near[2], near[3]]);
            let behind = weighed(CUBIC, [near[1], near[2], near[3], near[4]]);
            [before, behind]
        })
        .collect()
}

fn weighed(weights: [i32; 4], bytes: [u8; 4]) -> u8 {
    let sum: i32 = weights.iter().zip(bytes).map(|(weight, byte)| weight * i32::from(byte)).sum();
    u8::try_from(((sum + 128) >> 8).clamp(0, 255)).unwrap_or(u8::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gray(width: u32, height: u32, bytes: &[u8]) -> Gray {
        let rgb: Vec<u8> = bytes.iter().flat_map(|byte| [*byte; 3]).collect();
        Gray::new(Image::rgb(width, height, &rgb).unwrap())
    }

    #[test]
    fn one_colour_stays_one_colour_at_twice_the_size() {
        let gray = gray(3, 2, &[200; 6]);
        assert_eq!((gray.width(), gray.height(), gray.scale()), (6, 4, 2));
        assert_eq!(gray.bytes(), [200; 24]);
    }

    #[test]
    fn dark_becomes_light() {
        assert_eq!(gray(2, 2, &[10; 4]).bytes(), [245; 16]);
    }

    #[test]
    fn an_edge_stays_where_it_is() {
        let bytes: Vec<u8> = [255, 255, 255, 255, 0, 0].repeat(4);
        let gray = gray(6, 4, &bytes);
        let row = &gray.bytes()[12 * 3..][..12];
        assert!(row[..7].iter().all(|byte| *byte > 200), "{row:?}");
        assert!(row[9..].iter().all(|byte| *byte < 50), "{row:?}");
    }

    #[test]
    fn nothing_and_almost_nothing_are_too_small() {
        assert!(gray(0, 0, &[]).is_too_small());
        assert!(gray(1, 1, &[0]).is_too_small());
        assert!(!gray(2, 2, &[0; 4]).is_too_small());
    }
}
