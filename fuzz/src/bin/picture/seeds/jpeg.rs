//! JPEG files: bare, with every block of metadata, with XMP in two parts, and with a second picture.

use crate::mutate::Seeds;
use crate::seeds::{exif, iim, length16, length32, xmp};

const PICTURE: &[u8] = b"\xFF\xDB\0\x05\0\x01\x02\xFF\xC0\0\x0B\x08\0\x01\0\x01\x01\x01\x11\0\xFF\xDA\0\x08\x01\x01\0\0\x3F\0\xAA\xFF\0\xBB\xFF\xD9";
const XMP: &[u8] = b"http://ns.adobe.com/xap/1.0/\0";
const EXTENSION: &[u8] = b"http://ns.adobe.com/xmp/extension/\0";

fn segment(marker: u8, parts: &[&[u8]]) -> Vec<u8> {
    let payload = parts.concat();
    [&[0xFF, marker], length16(payload.len() + 2).as_slice(), &payload].concat()
}

fn resource(kind: u16, data: &[u8]) -> Vec<u8> {
    let mut bytes = [b"8BIM", kind.to_be_bytes().as_slice(), &[0, 0], &length32(data), data].concat();
    bytes.resize(bytes.len().next_multiple_of(2), 0);
    bytes
}

fn file(segments: &[Vec<u8>], trailer: &[u8]) -> Vec<u8> {
    [b"\xFF\xD8".as_slice(), &segments.concat(), PICTURE, trailer].concat()
}

pub(crate) fn seeds() -> Seeds {
    let jfif = segment(0xE0, &[b"JFIF\0\x01\x01\0\0\x01\0\x01\0\0"]);
    let exif = segment(0xE1, &[b"Exif\0\0", &exif::one()]);
    let packet = segment(0xE1, &[XMP, &xmp::one()]);
    let records = resource(0x0404, &iim::one());
    let photoshop = segment(
        0xED,
        &[b"Photoshop 3.0\0", &records, &resource(0x0425, &[1; 16]), &resource(0x03ED, b"abc")],
    );
    let extension = segment(0xE1, &[EXTENSION, &[b'A'; 32], &[0, 0, 0, 4, 0, 0, 0, 0], b"<a/>"]);
    let several = segment(
        0xE2,
        &[
            b"MPF\0II*\0\x08\0\0\0\x02\0\x01\xB0\x04\0\x01\0\0\0\x02\0\0\0\x02\xB0\x07\0\x20\0\0\0\x26\0\0\0\0\0\0\0",
            b"\0\0\x03\0\x50\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x10\0\0\0\x60\0\0\0\0\0\0\0",
        ],
    );
    let two_parts = [
        segment(0xED, &[b"Photoshop 3.0\0", &records[..20]]),
        segment(0xED, &[b"Photoshop 3.0\0", &records[20..]]),
    ];
    Seeds {
        whole: vec![
            file(&[], b""),
            file(std::slice::from_ref(&jfif), b"a trailer"),
            file(&[jfif.clone(), exif.clone(), packet.clone(), photoshop.clone()], b""),
            file(&[jfif, packet, extension, segment(0xFE, &[b"a comment"])], b""),
            file(&[exif, several], PICTURE),
            file(&two_parts, b""),
            file(&[photoshop, segment(0xEB, &[b"JP\0\x01\0\0\0\x01\0\0\0\x0Cjumbabcd"])], b""),
        ],
        pieces: vec![
            b"\xFF\xD8",
            b"\xFF\xD9",
            b"\xFF\xDA\0\x02",
            b"\xFF\xE1\0\x08Exif\0\0",
            b"\xFF\xE1\0\x02",
            b"\xFF\xED\0\x10Photoshop 3.0\0",
            b"\xFF\xFF",
            b"\xFF",
            b"\0",
            b"8BIM\x04\x04\0\0\0\0\0\x05",
            b"8BIM\x04\x25\0\0\0\0\0\x10",
            b"MPF\0",
            EXTENSION,
            XMP,
        ],
    }
}
