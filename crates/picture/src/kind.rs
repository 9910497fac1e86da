//! The formats that are read, known by their first bytes: names and media types are claims.

use image::ImageFormat;

/// A picture format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// PNG.
    Png,
    /// JPEG.
    Jpeg,
    /// WebP, its first picture.
    WebP,
    /// GIF, its first picture.
    Gif,
    /// BMP.
    Bmp,
    /// TIFF, its first page.
    Tiff,
}

impl Kind {
    /// All of them.
    pub const ALL: [Kind; 6] = [Kind::Png, Kind::Jpeg, Kind::WebP, Kind::Gif, Kind::Bmp, Kind::Tiff];

    /// What these bytes begin like.
    pub fn of(bytes: &[u8]) -> Option<Kind> {
        match bytes {
            [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some(Kind::Png),
            [0xff, 0xd8, 0xff, ..] => Some(Kind::Jpeg),
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some(Kind::WebP),
            [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some(Kind::Gif),
            // Its header follows, whose size is one of few; two letters alone begin many a text.
            [
                b'B',
                b'M',
                _,
                _,
                _,
                _,
                _,
                _,
                _,
                _,
                _,
                _,
                _,
                _,
                12 | 40 | 52 | 56 | 64 | 108 | 124,
                0,
                0,
                0,
                ..,
            ] => Some(Kind::Bmp),
            [b'I', b'I', 42 | 43, 0, ..] | [b'M', b'M', 0, 42 | 43, ..] => Some(Kind::Tiff),
            _ => None,
        }
    }

    /// Its media type.
    pub const fn mime(self) -> &'static str {
        match self {
            Kind::Png => "image/png",
            Kind::Jpeg => "image/jpeg",
            Kind::WebP => "image/webp",
            Kind::Gif => "image/gif",
            Kind::Bmp => "image/bmp",
            Kind::Tiff => "image/tiff",
        }
    }

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Png => "PNG",
            Kind::Jpeg => "JPEG",
            Kind::WebP => "WebP",
            Kind::Gif => "GIF",
            Kind::Bmp => "BMP",
            Kind::Tiff => "TIFF",
        }
    }

    pub(crate) const fn format(self) -> ImageFormat {
        match self {
            Kind::Png => ImageFormat::Png,
            Kind::Jpeg => ImageFormat::Jpeg,
            Kind::WebP => ImageFormat::WebP,
            Kind::Gif => ImageFormat::Gif,
            Kind::Bmp => ImageFormat::Bmp,
            Kind::Tiff => ImageFormat::Tiff,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Kind;

    #[test]
    fn text_that_begins_like_a_bitmap_is_none() {
        assert_eq!(Kind::of(b"BMW builds cars, and other things"), None);
        assert_eq!(Kind::of(b"BM"), None);
        assert_eq!(Kind::of(b"<svg xmlns='http://www.w3.org/2000/svg'/>"), None);
        assert_eq!(Kind::of(b""), None);
    }
}
