//! Pictures without what cameras write beside them: places, times, serial numbers, thumbnails. Pixels stay as they are, to the
//! byte, and so do colour profiles and which way is up.

use bytes::Bytes;

use super::Format;

/// The picture without metadata. A file that is not made as its format says is left as it is: no program finds metadata in
/// it either.
pub(super) fn plain(format: Format, bytes: Bytes) -> Bytes {
    let stripped = match format {
        Format::Jpeg => jpeg(&bytes),
        Format::Png => png(&bytes),
        Format::WebP => webp(&bytes),
        // GIF has no place for what a camera knows.
        Format::Gif => None,
    };
    stripped.map_or(bytes, Bytes::from)
}

fn jpeg(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(bytes.len());
    out.extend_from_slice(bytes.get(..2)?);
    let mut at = 2;
    let mut upright: Option<u16> = None;
    let mut kept: Vec<&[u8]> = Vec::new();
    loop {
        let (0xff, marker) = (*bytes.get(at)?, *bytes.get(at + 1)?) else { return None };
        // The end: what cameras hang behind it (a second picture, a video) has metadata of its own.
        if marker == 0xd9 {
            break;
        }
        let length = usize::from(u16::from_be_bytes([*bytes.get(at + 2)?, *bytes.get(at + 3)?]));
        let (segment, body) = (bytes.get(at..at + 2 + length)?, bytes.get(at + 4..at + 2 + length)?);
        at += 2 + length;
        match marker {
            0xe1 => upright = upright.or_else(|| orientation(body.strip_prefix(b"Exif\0\0")?)),
            0xe0 | 0xee => kept.push(segment),
            0xe2 if body.starts_with(b"ICC_PROFILE\0") => kept.push(segment),
            0xe2..=0xef | 0xfe => {}
            0xda => {
                kept.push(segment);
                let end = scan_end(bytes, at)?;
                kept.push(bytes.get(at..end)?);
                at = end;
            }
            _ => kept.push(segment),
        }
    }
    if let Some(way) = upright.filter(|way| (2..=8).contains(way)) {
        out.extend_from_slice(&upright_segment(way));
    }
    for segment in kept {
        out.extend_from_slice(segment);
    }
    out.extend_from_slice(&[0xff, 0xd9]);
    Some(out)
}

/// Where the data of a scan ends: at the next marker that is not part of it.
fn scan_end(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        at += bytes.get(at..)?.iter().position(|byte| *byte == 0xff)?;
        match *bytes.get(at + 1)? {
            0x00 | 0xd0..=0xd7 => at += 2,
            0xff => at += 1,
            _ => return Some(at),
        }
    }
}

/// Which way is up, in the first directory of an EXIF block.
fn orientation(tiff: &[u8]) -> Option<u16> {
    let is_little = match tiff.get(..2)? {
        b"II" => true,
        b"MM" => false,
        _ => return None,
    };
    let two = |at: usize| {
        let pair = [*tiff.get(at)?, *tiff.get(at + 1)?];
        Some(if is_little { u16::from_le_bytes(pair) } else { u16::from_be_bytes(pair) })
    };
    let four = |at: usize| {
        let (one, other) = (u32::from(two(at)?), u32::from(two(at + 2)?));
        Some(if is_little { other << 16 | one } else { one << 16 | other })
    };
    let start = usize::try_from(four(4)?).ok()?;
    let entries = (0..usize::from(two(start)?)).map(|number| start + 2 + number * 12);
    let mut found = entries.take_while(|at| *at < tiff.len()).filter(|at| two(*at) == Some(0x0112));
    found.next().and_then(|at| two(at + 8))
}

/// An EXIF block that says which way is up, and nothing else.
fn upright_segment(way: u16) -> Vec<u8> {
    let mut segment = vec![0xff, 0xe1, 0, 34];
    segment.extend_from_slice(b"Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01");
    segment.extend_from_slice(&way.to_be_bytes());
    segment.extend_from_slice(&[0; 6]);
    segment
}

fn png(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut out = bytes.get(..8)?.to_vec();
    let mut at = 8;
    loop {
        let length = usize::try_from(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?)).ok()?;
        let end = at.checked_add(length)?.checked_add(12)?;
        let (kind, chunk) = (bytes.get(at + 4..at + 8)?, bytes.get(at..end)?);
        if !matches!(kind, b"eXIf" | b"tEXt" | b"zTXt" | b"iTXt" | b"tIME") {
            out.extend_from_slice(chunk);
        }
        at = end;
        if kind == b"IEND" {
            return Some(out);
        }
    }
}

fn webp(bytes: &[u8]) -> Option<Vec<u8>> {
    const EXIF_AND_XMP: u8 = 0x0c;
    let size = usize::try_from(u32::from_le_bytes(bytes.get(4..8)?.try_into().ok()?)).ok()?;
    let body = bytes.get(12..size.checked_add(8)?)?;
    let mut out = bytes.get(..12)?.to_vec();
    let mut at = 0;
    while at < body.len() {
        let length = usize::try_from(u32::from_le_bytes(body.get(at + 4..at + 8)?.try_into().ok()?)).ok()?;
        let end = at.checked_add(8)?.checked_add(length)?.checked_add(length % 2)?;
        let (kind, chunk) = (body.get(at..at + 4)?, body.get(at..end)?);
        at = end;
        if matches!(kind, b"EXIF" | b"XMP ") {
            continue;
        }
        let flags = out.len() + 8;
        out.extend_from_slice(chunk);
        if let (b"VP8X", Some(flags)) = (kind, out.get_mut(flags)) {
            *flags &= !EXIF_AND_XMP;
        }
    }
    let size = u32::try_from(out.len() - 8).ok()?;
    out.get_mut(4..8)?.copy_from_slice(&size.to_le_bytes());
    Some(out)
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::{Format, orientation, plain, upright_segment};

    fn segment(marker: u8, body: &[u8]) -> Vec<u8> {
        let length = u16::try_from(body.len() + 2).expect("short");
        [&[0xff, marker], length.to_be_bytes().as_slice(), body].concat()
    }

    #[test]
    fn jpeg_keeps_pixels_profile_and_which_way_is_up() {
        let exif = [upright_segment(6), b"GPS 51.5, -0.1".to_vec()].concat();
        let exif = segment(0xe1, exif.get(4..).expect("a body"));
        let scan = [segment(0xda, b"\x01\x01\0\0\x3f\0"), vec![1, 0xff, 0, 2, 0xff, 0xd0, 3]].concat();
        let profile = segment(0xe2, b"ICC_PROFILE\0\x01\x01data");
        let before = [
            b"\xff\xd8".to_vec(),
            exif,
            segment(0xe0, b"JFIF\0"),
            segment(0xe1, b"http://ns.adobe.com/xap/1.0/\0<x/>"),
            profile.clone(),
            segment(0xe2, b"MPF\0"),
            segment(0xed, b"Photoshop 3.0\0"),
            segment(0xfe, b"made at home"),
            segment(0xdb, b"\0table"),
            scan.clone(),
            scan.clone(),
            b"\xff\xd9\xff\xd8 a second picture, with a place".to_vec(),
        ];
        let after = [
            b"\xff\xd8".to_vec(),
            upright_segment(6),
            segment(0xe0, b"JFIF\0"),
            profile,
            segment(0xdb, b"\0table"),
            scan.clone(),
            scan,
            b"\xff\xd9".to_vec(),
        ];
        assert_eq!(plain(Format::Jpeg, Bytes::from(before.concat())), Bytes::from(after.concat()));
    }

    #[test]
    fn png_and_webp_lose_their_texts() {
        let chunk = |kind: &[u8], body: &[u8]| {
            [&u32::try_from(body.len()).expect("short").to_be_bytes(), kind, body, b"crc!"].concat()
        };
        let (start, head) = (b"\x89PNG\r\n\x1a\n".to_vec(), chunk(b"IHDR", b"head"));
        let (pixels, end) = (chunk(b"IDAT", b"pixels"), chunk(b"IEND", b""));
        let after = [start.clone(), head.clone(), pixels.clone(), end.clone()].concat();
        let texts = [chunk(b"eXIf", b"GPS"), chunk(b"tEXt", b"Author\0Ada")].concat();
        let before = [start, head, texts, pixels, end, b"behind the end".to_vec()].concat();
        assert_eq!(plain(Format::Png, Bytes::from(before)), Bytes::from(after));
        let chunk = |kind: &[u8], body: &[u8]| {
            let length = u32::try_from(body.len()).expect("short").to_le_bytes();
            [kind, &length, body, if body.len() % 2 == 1 { &[0] } else { &[] }].concat()
        };
        let file = |flags: u8, rest: &[Vec<u8>]| {
            let body = [b"WEBP".to_vec(), chunk(b"VP8X", &[flags, 0, 0, 0, 1, 0, 0, 1, 0, 0]), rest.concat()]
                .concat();
            let size = u32::try_from(body.len()).expect("short").to_le_bytes();
            Bytes::from([b"RIFF".as_slice(), &size, &body].concat())
        };
        let pixels = chunk(b"VP8 ", b"pixels!");
        let before = file(0x3c, &[pixels.clone(), chunk(b"EXIF", b"GPS"), chunk(b"XMP ", b"<x/>")]);
        assert_eq!(plain(Format::WebP, before), file(0x30, &[pixels]));
    }

    #[test]
    fn which_way_is_up_is_read_in_both_byte_orders() {
        let little = b"II*\0\x08\0\0\0\x02\0\0\x01\x03\0\x01\0\0\0\x05\0\0\0\x12\x01\x03\0\x01\0\0\0\x08\0\0\0\0\0\0\0";
        assert_eq!(orientation(little), Some(8));
        assert_eq!(orientation(&upright_segment(3)[10..]), Some(3));
        assert_eq!(orientation(b"II*\0\xff\xff\xff\xff"), None);
    }

    #[test]
    fn damaged_files_stay_as_they_are() {
        for (format, bytes) in [
            (Format::Jpeg, b"\xff\xd8\xff".as_slice()),
            (Format::Jpeg, b"\xff\xd8\xff\xe1\xff\xff"),
            (Format::Png, b"\x89PNG\r\n\x1a\n\xff\xff\xff\xffIDAT"),
            (Format::WebP, b"RIFF\xff\xff\xff\xffWEBPVP8 "),
            (Format::Gif, b"GIF89a"),
        ] {
            let bytes = Bytes::copy_from_slice(bytes);
            assert_eq!(plain(format, bytes.clone()), bytes);
        }
    }
}
