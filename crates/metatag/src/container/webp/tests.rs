use super::super::{FormatError, Picture, Rewritten};
use super::push;
use crate::model::Note;
use crate::stores::Stores;

const TIFF: &[u8] = b"II*\0\x08\0\0\0\0\0\0\0\0\0";
/// A key frame of 3 by 2.
const LOSSY: &[u8] = b"\x10\0\0\x9d\x01\x2a\x03\0\x02\0rest";
/// A picture of 300 by 2 with transparency.
const LOSSLESS: &[u8] = b"\x2f\x2b\x41\0\x10rest!";

fn file(chunks: &[([u8; 4], &[u8])]) -> Vec<u8> {
    let mut body = b"WEBP".to_vec();
    for (kind, data) in chunks {
        push(&mut body, *kind, data).expect("short");
    }
    let length = u32::try_from(body.len()).expect("short").to_le_bytes();
    [b"RIFF", length.as_slice(), &body].concat()
}

#[track_caller]
fn rewrite(file: &[u8], change: impl FnOnce(&mut Stores)) -> Rewritten {
    let picture = Picture::parse(file).expect("a picture");
    let mut stores = picture.stores().clone();
    change(&mut stores);
    let rewritten = picture.rewrite(&stores).expect("rewritten");
    let again = Picture::parse(&rewritten.bytes).expect("a picture again");
    assert_eq!(again.stores(), &rewritten.stores);
    assert_eq!(again.foreign(), picture.foreign());
    rewritten
}

fn both(stores: &mut Stores) {
    stores.exif = Some(TIFF.to_vec());
    stores.xmp = Some(b"<x/>!".to_vec());
}

#[test]
fn a_simple_picture_gets_a_header_of_its_size() {
    for (kind, data, header) in [
        (*b"VP8 ", LOSSY, *b"\x0c\0\0\0\x02\0\0\x01\0\0"),
        (*b"VP8L", LOSSLESS, *b"\x1c\0\0\0\x2b\x01\0\x01\0\0"),
    ] {
        let old = file(&[(kind, data)]);
        assert_eq!(rewrite(&old, |_| ()).bytes, old);
        let new = rewrite(&old, both).bytes;
        assert_eq!(new, file(&[(*b"VP8X", &header), (kind, data), (*b"EXIF", TIFF), (*b"XMP ", b"<x/>!")]));
        assert_eq!(rewrite(&new, both).bytes, new);
        let mut less = header;
        less[0] &= !0x08;
        let without = rewrite(&new, |stores| stores.exif = None).bytes;
        assert_eq!(without, file(&[(*b"VP8X", &less), (kind, data), (*b"XMP ", b"<x/>!")]));
    }
}

#[test]
fn old_places_stay_and_new_blocks_follow_the_picture() {
    let header = |flags: u8| [flags, 0, 0, 0, 2, 0, 0, 1, 0, 0];
    let with = |flags, blocks: &[([u8; 4], &'static [u8])]| {
        let header = header(flags);
        let mut chunks: Vec<([u8; 4], &[u8])> = vec![
            (*b"VP8X", &header),
            (*b"ICCP", b"colours"),
            (*b"ANIM", b"!"),
            (*b"ANMF", b"one"),
            (*b"ANMF", b"two"),
        ];
        chunks.extend(blocks);
        file(&chunks)
    };
    let old = with(0x22, &[(*b"odd ", b"unknown")]);
    let new = with(0x2e, &[(*b"EXIF", TIFF), (*b"XMP ", b"<x/>!"), (*b"odd ", b"unknown")]);
    assert_eq!(rewrite(&old, both).bytes, new);
    let old = with(0x2a, &[(*b"odd ", b"unknown"), (*b"EXIF", b"Exif\0\0MM\0*")]);
    let new = with(0x2e, &[(*b"odd ", b"unknown"), (*b"EXIF", TIFF), (*b"XMP ", b"<x/>!")]);
    assert_eq!(rewrite(&old, both).bytes, new);
    assert_eq!(Picture::parse(&old).expect("a picture").stores().exif.as_deref(), Some(b"MM\0*".as_slice()));
    let old = with(0x26, &[(*b"XMP ", b"<old/>"), (*b"XMP ", b"<second/>")]);
    let new = with(0x2e, &[(*b"EXIF", TIFF), (*b"XMP ", b"<x/>!"), (*b"XMP ", b"<second/>")]);
    assert_eq!(rewrite(&old, both).bytes, new);
}

#[test]
fn what_follows_and_what_is_signed_is_kept() {
    let signed = file(&[(*b"VP8 ", LOSSY), (*b"C2PA", b"a manifest")]);
    let old = [signed.as_slice(), b"and a trailer"].concat();
    let new = rewrite(&old, both);
    assert!(new.bytes.ends_with(b"and a trailer"));
    assert_eq!(new.notes, [Note::Provenance]);
    // The padding of the last chunk may be missing.
    let mut cut = file(&[(*b"VP8 ", LOSSY), (*b"odd ", b"unknown")]);
    cut.pop();
    let length = u32::try_from(cut.len() - 8).expect("short").to_le_bytes();
    cut[4..8].copy_from_slice(&length);
    rewrite(&cut, both);
}

#[test]
fn what_is_not_whole_is_refused() {
    let whole = file(&[(*b"VP8X", &[0; 10]), (*b"VP8 ", LOSSY), (*b"XMP ", b"<x/>")]);
    for length in 12..whole.len() {
        let refused = Picture::parse(&whole[..length]);
        assert!(matches!(refused, Err(FormatError::Damaged { .. })), "{length}: {refused:?}");
    }
    for bad in [
        file(&[]),
        file(&[(*b"VP8X", &[0; 9]), (*b"VP8 ", LOSSY)]),
        file(&[(*b"VP8X", &[0; 10]), (*b"VP8X", &[0; 10]), (*b"VP8 ", LOSSY)]),
        file(&[(*b"VP8 ", b"\x11\0\0\x9d\x01\x2a\x03\0\x02\0")]),
        file(&[(*b"VP8L", b"\x2e\0\0\0\0")]),
    ] {
        assert!(matches!(Picture::parse(&bad), Err(FormatError::Damaged { .. })));
    }
}

/// Every byte, changed in a few ways: refused or written, but never with anything else lost.
#[test]
fn damaged_files_never_lose_anything() {
    let old = file(&[
        (*b"VP8X", &[0x0c, 0, 0, 0, 2, 0, 0, 1, 0, 0]),
        (*b"VP8 ", LOSSY),
        (*b"EXIF", TIFF),
        (*b"XMP ", b"<x/>"),
    ]);
    for at in 12..old.len() {
        for value in [0, 1, 0x7F, 0xFF, old[at] ^ 1, old[at].wrapping_add(4)] {
            let mut file = old.clone();
            file[at] = value;
            if Picture::parse(&file).is_ok() {
                rewrite(&file, both);
            }
        }
    }
}
