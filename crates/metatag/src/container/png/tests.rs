use super::super::{FormatError, Picture, Rewritten};
use super::profile::Profile;
use super::{SIGNATURE, chunk, text};
use crate::inflate::Budget;
use crate::stores::Stores;

const TIFF: &[u8] = b"II*\0\x08\0\0\0\0\0\0\0\0\0";

fn file(before: &[Vec<u8>], after: &[Vec<u8>]) -> Vec<u8> {
    let header = chunk(*b"IHDR", b"\0\0\0\x01\0\0\0\x01\x08\0\0\0\0");
    let mut picture = chunk(*b"IDAT", b"picture");
    // A wrong check sum is not ours to mend.
    *picture.last_mut().expect("a byte") ^= 1;
    let end = chunk(*b"IEND", b"");
    [SIGNATURE, &header, &before.concat(), &picture, &after.concat(), &end, b"trailer"].concat()
}

fn xmp(packet: &[u8]) -> Vec<u8> {
    chunk(*b"iTXt", &[b"XML:com.adobe.xmp\0\0\0\0\0", packet].concat())
}

fn exif() -> Vec<u8> {
    chunk(*b"eXIf", TIFF)
}

fn colours() -> Vec<u8> {
    chunk(*b"gAMA", &[0, 0, 0xB1, 0x8F])
}

fn palette() -> Vec<u8> {
    chunk(*b"PLTE", &[0; 3])
}

fn in_digits(kind: [u8; 4], name: &str, bytes: &[u8]) -> Vec<u8> {
    let digits: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let text = format!("\n{name}\n{:8}\n{}\n", bytes.len(), digits.concat());
    chunk(kind, &text::plain(kind, &format!("Raw profile type {name}"), text.as_bytes()))
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

#[track_caller]
fn check(old: &[u8], change: impl FnOnce(&mut Stores), new: &[u8]) {
    assert_eq!(rewrite(old, |_| ()).bytes, old);
    let bytes = rewrite(old, change).bytes;
    assert_eq!(String::from_utf8_lossy(&bytes), String::from_utf8_lossy(new));
    assert_eq!(bytes, new);
}

#[test]
fn new_chunks_come_before_the_palette_and_the_picture() {
    let description = chunk(*b"iTXt", "Description\0\0\0\0\0海滩".as_bytes());
    check(
        &file(&[colours(), palette()], &[]),
        |stores| {
            stores.exif = Some(TIFF.to_vec());
            stores.xmp = Some(b"<x/>".to_vec());
            stores.png_description = Some("海滩".into());
            stores.iim = Some(b"PNG has no place for it".to_vec());
        },
        &file(&[colours(), exif(), xmp(b"<x/>"), description, palette()], &[]),
    );
}

#[test]
fn a_changed_chunk_stays_in_its_place_or_moves_before_the_picture() {
    let new = |stores: &mut Stores| stores.xmp = Some(b"<new/>".to_vec());
    let old_in_place = file(&[palette(), xmp(b"<old/>")], &[exif()]);
    check(&old_in_place, new, &file(&[palette(), xmp(b"<new/>")], &[exif()]));
    let old_behind = file(&[palette()], &[xmp(b"<old/>"), exif()]);
    check(&old_behind, new, &file(&[xmp(b"<new/>"), palette()], &[exif()]));
    check(&old_in_place, |stores| stores.xmp = None, &file(&[palette()], &[exif()]));
}

#[test]
fn compressed_text_is_read_and_replaced_by_plain() {
    let deflated = text::plain(*b"zTXt", "Description", "été".as_bytes());
    let packet = text::plain(*b"zTXt", "", b"<old/>")[2..].to_vec();
    let compressed = chunk(*b"iTXt", &[b"XML:com.adobe.xmp\0\x01\0\0\0", packet.as_slice()].concat());
    let old = file(&[chunk(*b"zTXt", &deflated), compressed], &[]);
    check(
        &old,
        |stores| {
            assert_eq!(stores.png_description.as_deref(), Some("été"));
            assert_eq!(stores.xmp.as_deref(), Some(b"<old/>".as_slice()));
            stores.png_description = Some("hiver".into());
            stores.xmp = Some(b"<new/>".to_vec());
        },
        &file(&[chunk(*b"iTXt", b"Description\0\0\0\0\0hiver"), xmp(b"<new/>")], &[]),
    );
}

#[test]
fn several_descriptions_become_one_but_other_languages_stay() {
    let latin = chunk(*b"tEXt", b"Description\0\xe9t\xe9");
    let german = chunk(*b"iTXt", b"Description\0\0\0de\0Beschreibung\0Sommer");
    let again = chunk(*b"iTXt", "Description\0\0\0\0\0été".as_bytes());
    let comment = chunk(*b"tEXt", b"Comment\0c");
    check(
        &file(&[latin, german.clone(), comment.clone()], &[again]),
        |stores| {
            assert_eq!(stores.png_description.as_deref(), Some("été"));
            stores.png_description = Some("summer".into());
        },
        &file(&[chunk(*b"iTXt", b"Description\0\0\0\0\0summer"), german, comment], &[]),
    );
}

#[test]
fn profiles_in_digits_move_to_the_places_the_format_has() {
    let exif_in_digits = in_digits(*b"zTXt", "exif", &[b"Exif\0\0", TIFF].concat());
    let xmp_in_digits = in_digits(*b"tEXt", "APP1", b"http://ns.adobe.com/xap/1.0/\0<old/>");
    let changed = [TIFF, b"!"].concat();
    check(
        &file(&[palette(), exif_in_digits], &[xmp_in_digits]),
        |stores| {
            assert_eq!(stores.exif.as_deref(), Some(TIFF));
            assert_eq!(stores.xmp.as_deref(), Some(b"<old/>".as_slice()));
            stores.exif = Some(changed.clone());
            stores.xmp = Some(b"<new/>".to_vec());
        },
        &file(&[xmp(b"<new/>"), palette(), chunk(*b"eXIf", &changed)], &[]),
    );
}

#[test]
fn a_profile_beside_a_chunk_of_the_format_is_foreign() {
    let old = file(&[in_digits(*b"zTXt", "exif", &[TIFF, b"?"].concat()), exif()], &[]);
    let new = rewrite(&old, |stores| stores.exif = Some(b"new".to_vec()));
    assert_eq!(new.stores.exif.as_deref(), Some(b"new".as_slice()));
}

#[test]
fn iptc_stays_in_digits() {
    let resources = |iim: &[u8]| {
        let size = u8::try_from(iim.len()).expect("short");
        [b"8BIM\x04\x04\0\0\0\0\0".as_slice(), &[size], iim, b"8BIM\x04\x05\0\0\0\0\0\0"].concat()
    };
    let old = file(&[in_digits(*b"zTXt", "iptc", &resources(b"\x1c\x02\x19\0\0\0"))], &[]);
    let new = rewrite(&old, |stores| stores.iim = Some(vec![0x1C; 100]));
    assert!(Picture::parse(&new.bytes).is_ok_and(|picture| picture.stores().iim == Some(vec![0x1C; 100])));
    let bare = file(&[in_digits(*b"tEXt", "iptc", b"\x1c\x02\x19\0\0")], &[]);
    check(
        &bare,
        |stores| stores.iim = Some(b"\x1c\x02\x19\0\x01a".to_vec()),
        &file(&[in_digits(*b"tEXt", "iptc", b"\x1c\x02\x19\0\x01a")], &[]),
    );
}

#[test]
fn digits_that_do_not_add_up_are_not_read() {
    for text in ["\nexif\n 3\n0102\n", "\nexif\n 2\n01zz\n", "\nexif\n", "exif\n-1\n\n"] {
        let data = text::plain(*b"tEXt", "Raw profile type exif", text.as_bytes());
        assert!(Profile::parse(*b"tEXt", &data, &mut Budget::default()).is_none(), "{text:?}");
    }
}

#[test]
fn what_is_not_whole_is_refused() {
    let whole = file(&[colours()], &[]);
    for length in SIGNATURE.len()..whole.len() - "trailer".len() {
        let refused = Picture::parse(&whole[..length]);
        assert!(matches!(refused, Err(FormatError::Damaged { .. })), "{length}: {refused:?}");
    }
    let without_picture = [SIGNATURE, &chunk(*b"IHDR", b""), &chunk(*b"IEND", b"")].concat();
    assert!(matches!(Picture::parse(&without_picture), Err(FormatError::Damaged { .. })));
}
