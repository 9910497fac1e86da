//! Whole and sound inputs of every kind, as small as they can be.

pub(crate) mod avif;
pub(crate) mod exif;
pub(crate) mod gif;
pub(crate) mod heic;
pub(crate) mod iim;
pub(crate) mod jpeg;
pub(crate) mod png;
pub(crate) mod tiff;
pub(crate) mod webp;
pub(crate) mod xmp;

/// A length as a format writes it; seeds are short.
fn length32(bytes: &[u8]) -> [u8; 4] {
    u32::try_from(bytes.len()).unwrap_or_default().to_be_bytes()
}

fn length16(length: usize) -> [u8; 2] {
    u16::try_from(length).unwrap_or_default().to_be_bytes()
}
