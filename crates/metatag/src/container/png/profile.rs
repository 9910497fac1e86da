//! Metadata blocks in hexadecimal digits in text chunks, from before PNG had places for them; `ImageMagick` still writes
//! them so.

use super::text::{self, Text};
use crate::inflate::Budget;

const PREFIX: &str = "Raw profile type ";
const EXIF: &[u8] = b"Exif\0\0";
const XMP: &[u8] = b"http://ns.adobe.com/xap/1.0/\0";
const PHOTOSHOP: &[u8] = b"Photoshop 3.0\0";
/// Digits in a line.
const LINE: usize = 72;

/// A block that was in digits.
#[derive(Debug)]
pub(super) struct Profile {
    /// Of the chunk it was in.
    kind: [u8; 4],
    /// `exif`, `xmp`, `iptc`, `8bim` or `APP1`.
    name: String,
    bytes: Vec<u8>,
}

impl Profile {
    pub(super) fn parse(kind: [u8; 4], data: &[u8], budget: &mut Budget) -> Option<Profile> {
        let name = text::keyword(kind, data)?.strip_prefix(PREFIX)?;
        let text = Text::parse(kind, data, budget)?.bytes;
        // A line with the name, one with the length, and then the digits.
        let mut lines = text.strip_prefix(b"\n").unwrap_or(&text).splitn(3, |byte| *byte == b'\n');
        let (_, length, digits) = (lines.next()?, lines.next()?, lines.next()?);
        let length: usize = std::str::from_utf8(length).ok()?.trim().parse().ok()?;
        let digits: Vec<u8> = digits
            .iter()
            .filter(|byte| !byte.is_ascii_whitespace())
            .map(|byte| char::from(*byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok()))
            .collect::<Option<_>>()?;
        let bytes: Vec<u8> = digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect();
        (bytes.len() == length).then(|| Profile { kind, name: name.to_owned(), bytes })
    }

    /// The TIFF block, if this is one.
    pub(super) fn exif(&self) -> Option<&[u8]> {
        match self.name.as_str() {
            "exif" => Some(self.bytes.strip_prefix(EXIF).unwrap_or(&self.bytes)),
            "APP1" => self.bytes.strip_prefix(EXIF),
            _ => None,
        }
    }

    /// The packet, if this is one.
    pub(super) fn xmp(&self) -> Option<&[u8]> {
        match self.name.as_str() {
            "xmp" => Some(self.bytes.strip_prefix(XMP).unwrap_or(&self.bytes)),
            "APP1" => self.bytes.strip_prefix(XMP),
            _ => None,
        }
    }

    /// Image resources or bare records, if this is either.
    pub(super) fn iptc(&self) -> Option<&[u8]> {
        matches!(self.name.as_str(), "iptc" | "8bim")
            .then(|| self.bytes.strip_prefix(PHOTOSHOP).unwrap_or(&self.bytes))
    }

    /// The chunk with other IPTC in it: its type and its data.
    pub(super) fn with_iptc(&self, iptc: &[u8]) -> ([u8; 4], Vec<u8>) {
        let header = if self.bytes.starts_with(PHOTOSHOP) { PHOTOSHOP } else { b"" };
        let bytes = [header, iptc].concat();
        let mut text = format!("\n{}\n{:8}\n", self.name, bytes.len()).into_bytes();
        for line in bytes.chunks(LINE / 2) {
            for byte in line {
                text.extend([byte >> 4, byte & 15].map(|digit| b"0123456789abcdef"[usize::from(digit)]));
            }
            text.push(b'\n');
        }
        (self.kind, text::plain(self.kind, &format!("{PREFIX}{}", self.name), &text))
    }
}
