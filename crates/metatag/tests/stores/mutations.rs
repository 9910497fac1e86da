//! Damaged stores: an error or an answer, never a panic, and never an answer that does not hold.

use metatag::model::{ApplyError, apply_at};
use metatag::resources;
use metatag::stores::Stores;
use metatag::view::view;

use crate::generator::{Picture, Random, mode, picture, wish};

const CASES: u64 = 50_000;
/// How often one picture is damaged.
const EACH: u64 = 25;

/// Pieces that mean something to one of the readers.
const PIECES: &[&[u8]] = &[
    b"<",
    b">",
    b"/>",
    b"</",
    b"&",
    b"&#x0;",
    b"&lt;",
    b"<![CDATA[",
    b"]]>",
    b"<!--",
    b"-->",
    b"<?xpacket end",
    b"\"",
    b"'",
    b"<rdf:RDF>",
    b"</rdf:RDF>",
    b"<rdf:li>",
    b"</rdf:li>",
    b"<rdf:value>",
    b"xmlns:dc=''",
    b"\xEF\xBB\xBF",
    b"\xFF\xFE",
    b"\x1C",
    b"\x1C\x02\x19",
    b"\x80\x04",
    b"\xFF\xFF\xFF\xFF",
    b"\0\0\0\0",
    b"\0",
    b"8BIM",
    b"\x01\x0E",
    b"\x0E\x01",
];

fn damage(random: &mut Random, bytes: &mut Vec<u8>) {
    for _ in 0..=random.below(3) {
        let at = random.below(bytes.len() + 1);
        match random.below(6) {
            0 => bytes.truncate(at),
            1 => {
                let piece = *random.pick(PIECES);
                bytes.splice(at..at, piece.iter().copied());
            }
            2 => {
                let piece = *random.pick(PIECES);
                let end = (at + piece.len()).min(bytes.len());
                bytes.splice(at..end, piece.iter().copied());
            }
            3 => {
                let end = (at + random.below(40)).min(bytes.len());
                bytes.drain(at..end);
            }
            4 => {
                let end = (at + random.below(40)).min(bytes.len());
                let copy = bytes[at..end].to_vec();
                let to = random.below(bytes.len() + 1);
                bytes.splice(to..to, copy);
            }
            _ => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte ^= 1 << random.below(8);
                }
            }
        }
    }
}

/// Damages one store of many pictures, each in several ways. The other stores are left out: they only take time.
fn run(seed: u64, choose: impl Fn(Stores) -> Stores, bytes: impl Fn(&mut Stores) -> Option<&mut Vec<u8>>) {
    let (mut answered, mut tried) = (0, 0);
    for case in 0..CASES / EACH {
        let random = &mut Random(seed + case);
        let Picture { container, stores, .. } = picture(random);
        let whole = choose(stores);
        for round in 0..EACH {
            let mut stores = whole.clone();
            let Some(bytes) = bytes(&mut stores) else { break };
            damage(random, bytes);
            tried += 1;
            let mode = mode(random);
            let wish = wish(random, mode);
            match apply_at(container, &stores, &wish, "2026-01-31T12:00:00Z") {
                Ok(once) => {
                    answered += 1;
                    let twice = apply_at(container, &once.stores, &wish, "later").unwrap();
                    let views = || (&wish, view(&stores), view(&once.stores), view(&twice.stores));
                    assert!(!twice.changed, "case {}, round {round}: {:?}", seed + case, views());
                }
                Err(ApplyError::InvalidText { field }) => panic!("`{field}` is legal"),
                Err(ApplyError::Xmp(_) | ApplyError::Exif(_) | ApplyError::Iim(_)) => {}
            }
        }
    }
    assert!(answered > tried / 20, "only {answered} were answered: the damage is too much to learn from");
}

#[test]
fn damaged_xmp() {
    let choose = |stores: Stores| Stores { xmp: stores.xmp, ..Stores::default() };
    run(1_000_000, choose, |stores| stores.xmp.as_mut());
}

#[test]
fn damaged_exif() {
    let choose = |stores: Stores| Stores { exif: stores.exif, ..Stores::default() };
    run(2_000_000, choose, |stores| stores.exif.as_mut());
}

#[test]
fn damaged_iim() {
    let choose = |stores: Stores| Stores { iim: stores.iim, ..Stores::default() };
    run(3_000_000, choose, |stores| stores.iim.as_mut());
}

/// Damage that shows in one store may come to light in another.
#[test]
fn several_damaged_stores() {
    run(4_000_000, |stores| stores, |stores| stores.iim.as_mut());
    run(5_000_000, |stores| stores, |stores| stores.exif.as_mut());
}

/// Packets and records that a picture should not have besides, and the packet that continues the first.
#[test]
fn damaged_further_stores() {
    run(6_000_000, |stores| stores, |stores| stores.further_xmp.first_mut());
    run(7_000_000, |stores| stores, |stores| stores.extended_xmp.as_mut());
    run(8_000_000, |stores| stores, |stores| stores.further_iim.first_mut());
}

#[test]
fn damaged_resources() {
    let block = |id: u16, data: &[u8]| {
        let length = u32::try_from(data.len()).unwrap().to_be_bytes();
        [b"8BIM", &id.to_be_bytes()[..], b"\x02ab\0", &length, data].concat()
    };
    let whole = [block(0x0404, b"abcd"), block(0x0421, b"ef"), block(0x0425, &[1; 16])].concat();
    for case in 0..CASES {
        let random = &mut Random(case);
        let mut bytes = whole.clone();
        damage(random, &mut bytes);
        let mut stores = Stores::default();
        if resources::read(&bytes, &mut stores).is_ok() {
            assert_eq!(resources::write(&bytes, &stores).unwrap(), bytes);
            stores.iim = Some(b"other".to_vec());
            stores.iim_digest = Some([2; 16]);
            let written = resources::write(&bytes, &stores).unwrap();
            let mut again = Stores::default();
            resources::read(&written, &mut again).unwrap();
            assert_eq!(again, stores, "case {case}");
        }
    }
}
