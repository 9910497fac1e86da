//! One file out of a ZIP archive, in memory, with a bound on its size.

use std::io::Read;

use flate2::Crc;
use flate2::read::DeflateDecoder;
use zeroize::Zeroizing;

use super::ImportError;

const END: &[u8; 4] = b"PK\x05\x06";
const ENTRY: &[u8; 4] = b"PK\x01\x02";
const LOCAL: &[u8; 4] = b"PK\x03\x04";
/// The end record: 22 bytes and a comment.
const SHORTEST_END: usize = 22;
const LONGEST_END: usize = SHORTEST_END + 65_535;
/// More than any export of passwords has in one file.
const LARGEST: u64 = 64 * 1024 * 1024;

/// The content of the file of this name.
pub(super) fn file(archive: &[u8], name: &str) -> Result<Zeroizing<Vec<u8>>, ImportError> {
    let damaged = || unfit("it is damaged");
    let tail = archive.len().saturating_sub(LONGEST_END);
    let end = archive.get(tail..).unwrap_or_default().windows(4).rposition(|four| four == END);
    let end = archive.get(tail + end.ok_or_else(|| unfit("it is not a ZIP archive"))?..).unwrap_or_default();
    let end = end.get(..SHORTEST_END).ok_or_else(damaged)?;
    let entries = number(end, 10, 2).ok_or_else(damaged)?;
    let mut at = number(end, 16, 4).ok_or_else(damaged)?;
    for _ in 0..entries {
        let entry = archive.get(at..).filter(|entry| entry.starts_with(ENTRY)).ok_or_else(damaged)?;
        let field = |offset, bytes| number(entry, offset, bytes).ok_or_else(damaged);
        let (name_length, extra, comment) = (field(28, 2)?, field(30, 2)?, field(32, 2)?);
        if entry.get(46..46 + name_length) == Some(name.as_bytes()) {
            let (method, crc, packed, start) = (field(10, 2)?, field(16, 4)?, field(20, 4)?, field(42, 4)?);
            let local = archive.get(start..).filter(|local| local.starts_with(LOCAL)).ok_or_else(damaged)?;
            let lengths = number(local, 26, 2).zip(number(local, 28, 2)).ok_or_else(damaged)?;
            let body = local.get(30 + lengths.0 + lengths.1..).and_then(|rest| rest.get(..packed));
            return unpack(method, body.ok_or_else(damaged)?, crc);
        }
        at += 46 + name_length + extra + comment;
    }
    Err(unfit(&format!("there is no `{name}` in it")))
}

fn unpack(method: usize, body: &[u8], crc: usize) -> Result<Zeroizing<Vec<u8>>, ImportError> {
    let mut plain = Zeroizing::new(Vec::with_capacity(body.len() * 2));
    let read = match method {
        0 => body.take(LARGEST).read_to_end(&mut plain),
        8 => DeflateDecoder::new(body).take(LARGEST).read_to_end(&mut plain),
        _ => return Err(unfit("it is packed in a way this program does not know")),
    };
    read.map_err(|_| unfit("it is damaged"))?;
    if plain.len() as u64 == LARGEST {
        return Err(unfit("it is larger than 64 MB"));
    }
    let mut sum = Crc::new();
    sum.update(&plain);
    if sum.sum() as usize == crc { Ok(plain) } else { Err(unfit("its checksum does not fit")) }
}

/// A number of so many bytes, the lowest first.
fn number(bytes: &[u8], at: usize, length: usize) -> Option<usize> {
    let digits = bytes.get(at..at + length)?;
    Some(digits.iter().rev().fold(0, |number, digit| number << 8 | usize::from(*digit)))
}

fn unfit(reason: &str) -> ImportError {
    ImportError::Format { expected: "an export of 1Password (1pux)", reason: reason.to_owned() }
}
