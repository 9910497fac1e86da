//! WebP files: simple ones of both codings, extended ones with metadata before and behind the picture, and one that moves.

use crate::mutate::Seeds;
use crate::seeds::{exif, xmp};

fn little32(length: usize) -> [u8; 4] {
    u32::try_from(length).unwrap_or_default().to_le_bytes()
}

fn chunk(kind: [u8; 4], data: &[u8]) -> Vec<u8> {
    let padding: &[u8] = if data.len() % 2 == 1 { &[0] } else { &[] };
    [&kind, little32(data.len()).as_slice(), data, padding].concat()
}

fn file(chunks: &[Vec<u8>], trailer: &[u8]) -> Vec<u8> {
    let body = chunks.concat();
    [b"RIFF", little32(body.len() + 4).as_slice(), b"WEBP", &body, trailer].concat()
}

fn header(flags: u8) -> Vec<u8> {
    chunk(*b"VP8X", &[flags, 0, 0, 0, 3, 0, 0, 2, 0, 0])
}

pub(crate) fn seeds() -> Seeds {
    // Four by three pixels, said in the first bytes of the picture.
    let lossy = chunk(*b"VP8 ", b"\x30\0\0\x9d\x01\x2a\x04\0\x03\0rest");
    let lossless = chunk(*b"VP8L", b"\x2f\x03\x80\0\x10rest");
    let frame = chunk(*b"ANMF", &[[0; 16].as_slice(), &lossless].concat());
    let plain_exif = chunk(*b"EXIF", &exif::one());
    let marked_exif = chunk(*b"EXIF", &[b"Exif\0\0".as_slice(), &exif::one()].concat());
    let packet = chunk(*b"XMP ", &xmp::one());
    Seeds {
        whole: vec![
            file(std::slice::from_ref(&lossy), b""),
            file(std::slice::from_ref(&lossless), b"trailer"),
            file(&[header(0x0C), lossy.clone(), plain_exif.clone(), packet.clone()], b""),
            file(&[header(0x0C), packet.clone(), marked_exif, lossy], b""),
            file(
                &[header(0x30), chunk(*b"ICCP", b"profile"), lossless, chunk(*b"abcd", b"odd"), packet],
                b"trailer",
            ),
            file(&[header(0x02), chunk(*b"ANIM", &[0; 6]), frame.clone(), frame, plain_exif], b""),
        ],
        pieces: vec![
            b"RIFF",
            b"WEBP",
            b"VP8X",
            b"VP8 ",
            b"VP8L",
            b"ANMF",
            b"EXIF",
            b"XMP ",
            b"C2PA",
            b"Exif\0\0",
            b"\0\0\0\0",
            b"EXIF\0\0\0\0",
            b"VP8X\x0a\0\0\0\x0c\0\0\0\x03\0\0\x02\0\0",
        ],
    }
}
