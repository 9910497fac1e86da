//! A file without what does not belong to its pixels: places, times, owners, thumbnails, comments.

use std::borrow::Cow;

use crate::kind::Kind;

/// The file without metadata, pixel for pixel the same; `None` where that takes decoding. Orientation goes, too: only for
/// files that are upright.
pub fn without_metadata(bytes: &[u8]) -> Option<Cow<'_, [u8]>> {
    match Kind::of(bytes)? {
        Kind::Png => png(bytes),
        Kind::Jpeg => jpeg(bytes),
        Kind::WebP | Kind::Gif | Kind::Bmp | Kind::Tiff => None,
    }
}

/// Collects what is kept, and copies nothing as long as that is everything.
struct Stripper<'a> {
    whole: &'a [u8],
    copy: Option<Vec<u8>>,
    seen: usize,
}

impl<'a> Stripper<'a> {
    fn new(whole: &'a [u8]) -> Stripper<'a> {
        Stripper { whole, copy: None, seen: 0 }
    }

    fn keep(&mut self, end: usize) {
        if let Some(copy) = &mut self.copy {
            copy.extend_from_slice(&self.whole[self.seen..end]);
        }
        self.seen = end;
    }

    fn skip(&mut self, end: usize) {
        if end > self.seen {
            self.copy.get_or_insert_with(|| self.whole[..self.seen].to_vec());
        }
        self.seen = end;
    }

    /// Whatever follows is not part of the picture.
    fn finish(mut self) -> Cow<'a, [u8]> {
        self.skip(self.whole.len());
        self.copy.map_or(Cow::Borrowed(self.whole), Cow::Owned)
    }
}

/// The longest that a chunk can be which a decoder needs for the pixels and their colours; nothing for any other.
fn longest(chunk: [u8; 4]) -> Option<u32> {
    Some(match &chunk {
        b"IHDR" => 13,
        b"PLTE" => 768,
        b"tRNS" => 256,
        b"cHRM" => 32,
        b"pHYs" => 9,
        b"gAMA" | b"cICP" | b"sBIT" => 4,
        b"sRGB" => 1,
        b"IEND" => 0,
        b"IDAT" | b"iCCP" => u32::MAX,
        _ => return None,
    })
}

fn png(bytes: &[u8]) -> Option<Cow<'_, [u8]>> {
    let mut kept = Stripper::new(bytes);
    let mut at = 8;
    kept.keep(at);
    loop {
        let length = u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?);
        let name: &[u8; 4] = bytes.get(at + 4..at + 8)?.try_into().ok()?;
        let end = at.checked_add(length as usize)?.checked_add(12)?;
        if end > bytes.len() {
            return None;
        }
        match longest(*name) {
            // What is longer than it can be has something else in it.
            Some(most) if length > most => return None,
            Some(_) => kept.keep(end),
            None => kept.skip(end),
        }
        if name == b"IEND" {
            return Some(kept.finish());
        }
        at = end;
    }
}

fn jpeg(bytes: &[u8]) -> Option<Cow<'_, [u8]>> {
    let mut kept = Stripper::new(bytes);
    let mut at = 2;
    kept.keep(at);
    loop {
        let [0xff, marker] = *bytes.get(at..at + 2)? else { return None };
        match marker {
            // A second 0xff is filling.
            0xff => {
                at += 1;
                kept.skip(at);
            }
            // The end. What cameras put behind it (a second picture, a film) has metadata of its own.
            0xd9 => {
                kept.keep(at + 2);
                return Some(kept.finish());
            }
            _ => {
                let length: [u8; 2] = bytes.get(at + 2..at + 4)?.try_into().ok()?;
                let end = at + 2 + usize::from(u16::from_be_bytes(length));
                let segment = bytes.get(at + 4..end)?;
                let is_kept = match marker {
                    // A picture in a picture, and marks that stand alone, have no place here.
                    0x01 | 0xd0..=0xd8 => return None,
                    // Frames, tables and scans: what the pixels are made of.
                    0xc0..=0xc7 | 0xc9..=0xcf | 0xda | 0xdb | 0xdd => true,
                    // JFIF and its density, colour profiles, and what Adobe says about colours; nothing longer than that.
                    0xe0 => segment.starts_with(b"JFIF\0") && segment.len() == 14,
                    0xe2 => segment.starts_with(b"ICC_PROFILE\0"),
                    0xee if segment.starts_with(b"Adobe") && segment.len() > 12 => return None,
                    0xee => segment.starts_with(b"Adobe"),
                    _ => false,
                };
                if is_kept {
                    kept.keep(end);
                } else {
                    kept.skip(end);
                }
                at = end;
                if marker == 0xda {
                    at = scan_end(bytes, at)?;
                    kept.keep(at);
                }
            }
        }
    }
}

/// Where the data of a scan ends: at the next marker that is not part of it.
fn scan_end(bytes: &[u8], mut at: usize) -> Option<usize> {
    loop {
        at += bytes.get(at..)?.iter().position(|byte| *byte == 0xff)?;
        match *bytes.get(at + 1)? {
            0x00 | 0xd0..=0xd7 => at += 2,
            0xff => at += 1,
            _ => return Some(at),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::without_metadata;
    use crate::decode::{Limits, decode};
    use crate::encode::{Effort, encode_jpeg, encode_png};
    use crate::pixels::{Layout, Picture};

    fn picture() -> Picture {
        let bytes = (0..40 * 40 * 3).map(|at: u32| at.to_le_bytes()[0]).collect();
        Picture::new(Layout::Rgb, 40, 40, bytes).expect("a picture")
    }

    #[test]
    fn a_file_without_metadata_stays_as_it_is() {
        for bytes in [
            encode_png(&picture(), Effort::Fast).expect("a PNG").bytes,
            encode_jpeg(&picture(), 90).expect("a JPEG").bytes,
        ] {
            assert!(matches!(without_metadata(&bytes), Some(Cow::Borrowed(kept)) if kept == bytes));
        }
    }

    #[test]
    fn places_comments_and_appendices_go_and_pixels_stay() {
        let mut png = encode_png(&picture(), Effort::Fast).expect("a PNG").bytes;
        let plain = png.clone();
        let text = b"\0\0\0\x10tEXtplace\0at my home\0\0\0\0";
        png.splice(33..33, text.iter().copied());
        png.extend_from_slice(b"appended");
        assert_eq!(without_metadata(&png).expect("a PNG"), plain);

        let mut jpeg = encode_jpeg(&picture(), 90).expect("a JPEG").bytes;
        let plain = jpeg.clone();
        jpeg.splice(2..2, b"\xff\xfe\x00\x0cat my home\xff\xe1\x00\x08Exif\0\0".iter().copied());
        jpeg.extend_from_slice(b"a film behind the picture");
        let stripped = without_metadata(&jpeg).expect("a JPEG");
        assert_eq!(stripped, plain);
        assert!(decode(&stripped, &Limits::default()).is_ok());
    }

    #[test]
    fn a_second_picture_and_metadata_after_the_first_scan_go_too() {
        let plain = encode_jpeg(&picture(), 90).expect("a JPEG").bytes;
        let exif = b"\xff\xe1\x00\x0eExif\0\0place!";
        let mut second = plain.clone();
        second.splice(2..2, exif.iter().copied());
        let both = [plain.clone(), second].concat();
        assert_eq!(without_metadata(&both).expect("a JPEG"), plain);
        let mut late = plain.clone();
        late.splice(plain.len() - 2..plain.len() - 2, exif.iter().copied());
        assert_eq!(without_metadata(&late).expect("a JPEG"), plain);
        let mut filled = plain.clone();
        filled.splice(2..2, [b"\xff".as_slice(), exif].concat());
        assert_eq!(without_metadata(&filled).expect("a JPEG"), plain);
    }

    #[test]
    fn nothing_travels_in_segments_and_chunks_that_nobody_needs() {
        let plain = encode_jpeg(&picture(), 90).expect("a JPEG").bytes;
        for marker in [0x02, 0xbf, 0xc8, 0xde, 0xe0, 0xe3, 0xf0, 0xfd] {
            let mut jpeg = plain.clone();
            jpeg.splice(2..2, [b"\xff".as_slice(), &[marker], &b"\x00\x08my home"[..8]].concat());
            assert_eq!(without_metadata(&jpeg).expect("a JPEG"), plain, "{marker:x}");
        }
        for alone in [0x01, 0xd0, 0xd8] {
            let mut jpeg = plain.clone();
            jpeg.splice(2..2, [0xff, alone, 0x00, 0x04, b'm', b'y']);
            assert_eq!(without_metadata(&jpeg), None, "{alone:x}");
        }
        let png = encode_png(&picture(), Effort::Fast).expect("a PNG").bytes;
        for name in [b"gAMA", b"sRGB", b"pHYs", b"cHRM"] {
            let mut long = png.clone();
            let text = [0; 40];
            long.splice(33..33, [b"\0\0\0\x28".as_slice(), name, &text, b"\0\0\0\0"].concat());
            assert_eq!(without_metadata(&long), None);
        }
    }

    #[test]
    fn what_is_damaged_is_left_to_the_decoder() {
        for bytes in [
            encode_png(&picture(), Effort::Fast).expect("a PNG").bytes,
            encode_jpeg(&picture(), 90).expect("a JPEG").bytes,
        ] {
            for length in 0..bytes.len() {
                assert!(without_metadata(&bytes[..length]).is_none(), "{length}");
            }
        }
    }
}
