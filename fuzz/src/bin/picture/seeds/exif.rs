//! EXIF blocks in both byte orders, with and without a description, with a directory within and a second one.

use crate::mutate::Seeds;

/// The byte order of a block.
#[derive(Clone, Copy)]
pub(super) enum Order {
    Little,
    Big,
}

impl Order {
    pub(super) fn short(self, number: u16) -> [u8; 2] {
        match self {
            Order::Little => number.to_le_bytes(),
            Order::Big => number.to_be_bytes(),
        }
    }

    pub(super) fn long(self, number: u32) -> [u8; 4] {
        match self {
            Order::Little => number.to_le_bytes(),
            Order::Big => number.to_be_bytes(),
        }
    }
}

pub(super) struct Entry {
    tag: u16,
    kind: u16,
    count: u32,
    value: u32,
}

impl Entry {
    pub(super) fn tag(&self) -> u16 {
        self.tag
    }
}

pub(super) const fn entry(tag: u16, kind: u16, count: u32, value: u32) -> Entry {
    Entry { tag, kind, count, value }
}

pub(super) fn directory(order: Order, entries: &[Entry], next: u32) -> Vec<u8> {
    let mut bytes = order.short(u16::try_from(entries.len()).unwrap_or_default()).to_vec();
    for entry in entries {
        bytes.extend(order.short(entry.tag));
        bytes.extend(order.short(entry.kind));
        bytes.extend(order.long(entry.count));
        match (entry.kind, order) {
            (3, Order::Big) => bytes.extend(order.long(entry.value << 16)),
            _ => bytes.extend(order.long(entry.value)),
        }
    }
    bytes.extend(order.long(next));
    bytes
}

fn block(order: Order, description: Option<Entry>) -> Vec<u8> {
    let mark = match order {
        Order::Little => *b"II",
        Order::Big => *b"MM",
    };
    let mut entries: Vec<Entry> = description.into_iter().collect();
    entries.extend([
        entry(0x010F, 2, 9, 200),
        entry(0x0112, 3, 1, 1),
        entry(0x8769, 4, 1, 120),
        // Keywords of Windows, in two-byte characters.
        entry(0x9C9E, 1, 8, 210),
    ]);
    let mut bytes = [mark.as_slice(), &order.short(42), &order.long(8)].concat();
    bytes.extend(directory(order, &entries, 170));
    bytes.resize(120, 0);
    bytes.extend(directory(order, &[entry(0x8827, 3, 1, 200), entry(0x927C, 7, 12, 220)], 0));
    bytes.resize(170, 0);
    bytes.extend(directory(order, &[entry(0x0103, 3, 1, 6)], 0));
    bytes.resize(200, 0);
    bytes.extend(b"Deskmate\0\0a\0b\0c\0\0\0\0\0MAKERNOTE123old text\0");
    bytes
}

pub(crate) fn one() -> Vec<u8> {
    block(Order::Little, Some(entry(0x010E, 2, 9, 232)))
}

pub(crate) fn seeds() -> Seeds {
    let whole = [Order::Little, Order::Big].into_iter().flat_map(|order| {
        [None, Some(entry(0x010E, 2, 9, 232)), Some(entry(0x010E, 2, 4, 0x0064_6C6F))]
            .map(|description| block(order, description))
    });
    Seeds {
        whole: whole.chain([b"II*\0\x08\0\0\0\0\0\0\0\0\0".to_vec()]).collect(),
        pieces: vec![
            b"II*\0\x08\0\0\0",
            b"MM\0*\0\0\0\x08",
            b"\x0E\x01\x02\0",
            b"\x01\x0E\0\x02",
            b"\x69\x87\x04\0",
            b"\0\0\0\0",
        ],
    }
}
