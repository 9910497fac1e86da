//! What raw pictures and videos say themselves. They are read and never written.

use super::heic::boxes::{self, Span};
use super::tiff::Tiff;
use crate::stores::Stores;

/// The kind of a `uuid` box with XMP.
const XMP: [u8; 16] = 0xBE7A_CFCB_97A9_42E8_9C71_9994_91E3_AFAC_u128.to_be_bytes();
/// A longer packet is not read.
const MOST_BYTES: usize = 16 << 20;

/// The metadata blocks that we find in a raw picture or video. Of formats whose insides only their makers know, none.
pub(crate) fn stores(file: &[u8]) -> Option<Stores> {
    match file.first_chunk()? {
        b"II*\0" | b"MM\0*" => Some(Tiff::parse(file).ok()?.stores().clone()),
        _ => Some(Stores { xmp: Some(packet(file)?.to_vec()), ..Stores::default() }),
    }
}

/// The packet of a film or of Canon's newest raw format: in a box of its own, or where `QuickTime` has it.
fn packet(file: &[u8]) -> Option<&[u8]> {
    let (all, _) = boxes::read(file, 0..file.len());
    let alone = all.iter().find_map(|span| in_uuid(file, span));
    let packet = alone.or_else(|| {
        let moov = all.iter().find(|span| span.is(*b"moov"))?;
        let (inside, _) = boxes::read(file, moov.content());
        let with_data = inside.iter().filter(|span| span.is(*b"udta"));
        let mut data = with_data.flat_map(|span| boxes::read(file, span.content()).0);
        let packet = data.find(|span| span.is(*b"XMP_")).and_then(|span| file.get(span.content()));
        packet.or_else(|| inside.iter().find_map(|span| in_uuid(file, span)))
    });
    packet.filter(|packet| packet.len() <= MOST_BYTES)
}

fn in_uuid<'f>(file: &'f [u8], span: &Span) -> Option<&'f [u8]> {
    file.get(span.content()).filter(|_| span.is(*b"uuid"))?.strip_prefix(&XMP)
}

#[cfg(test)]
mod tests {
    use super::{XMP, boxes, stores};

    const PACKET: &[u8] = b"<x:xmpmeta xmlns:x='adobe:ns:meta/'/>";

    fn boxed(kind: [u8; 4], parts: &[&[u8]]) -> Vec<u8> {
        boxes::make(kind, parts).expect("short")
    }

    #[test]
    fn films_have_their_packet_in_one_of_three_places() {
        let kind = boxed(*b"ftyp", &[b"qt  \0\0\0\0"]);
        let uuid = boxed(*b"uuid", &[&XMP, PACKET]);
        let other = boxed(*b"uuid", &[&[7; 16], PACKET]);
        let data = boxed(*b"udta", &[&boxed(*b"XMP_", &[PACKET])]);
        for file in [
            [&kind[..], &other, &uuid].concat(),
            [kind.clone(), boxed(*b"moov", &[&data])].concat(),
            [kind.clone(), boxed(*b"moov", &[&other, &uuid])].concat(),
        ] {
            assert_eq!(stores(&file).and_then(|stores| stores.xmp).as_deref(), Some(PACKET));
        }
        assert_eq!(stores(&[kind, other].concat()), None);
        assert_eq!(stores(b"FUJIFILMCCD-RAW 0201"), None);
        assert_eq!(stores(b""), None);
    }
}
