//! Photos of recipes: as small as they need to be, and without what a camera writes beside the pixels.

use std::borrow::Cow;
use std::sync::{Mutex, PoisonError};

use bytes::Bytes;
use picture::{Budget, Facts, Kind, Limits, Orientation};

use crate::id::PhotoId;

/// The most bytes of a photo that comes in: what phones take.
pub const MOST_UPLOAD: usize = 25 * 1024 * 1024;

/// The most bytes of a photo that is kept, and its longest edge.
const MOST_BYTES: usize = 5 * 1024 * 1024;
const EDGE: u32 = 2_048;

/// The longest edge of the small form that cards show.
const SMALL_EDGE: u32 = 720;

/// The formats browsers show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// JPEG.
    Jpeg,
    /// PNG.
    Png,
    /// WebP, of earlier versions.
    WebP,
    /// GIF, of earlier versions.
    Gif,
}

/// A picture that can be shown to anybody: of a known format, small enough, and without metadata.
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

/// Where a photo of a recipe goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// First of the dish: what cards show.
    Cover,
    /// After the others of the dish.
    Last,
    /// To the step at this position.
    Step(u32),
}

/// In which form a photo is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// The photo itself.
    Whole,
    /// What cards show, made from it.
    Small,
}

/// Which photo of a recipe is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// The one that cards show.
    Cover,
    /// This one.
    One(PhotoId),
}

impl Which {
    /// The id, if one is named.
    pub(crate) fn id(self) -> Option<PhotoId> {
        match self {
            Which::Cover => None,
            Which::One(id) => Some(id),
        }
    }
}

/// Why a file is no photo.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoPhoto {
    /// Too large.
    #[error("the picture has {0} bytes; at most {MOST_UPLOAD} are taken: make it smaller")]
    TooLarge(usize),
    /// Not a picture, or none that can be read.
    #[error("{0}")]
    Unreadable(String),
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

    /// By the first bytes.
    pub(crate) fn of(bytes: &[u8]) -> Option<Format> {
        Kind::of(bytes).and_then(format)
    }
}

/// Decoding takes memory, and so does looking at a picture with a colour profile that unpacks to a lot: one at a time.
static DECODING: Mutex<()> = Mutex::new(());

impl Picture {
    /// Takes away everything but the pixels, and of these what a page does not need. What is upright and small enough keeps
    /// its pixels to the byte; anything else is decoded and written anew. That takes a while: see [`Picture::prepared`].
    pub fn new(bytes: Bytes) -> Result<Picture, NoPhoto> {
        let mut any = u64::MAX;
        Picture::within(bytes, &mut any)
    }

    /// As [`Picture::new`], for one of many: reads no more than these pixels, and takes those it read off.
    #[allow(clippy::needless_pass_by_value, reason = "whoever has a picture gives it away")]
    pub(crate) fn within(bytes: Bytes, pixels: &mut u64) -> Result<Picture, NoPhoto> {
        Picture::check(&bytes)?;
        let facts = inspected(&bytes)?;
        let fits = bytes.len() <= MOST_BYTES && facts.width.max(facts.height) <= EDGE;
        if fits && facts.orientation == Orientation::Upright {
            // `None` is a file that is not made as its format says: only its pixels can be trusted.
            if let (Some(format), Some(stripped)) = (format(facts.kind), picture::without_metadata(&bytes)) {
                return Ok(Picture { format, bytes: Bytes::from(stripped.into_owned()) });
            }
        }
        let left = pixels.checked_sub(u64::from(facts.width) * u64::from(facts.height));
        *pixels = left.ok_or_else(|| unreadable("there are too many pictures to read"))?;
        encoded(&bytes, EDGE)
    }

    /// The same, on a thread for it.
    pub async fn prepared(bytes: Bytes) -> Result<Picture, NoPhoto> {
        let done = tokio::task::spawn_blocking(move || Picture::new(bytes)).await;
        done.unwrap_or_else(|_| {
            Err(NoPhoto::Unreadable("the picture could not be read; choose another one".to_owned()))
        })
    }

    /// The picture as it would be kept today, if an earlier version kept more than its pixels. Nothing if it is so already.
    pub(crate) async fn renewed(&self) -> Result<Option<Picture>, NoPhoto> {
        match picture::without_metadata(&self.bytes) {
            Some(Cow::Borrowed(_)) => Ok(None),
            Some(Cow::Owned(_)) | None => Picture::prepared(self.bytes.clone()).await.map(Some),
        }
    }

    /// Whether it looks like a photo, without reading its pixels.
    pub fn check(bytes: &[u8]) -> Result<(), NoPhoto> {
        if bytes.len() > MOST_UPLOAD {
            return Err(NoPhoto::TooLarge(bytes.len()));
        }
        match Kind::of(bytes) {
            Some(_) => Ok(()),
            None => Err(NoPhoto::Unreadable("the file is not a JPEG, PNG, WebP or GIF picture".to_owned())),
        }
    }

    /// The small form that cards show, made on a thread for it.
    pub async fn small(self) -> Result<Picture, NoPhoto> {
        let done = tokio::task::spawn_blocking(move || encoded(&self.bytes, SMALL_EDGE)).await;
        done.unwrap_or_else(|_| Err(NoPhoto::Unreadable("the picture could not be read".to_owned())))
    }
}

fn format(kind: Kind) -> Option<Format> {
    match kind {
        Kind::Jpeg => Some(Format::Jpeg),
        Kind::Png => Some(Format::Png),
        Kind::WebP | Kind::Gif | Kind::Bmp | Kind::Tiff => None,
    }
}

#[allow(clippy::needless_pass_by_value, reason = "what `map_err` gives")]
fn unreadable(error: impl ToString) -> NoPhoto {
    NoPhoto::Unreadable(error.to_string())
}

/// What a picture says about itself.
fn inspected(bytes: &[u8]) -> Result<Facts, NoPhoto> {
    let _one = DECODING.lock().unwrap_or_else(PoisonError::into_inner);
    picture::inspect(bytes, &Limits::default()).map_err(unreadable)
}

/// The pixels as a new file.
fn encoded(bytes: &[u8], edge: u32) -> Result<Picture, NoPhoto> {
    let _one = DECODING.lock().unwrap_or_else(PoisonError::into_inner);
    let (_, pixels) = picture::decode(bytes, &Limits::default()).map_err(unreadable)?;
    let encoded = picture::encode_within(pixels, Budget { bytes: MOST_BYTES, edge }).map_err(unreadable)?;
    let format = format(encoded.kind).ok_or_else(|| unreadable("the picture could not be written"))?;
    Ok(Picture { format, bytes: encoded.bytes.into() })
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use picture::{Layout, encode_jpeg};

    use super::{Format, NoPhoto, Picture};

    /// A JPEG that says where it was taken.
    fn photo(width: u32, height: u32) -> Vec<u8> {
        let pixels = (0..width * height * 3).map(|at| at.to_le_bytes()[0]).collect();
        let pixels = picture::Picture::new(Layout::Rgb, width, height, pixels).expect("a picture");
        let mut jpeg = encode_jpeg(&pixels, 90).expect("a JPEG").bytes;
        jpeg.splice(2..2, b"\xff\xe1\x00\x17Exif\0\0GPS 51.5 N 0.1W".iter().copied());
        jpeg
    }

    fn has_place(bytes: &[u8]) -> bool {
        bytes.windows(3).any(|window| window == b"GPS")
    }

    #[test]
    fn no_photo_tells_where_it_was_taken() {
        let whole = photo(64, 48);
        let cut = whole[..whole.len() - 2].to_vec();
        let filled = [&whole[..2], b"\xff", &whole[2..]].concat();
        let doubled = [whole.as_slice(), whole.as_slice()].concat();
        for bytes in [whole, cut, filled, doubled] {
            assert!(has_place(&bytes));
            // What cannot be read is refused, which tells nothing either.
            if let Ok(kept) = Picture::new(bytes.into()) {
                assert!(!has_place(&kept.bytes));
                assert_eq!(Picture::new(kept.bytes.clone()), Ok(kept), "it stays as it is");
            }
        }
    }

    #[test]
    fn large_photos_become_smaller() {
        let kept = Picture::new(photo(3_000, 1_000).into()).expect("a photo");
        let facts = picture::inspect(&kept.bytes, &picture::Limits::default()).expect("a picture");
        assert_eq!((facts.width, facts.height, kept.format), (2_048, 683, Format::Jpeg));
    }

    #[test]
    fn of_many_photos_those_that_have_to_be_read_are_counted() {
        let mut left = 3_000 * 1_000 + 10;
        let ready = Picture::within(photo(64, 48).into(), &mut left).expect("as it is").bytes;
        assert_eq!(left, 3_000_010, "nothing was read");
        Picture::within(photo(3_000, 1_000).into(), &mut left).expect("read");
        assert_eq!(left, 10);
        assert!(Picture::within(photo(3_000, 1_000).into(), &mut left).is_err());
        assert!(Picture::within(ready, &mut left).is_ok());
    }

    #[test]
    fn what_is_no_picture_is_refused() {
        assert!(matches!(Picture::new(Bytes::from_static(b"<svg/>")), Err(NoPhoto::Unreadable(_))));
        assert!(matches!(Picture::new(vec![0xff; super::MOST_UPLOAD + 1].into()), Err(NoPhoto::TooLarge(_))));
        assert!(Picture::new(Bytes::from_static(b"\x89PNG\r\n\x1a\n and so on")).is_err());
    }
}
