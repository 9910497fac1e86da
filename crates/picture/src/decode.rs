//! From bytes nobody vouches for to pixels.

use std::io::Cursor;

use image::{DynamicImage, ImageDecoder, ImageError, ImageReader};

use crate::kind::Kind;
use crate::orientation::Orientation;
use crate::pixels::{Layout, Picture};

/// How much a picture may ask for.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// The longest edge.
    pub edge: u32,
    /// All pixels.
    pub pixels: u64,
    /// Bytes of memory for the decoded picture; what the decoder needs besides is of the same order.
    pub memory: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { edge: 32_768, pixels: 50_000_000, memory: 256 << 20 }
    }
}

/// What the header of a picture says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Facts {
    /// The format.
    pub kind: Kind,
    /// The width, upright.
    pub width: u32,
    /// The height, upright.
    pub height: u32,
    /// What has to be done to have it upright.
    pub orientation: Orientation,
}

/// Why bytes do not become a picture.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeError {
    /// No known format.
    #[error("this is not a picture of a known format; use PNG, JPEG, WebP, GIF, BMP or TIFF")]
    Unknown,
    /// The picture is larger than allowed.
    #[error(
        "the picture has {width} × {height} pixels, and at most {} million are read, {} along an edge; make it smaller",
        limits.pixels / 1_000_000, limits.edge
    )]
    TooLarge {
        /// Its width.
        width: u32,
        /// Its height.
        height: u32,
        /// What is allowed.
        limits: Limits,
    },
    /// Decoding would take more memory than allowed.
    #[error("reading this {} would take more than {} MiB of memory; make the picture smaller", kind.name(), limit >> 20)]
    Memory {
        /// The format.
        kind: Kind,
        /// What is allowed, in bytes.
        limit: u64,
    },
    /// The bytes are damaged, or of a variety that is not read.
    #[error("the {} cannot be read: {reason}; save it again or choose another file", kind.name())]
    Damaged {
        /// The format.
        kind: Kind,
        /// What is wrong.
        reason: String,
    },
}

/// What the header says, without decoding anything.
pub fn inspect(bytes: &[u8], limits: &Limits) -> Result<Facts, DecodeError> {
    open(bytes, limits).map(|(facts, _)| facts)
}

/// The picture, upright. Of several pictures in a file it is the first.
pub fn decode(bytes: &[u8], limits: &Limits) -> Result<(Facts, Picture), DecodeError> {
    let (facts, decoder) = open(bytes, limits)?;
    if decoder.total_bytes() > limits.memory {
        return Err(DecodeError::Memory { kind: facts.kind, limit: limits.memory });
    }
    let whole = DynamicImage::from_decoder(decoder).map_err(|error| failed(facts.kind, limits, &error))?;
    let (width, height) = (whole.width(), whole.height());
    let (layout, bytes) = if whole.color().has_alpha() {
        (Layout::Rgba, whole.into_rgba8().into_raw())
    } else {
        (Layout::Rgb, whole.into_rgb8().into_raw())
    };
    let picture = Picture::new(layout, width, height, bytes)
        .map_err(|error| DecodeError::Damaged { kind: facts.kind, reason: error.to_string() })?;
    Ok((facts, picture.upright(facts.orientation)))
}

fn open<'a>(bytes: &'a [u8], limits: &Limits) -> Result<(Facts, impl ImageDecoder + use<'a>), DecodeError> {
    let kind = Kind::of(bytes).ok_or(DecodeError::Unknown)?;
    let mut reader = ImageReader::with_format(Cursor::new(bytes), kind.format());
    let mut bounds = image::Limits::no_limits();
    bounds.max_alloc = Some(limits.memory);
    reader.limits(bounds);
    let mut decoder = reader.into_decoder().map_err(|error| failed(kind, limits, &error))?;
    let (width, height) = decoder.dimensions();
    if u64::from(width) * u64::from(height) > limits.pixels || width.max(height) > limits.edge {
        return Err(DecodeError::TooLarge { width, height, limits: *limits });
    }
    // Metadata that cannot be read says nothing about how the picture lies.
    let exif = decoder.orientation().map_or(1, image::metadata::Orientation::to_exif);
    let orientation = Orientation::from_exif(exif);
    let (width, height) = if orientation.swaps_edges() { (height, width) } else { (width, height) };
    Ok((Facts { kind, width, height, orientation }, decoder))
}

fn failed(kind: Kind, limits: &Limits, error: &ImageError) -> DecodeError {
    if let ImageError::Limits(_) = error {
        return DecodeError::Memory { kind, limit: limits.memory };
    }
    DecodeError::Damaged { kind, reason: error.to_string() }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use image::{DynamicImage, ImageFormat, RgbImage, RgbaImage};

    use super::{DecodeError, Limits, decode, inspect};
    use crate::kind::Kind;
    use crate::pixels::Layout;

    fn written(picture: &DynamicImage, format: ImageFormat) -> Vec<u8> {
        let mut bytes = Cursor::new(Vec::new());
        picture.write_to(&mut bytes, format).expect("written");
        bytes.into_inner()
    }

    fn sample() -> DynamicImage {
        RgbImage::from_fn(31, 17, |x, _| if x < 16 { [200, 30, 30].into() } else { [20, 20, 220].into() })
            .into()
    }

    #[test]
    fn every_format_is_read() {
        for kind in Kind::ALL {
            let bytes = written(&sample(), kind.format());
            let (facts, picture) = decode(&bytes, &Limits::default()).expect("a picture");
            assert_eq!((facts.kind, facts.width, facts.height), (kind, 31, 17));
            assert_eq!((picture.width(), picture.height()), (31, 17));
            let pixel = &picture.bytes()[..3];
            assert!(pixel[0] > 150 && pixel[2] < 80, "{}: {pixel:?}", kind.name());
        }
    }

    #[test]
    fn opacity_and_sixteen_bits_are_read() {
        let clear: DynamicImage = RgbaImage::from_pixel(2, 2, [1, 2, 3, 4].into()).into();
        let (_, picture) = decode(&written(&clear, ImageFormat::Png), &Limits::default()).expect("a PNG");
        assert_eq!((picture.layout(), &picture.bytes()[..4]), (Layout::Rgba, &[1, 2, 3, 4][..]));
        let deep = DynamicImage::ImageLuma16(image::ImageBuffer::from_pixel(2, 2, [0x8080].into()));
        let (_, picture) = decode(&written(&deep, ImageFormat::Png), &Limits::default()).expect("a deep PNG");
        assert_eq!((picture.layout(), &picture.bytes()[..3]), (Layout::Rgb, &[0x80; 3][..]));
    }

    #[test]
    fn a_small_file_that_claims_to_be_huge_is_refused_by_its_header() {
        let bytes = crate::encode::tests::bomb(60_000, 60_000);
        assert!(bytes.len() < 1000);
        let refused = decode(&bytes, &Limits::default()).expect_err("too large");
        assert!(matches!(refused, DecodeError::TooLarge { width: 60_000, .. }), "{refused}");
        assert!(inspect(&bytes, &Limits::default()).is_err());
        let narrow = Limits { pixels: 31 * 17 - 1, ..Limits::default() };
        assert!(decode(&written(&sample(), ImageFormat::Png), &narrow).is_err());
        let poor = Limits { memory: 100, ..Limits::default() };
        let refused = decode(&written(&sample(), ImageFormat::Png), &poor).expect_err("too little memory");
        assert!(matches!(refused, DecodeError::Memory { .. }), "{refused}");
    }

    #[test]
    fn damage_is_an_error_wherever_it_is() {
        for kind in Kind::ALL {
            let whole = written(&sample(), kind.format());
            for length in 0..whole.len() {
                drop(decode(&whole[..length], &Limits::default()));
                let mut changed = whole.clone();
                changed[length] ^= 0xff;
                drop(decode(&changed, &Limits::default()));
            }
        }
        assert!(matches!(decode(b"<svg/>", &Limits::default()), Err(DecodeError::Unknown)));
        let cut = &written(&sample(), ImageFormat::Png)[..40];
        assert!(matches!(decode(cut, &Limits::default()), Err(DecodeError::Damaged { kind: Kind::Png, .. })));
    }

    #[test]
    fn a_picture_of_a_camera_that_was_held_sideways_comes_out_upright() {
        let mut bytes = written(&sample(), ImageFormat::Jpeg);
        // An APP1 segment with EXIF whose only tag is orientation 6.
        let tiff = b"MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0";
        let mut segment = vec![0xff, 0xe1, 0, u8::try_from(tiff.len() + 8).expect("short")];
        segment.extend_from_slice(b"Exif\0\0");
        segment.extend_from_slice(tiff);
        bytes.splice(2..2, segment);
        let (facts, picture) = decode(&bytes, &Limits::default()).expect("a JPEG");
        assert_eq!((facts.width, facts.height), (17, 31));
        assert_eq!((picture.width(), picture.height()), (17, 31));
        assert!(picture.bytes()[0] > 150, "its left is now its top");
    }
}
