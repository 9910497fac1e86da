//! Opaque pictures: red, green and blue, a byte each, row by row from the top.

use geometry::Rect;

use crate::decode::{DecodeError, Limits, decode};
use crate::encode::{Effort, EncodeError, encode_png};
use crate::pixels::{Layout, Picture, SizeError};

/// How many bytes a pixel takes.
const BYTES: usize = 3;

/// A colour without transparency.
pub type Rgb = [u8; BYTES];

/// A picture in memory, without transparency.
#[derive(Clone, PartialEq, Eq)]
pub struct Pixels(Picture);

impl std::fmt::Debug for Pixels {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Pixels({}x{})", self.width(), self.height())
    }
}

impl From<Picture> for Pixels {
    /// What shines through is put on white.
    fn from(picture: Picture) -> Pixels {
        Pixels(picture.on([u8::MAX; BYTES]))
    }
}

impl Pixels {
    /// From bytes, three for each pixel.
    pub fn new(width: u32, height: u32, bytes: Vec<u8>) -> Result<Pixels, SizeError> {
        Picture::new(Layout::Rgb, width, height, bytes).map(Pixels)
    }

    /// From a PNG file with at most so many pixels.
    pub fn from_png(bytes: &[u8], most_pixels: u64) -> Result<Pixels, DecodeError> {
        let limits =
            Limits { edge: u16::MAX.into(), pixels: most_pixels, memory: most_pixels.saturating_mul(4) };
        Ok(decode(bytes, &limits)?.1.into())
    }

    /// As a PNG file.
    pub fn png(&self, effort: Effort) -> Result<Vec<u8>, EncodeError> {
        Ok(encode_png(&self.0, effort)?.bytes)
    }

    /// The same picture, no longer and no wider than `edge`; nothing where it is that already.
    pub fn smaller(&self, edge: u32) -> Option<Pixels> {
        self.0.smaller(edge).map(Pixels)
    }

    /// The same picture, for those who know pictures of other kinds too.
    pub fn picture(&self) -> &Picture {
        &self.0
    }

    /// The same, without a copy.
    pub fn into_picture(self) -> Picture {
        self.0
    }

    /// Of one colour; at least one pixel wide and high.
    pub fn plain(width: u32, height: u32, colour: Rgb) -> Pixels {
        let (width, height) = (width.max(1), height.max(1));
        Pixels(Picture::made(Layout::Rgb, width, height, colour.repeat(width as usize * height as usize)))
    }

    /// How wide it is.
    pub fn width(&self) -> u32 {
        self.0.width()
    }

    /// How high it is.
    pub fn height(&self) -> u32 {
        self.0.height()
    }

    /// All of it.
    pub fn frame(&self) -> Rect {
        Rect::of_size(self.width(), self.height())
    }

    /// Its bytes.
    pub fn bytes(&self) -> &[u8] {
        self.0.bytes()
    }

    /// Its bytes, to be changed.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        self.0.bytes_mut()
    }

    /// One pixel; black outside.
    pub fn at(&self, x: u32, y: u32) -> Rgb {
        if x >= self.width() || y >= self.height() {
            return [0; BYTES];
        }
        let at = (y as usize * self.width() as usize + x as usize) * BYTES;
        self.bytes().get(at..at + BYTES).and_then(|bytes| bytes.try_into().ok()).unwrap_or_default()
    }

    /// The parts of the rows that lie in `rect`, from the top.
    pub fn rows_mut(&mut self, rect: Rect) -> impl Iterator<Item = &mut [u8]> {
        let inside = self.frame().common(rect);
        let (start, rows, range) = inside.map_or((0, 0, 0..0), |part| {
            let left = part.x.unsigned_abs() as usize * BYTES;
            let top = part.y.unsigned_abs() as usize;
            (top, part.height as usize, left..left + part.width as usize * BYTES)
        });
        let stride = self.width() as usize * BYTES;
        self.0
            .bytes_mut()
            .chunks_exact_mut(stride)
            .skip(start)
            .take(rows)
            .filter_map(move |row| row.get_mut(range.clone()))
    }

    /// The parts of the rows that lie in `rect`, from the top.
    pub fn rows(&self, rect: Rect) -> impl Iterator<Item = &[u8]> {
        let inside = self.frame().common(rect);
        let (start, rows, range) = inside.map_or((0, 0, 0..0), |part| {
            let left = part.x.unsigned_abs() as usize * BYTES;
            let top = part.y.unsigned_abs() as usize;
            (top, part.height as usize, left..left + part.width as usize * BYTES)
        });
        let stride = self.width() as usize * BYTES;
        self.0
            .bytes()
            .chunks_exact(stride)
            .skip(start)
            .take(rows)
            .filter_map(move |row| row.get(range.clone()))
    }

    /// Gives a rectangle one colour.
    pub fn fill(&mut self, rect: Rect, colour: Rgb) {
        for row in self.rows_mut(rect) {
            row.chunks_exact_mut(BYTES).for_each(|pixel| pixel.copy_from_slice(&colour));
        }
    }

    /// A part of it; nothing where it has none.
    pub fn part(&self, rect: Rect) -> Option<Pixels> {
        let inside = self.frame().common(rect)?;
        let bytes: Vec<u8> = self.rows(inside).flatten().copied().collect();
        Pixels::new(inside.width, inside.height, bytes).ok()
    }
}

#[cfg(test)]
mod tests {
    use geometry::Rect;

    use super::Pixels;

    #[test]
    fn a_rectangle_is_filled_and_cut_out() {
        let mut pixels = Pixels::plain(4, 3, [9, 9, 9]);
        pixels.fill(Rect { x: 2, y: -1, width: 9, height: 3 }, [1, 2, 3]);
        assert_eq!(
            (pixels.at(1, 0), pixels.at(2, 0), pixels.at(3, 1), pixels.at(3, 2)),
            ([9; 3], [1, 2, 3], [1, 2, 3], [9; 3])
        );
        let part = pixels.part(Rect { x: 1, y: 1, width: 2, height: 5 }).expect("a part");
        assert_eq!((part.width(), part.height()), (2, 2));
        assert_eq!(part.bytes(), [9, 9, 9, 1, 2, 3, 9, 9, 9, 9, 9, 9]);
        assert!(pixels.part(Rect { x: 4, y: 0, width: 2, height: 5 }).is_none());
    }

    #[test]
    fn bytes_have_to_fit() {
        assert!(Pixels::new(2, 2, vec![0; 12]).is_ok() && Pixels::new(2, 2, vec![0; 11]).is_err());
        assert!(Pixels::new(0, 2, Vec::new()).is_err());
    }
}
