use std::collections::BTreeMap;

use super::super::{FormatError, Picture, Rewritten};
use super::PROVENANCE;
use crate::exif::{self, Ifd, Raw};
use crate::model::{Detail, Details, Field, Mode, Modified, Note, Wish, apply_at};
use crate::stores::{Container, Stores};
use crate::view::view;

const NOTHING: Wish = Wish {
    tags: None,
    description: None,
    people: None,
    location: None,
    details: Details::new(),
    mode: Mode::Overwrite,
    modified: Modified::Now,
};

const XMP: u16 = 700;
const IPTC: u16 = 33_723;
const PHOTOSHOP: u16 = 34_377;
const DESCRIPTION: u16 = 0x010E;
const KEYWORDS: u16 = 0x9C9E;

const STRIP: &[u8] = b"the picture, in one strip";
const SUB: &[u8] = b"a second picture";

#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    Little,
    Big,
}

/// A value of a tag: its type, and its bytes or a number.
type Value<'v> = (u16, u16, &'v [u8]);

struct Builder {
    order: Order,
    bytes: Vec<u8>,
}

impl Builder {
    fn u16(&self, value: u16) -> [u8; 2] {
        match self.order {
            Order::Little => value.to_le_bytes(),
            Order::Big => value.to_be_bytes(),
        }
    }

    fn u32(&self, value: usize) -> [u8; 4] {
        let value = u32::try_from(value).expect("short");
        match self.order {
            Order::Little => value.to_le_bytes(),
            Order::Big => value.to_be_bytes(),
        }
    }

    fn push(&mut self, bytes: &[u8]) -> usize {
        let at = self.bytes.len();
        self.bytes.extend_from_slice(bytes);
        self.bytes.resize(self.bytes.len().next_multiple_of(2), 0);
        at
    }

    /// Writes a directory behind everything, its values before it, and says where it is.
    fn directory(&mut self, values: &[Value<'_>]) -> usize {
        let mut entries = Vec::new();
        for (tag, kind, value) in values {
            let count = match kind {
                4 => value.len() / 4,
                _ => value.len(),
            };
            entries.extend([&self.u16(*tag)[..], &self.u16(*kind), &self.u32(count)].concat());
            if value.len() > 4 {
                let at = self.push(value);
                entries.extend(self.u32(at));
            } else {
                entries.extend(value.iter().copied().chain([0; 4]).take(4));
            }
        }
        let count = self.u16(u16::try_from(values.len()).expect("short"));
        self.push(&[&count[..], &entries, &[0; 4]].concat())
    }
}

/// A picture with a strip, a second picture in a directory below, and further values.
fn file(order: Order, further: &[Value<'_>]) -> Vec<u8> {
    let mark = if order == Order::Big { b"MM\0*" } else { b"II*\0" };
    let mut builder = Builder { order, bytes: [mark.as_slice(), &[0; 4]].concat() };
    let (strip, sub) = (builder.push(STRIP), builder.push(SUB));
    let number = |number: usize| builder.u32(number);
    let below = [(0x0111, 4, number(sub)), (0x0117, 4, number(SUB.len()))];
    let (strip, length) = (number(strip), number(STRIP.len()));
    let below: Vec<Value<'_>> =
        below.iter().map(|(tag, kind, value)| (*tag, *kind, value.as_slice())).collect();
    let below = builder.directory(&below);
    let below = builder.u32(below);
    let mut values: Vec<Value<'_>> = vec![(0x0111, 4, &strip), (0x0117, 4, &length), (0x014A, 4, &below)];
    values.extend(further);
    values.sort_by_key(|(tag, ..)| *tag);
    let at = builder.directory(&values);
    let at = builder.u32(at);
    builder.bytes[4..8].copy_from_slice(&at);
    builder.push(b"data of a maker, which nobody knows the place of");
    builder.bytes
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

fn wish(description: &str) -> Wish {
    Wish {
        tags: Some(vec!["家庭".into(), "a".into()]),
        description: Some(description.into()),
        people: None,
        location: Some("here".into()),
        details: Details::new(),
        mode: Mode::Overwrite,
        modified: Modified::Now,
    }
}

/// The file after a wish, which is fulfilled and changes nothing the second time.
#[track_caller]
fn written(file: &[u8], description: &str) -> Vec<u8> {
    let fulfil = |file: &[u8], now: &str| {
        let picture = Picture::parse(file).expect("a picture");
        let applied = apply_at(Container::Tiff, picture.stores(), &wish(description), now).expect("applied");
        let new = picture.rewrite(&applied.stores).expect("rewritten");
        crate::verify::verify(&picture, &new, &wish(description)).expect("verified");
        (new.bytes, applied.changed)
    };
    let (once, _) = fulfil(file, "2026-01-31T12:00:00Z");
    assert_eq!(fulfil(&once, "later"), (once.clone(), false));
    once
}

fn value(file: &[u8], tag: u16) -> Option<Raw> {
    let place = (Ifd::Main, tag);
    exif::file::values(file, &[place], |_| usize::MAX).expect("values").remove(&place)
}

#[test]
fn tags_are_added_behind_everything_else() {
    for order in [Order::Little, Order::Big] {
        let old = file(order, &[]);
        assert_eq!(rewrite(&old, |_| ()).bytes, old);
        let new = written(&old, "一家人");
        assert_eq!(new[8..old.len()], old[8..], "nothing has moved");
        assert_eq!(value(&new, DESCRIPTION).expect("a description").bytes, "一家人\0".as_bytes());
        assert!(value(&new, XMP).is_some_and(|xmp| xmp.kind == 1));
        assert_eq!((value(&new, IPTC), value(&new, KEYWORDS)), (None, None));
        // A change that fits stays in its place, and one at the end takes no more room than it needs.
        let second = written(&new, "一");
        assert!(second.len() <= new.len(), "{} and {}", new.len(), second.len());
        let longer = written(&second, &"长".repeat(100));
        assert!(longer.len() < second.len() + 400);
    }
}

#[test]
fn old_values_are_refreshed_where_they_are() {
    let keywords: Vec<u8> = "old\0".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let records = b"\x1c\x02\x19\0\x03old\x1c\x02\x6e\0\x02me";
    let resource = |data: &[u8]| {
        let length = u32::try_from(data.len()).expect("short").to_be_bytes();
        let padding = vec![0; data.len() % 2];
        [b"8BIM\x04\x04\0\0", length.as_slice(), data, &padding].concat()
    };
    let others = b"8BIM\x03\xed\0\0\0\0\0\x02ab".as_slice();
    let digest = [b"8BIM\x04\x25\0\0\0\0\0\x10".as_slice(), &[7; 16]].concat();
    for (iptc_kind, order) in [(7, Order::Big), (4, Order::Little)] {
        let mut padded = records.to_vec();
        padded.resize(padded.len().next_multiple_of(4), 0);
        let iptc = if iptc_kind == 4 { padded.as_slice() } else { records };
        let resources = [others, &resource(records), &digest].concat();
        let old = file(
            order,
            &[
                (DESCRIPTION, 2, b"an old description\0"),
                (XMP, 7, b"<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'/>"),
                (IPTC, iptc_kind, iptc),
                (PHOTOSHOP, 7, &resources),
                (KEYWORDS, 1, &keywords),
            ],
        );
        let new = written(&old, "new");
        let seen = view(Picture::parse(&new).expect("a picture").stores());
        assert_eq!(seen.keywords, ["家庭", "a"]);
        assert_eq!(seen.exif.expect("values").keywords.as_deref(), Some("家庭;a"));
        let kinds = [XMP, IPTC, PHOTOSHOP].map(|tag| value(&new, tag).map(|value| value.kind));
        assert_eq!(kinds, [Some(7), Some(iptc_kind), Some(7)]);
        let resources = value(&new, PHOTOSHOP).expect("resources").bytes;
        assert!(resources.starts_with(others));
        let mut among = Stores::default();
        crate::resources::read(&resources, &mut among).expect("resources");
        let records = value(&new, IPTC).expect("records").bytes;
        assert_eq!(super::trimmed(&records), super::trimmed(among.iim.as_ref().expect("records")));
        assert_ne!(among.iim_digest, Some([7; 16]));
        assert!(records.windows(7).any(|window| window == b"\x1c\x02\x6e\0\x02me"));
    }
}

#[test]
fn records_that_were_taken_for_numbers_are_read() {
    let swapped: Vec<u8> = b"\x1c\x02\x19\0\x03old"
        .as_chunks::<4>()
        .0
        .iter()
        .flat_map(|four| four.iter().rev().copied())
        .collect();
    let old = file(Order::Little, &[(IPTC, 4, &swapped)]);
    assert_eq!(view(Picture::parse(&old).expect("a picture").stores()).keywords, ["old"]);
    written(&old, "new");
}

/// Where the first directory of a big-endian file is.
fn first_directory(file: &[u8]) -> usize {
    file[4..8].iter().fold(0, |at, byte| at << 8 | usize::from(*byte))
}

#[test]
fn what_would_break_is_refused() {
    let big = [b"MM\0+\0\x08\0\0".as_slice(), &[0; 8]].concat();
    assert!(matches!(Picture::parse(&big), Err(FormatError::Damaged { .. })));
    let canon = [b"II*\0\x10\0\0\0CR\x02\0".as_slice(), &[0; 20]].concat();
    assert!(matches!(Picture::parse(&canon), Err(FormatError::Unsupported)));
    let describe = |file: &[u8]| {
        let picture = Picture::parse(file).expect("a picture");
        let applied = apply_at(Container::Tiff, picture.stores(), &wish("new"), "2026-01-31T12:00:00Z");
        picture.rewrite(&applied.expect("applied").stores).map(|new| new.bytes)
    };
    let layout = file(Order::Big, &[(DESCRIPTION, 2, b"ImageJ=1.53\nimages=20\0")]);
    assert!(matches!(describe(&layout), Err(FormatError::Unsafe { .. })));
    // A strip that is not all there would go on in what is added.
    let short = file(Order::Big, &[(0x0202, 4, &[0, 1, 0, 0]), (0x0201, 4, &[0, 0, 0, 8])]);
    assert!(matches!(describe(&short), Err(FormatError::Unsafe { .. })));
    let mut looping = file(Order::Big, &[]);
    let first = first_directory(&looping);
    let end = first + 2 + 12 * usize::from(looping[first + 1]);
    let place = looping[4..8].to_vec();
    looping[end..end + 4].copy_from_slice(&place);
    let error = Picture::parse(&looping).expect_err("a loop");
    assert!(error.to_string().contains("leads back to the first"), "{error}");
    // The place of the next directory is cut off.
    assert!(matches!(Picture::parse(&file(Order::Big, &[])[..end + 3]), Err(FormatError::Damaged { .. })));
    for length in 4..file(Order::Big, &[]).len() {
        let cut = &file(Order::Big, &[])[..length];
        if let Ok(picture) = Picture::parse(cut) {
            let _ = picture.rewrite(&Stores { xmp: Some(b"<x/>!".to_vec()), ..picture.stores().clone() });
        }
    }
}

#[test]
fn signed_provenance_is_spoken_of() {
    let old = file(Order::Big, &[(PROVENANCE, 7, b"a manifest")]);
    assert_eq!(rewrite(&old, |stores| stores.xmp = Some(b"<x/>".to_vec())).notes, [Note::Provenance]);
}

/// Every byte, changed in a few ways: refused or written, but never with anything else lost.
#[test]
fn damaged_files_never_lose_anything() {
    let old = file(Order::Little, &[(DESCRIPTION, 2, b"an old description\0"), (XMP, 1, b"<old/>")]);
    let mut good = 0;
    for at in 4..old.len() {
        for value in [0, 1, 0x7F, 0xFF, old[at] ^ 1, old[at].wrapping_add(4)] {
            let mut file = old.clone();
            file[at] = value;
            let Ok(picture) = Picture::parse(&file) else { continue };
            let packet = b"<x:xmpmeta xmlns:x='adobe:ns:meta/'/>";
            let stores = Stores { xmp: Some(packet.to_vec()), ..picture.stores().clone() };
            let Ok(new) = picture.rewrite(&stores) else { continue };
            // Values of others may lie in ours: that is caught before anything is written.
            let verified = crate::verify::verify(&picture, &new, &NOTHING);
            let again = Picture::parse(&new.bytes).expect("a picture again");
            let is_same = (again.stores(), again.foreign()) == (&new.stores, picture.foreign());
            assert_eq!(verified.is_ok(), is_same, "{at}: {value}");
            good += usize::from(is_same);
        }
    }
    assert!(good > 100, "{good}");
}

#[test]
fn descriptions_of_any_length_follow_each_other() {
    for order in [Order::Little, Order::Big] {
        let mut now = file(order, &[]);
        for length in [9, 8, 30, 3, 31, 5, 6, 40, 1, 41] {
            now = written(&now, &"x".repeat(length));
        }
    }
}

#[test]
fn dates_and_positions_are_written_in_either_order() {
    for order in [Order::Little, Order::Big] {
        let old = file(order, &[(DESCRIPTION, 2, b"an old description\0")]);
        let mut wish = wish("new");
        for (field, text) in
            [(Field::DateTaken, "2024-05-01T18:30:05+02:00"), (Field::Position, "48.8584, -2.2945")]
        {
            wish.details.insert(field, Detail::parse(field, text).expect("a value"));
        }
        let picture = Picture::parse(&old).expect("a picture");
        let applied =
            apply_at(Container::Tiff, picture.stores(), &wish, "2026-01-31T12:00:00Z").expect("applied");
        let new = picture.rewrite(&applied.stores).expect("rewritten");
        crate::verify::verify(&picture, &new, &wish).expect("verified");
        let read = exif::Values::read(&new.bytes).expect("a block");
        assert_eq!(
            read.date_taken.map(|date| date.to_string()).as_deref(),
            Some("2024-05-01T18:30:05+02:00")
        );
        assert_eq!(read.position.map(|position| position.to_string()).as_deref(), Some("48.8584, -2.2945"));
    }
}

/// A file after a position was set or removed.
#[track_caller]
fn positioned(file: &[u8], detail: Detail) -> Vec<u8> {
    let wish = Wish { details: Details::from([(Field::Position, detail)]), ..NOTHING };
    let picture = Picture::parse(file).expect("a picture");
    let applied =
        apply_at(Container::Tiff, picture.stores(), &wish, "2026-01-31T12:00:00Z").expect("applied");
    let new = picture.rewrite(&applied.stores).expect("rewritten");
    crate::verify::verify(&picture, &new, &wish).expect("verified");
    new.bytes
}

#[test]
fn the_gps_directory_goes_with_the_last_tag_in_it() {
    let gps = |file: &[u8]| {
        let places = [0, 1, 2, 6].map(|tag| (Ifd::Gps, tag));
        let values = exif::file::values(file, &places, |_| usize::MAX).expect("values");
        values.keys().map(|(_, tag)| *tag).collect::<Vec<u16>>()
    };
    for order in [Order::Little, Order::Big] {
        let position = Detail::parse(Field::Position, "48.8584, -2.2945").expect("a position");
        let new = positioned(&file(order, &[]), position);
        assert_eq!(gps(&new), [0, 1, 2]);
        assert!(gps(&positioned(&new, Detail::Removed)).is_empty());
        let altitude = Raw { kind: 5, bytes: vec![0, 0, 0, 1, 0, 0, 0, 1] };
        let high = exif::file::with(&new, &BTreeMap::from([((Ifd::Gps, 6), Some(altitude))]));
        assert_eq!(gps(&positioned(&high.expect("a file"), Detail::Removed)), [0, 6]);
    }
}

/// A `BigTIFF` with a strip and a description.
fn big(order: Order) -> Vec<u8> {
    let u16 = |value: u16| if order == Order::Big { value.to_be_bytes() } else { value.to_le_bytes() };
    let u64 = |value: u64| if order == Order::Big { value.to_be_bytes() } else { value.to_le_bytes() };
    let mark = if order == Order::Big { b"MM\0+" } else { b"II+\0" };
    let text = b"an old description\0\0";
    let mut bytes = [&mark[..], &u16(8), &u16(0), &[0; 8]].concat();
    let strip = bytes.len() as u64;
    bytes.extend_from_slice(STRIP);
    bytes.resize(bytes.len().next_multiple_of(2), 0);
    let place = bytes.len() as u64;
    bytes.extend_from_slice(text);
    let directory = bytes.len() as u64;
    bytes.extend(u64(3));
    for (tag, kind, count, value) in
        [(0x010E, 2, text.len() as u64, place), (0x0111, 16, 1, strip), (0x0117, 16, 1, STRIP.len() as u64)]
    {
        bytes.extend([&u16(tag)[..], &u16(kind), &u64(count), &u64(value)].concat());
    }
    bytes.extend([0; 8]);
    bytes[8..16].copy_from_slice(&u64(directory));
    bytes
}

#[test]
fn a_large_tiff_is_written_like_a_small_one() {
    for order in [Order::Little, Order::Big] {
        let old = big(order);
        let new = written(&old, "new and quite a bit longer than it was");
        assert!(new.windows(STRIP.len()).any(|window| window == STRIP));
        let read = exif::Values::read(&new).expect("a block");
        assert_eq!(read.description.as_deref(), Some("new and quite a bit longer than it was"));
        let mut wish = wish("new");
        for (field, text) in
            [(Field::DateTaken, "2024-05-01T18:30:05+02:00"), (Field::Position, "48.8584, -2.2945")]
        {
            wish.details.insert(field, Detail::parse(field, text).expect("a value"));
        }
        let picture = Picture::parse(&old).expect("a picture");
        let applied =
            apply_at(Container::Tiff, picture.stores(), &wish, "2026-01-31T12:00:00Z").expect("applied");
        let new = picture.rewrite(&applied.stores).expect("rewritten");
        crate::verify::verify(&picture, &new, &wish).expect("verified");
        let read = exif::Values::read(&new.bytes).expect("a block");
        assert_eq!(read.position.map(|position| position.to_string()).as_deref(), Some("48.8584, -2.2945"));
    }
}
