//! A HEIC picture as phones write them: a list of items, then their data.

/// The data of the picture; nobody decodes it here.
pub(crate) const DATA: &[u8] = b"\0\0\0\x18 the data of one picture";

fn make(kind: [u8; 4], parts: &[&[u8]]) -> Vec<u8> {
    let length = u32::try_from(8 + parts.iter().map(|part| part.len()).sum::<usize>()).expect("short");
    let mut bytes = [length.to_be_bytes(), kind].concat();
    for part in parts {
        bytes.extend_from_slice(part);
    }
    bytes
}

fn meta(coding: [u8; 4], place: u32) -> Vec<u8> {
    let item = make(*b"infe", &[&[2, 0, 0, 0], &[0, 1], &[0, 0], &coding, b"\0"]);
    let size = make(*b"ispe", &[&[0; 4], &[0, 0, 0, 64], &[0, 0, 0, 48]]);
    let places = [
        &[0, 0, 0, 0, 0x44, 0, 0, 1, 0, 1, 0, 0, 0, 1],
        place.to_be_bytes().as_slice(),
        &u32::try_from(DATA.len()).expect("short").to_be_bytes(),
    ]
    .concat();
    make(
        *b"meta",
        &[
            &[0; 4],
            &make(*b"hdlr", &[&[0; 8], b"pict", &[0; 13]]),
            &make(*b"pitm", &[&[0, 0, 0, 0, 0, 1]]),
            &make(*b"iinf", &[&[0, 0, 0, 0, 0, 1], &item]),
            &make(
                *b"iprp",
                &[&make(*b"ipco", &[&size]), &make(*b"ipma", &[&[0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 1, 0x81]])],
            ),
            &make(*b"iloc", &[&places]),
        ],
    )
}

pub(crate) fn picture() -> Vec<u8> {
    picture_of(*b"heic", *b"hvc1")
}

/// A picture of another brand and coding, in the same boxes.
pub(crate) fn picture_of(brand: [u8; 4], coding: [u8; 4]) -> Vec<u8> {
    let kind = make(*b"ftyp", &[&brand, b"\0\0\0\0mif1", &brand]);
    let place = u32::try_from(kind.len() + meta(coding, 0).len() + 8).expect("short");
    [kind, meta(coding, place), make(*b"mdat", &[DATA])].concat()
}
