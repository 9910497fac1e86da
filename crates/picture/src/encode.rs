//! From pixels to files.

mod plain;
mod stripes;

use image::ExtendedColorType;
use image::codecs::jpeg::JpegEncoder;
use image::codecs::webp::WebPEncoder;
use png::{BitDepth, ColorType, Compression, Encoder, Filter};

use crate::kind::Kind;
use crate::pixels::{Layout, Picture};

/// How much time a PNG is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Effort {
    /// Some milliseconds for a screen: for what is looked at once.
    #[default]
    Fast,
    /// Longer, and smaller where there are flat colours and text.
    Flat,
    /// Much longer, and smaller where there are photographs and gradients.
    Balanced,
}

/// The compressor's level for [`Effort::Flat`]: above it, time grows faster than sizes shrink.
const FLAT: i32 = 3;

/// A picture as a file, without any metadata.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Encoded {
    /// The format.
    pub kind: Kind,
    /// The width in pixels.
    pub width: u32,
    /// The height in pixels.
    pub height: u32,
    /// The file.
    pub bytes: Vec<u8>,
}

/// Why a picture cannot be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EncodeError {
    /// The PNG encoder failed.
    #[error("cannot write the picture as PNG: {0}; choose another size")]
    Png(#[from] png::EncodingError),
    /// The JPEG encoder failed.
    #[error("cannot write the picture as JPEG: {0}; choose another size")]
    Jpeg(#[from] image::ImageError),
    /// The WebP encoder failed.
    #[error("cannot write the picture as WebP: {0}; choose another size, or another format")]
    WebP(#[source] image::ImageError),
    /// No size above the smallest one that makes sense fits.
    #[error("the picture cannot be made to fit {limit} bytes; allow more, or choose a part of it")]
    Budget {
        /// The most bytes there may be.
        limit: usize,
    },
}

/// The picture as PNG. Opaque pictures are quicker and smaller without opacity: see [`Picture::compact`].
pub fn encode_png(picture: &Picture, effort: Effort) -> Result<Encoded, EncodeError> {
    let level = match effort {
        Effort::Fast => plain::is_plain(picture).then_some(1),
        Effort::Flat => Some(FLAT),
        Effort::Balanced => None,
    };
    if let Some(bytes) = level.and_then(|level| plain::encode(picture, level)) {
        return Ok(Encoded { kind: Kind::Png, width: picture.width(), height: picture.height(), bytes });
    }
    let mut bytes = Vec::with_capacity(picture.bytes().len() / 4);
    let mut encoder = Encoder::new(&mut bytes, picture.width(), picture.height());
    encoder.set_depth(BitDepth::Eight);
    encoder.set_color(match picture.layout() {
        Layout::Rgb => ColorType::Rgb,
        Layout::Rgba => ColorType::Rgba,
    });
    match effort {
        Effort::Fast => encoder.set_compression(Compression::Fast),
        Effort::Flat => {
            encoder.set_compression(Compression::Balanced);
            encoder.set_filter(Filter::NoFilter);
        }
        Effort::Balanced => encoder.set_compression(Compression::Balanced),
    }
    let mut writer = encoder.write_header()?;
    writer.write_image_data(picture.bytes())?;
    writer.finish()?;
    Ok(Encoded { kind: Kind::Png, width: picture.width(), height: picture.height(), bytes })
}

/// The picture as JPEG of a quality from 1 to 100; what is not opaque gets a white background.
pub fn encode_jpeg(picture: &Picture, quality: u8) -> Result<Encoded, EncodeError> {
    let (width, height) = (picture.width(), picture.height());
    let white;
    let opaque = match picture.layout() {
        Layout::Rgb => picture,
        Layout::Rgba => {
            white = picture.clone().on([u8::MAX; 3]);
            &white
        }
    };
    let mut bytes = Vec::with_capacity(opaque.bytes().len() / 8);
    JpegEncoder::new_with_quality(&mut bytes, quality.clamp(1, 100)).encode(
        opaque.bytes(),
        width,
        height,
        ExtendedColorType::Rgb8,
    )?;
    Ok(Encoded { kind: Kind::Jpeg, width, height, bytes })
}

/// The picture as WebP without loss: as exact as PNG, and smaller. Neither edge may be longer than 16,384 pixels.
pub fn encode_webp(picture: &Picture) -> Result<Encoded, EncodeError> {
    let (width, height) = (picture.width(), picture.height());
    let colours = match picture.layout() {
        Layout::Rgb => ExtendedColorType::Rgb8,
        Layout::Rgba => ExtendedColorType::Rgba8,
    };
    let mut bytes = Vec::with_capacity(picture.bytes().len() / 8);
    WebPEncoder::new_lossless(&mut bytes)
        .encode(picture.bytes(), width, height, colours)
        .map_err(EncodeError::WebP)?;
    Ok(Encoded { kind: Kind::WebP, width, height, bytes })
}

#[cfg(test)]
pub(crate) mod tests {
    use super::{Effort, encode_jpeg, encode_png, encode_webp};
    use crate::decode::{Limits, decode};
    use crate::kind::Kind;
    use crate::pixels::{Layout, Picture};

    /// A PNG that claims to have this many pixels and has none.
    pub(crate) fn bomb(width: u32, height: u32) -> Vec<u8> {
        let mut bytes = Vec::new();
        let encoder = png::Encoder::new(&mut bytes, width, height);
        let mut writer = encoder.write_header().expect("a header");
        writer.write_chunk(png::chunk::IDAT, &[0x78, 0x9c]).expect("a beginning");
        // Its end would be written here, and miss the rows.
        std::mem::forget(writer);
        bytes
    }

    fn gradient(layout: Layout) -> Picture {
        let pixel = |x: u8, y: u8| match layout {
            Layout::Rgb => vec![x, y, 128],
            Layout::Rgba => vec![x, y, 128, x],
        };
        let bytes = (0..64).flat_map(|y| (0..64).flat_map(move |x| pixel(x * 4, y * 4))).collect();
        Picture::new(layout, 64, 64, bytes).expect("a picture")
    }

    #[test]
    fn png_keeps_every_pixel() {
        for layout in [Layout::Rgb, Layout::Rgba] {
            for effort in [Effort::Fast, Effort::Flat, Effort::Balanced] {
                let encoded = encode_png(&gradient(layout), effort).expect("a PNG");
                let (_, read) = decode(&encoded.bytes, &Limits::default()).expect("read again");
                assert_eq!(read, gradient(layout), "{effort:?}");
            }
        }
    }

    #[test]
    fn jpeg_is_close_and_puts_white_behind_what_is_clear() {
        let encoded = encode_jpeg(&gradient(Layout::Rgba), 90).expect("a JPEG");
        assert_eq!(Kind::of(&encoded.bytes), Some(Kind::Jpeg));
        let (_, read) = decode(&encoded.bytes, &Limits::default()).expect("read again");
        assert!(read.bytes()[..3].iter().all(|byte| *byte > 240), "{:?}", &read.bytes()[..3]);
    }

    #[test]
    fn webp_is_exact() {
        for layout in [Layout::Rgb, Layout::Rgba] {
            let picture = gradient(layout);
            let encoded = encode_webp(&picture).expect("encoded");
            let (facts, decoded) = decode(&encoded.bytes, &Limits::default()).expect("decoded");
            assert_eq!((facts.kind, decoded.bytes()), (Kind::WebP, picture.bytes()));
        }
    }

    #[test]
    fn what_webp_cannot_hold_is_an_error() {
        let wide = Picture::new(Layout::Rgb, 16_385, 1, vec![0; 16_385 * 3]).expect("pixels");
        encode_webp(&wide).expect_err("too wide");
    }
}
