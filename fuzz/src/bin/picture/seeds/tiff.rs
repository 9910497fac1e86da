//! TIFF files in both byte orders: bare, with two pages and a picture within, and with every block of metadata.

use crate::mutate::Seeds;
use crate::seeds::exif::{Entry, Order, directory, entry};
use crate::seeds::{iim, length32, xmp};

/// Where the values are: behind the directories, which have room up to there.
const VALUES: usize = 400;

/// A value behind the directories.
struct Value {
    tag: u16,
    kind: u16,
    bytes: Vec<u8>,
}

fn file(order: Order, values: &[Value]) -> Vec<u8> {
    let mark = match order {
        Order::Little => *b"II",
        Order::Big => *b"MM",
    };
    let strip = b"pixels of the picture";
    let place = |at: usize| u32::try_from(at).unwrap_or_default();
    let strip_of = |tags: (u16, u16)| [entry(tags.0, 4, 1, place(VALUES)), entry(tags.1, 4, 1, 21)];
    let mut entries: Vec<Entry> = vec![entry(0x0100, 3, 1, 7), entry(0x0101, 3, 1, 3)];
    entries.extend(strip_of((0x0111, 0x0117)));
    entries.push(entry(0x014A, 4, 1, 300));
    let mut data = strip.to_vec();
    for value in values {
        data.resize(data.len().next_multiple_of(2), 0);
        let size = if value.kind == 4 { 4 } else { 1 };
        let count = place(value.bytes.len() / size);
        entries.push(entry(value.tag, value.kind, count, place(VALUES + data.len())));
        data.extend(&value.bytes);
    }
    entries.sort_by_key(Entry::tag);
    let mut bytes = [mark.as_slice(), &order.short(42), &order.long(8)].concat();
    bytes.extend(directory(order, &entries, 240));
    bytes.resize(240, 0);
    bytes.extend(directory(order, &strip_of((0x0111, 0x0117)), 0));
    bytes.resize(300, 0);
    bytes.extend(directory(order, &strip_of((0x0144, 0x0145)), 0));
    bytes.resize(VALUES, 0);
    bytes.extend(data);
    bytes
}

pub(crate) fn seeds() -> Seeds {
    let mut records = iim::one();
    records.resize(records.len().next_multiple_of(4), 0);
    let resources = [b"8BIM\x04\x04\0\0".as_slice(), &length32(&records), &records].concat();
    let description = || Value { tag: 0x010E, kind: 2, bytes: b"old text\0".to_vec() };
    let packet = || Value { tag: 700, kind: 1, bytes: xmp::one() };
    let mut whole = Vec::new();
    for order in [Order::Little, Order::Big] {
        whole.push(file(order, &[]));
        whole.push(file(order, &[description(), packet()]));
        whole.push(file(
            order,
            &[
                packet(),
                description(),
                Value { tag: 33_723, kind: 4, bytes: records.clone() },
                Value { tag: 34_377, kind: 1, bytes: resources.clone() },
                Value { tag: 0x9C9E, kind: 1, bytes: b"a\0;\0b\0\0\0".to_vec() },
            ],
        ));
        whole.push(file(order, &[Value { tag: 33_723, kind: 7, bytes: iim::one() }]));
    }
    Seeds {
        whole,
        pieces: vec![
            b"II*\0\x08\0\0\0",
            b"MM\0*\0\0\0\x08",
            b"\x0E\x01\x02\0",
            b"\x01\x0E\0\x02",
            b"\xBC\x02\x01\0",
            b"\x02\xBC\0\x01",
            b"\x4A\x01\x04\0",
            b"\x01\x4A\0\x04",
            b"8BIM\x04\x04\0\0",
            b"8BIM\x04\x25\0\0\0\0\0\x10",
            b"\0\0\0\0",
        ],
    }
}
