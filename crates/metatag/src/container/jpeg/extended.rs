//! The segments of a packet that continues the first one: its name, its length, where the part belongs, the part.

use crate::bytes::u32_be;
use crate::xmp::extended::name;

pub(super) const HEADER: &[u8] = b"http://ns.adobe.com/xmp/extension/\0";
/// The MD5 of the packet, in hexadecimal digits.
const NAME: usize = 32;
const START: usize = HEADER.len() + NAME + 8;
/// What the XMP specification puts into one segment.
const PART: usize = 65_458;

/// Whether a segment belongs to the packet of this name.
pub(super) fn is_named(payload: &[u8], name: &str) -> bool {
    let found = payload.get(HEADER.len()..HEADER.len() + NAME);
    found.is_some_and(|found| found.eq_ignore_ascii_case(name.as_bytes()))
}

/// The packet from its segments, which may come in any order; nothing where one is missing.
pub(super) fn join<'p>(payloads: impl Iterator<Item = &'p [u8]>) -> Option<Vec<u8>> {
    let mut length = None;
    let mut parts: Vec<(usize, &[u8])> = Vec::new();
    for payload in payloads {
        let whole = usize::try_from(u32_be(payload, HEADER.len() + NAME)?).ok()?;
        if *length.get_or_insert(whole) != whole {
            return None;
        }
        let at = usize::try_from(u32_be(payload, HEADER.len() + NAME + 4)?).ok()?;
        parts.push((at, payload.get(START..)?));
    }
    parts.sort_by_key(|(at, _)| *at);
    let mut packet = Vec::new();
    for (at, part) in parts {
        if at != packet.len() {
            return None;
        }
        packet.extend_from_slice(part);
    }
    (Some(packet.len()) == length).then_some(packet)
}

/// The contents of the segments of a packet.
pub(super) fn parts(packet: &[u8]) -> Option<Vec<Vec<u8>>> {
    let length = u32::try_from(packet.len()).ok()?;
    let name = name(packet);
    let mut parts = Vec::new();
    for (number, part) in packet.chunks(PART).enumerate() {
        let at = u32::try_from(number * PART).ok()?;
        parts.push([HEADER, name.as_bytes(), &length.to_be_bytes(), &at.to_be_bytes(), part].concat());
    }
    Some(parts)
}
