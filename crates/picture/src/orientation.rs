//! How a camera was held, and the picture turned upright again.

use crate::pixels::Picture;

/// What has to be done to a picture before it is upright; the eight values of EXIF.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Orientation {
    /// Nothing.
    #[default]
    Upright,
    /// Left and right change places.
    Mirrored,
    /// Half a turn.
    HalfTurn,
    /// Top and bottom change places.
    Flipped,
    /// Rows become columns.
    Transposed,
    /// A quarter turn clockwise.
    Clockwise,
    /// Rows become columns, from the other corner.
    Transversed,
    /// A quarter turn anticlockwise.
    Anticlockwise,
}

impl Orientation {
    /// What EXIF means by this number; what it does not define counts as upright.
    pub fn from_exif(value: u8) -> Orientation {
        match value {
            2 => Orientation::Mirrored,
            3 => Orientation::HalfTurn,
            4 => Orientation::Flipped,
            5 => Orientation::Transposed,
            6 => Orientation::Clockwise,
            7 => Orientation::Transversed,
            8 => Orientation::Anticlockwise,
            _ => Orientation::Upright,
        }
    }

    /// Whether width and height change places.
    pub fn swaps_edges(self) -> bool {
        match self {
            Orientation::Upright | Orientation::Mirrored | Orientation::HalfTurn | Orientation::Flipped => {
                false
            }
            Orientation::Transposed
            | Orientation::Clockwise
            | Orientation::Transversed
            | Orientation::Anticlockwise => true,
        }
    }

    /// Where the pixel of the upright picture at `x`, `y` is in the one that is `width` × `height` and lies.
    fn source(self, (x, y): (usize, usize), (width, height): (usize, usize)) -> (usize, usize) {
        match self {
            Orientation::Upright => (x, y),
            Orientation::Mirrored => (width - 1 - x, y),
            Orientation::HalfTurn => (width - 1 - x, height - 1 - y),
            Orientation::Flipped => (x, height - 1 - y),
            Orientation::Transposed => (y, x),
            Orientation::Clockwise => (y, height - 1 - x),
            Orientation::Transversed => (width - 1 - y, height - 1 - x),
            Orientation::Anticlockwise => (width - 1 - y, x),
        }
    }
}

impl Picture {
    /// The picture upright.
    pub fn upright(self, orientation: Orientation) -> Picture {
        if orientation == Orientation::Upright {
            return self;
        }
        let (layout, pixel) = (self.layout(), self.layout().bytes());
        let lying = (self.width() as usize, self.height() as usize);
        let (width, height) = if orientation.swaps_edges() {
            (self.height(), self.width())
        } else {
            (self.width(), self.height())
        };
        let old = self.bytes();
        let mut bytes = Vec::with_capacity(old.len());
        for y in 0..height as usize {
            for x in 0..width as usize {
                let (from_x, from_y) = orientation.source((x, y), lying);
                let at = (from_y * lying.0 + from_x) * pixel;
                bytes.extend_from_slice(&old[at..at + pixel]);
            }
        }
        Picture::made(layout, width, height, bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::Orientation;
    use crate::pixels::{Layout, Picture};

    /// The letters of a 3 × 2 picture, after it was turned.
    fn turned(exif: u8) -> String {
        let bytes = b"abcdef".iter().flat_map(|letter| [*letter; 3]).collect();
        let picture = Picture::new(Layout::Rgb, 3, 2, bytes).expect("six pixels");
        let turned = picture.upright(Orientation::from_exif(exif));
        let rows: Vec<String> =
            turned.rows().map(|row| row.chunks(3).map(|pixel| char::from(pixel[0])).collect()).collect();
        rows.join("/")
    }

    #[test]
    fn each_of_the_eight_orientations_is_made_upright() {
        let expected =
            ["abc/def", "cba/fed", "fed/cba", "def/abc", "ad/be/cf", "da/eb/fc", "fc/eb/da", "cf/be/ad"];
        for (exif, expected) in (1..=8).zip(expected) {
            assert_eq!(turned(exif), expected, "{exif}");
        }
        assert_eq!(turned(0), "abc/def");
        assert_eq!(turned(99), "abc/def");
    }
}
