//! A picture made to fit: as large and as good as a number of bytes allows.

use crate::encode::{Effort, EncodeError, Encoded, encode_jpeg, encode_png};
use crate::pixels::Picture;

/// What there is room for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// The most bytes of the file.
    pub bytes: usize,
    /// The longest edge in pixels.
    pub edge: u32,
}

/// The edges that are tried when the first one does not fit, longest first.
const EDGES: [u32; 7] = [2048, 1568, 1280, 1024, 768, 512, 256];

/// JPEG qualities, best first. Below the last one, letters fall apart before they would by scaling.
const QUALITIES: [u8; 3] = [85, 75, 60];

/// What is as small as this is not worth a loss.
const SMALL: usize = 256 << 10;

/// The picture as the best file that fits: PNG as long as that is small enough, which screenshots are, then JPEG, then
/// smaller.
pub fn encode_within(picture: Picture, budget: Budget) -> Result<Encoded, EncodeError> {
    let mut picture = picture.compact().within(budget.edge);
    let lossless = encode_lossless(&picture, budget.bytes)?;
    if let Some(encoded) = lossless {
        return Ok(encoded);
    }
    let mut edges =
        EDGES.into_iter().skip_while(|edge| *edge >= picture.long_edge()).collect::<Vec<_>>().into_iter();
    loop {
        for quality in QUALITIES {
            let encoded = encode_jpeg(&picture, quality)?;
            if encoded.bytes.len() <= budget.bytes {
                return Ok(encoded);
            }
        }
        let Some(edge) = edges.next() else { return Err(EncodeError::Budget { limit: budget.bytes }) };
        picture = picture.within(edge);
    }
}

/// Nothing is gained by making smaller what is no longer than this.
const SHORTEST_EDGE: u32 = 64;

/// The picture as a PNG that fits, scaled down as far as that takes; one of less than 64 pixels stays as it is. `fast` is how long the file of
/// the whole picture is at [`Effort::Fast`], where that is known already.
pub fn encode_png_within(
    picture: &Picture,
    budget: Budget,
    fast: Option<usize>,
) -> Result<Encoded, EncodeError> {
    let mut edge = budget.edge.min(picture.long_edge());
    let mut known = fast;
    loop {
        let scaled = picture.smaller(edge);
        if scaled.is_some() {
            known = None;
        }
        match png_or_length(scaled.as_ref().unwrap_or(picture), budget.bytes, known.take())? {
            Ok(encoded) => return Ok(encoded),
            Err(length) => edge = shorter(edge, length, budget.bytes),
        }
    }
}

/// A file that is small enough, or how long the best one is. The slow way is worth its time where the quick one found
/// much that repeats: windows, text, plain areas.
fn png_or_length(
    picture: &Picture,
    limit: usize,
    known: Option<usize>,
) -> Result<Result<Encoded, usize>, EncodeError> {
    let is_small = picture.long_edge() <= SHORTEST_EDGE;
    let length = if let Some(length) = known.filter(|length| *length > limit && !is_small) {
        length
    } else {
        let quick = encode_png(picture, Effort::Fast)?;
        if quick.bytes.len() <= limit || is_small {
            return Ok(Ok(quick));
        }
        quick.bytes.len()
    };
    let is_flat = length < picture.bytes().len() / 4;
    if !is_flat && length > limit * 2 {
        // About what the slow way would come to.
        return Ok(Err(length / 4 * 3));
    }
    let slow = encode_png(picture, if is_flat { Effort::Flat } else { Effort::Balanced })?;
    let length = slow.bytes.len();
    Ok(if length <= limit { Ok(slow) } else { Err(length) })
}

/// The edge at which a picture should fit whose file has this length: files grow with the area, and scaled pictures
/// repeat themselves a little less.
fn shorter(edge: u32, length: usize, limit: usize) -> u32 {
    let fits = |tenths: &u32| length * (tenths * tenths) as usize / 100 <= limit * 9 / 10;
    (edge * (1..=9).rev().find(fits).unwrap_or(1) / 10).max(1)
}

/// A PNG, if one fits. The quick one tells whether the slow one is worth its time: it never gains more than half.
fn encode_lossless(picture: &Picture, limit: usize) -> Result<Option<Encoded>, EncodeError> {
    let quick = encode_png(picture, Effort::Fast)?;
    // A picture that hardly shrinks is a photograph: JPEG shows more of it in as many bytes.
    let looks_flat = quick.bytes.len() < picture.bytes().len() / 4;
    if quick.bytes.len() <= limit && (looks_flat || quick.bytes.len() <= SMALL) {
        return Ok(Some(quick));
    }
    if looks_flat && quick.bytes.len() / 3 <= limit {
        let slow = encode_png(picture, Effort::Flat)?;
        return Ok((slow.bytes.len() <= limit).then_some(slow));
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::{Budget, encode_within};
    use crate::encode::EncodeError;
    use crate::kind::Kind;
    use crate::pixels::{Layout, Picture};

    /// Noise, which nothing compresses; the same in every run.
    fn noise(edge: u32) -> Picture {
        let mut state = 1_u32;
        let mut next = move || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state.to_be_bytes()[0]
        };
        let bytes = std::iter::repeat_with(&mut next).take((edge * edge * 3) as usize).collect();
        Picture::new(Layout::Rgb, edge, edge, bytes).expect("a picture")
    }

    #[test]
    fn what_fits_as_png_stays_sharp_and_what_does_not_becomes_jpeg_and_smaller() {
        let flat = Picture::new(Layout::Rgba, 800, 600, [10, 20, 30, 255].repeat(800 * 600)).expect("flat");
        let png = encode_within(flat, Budget { bytes: 50_000, edge: 4000 }).expect("fits");
        assert_eq!((png.kind, png.width), (Kind::Png, 800));

        let photo = encode_within(noise(600), Budget { bytes: 400_000, edge: 4000 }).expect("fits");
        assert_eq!((photo.kind, photo.width), (Kind::Jpeg, 600));

        let small = encode_within(noise(600), Budget { bytes: 100_000, edge: 4000 }).expect("fits");
        assert!(small.bytes.len() <= 100_000 && small.width < 600, "{} {}", small.bytes.len(), small.width);

        let edge = encode_within(noise(600), Budget { bytes: 400_000, edge: 100 }).expect("fits");
        assert_eq!(edge.width, 100);
    }

    #[test]
    fn what_cannot_fit_is_said() {
        let refused = encode_within(noise(300), Budget { bytes: 500, edge: 4000 }).expect_err("too small");
        assert!(matches!(refused, EncodeError::Budget { limit: 500 }));
    }
}
