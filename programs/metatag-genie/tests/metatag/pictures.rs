//! The smallest pictures of each format.

use std::path::PathBuf;

use crate::genie::Folder;
use crate::heic;

const JPEG: &str = "/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAAgGBgcGBQgHBwcJCQgKDBQNDAsLDBkSEw8UHRofHh0aHBwgJC4nICIsIxwcKDcpLDAxNDQ0\
Hyc5PTgyPC4zNDL/wAALCAABAAEBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAACf/EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8AVN//2Q==";
const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

fn decode(text: &str) -> Vec<u8> {
    base64_simd::STANDARD.decode_to_vec(text).expect("base64")
}

pub(crate) fn jpeg() -> Vec<u8> {
    decode(JPEG)
}

/// One with two megabytes after its end, as phones put videos there.
pub(crate) fn large_jpeg() -> Vec<u8> {
    [jpeg(), vec![0x55; 2 << 20]].concat()
}

pub(crate) fn png() -> Vec<u8> {
    decode(PNG)
}

pub(crate) fn webp_lossy() -> Vec<u8> {
    decode("UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA")
}

pub(crate) fn webp_lossless() -> Vec<u8> {
    decode("UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==")
}

pub(crate) fn tiff_little() -> Vec<u8> {
    tiff(*b"II*\0", u16::to_le_bytes, u32::to_le_bytes)
}

pub(crate) fn tiff_big() -> Vec<u8> {
    tiff(*b"MM\0*", u16::to_be_bytes, u32::to_be_bytes)
}

/// One grey pixel; the directory comes first, then its strip.
fn tiff(mark: [u8; 4], short: fn(u16) -> [u8; 2], long: fn(u32) -> [u8; 4]) -> Vec<u8> {
    let entries: [(u16, u32); 9] = [
        (256, 1),
        (257, 1),
        (258, 8),
        (259, 1),
        (262, 1),
        (273, 8 + 2 + 9 * 12 + 4),
        (277, 1),
        (278, 1),
        (279, 1),
    ];
    let mut bytes = [&mark[..], &long(8), &short(9)].concat();
    for (tag, value) in entries {
        bytes.extend([&short(tag)[..], &short(4), &long(1), &long(value)].concat());
    }
    [bytes.as_slice(), &long(0), &[0x80, 0]].concat()
}

/// One picture of each format that the contract names.
pub(crate) fn all(folder: &Folder) -> [PathBuf; 3] {
    [folder.file("a.jpg", &jpeg()), folder.file("a.png", &png()), folder.file("a.heic", &heic::picture())]
}
