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

/// One picture of each format.
pub(crate) fn all(folder: &Folder) -> [PathBuf; 3] {
    [folder.file("a.jpg", &jpeg()), folder.file("a.png", &png()), folder.file("a.heic", &heic::picture())]
}
