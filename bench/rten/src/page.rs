//! A picture, and parts of it as a network takes them.

use crate::lines::Area;

pub(crate) struct Page<'a> {
    pub(crate) width: usize,
    pub(crate) height: usize,
    rgb: &'a [u8],
}

impl<'a> Page<'a> {
    pub(crate) fn from_ppm(file: &'a [u8]) -> Option<Page<'a>> {
        let mut parts = file.splitn(4, |byte| *byte == b'\n');
        let (kind, size, depth, rgb) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
        let (width, height) = str::from_utf8(size).ok()?.split_once(' ')?;
        let (width, height): (usize, usize) = (width.parse().ok()?, height.parse().ok()?);
        let is_sound =
            (kind, depth) == (b"P6".as_slice(), b"255".as_slice()) && rgb.len() == width * height * 3;
        is_sound.then_some(Page { width, height, rgb })
    }

    /// A part at another size: all of its blue, then green, then red, between the four nearest pixels. Beyond the picture its
    /// edge goes on.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "pictures are small")]
    pub(crate) fn planes(
        &self,
        area: Area,
        width: usize,
        height: usize,
        level: impl Fn(usize, f32) -> f32,
    ) -> Vec<f32> {
        let along = |from: f32, length: f32, at: usize, count: usize, limit: usize| {
            let place = from + (at as f32 + 0.5) * length / count as f32 - 0.5;
            let place = place.clamp(0.0, limit as f32 - 1.0);
            (place as usize, (place as usize + 1).min(limit - 1), place.fract())
        };
        let mut planes = Vec::with_capacity(3 * width * height);
        for channel in 0..3 {
            let at = |x: usize, y: usize| f32::from(self.rgb[(y * self.width + x) * 3 + 2 - channel]);
            for row in 0..height {
                let (top, bottom, down) = along(area.y, area.height, row, height, self.height);
                for column in 0..width {
                    let (left, right, across) = along(area.x, area.width, column, width, self.width);
                    let upper = at(left, top) * (1.0 - across) + at(right, top) * across;
                    let lower = at(left, bottom) * (1.0 - across) + at(right, bottom) * across;
                    planes.push(level(channel, upper * (1.0 - down) + lower * down));
                }
            }
        }
        planes
    }
}
