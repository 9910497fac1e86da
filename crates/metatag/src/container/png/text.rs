//! Text chunks: plain (`tEXt`), compressed (`zTXt`) and international (`iTXt`).

use std::io::Write;

use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;

use crate::inflate::Budget;

/// A text chunk taken apart.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Text<'a> {
    pub(super) keyword: &'a str,
    /// Empty where none is given.
    pub(super) language: &'a str,
    pub(super) bytes: Vec<u8>,
}

/// The name of a text chunk; nothing for other chunks.
pub(super) fn keyword(kind: [u8; 4], data: &[u8]) -> Option<&str> {
    if !matches!(&kind, b"tEXt" | b"zTXt" | b"iTXt") {
        return None;
    }
    std::str::from_utf8(until_zero(data)?.0).ok()
}

impl<'a> Text<'a> {
    pub(super) fn parse(kind: [u8; 4], data: &'a [u8], budget: &mut Budget) -> Option<Text<'a>> {
        let keyword = keyword(kind, data)?;
        let rest = data.get(keyword.len() + 1..)?;
        match &kind {
            b"tEXt" => Some(Text { keyword, language: "", bytes: budget.read(rest)? }),
            b"zTXt" => match rest.split_first()? {
                (0, compressed) => Some(Text {
                    keyword,
                    language: "",
                    bytes: budget.inflate(|| ZlibDecoder::new(compressed))?,
                }),
                _ => None,
            },
            _ => {
                let (flags, rest) = rest.split_first_chunk::<2>()?;
                let (language, rest) = until_zero(rest)?;
                let (_translated, rest) = until_zero(rest)?;
                let bytes = match flags {
                    // It has a limit of its own.
                    [0, _] if keyword == super::XMP => rest.to_vec(),
                    [0, _] => budget.read(rest)?,
                    [1, 0] => budget.inflate(|| ZlibDecoder::new(rest))?,
                    _ => return None,
                };
                Some(Text { keyword, language: std::str::from_utf8(language).ok()?, bytes })
            }
        }
    }

    /// The text. Plain chunks should be Latin-1, but many programs write UTF-8.
    pub(super) fn decoded(&self) -> String {
        match std::str::from_utf8(&self.bytes) {
            Ok(text) => text.to_owned(),
            Err(_) => self.bytes.iter().copied().map(char::from).collect(),
        }
    }
}

/// The data of an international text chunk, uncompressed and without a language.
pub(super) fn international(keyword: &str, text: &[u8]) -> Vec<u8> {
    [keyword.as_bytes(), &[0; 5], text].concat()
}

/// The data of a plain or compressed text chunk.
pub(super) fn plain(kind: [u8; 4], keyword: &str, text: &[u8]) -> Vec<u8> {
    match &kind {
        b"zTXt" => [keyword.as_bytes(), &[0, 0], &deflate(text)].concat(),
        b"iTXt" => international(keyword, text),
        _ => [keyword.as_bytes(), &[0], text].concat(),
    }
}

fn until_zero(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = bytes.iter().position(|byte| *byte == 0)?;
    Some((&bytes[..at], &bytes[at + 1..]))
}

fn deflate(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    // Writing to memory does not fail.
    let _ = encoder.write_all(bytes);
    encoder.finish().unwrap_or_default()
}
