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

/// Chunks a decoder needs for the pixels and their colours.
const PNG_CHUNKS: [&[u8; 4]; 12] = [
    b"IHDR", b"PLTE", b"IDAT", b"IEND", b"tRNS", b"gAMA", b"cHRM", b"sRGB", b"iCCP", b"cICP", b"sBIT",
    b"pHYs",
];

fn png(bytes: &[u8]) -> Option<Cow<'_, [u8]>> {
    let mut kept = Stripper::new(bytes);
    let mut at = 8;
    kept.keep(at);
    loop {
        let length: [u8; 4] = bytes.get(at..at + 4)?.try_into().ok()?;
        let name: &[u8; 4] = bytes.get(at + 4..at + 8)?.try_into().ok()?;
        let end = at.checked_add(u32::from_be_bytes(length) as usize)?.checked_add(12)?;
        if end > bytes.len() {
            return None;
        }
        if PNG_CHUNKS.contains(&name) {
            kept.keep(end);
        } else {
            kept.skip(end);
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
                    // JFIF and its density, colour profiles, and what Adobe says about colours.
                    0xe0 => segment.starts_with(b"JFIF\0"),
                    0xe2 => segment.starts_with(b"ICC_PROFILE\0"),
                    0xee => segment.starts_with(b"Adobe"),
                    0xe1 | 0xe3..=0xed | 0xef | 0xfe => false,
                    _ => true,
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
