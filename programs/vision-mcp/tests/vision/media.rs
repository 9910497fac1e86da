//! Pictures and videos for tests.

use picture::{Effort, Layout, Picture, encode_jpeg, encode_png};

/// A picture of flat colours.
pub(crate) fn flat(width: u32, height: u32) -> Picture {
    let bytes = [[200, 30, 30], [30, 30, 200]].concat().repeat((width * height / 2) as usize);
    Picture::new(Layout::Rgb, width, height, bytes).expect("an even picture")
}

/// A picture nothing compresses.
pub(crate) fn noise(width: u32, height: u32) -> Picture {
    let mut state = 7_u32;
    let bytes = (0..width * height * 3).map(|_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state.to_be_bytes()[0]
    });
    Picture::new(Layout::Rgb, width, height, bytes.collect()).expect("a picture")
}

pub(crate) fn png() -> Vec<u8> {
    encode_png(&flat(8, 8), Effort::Fast).expect("a PNG").bytes
}

pub(crate) fn jpeg() -> Vec<u8> {
    encode_jpeg(&flat(8, 8), 90).expect("a JPEG").bytes
}

/// A PNG of exactly this many bytes: one of noise, with empty chunks of pixels behind it, and a colour profile that fills up
/// the rest.
pub(crate) fn png_of(bytes: usize) -> Vec<u8> {
    let mut file = encode_png(&noise(1000, 1000), Effort::Fast).expect("a PNG").bytes;
    let missing = bytes - file.len() - 12;
    let mut chunk = u32::try_from(missing).expect("small").to_be_bytes().to_vec();
    let mut body = b"iCCP".to_vec();
    body.resize(4 + missing, b'x');
    chunk.extend_from_slice(&body);
    chunk.extend_from_slice(&crc(&body).to_be_bytes());
    // Behind the header, which is always as long.
    file.splice(33..33, chunk);
    assert_eq!(file.len(), bytes);
    file
}

/// The checksum of PNG.
fn crc(bytes: &[u8]) -> u32 {
    let step = |crc: u32, byte: &u8| {
        (0..8).fold(
            crc ^ u32::from(*byte),
            |crc, _| if crc & 1 == 1 { (crc >> 1) ^ 0xedb8_8320 } else { crc >> 1 },
        )
    };
    !bytes.iter().fold(u32::MAX, step)
}

/// The beginning of a video, and as many zeros as it takes.
pub(crate) fn video_of(bytes: usize) -> Vec<u8> {
    let mut file = b"\0\0\0\x18ftypisom\0\0\x02\0isommp41\0\0\0\x08mdat".to_vec();
    file.resize(bytes, 0);
    file
}

/// A small file that claims to be 60,000 × 60,000 pixels.
pub(crate) fn bomb() -> Vec<u8> {
    let mut file = png();
    let mut header = b"IHDR".to_vec();
    header.extend_from_slice(&60_000_u32.to_be_bytes());
    header.extend_from_slice(&60_000_u32.to_be_bytes());
    header.extend_from_slice(&[8, 2, 0, 0, 0]);
    let sum = crc(&header).to_be_bytes();
    file.splice(12..29, header);
    file.splice(29..33, sum);
    file
}
