//! A picture in memory.

use geometry::Rect;

/// What a pixel consists of, a byte each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// Red, green, blue.
    Rgb,
    /// Red, green, blue, opacity; the colours are not multiplied by it.
    Rgba,
}

impl Layout {
    /// Bytes of a pixel.
    pub const fn bytes(self) -> usize {
        match self {
            Layout::Rgb => 3,
            Layout::Rgba => 4,
        }
    }
}

/// A picture: rows of pixels from top to bottom, without gaps, at least one pixel.
#[derive(Clone, PartialEq, Eq)]
pub struct Picture {
    layout: Layout,
    width: u32,
    height: u32,
    bytes: Vec<u8>,
}

/// Width and height do not fit the bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "{bytes} bytes are not {width} × {height} pixels; give as many as the size says, and at least one pixel"
)]
pub struct SizeError {
    /// The width in pixels.
    pub width: u32,
    /// The height in pixels.
    pub height: u32,
    /// How many bytes there are.
    pub bytes: usize,
}

/// The part is not in the picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "the region {}, {} of {} × {} pixels is not within the picture of {width} × {height}; choose one that is",
    region.x, region.y, region.width, region.height
)]
pub struct RegionError {
    /// The part.
    pub region: Rect,
    /// The width of the picture.
    pub width: u32,
    /// The height of the picture.
    pub height: u32,
}

impl std::fmt::Debug for Picture {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Picture({} × {}, {:?})", self.width, self.height, self.layout)
    }
}

impl Picture {
    /// From rows of pixels.
    pub fn new(layout: Layout, width: u32, height: u32, bytes: Vec<u8>) -> Result<Picture, SizeError> {
        let wanted = (width as usize)
            .checked_mul(height as usize)
            .and_then(|pixels| pixels.checked_mul(layout.bytes()));
        if wanted != Some(bytes.len()) || bytes.is_empty() {
            return Err(SizeError { width, height, bytes: bytes.len() });
        }
        Ok(Picture { layout, width, height, bytes })
    }

    /// For bytes that were made to fit.
    pub(crate) fn made(layout: Layout, width: u32, height: u32, bytes: Vec<u8>) -> Picture {
        debug_assert_eq!(bytes.len(), width as usize * height as usize * layout.bytes());
        Picture { layout, width, height, bytes }
    }

    /// What a pixel consists of.
    pub fn layout(&self) -> Layout {
        self.layout
    }

    /// The width in pixels.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// The height in pixels.
    pub fn height(&self) -> u32 {
        self.height
    }

    /// The pixels.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The pixels, to change them in place.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.bytes
    }

    /// The pixels, without a copy.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// The longer of width and height.
    pub fn long_edge(&self) -> u32 {
        self.width.max(self.height)
    }

    /// The rows, from the top.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        self.bytes.chunks_exact(self.width as usize * self.layout.bytes())
    }

    /// Whether every pixel hides what is behind it.
    pub fn is_opaque(&self) -> bool {
        match self.layout {
            Layout::Rgb => true,
            Layout::Rgba => self.bytes.chunks_exact(4).all(|pixel| pixel[3] == u8::MAX),
        }
    }

    /// The picture in front of a colour.
    pub fn on(self, background: [u8; 3]) -> Picture {
        if self.layout == Layout::Rgb {
            return self;
        }
        let mut bytes = Vec::with_capacity(self.bytes.len() / 4 * 3);
        for pixel in self.bytes.chunks_exact(4) {
            let opacity = u32::from(pixel[3]);
            for (front, back) in pixel[..3].iter().zip(background) {
                let mixed = u32::from(*front) * opacity + u32::from(back) * (255 - opacity);
                // At most 255: a mean of two bytes.
                bytes.push(u8::try_from((mixed + 127) / 255).unwrap_or(u8::MAX));
            }
        }
        Picture { layout: Layout::Rgb, bytes, ..self }
    }

    /// The picture without its opacity if that says nothing: a quarter less to encode.
    pub fn compact(self) -> Picture {
        if self.is_opaque() { self.on([0; 3]) } else { self }
    }

    /// A part of it.
    pub fn crop(&self, region: Rect) -> Result<Picture, RegionError> {
        if region.area() == 0 || !Rect::of_size(self.width, self.height).contains(region) {
            return Err(RegionError { region, width: self.width, height: self.height });
        }
        let pixel = self.layout.bytes();
        let from = region.x.unsigned_abs() as usize * pixel;
        let length = region.width as usize * pixel;
        let mut bytes = Vec::with_capacity(length * region.height as usize);
        for row in self.rows().skip(region.y.unsigned_abs() as usize).take(region.height as usize) {
            bytes.extend_from_slice(&row[from..from + length]);
        }
        Ok(Picture::made(self.layout, region.width, region.height, bytes))
    }
}

#[cfg(test)]
mod tests {
    use geometry::Rect;

    use super::{Layout, Picture};

    fn numbered(width: u8, height: u8) -> Picture {
        let bytes = (0..height).flat_map(|y| (0..width).flat_map(move |x| [x, y, 0])).collect();
        Picture::new(Layout::Rgb, width.into(), height.into(), bytes).expect("a picture")
    }

    #[test]
    fn bytes_that_are_not_that_many_pixels_are_refused() {
        assert!(Picture::new(Layout::Rgb, 2, 2, vec![0; 12]).is_ok());
        for (width, height, bytes) in [(2, 2, 11), (0, 2, 0), (0, 0, 0), (u32::MAX, u32::MAX, 3)] {
            assert!(Picture::new(Layout::Rgba, width, height, vec![0; bytes]).is_err());
        }
    }

    #[test]
    fn a_part_is_cut_out_and_nothing_outside_can_be() {
        let part = numbered(5, 4).crop(Rect { x: 3, y: 1, width: 2, height: 2 }).expect("inside");
        assert_eq!(part.bytes(), [3, 1, 0, 4, 1, 0, 3, 2, 0, 4, 2, 0]);
        for (x, y, width, height) in
            [(4, 0, 2, 1), (0, 0, 0, 1), (0, 4, 1, 1), (i32::MAX, 0, 2, 1), (-1, 0, 2, 1)]
        {
            let area = Rect { x, y, width, height };
            let refused = numbered(5, 4).crop(area).expect_err("outside");
            assert!(refused.to_string().contains("5 × 4"), "{refused}");
        }
    }

    #[test]
    fn opacity_is_kept_as_long_as_it_says_something() {
        let half =
            Picture::new(Layout::Rgba, 2, 1, vec![255, 0, 0, 255, 255, 0, 0, 128]).expect("two pixels");
        assert_eq!(half.clone().compact().layout(), Layout::Rgba);
        assert_eq!(half.clone().on([255; 3]).bytes(), [255, 0, 0, 255, 127, 127]);
        let whole = half.crop(Rect { x: 0, y: 0, width: 1, height: 1 }).expect("a pixel").compact();
        assert_eq!((whole.layout(), whole.bytes()), (Layout::Rgb, &[255, 0, 0][..]));
    }
}
