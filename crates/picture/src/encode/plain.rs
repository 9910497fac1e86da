//! PNG for what a screen shows: plain areas and letters, which repeat byte for byte. Filters would hide that from the
//! compressor; without them it is both quicker and smaller.

use zlib_rs::crc32::crc32;

use super::stripes;
use crate::pixels::{Layout, Picture};

/// One of so many rows is looked at before a way is chosen.
const SAMPLE: usize = 32;

/// Whether most bytes are like those of the pixel to the left: windows and text, not photographs.
pub(super) fn is_plain(picture: &Picture) -> bool {
    let bytes = picture.layout().bytes();
    let stride = picture.width() as usize * bytes;
    let (mut same, mut all) = (0_usize, 0_usize);
    for row in picture.bytes().chunks_exact(stride).step_by(SAMPLE) {
        let left = row.iter().zip(row.iter().skip(bytes));
        same += left.filter(|(left, right)| left == right).count();
        all += row.len() - bytes;
    }
    same * 2 > all
}

/// The file, or nothing where the compressor gives up.
pub(super) fn encode(picture: &Picture, level: i32) -> Option<Vec<u8>> {
    let stride = picture.width() as usize * picture.layout().bytes();
    let parts = stripes::compress(picture.bytes(), stride, level)?;
    let mut file = Vec::with_capacity(parts.iter().map(|part| part.len() + 12).sum::<usize>() + 64);
    file.extend_from_slice(b"\x89PNG\r\n\x1a\n");
    let mut header = Vec::with_capacity(13);
    header.extend_from_slice(&picture.width().to_be_bytes());
    header.extend_from_slice(&picture.height().to_be_bytes());
    let colour = match picture.layout() {
        Layout::Rgb => 2,
        Layout::Rgba => 6,
    };
    // Bits of a channel, kind of colour; then the only compression and filters there are, and no interlacing.
    header.extend_from_slice(&[8, colour, 0, 0, 0]);
    chunk(&mut file, *b"IHDR", &header)?;
    for part in parts {
        chunk(&mut file, *b"IDAT", &part)?;
    }
    chunk(&mut file, *b"IEND", &[])?;
    Some(file)
}

fn chunk(file: &mut Vec<u8>, kind: [u8; 4], data: &[u8]) -> Option<()> {
    // Lengths have 31 bits.
    let length = i32::try_from(data.len()).ok()?;
    file.extend_from_slice(&length.to_be_bytes());
    file.extend_from_slice(&kind);
    file.extend_from_slice(data);
    file.extend_from_slice(&crc32(crc32(0, &kind), data).to_be_bytes());
    Some(())
}

#[cfg(test)]
mod tests {
    use super::{encode, is_plain};
    use crate::decode::{Limits, decode};
    use crate::pixels::{Layout, Picture};

    fn picture(width: u32, height: u32, pixel: impl Fn(u32, u32) -> [u8; 3]) -> Picture {
        let bytes = (0..height).flat_map(|y| (0..width).map(move |x| (x, y))).flat_map(|(x, y)| pixel(x, y));
        Picture::new(Layout::Rgb, width, height, bytes.collect()).expect("a picture")
    }

    fn noise(x: u32, y: u32) -> [u8; 3] {
        (x.wrapping_mul(2_654_435_761) ^ y.wrapping_mul(40_503)).to_le_bytes()[1..].try_into().expect("three")
    }

    #[test]
    fn every_pixel_comes_back() {
        // The last ones have several stripes.
        for (width, height) in [(1, 1), (1, 9), (300, 2), (257, 129), (1_000, 700), (32_000, 30)] {
            for level in [1, 2, 9] {
                let picture = picture(width, height, noise);
                let file = encode(&picture, level).expect("a file");
                assert_eq!(decode(&file, &Limits::default()).expect("read again").1, picture);
            }
        }
    }

    #[test]
    fn a_window_is_plain_and_a_photograph_is_not() {
        assert!(is_plain(&picture(200, 100, |x, _| if x % 20 < 4 { [0; 3] } else { [255; 3] })));
        assert!(!is_plain(&picture(200, 100, noise)));
        assert!(!is_plain(&picture(1, 100, noise)));
    }
}
