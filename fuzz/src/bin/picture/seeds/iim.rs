//! IPTC records: with and without the mark of UTF-8, in Latin-1, with a long length.

use crate::mutate::Seeds;
use crate::seeds::length16;

fn record(kind: u8, number: u8, data: &[u8]) -> Vec<u8> {
    [&[0x1C, kind, number], length16(data.len()).as_slice(), data].concat()
}

pub(crate) fn one() -> Vec<u8> {
    [
        record(1, 90, b"\x1b%G"),
        record(2, 0, b"\0\x04"),
        record(2, 25, "家庭".as_bytes()),
        record(2, 80, b"Ada"),
        record(2, 120, b"old"),
    ]
    .concat()
}

pub(crate) fn seeds() -> Seeds {
    let latin =
        [record(2, 0, b"\0\x02"), record(2, 25, b"Gr\xFC\xDFe"), record(2, 92, b"Z\xFCrich")].concat();
    let mac = [record(1, 90, b"\x1b/A"), record(2, 25, b"Tr\x9Fbiger"), record(3, 10, b"x")].concat();
    let long =
        [&[0x1C, 2, 120, 0x80, 4, 0, 0, 0, 3], b"old".as_slice(), &record(2, 25, b"a"), b"\0\0"].concat();
    Seeds {
        whole: vec![one(), latin, mac, long, Vec::new()],
        pieces: vec![
            b"\x1C\x02\x19\0\x03",
            b"\x1C\x01\x5A\0\x03\x1b%G",
            b"\x1C\x02\x78\x80\x04\0\0\0\x05",
            b"\x1C",
            b"\xFF\xFE",
            b"\0",
        ],
    }
}
