//! PNG files: bare, with metadata before and after the picture, packed and not, and one that moves.

use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;

use crate::mutate::Seeds;
use crate::seeds::{exif, iim, length32, xmp};

const KEYWORD: &[u8] = b"XML:com.adobe.xmp\0";

fn chunk(kind: [u8; 4], data: &[u8]) -> Vec<u8> {
    let mut sum = crc32fast::Hasher::new();
    sum.update(&kind);
    sum.update(data);
    [length32(data).as_slice(), &kind, data, &sum.finalize().to_be_bytes()].concat()
}

fn packed(data: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    // Writing to memory does not fail.
    let _ = encoder.write_all(data);
    encoder.finish().unwrap_or_default()
}

fn profile(name: &str, data: &[u8]) -> Vec<u8> {
    let hex = data.iter().fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"));
    let text = format!("\n{name}\n{:8}\n{hex}\n", data.len());
    let keyword = format!("Raw profile type {name}\0\0");
    chunk(*b"zTXt", &[keyword.as_bytes(), &packed(text.as_bytes())].concat())
}

fn file(before: &[Vec<u8>], after: &[Vec<u8>]) -> Vec<u8> {
    let head = chunk(*b"IHDR", b"\0\0\0\x01\0\0\0\x01\x08\0\0\0\0");
    let data = chunk(*b"IDAT", &packed(b"\0\0"));
    let signature = b"\x89PNG\r\n\x1a\n".as_slice();
    [signature, &head, &before.concat(), &data, &after.concat(), &chunk(*b"IEND", b"")].concat()
}

pub(crate) fn seeds() -> Seeds {
    let plain_xmp = chunk(*b"iTXt", &[KEYWORD, b"\0\0\0\0", &xmp::one()].concat());
    let packed_xmp = chunk(*b"iTXt", &[KEYWORD, b"\x01\0\0\0", &packed(&xmp::one())].concat());
    let description = chunk(*b"tEXt", b"Description\0old");
    let exif = chunk(*b"eXIf", &exif::one());
    let records = [b"8BIM\x04\x04\0\0".as_slice(), &length32(&iim::one()), &iim::one()].concat();
    let frames = [chunk(*b"acTL", &[0, 0, 0, 1, 0, 0, 0, 0]), chunk(*b"fcTL", &[0; 26])];
    Seeds {
        whole: vec![
            file(&[], &[]),
            file(&[plain_xmp.clone(), exif.clone(), description], &[]),
            file(&[], &[packed_xmp, exif]),
            file(
                &[
                    profile("exif", &[b"Exif\0\0".as_slice(), &exif::one()].concat()),
                    profile("iptc", &records),
                ],
                &[],
            ),
            file(&[profile("xmp", &xmp::one())], &[chunk(*b"tIME", &[0; 7])]),
            file(&frames, &[chunk(*b"zTXt", &[b"Description\0\0".as_slice(), &packed(b"old")].concat())]),
            file(&[chunk(*b"iTXt", b"Description\0\0\0en\0words\0old"), plain_xmp.clone(), plain_xmp], &[]),
        ],
        pieces: vec![
            b"IHDR",
            b"IDAT",
            b"IEND",
            b"iTXt",
            b"zTXt",
            b"tEXt",
            b"eXIf",
            b"\0\0\0\0IEND\xae\x42\x60\x82",
            b"Description\0",
            KEYWORD,
            b"Raw profile type exif\0\0",
            b"Raw profile type iptc\0\0",
            b"\0\0\0\0",
            b"\x78\x9c",
        ],
    }
}
