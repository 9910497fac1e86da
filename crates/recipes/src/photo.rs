//! Photos of recipes.

mod plain;

use bytes::Bytes;

use crate::id::PhotoId;

/// The most bytes a photo may have.
pub const MOST_BYTES: usize = 5 * 1024 * 1024;

/// The formats browsers show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// JPEG.
    Jpeg,
    /// PNG.
    Png,
    /// WebP.
    WebP,
    /// GIF.
    Gif,
}

/// A picture that is small enough and has a known format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// Its format, by its bytes.
    pub format: Format,
    /// The file.
    pub bytes: Bytes,
}

/// A photo as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Photo {
    /// Its id; a new picture gets a new one.
    pub id: PhotoId,
    /// The picture.
    pub picture: Picture,
}

/// Why a file is no photo.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoPhoto {
    /// Too large.
    #[error("the picture has {0} bytes; at most {MOST_BYTES} are kept: make it smaller")]
    TooLarge(usize),
    /// Unknown format.
    #[error("the file is not a JPEG, PNG, WebP or GIF picture")]
    Format,
}

impl Format {
    /// Its media type.
    pub const fn mime(self) -> &'static str {
        match self {
            Format::Jpeg => "image/jpeg",
            Format::Png => "image/png",
            Format::WebP => "image/webp",
            Format::Gif => "image/gif",
        }
    }

    /// From the media type a store kept.
    pub(crate) fn stored(mime: &str) -> Option<Format> {
        [Format::Jpeg, Format::Png, Format::WebP, Format::Gif]
            .into_iter()
            .find(|format| format.mime() == mime)
    }

    /// By its first bytes: what a sender says about a file is not asked.
    pub fn of(bytes: &[u8]) -> Option<Format> {
        match bytes {
            [0xff, 0xd8, 0xff, ..] => Some(Format::Jpeg),
            [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some(Format::Png),
            [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some(Format::Gif),
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some(Format::WebP),
            _ => None,
        }
    }
}

impl Picture {
    /// Looks at size and format, and takes away what a camera wrote about place and time.
    pub fn new(bytes: Bytes) -> Result<Picture, NoPhoto> {
        if bytes.len() > MOST_BYTES {
            return Err(NoPhoto::TooLarge(bytes.len()));
        }
        let format = Format::of(&bytes).ok_or(NoPhoto::Format)?;
        Ok(Picture { format, bytes: plain::plain(format, bytes) })
    }
}
