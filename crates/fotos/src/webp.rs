//! WebP of a chosen quality, which the encoder for exact files cannot write.

use image_webp::{ColorType, EncoderParams, EncodingError, WebPEncoder};
use picture::Pixels;

/// The longest edge that fits into such a file. The encoder does not look, and writes another size.
const LONGEST: u32 = 16_383;

/// VP8 codes squares of this edge.
const MACROBLOCK: u32 = 16;

/// A picture that could not be written.
#[derive(Debug, thiserror::Error)]
pub enum WebpError {
    /// It is too large for the format.
    #[error(
        "cannot write the picture as WebP: it is {width}x{height} pixels large, and no edge may be longer than {longest}; choose another format",
        longest = LONGEST
    )]
    TooLarge {
        /// Its width.
        width: u32,
        /// Its height.
        height: u32,
    },
    /// The encoder failed.
    #[error("cannot write the picture as WebP: {0}; choose another format")]
    Encoding(#[from] EncodingError),
}

/// The picture as WebP of a quality from 1 to 100: small, and not exact. Neither edge may be longer than 16,383 pixels.
pub(crate) fn encode(pixels: &Pixels, quality: u8) -> Result<Vec<u8>, WebpError> {
    let (width, height) = (pixels.width(), pixels.height());
    if width.max(height) > LONGEST {
        return Err(WebpError::TooLarge { width, height });
    }
    let (padded, wide, tall) = padded(pixels);
    let mut bytes = Vec::with_capacity(padded.len() / 16);
    let mut encoder = WebPEncoder::new(&mut bytes);
    let mut how = EncoderParams::default();
    how.use_lossy = true;
    how.lossy_quality = quality.clamp(1, 100);
    encoder.set_params(how);
    encoder.encode(&padded, wide, tall, ColorType::Rgb8)?;
    write_size(&mut bytes, width, height);
    Ok(bytes)
}

/// The picture in whole macroblocks, its last row and column repeated. The encoder fills up with black, which shows at the
/// edges, and leaves an odd row or column out.
fn padded(pixels: &Pixels) -> (Vec<u8>, u32, u32) {
    let (wide, tall) =
        (pixels.width().next_multiple_of(MACROBLOCK), pixels.height().next_multiple_of(MACROBLOCK));
    let (row, wide_row) = (pixels.width() as usize * 3, wide as usize * 3);
    let mut padded = Vec::with_capacity(wide_row * tall as usize);
    for pixels in pixels.bytes().chunks_exact(row) {
        padded.extend_from_slice(pixels);
        let last = padded.len() - 3;
        while padded.len() % wide_row != 0 {
            padded.extend_from_within(last..last + 3);
        }
    }
    let last = padded.len() - wide_row;
    while padded.len() < wide_row * tall as usize {
        padded.extend_from_within(last..last + wide_row);
    }
    (padded, wide, tall)
}

/// Writes the size into the frame header of VP8 (RFC 6386, section 9.1): 14 bits each, behind the RIFF header, the
/// header of the chunk, the frame tag and the start code. The number of macroblocks stays what it was.
fn write_size(file: &mut [u8], width: u32, height: u32) {
    if let Some(size) = file.get_mut(26..30) {
        size.copy_from_slice(&(width | height << 16).to_le_bytes());
    }
}

#[cfg(test)]
mod tests {
    use picture::{Kind, Limits, Pixels, Rect, decode};

    use super::encode;

    /// Letters on paper: sharp edges, and a little colour.
    fn paper(width: u32, height: u32) -> Pixels {
        let mut pixels = Pixels::plain(width, height, [250, 248, 240]);
        for y in 0..height {
            for x in (0..width).filter(|x| (x / 3 + y / 5) % 4 == 0) {
                let place = Rect { x: x.cast_signed(), y: y.cast_signed(), width: 1, height: 1 };
                pixels.fill(place, [30, 40, 90]);
            }
        }
        pixels
    }

    /// How far a picture is from another one: the mean of the squares.
    fn error(one: &[u8], other: &[u8]) -> f64 {
        let squares = one.iter().zip(other).map(|(a, b)| f64::from(a.abs_diff(*b)).powi(2));
        squares.sum::<f64>() / f64::from(u32::try_from(one.len()).expect("small"))
    }

    #[test]
    fn it_is_close_and_closer_with_more_quality() {
        for (width, height) in [(1, 1), (2, 3), (15, 17), (64, 64), (33, 257)] {
            let pixels = paper(width, height);
            let errors = [1, 50, 99].map(|quality| {
                let bytes = encode(&pixels, quality).expect("encoded");
                let (facts, decoded) = decode(&bytes, &Limits::default()).expect("decoded");
                assert_eq!((facts.kind, decoded.width(), decoded.height()), (Kind::WebP, width, height));
                error(pixels.bytes(), Pixels::from(decoded).bytes())
            });
            assert!(errors[2] <= errors[0] && errors[2] < 300.0, "{width}x{height}: {errors:?}");
        }
    }

    #[test]
    fn no_edge_fades_into_what_is_not_there() {
        for (width, height) in [(1, 1), (7, 5), (15, 17), (16, 16), (31, 33)] {
            let color = [250, 248, 240];
            let bytes = encode(&Pixels::plain(width, height, color), 90).expect("encoded");
            let (_, decoded) = decode(&bytes, &Limits::default()).expect("decoded");
            for pixel in Pixels::from(decoded).bytes().chunks_exact(3) {
                assert!(
                    pixel.iter().zip(color).all(|(is, was)| is.abs_diff(was) <= 4),
                    "{width}x{height}: {pixel:?}"
                );
            }
        }
    }

    #[test]
    fn what_it_cannot_hold_is_an_error() {
        for (width, height) in [(16_384, 1), (1, 16_384), (40_000, 2)] {
            encode(&Pixels::plain(width, height, [0; 3]), 80).expect_err("too large");
        }
        let longest = encode(&Pixels::plain(16_383, 1, [0; 3]), 80).expect("encoded");
        let (_, decoded) = decode(&longest, &Limits::default()).expect("decoded");
        assert_eq!((decoded.width(), decoded.height()), (16_383, 1));
    }
}
