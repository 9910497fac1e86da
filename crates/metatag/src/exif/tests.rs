//! TIFF blocks in both byte orders, read and changed.

use super::*;

/// A block with a camera's name, a maker note in an EXIF directory, a thumbnail in a second directory, and perhaps a
/// description.
fn camera(big: bool, description: Option<&[u8]>) -> Vec<u8> {
    let u16 = |value: u16| if big { value.to_be_bytes() } else { value.to_le_bytes() };
    let u32 = |value: u32| if big { value.to_be_bytes() } else { value.to_le_bytes() };
    let entry = |tag: u16, kind: u16, count: u32, value: u32| {
        [&u16(tag)[..], &u16(kind), &u32(count), &u32(value)].concat()
    };
    let mut bytes = if big { b"MM\0*".to_vec() } else { b"II*\0".to_vec() };
    bytes.extend(u32(8));
    let count: u32 = if description.is_some() { 3 } else { 2 };
    let data = 8 + 2 + 12 * count + 4;
    bytes.extend(u16(u16::try_from(count).unwrap()));
    if let Some(text) = description {
        bytes.extend(entry(0x010E, 2, u32::try_from(text.len()).unwrap(), data + 80));
    }
    bytes.extend(entry(0x0110, 2, 8, data));
    bytes.extend(entry(0x8769, 4, 1, data + 8));
    bytes.extend(u32(data + 26));
    bytes.extend(b"Camera1\0");
    bytes.extend(u16(1));
    bytes.extend(entry(0x927C, 7, 6, data + 56));
    bytes.extend(u32(0));
    bytes.extend(u16(2));
    bytes.extend(entry(0x0201, 4, 1, data + 62));
    bytes.extend(entry(0x0202, 4, 1, 18));
    bytes.extend(u32(0));
    bytes.extend(b"MAKER1");
    bytes.extend(b"\xFF\xD8thumbnail.....\xFF\xD9");
    bytes.extend(description.unwrap_or_default());
    bytes.extend(b"unknown");
    bytes
}

fn text_value(text: &str) -> Option<Value> {
    (!text.is_empty()).then(|| Value::Text(text.to_owned()))
}

fn describe(text: &str) -> Changes {
    Changes::from([(Tag::ImageDescription, text_value(text))])
}

fn changed(block: &[u8], text: &str) -> Vec<u8> {
    let changed = edit(Some(block), &describe(text)).unwrap().unwrap();
    let expected = (!text.is_empty()).then(|| text.to_owned());
    assert_eq!(Values::read(&changed).unwrap().description, expected);
    assert_eq!(edit(Some(&changed), &describe(text)).unwrap().unwrap(), changed, "twice is once");
    changed
}

#[test]
fn a_block_is_made_and_unmade() {
    let made = edit(None, &describe("家庭")).unwrap().unwrap();
    let block = Block::parse(&made).unwrap();
    let tags = |ifd| block.entries(ifd).unwrap().iter().map(|entry| entry.tag).collect::<Vec<u16>>();
    assert_eq!(tags(Ifd::Main), [0x010E, 0x011A, 0x011B, 0x0128, 0x0213, 0x8769]);
    assert_eq!(tags(Ifd::Exif), [0x9000, 0x9101, 0xA000, 0xA001]);
    assert_eq!(edit(Some(&made), &describe("")).unwrap(), None);
    assert_eq!(edit(None, &describe("")).unwrap(), None);
    assert_eq!(changed(&changed(&made, "a much longer text"), "家庭"), made);
}

#[test]
fn nothing_moves_when_a_description_is_added() {
    for big in [false, true] {
        let old = camera(big, None);
        let new = changed(&old, "我们的家");
        assert_eq!(new[8..old.len()], old[8..]);
        let block = Block::parse(&new).unwrap();
        let tags: Vec<u16> = block.entries(Ifd::Main).unwrap().iter().map(|entry| entry.tag).collect();
        assert_eq!(tags, [0x010E, 0x0110, 0x8769]);
        let again = changed(&new, "something else that is quite a bit longer");
        assert_eq!(again[8..old.len()], old[8..]);
        assert_eq!(changed(&again, "我们的家"), new, "the old text's place is used again");
        let gone = changed(&new, "");
        assert_eq!(gone[8..old.len()], old[8..]);
        assert_eq!(changed(&gone, "我们的家"), new, "and so is the directory's");
    }
}

#[test]
fn a_description_is_replaced_in_its_place_or_at_the_end() {
    for big in [false, true] {
        let old = camera(big, Some(b"DIGITAL CAMERA\0\0\0\0"));
        let at = old.windows(14).position(|window| window == b"DIGITAL CAMERA").unwrap();
        let short = changed(&old, "short");
        assert_eq!(short.len(), old.len());
        assert_eq!(short[at..at + 18], *b"short\0\0\0\0\0\0\0\0\0\0\0\0\0");
        assert_eq!(short[at + 18..], old[at + 18..]);
        let long = changed(&old, "much longer than it was");
        assert_eq!(long[22..at], old[22..at]);
        assert_eq!(long[at + 18..old.len()], old[at + 18..]);
        assert!(!long.windows(7).any(|window| window == b"DIGITAL"), "the old text is gone");
        let gone = changed(&old, "");
        assert_eq!(gone.len(), old.len());
        assert_eq!(gone[50..at], old[50..at], "values stay where they are");
        assert!(!gone.windows(7).any(|window| window == b"DIGITAL"));
    }
}

#[test]
fn a_place_that_somebody_else_claims_is_left_alone() {
    let mut old = camera(false, Some(b"DIGITAL CAMERA\0\0\0\0"));
    // The camera's name now points into the description.
    let place = old[18..22].to_vec();
    old[30..34].copy_from_slice(&place);
    let new = changed(&old, "short");
    assert!(new.len() > old.len());
    assert_eq!(new[46..old.len()], old[46..]);
}

#[test]
fn keywords_for_windows_are_wide() {
    let wish = Changes::from([
        (Tag::XpKeywords, Some(Value::Wide("家;b".to_owned()))),
        (Tag::ImageDescription, text_value("a description.")),
    ]);
    let first = edit(Some(&camera(true, None)), &wish).unwrap().unwrap();
    assert_eq!(Values::read(&first).unwrap().keywords.as_deref(), Some("家;b"));
    let other = Changes::from([
        (Tag::XpKeywords, Some(Value::Wide("a few more; than before".to_owned()))),
        (Tag::ImageDescription, text_value("another description, also longer")),
    ]);
    let second = edit(Some(&first), &other).unwrap().unwrap();
    assert_eq!(edit(Some(&second), &wish).unwrap().unwrap(), first, "both places are used again");
}

#[test]
fn damage_is_an_error() {
    for bad in [
        &b""[..],
        b"II*\0",
        b"XX*\0\x08\0\0\0\0\0",
        b"II+\0\x08\0\0\0",
        b"II*\0\x04\0\0\0\0\0\0\0",
        b"II*\0\x08\0\0\0\x02\0abc",
    ] {
        assert!(Values::read(bad).is_err(), "{bad:?}");
        assert!(edit(Some(bad), &describe("a")).is_err());
    }
    let out_of_bounds = b"II*\0\x08\0\0\0\x01\0\x0E\x01\x02\0\xFF\xFF\0\0\xFF\xFF\xFF\xFF\0\0\0\0";
    assert_eq!(Values::read(out_of_bounds).unwrap().description, None);
    changed(out_of_bounds, "whole again");
}

#[test]
fn a_directory_without_its_last_pointer_gets_it() {
    let cut = b"II*\0\x08\0\0\0\x02\0\x0E\x01\x02\0\x02\0\0\0a\0\0\0\x9E\x9C\x01\0\x02\0\0\0b\0\0\0\x01";
    let wish = Changes::from([(Tag::ImageDescription, text_value("longer")), (Tag::XpKeywords, None)]);
    let new = edit(Some(cut), &wish).unwrap().unwrap();
    let read = Values::read(&new).unwrap();
    assert_eq!((read.description.as_deref(), read.keywords), (Some("longer"), None));
}

#[test]
fn what_leads_to_no_directory_does_not_stand_in_the_way() {
    let old = camera(false, None);
    // Where the second directory is said to be: after the count and the two entries of the first.
    let pointer = 8 + 2 + 2 * 12;
    let mut into_the_header = old.clone();
    into_the_header[pointer..pointer + 4].copy_from_slice(&[1, 0, 0, 0]);
    changed(&into_the_header, "a description");
    // The maker's note is taken for a directory with thousands of entries.
    let note = old.windows(6).position(|window| window == b"MAKER1").unwrap();
    let mut into_a_note = old;
    into_a_note[pointer..pointer + 4].copy_from_slice(&u32::try_from(note).unwrap().to_le_bytes());
    changed(&into_a_note, "a description");
    // Ten entries, most of them behind the end: these would be found in what is new.
    into_a_note[note..note + 2].copy_from_slice(&[10, 0]);
    assert_eq!(edit(Some(&into_a_note), &describe("a description")), Err(ExifError::Dangling));
}

#[test]
fn tags_of_other_directories_are_added_and_removed() {
    let date = "2024-05-01T18:30:05+02:00".parse::<DateTaken>().unwrap();
    let position = "-33.8567844, 151.2152967".parse::<Position>().unwrap();
    let [(south, latitude), (east, longitude)] = position.exif();
    let all = Changes::from([
        (Tag::DateTimeOriginal, text_value(&date.exif())),
        (Tag::OffsetTimeOriginal, date.offset().map(Value::Text)),
        (Tag::GpsLatitudeRef, text_value(south)),
        (Tag::GpsLatitude, Some(Value::Rationals(latitude.to_vec()))),
        (Tag::GpsLongitudeRef, text_value(east)),
        (Tag::GpsLongitude, Some(Value::Rationals(longitude.to_vec()))),
        (Tag::Artist, text_value("Ada; Grace")),
    ]);
    let none: Changes = all.keys().map(|tag| (*tag, None)).collect();
    for big in [false, true] {
        let old = camera(big, Some(b"DIGITAL CAMERA\0\0\0\0"));
        let new = edit(Some(&old), &all).unwrap().unwrap();
        let read = Values::read(&new).unwrap();
        assert_eq!(read.date_taken, Some(date));
        assert!(read.position.is_some_and(|read| read.agrees_with(&position)), "{read:?}");
        assert_eq!(read.artist.as_deref(), Some("Ada; Grace"));
        assert_eq!(read.description.as_deref(), Some("DIGITAL CAMERA"));
        let makers = old.windows(6).position(|window| window == b"MAKER1").unwrap();
        assert_eq!(new[makers..old.len()], old[makers..], "values stay where they are");
        assert_eq!(edit(Some(&new), &all).unwrap().unwrap(), new, "twice is once");
        let gone = edit(Some(&new), &none).unwrap().unwrap();
        let expected = Values { description: Some("DIGITAL CAMERA".into()), ..Values::default() };
        assert_eq!(Values::read(&gone).unwrap(), expected);
        assert!(
            Block::parse(&gone).unwrap().locate(Ifd::Gps).is_none(),
            "its directory went with the last tag"
        );
        assert!(Block::parse(&gone).unwrap().locate(Ifd::Exif).is_some(), "the maker's note is still there");
    }
    let made = edit(None, &all).unwrap().unwrap();
    assert_eq!(Values::read(&made).unwrap().date_taken, Some(date));
    assert_eq!(edit(Some(&made), &none).unwrap(), None);
}
