//! How the bytes of an item are compressed.

use std::io::Write;

use flate2::Compression;
use flate2::read::{DeflateDecoder, ZlibDecoder};
use flate2::write::{DeflateEncoder, ZlibEncoder};

use crate::inflate::Budget;

/// How the bytes of an item are compressed. The name `deflate` has two meanings, and both are in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Coding {
    Plain,
    Zlib,
    Deflate,
}

impl Coding {
    /// The bytes as they were, and how they were compressed; nothing where that cannot be said.
    pub(super) fn decode(name: &[u8], payload: Vec<u8>) -> Option<(Coding, Vec<u8>)> {
        match name {
            b"" => Some((Coding::Plain, payload)),
            b"deflate" => {
                let zlib = Budget::default().inflate(|| ZlibDecoder::new(payload.as_slice()));
                zlib.map(|bytes| (Coding::Zlib, bytes)).or_else(|| {
                    let bytes = Budget::default().inflate(|| DeflateDecoder::new(payload.as_slice()))?;
                    Some((Coding::Deflate, bytes))
                })
            }
            _ => None,
        }
    }

    pub(super) fn encode(self, bytes: Vec<u8>) -> Option<Vec<u8>> {
        match self {
            Coding::Plain => Some(bytes),
            Coding::Zlib => {
                let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
                encoder.write_all(&bytes).ok()?;
                encoder.finish().ok()
            }
            Coding::Deflate => {
                let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
                encoder.write_all(&bytes).ok()?;
                encoder.finish().ok()
            }
        }
    }
}
