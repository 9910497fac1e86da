//! The picture an engine reads: borrowed bytes with a size.

use crate::Error;

/// More than two 8K screens side by side; what is larger is no screen, and would take minutes.
const MOST_PIXELS: u64 = 80_000_000;

/// Pixels in rows from the top, three or four bytes each: red, green, blue, and what follows is not looked at.
#[derive(Clone, Copy, Debug)]
pub struct Image<'a> {
    bytes: &'a [u8],
    width: u32,
    height: u32,
    channels: usize,
}

impl<'a> Image<'a> {
    /// Three bytes a pixel.
    pub fn rgb(width: u32, height: u32, bytes: &'a [u8]) -> Result<Self, Error> {
        Self::new(width, height, bytes, 3)
    }

    /// Four bytes a pixel; alpha is ignored, so a picture with holes should be laid over a colour first.
    pub fn rgba(width: u32, height: u32, bytes: &'a [u8]) -> Result<Self, Error> {
        Self::new(width, height, bytes, 4)
    }

    fn new(width: u32, height: u32, bytes: &'a [u8], channels: usize) -> Result<Self, Error> {
        if u64::from(width) * u64::from(height) > MOST_PIXELS {
            return Err(Error::TooLarge { width, height, limit: MOST_PIXELS });
        }
        if width as usize * height as usize * channels != bytes.len() {
            return Err(Error::Pixels { width, height, channels, found: bytes.len() });
        }
        Ok(Self { bytes, width, height, channels })
    }

    /// Width in pixels.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Height in pixels.
    pub fn height(&self) -> u32 {
        self.height
    }

    pub(crate) fn channels(&self) -> usize {
        self.channels
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The bytes of pixels `from` to `to` (not included) of a row.
    pub(crate) fn row(&self, y: u32, from: u32, to: u32) -> &'a [u8] {
        let start = y as usize * self.width as usize;
        &self.bytes[(start + from as usize) * self.channels..(start + to as usize) * self.channels]
    }
}

/// How bright a pixel looks, as integers suffice for.
pub(crate) fn brightness(pixel: &[u8]) -> u8 {
    let [red, green, blue] = [pixel[0], pixel[1], pixel[2]].map(u32::from);
    #[expect(clippy::cast_possible_truncation, reason = "the weights add up to 256")]
    let brightness = ((77 * red + 150 * green + 29 * blue) >> 8) as u8;
    brightness
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_and_size_must_agree() {
        assert!(Image::rgb(2, 2, &[0; 12]).is_ok());
        assert!(Image::rgba(2, 2, &[0; 16]).is_ok());
        assert!(Image::rgb(0, 0, &[]).is_ok());
        let error = Image::rgb(2, 2, &[0; 11]).unwrap_err();
        assert_eq!(error.to_string(), "a picture of 2 x 2 pixels of 3 bytes is not 11 bytes long");
    }

    #[test]
    fn a_size_beyond_all_screens_is_refused_before_its_bytes_are_counted() {
        let error = Image::rgb(u32::MAX, u32::MAX, &[]).unwrap_err();
        assert!(error.to_string().contains("too many"), "{error}");
    }

    #[test]
    fn white_is_as_bright_as_it_gets() {
        assert_eq!(brightness(&[255, 255, 255]), 255);
        assert_eq!(brightness(&[0, 0, 0]), 0);
    }
}
