//! HEIC files: bare, with metadata in the file and within the list of items, in every version of it, with a trailer.

use crate::mutate::Seeds;
use crate::seeds::{exif, length16, length32, xmp};

pub(super) fn make(kind: [u8; 4], parts: &[&[u8]]) -> Vec<u8> {
    let data = parts.concat();
    let length = u32::try_from(data.len() + 8).unwrap_or_default();
    [length.to_be_bytes().as_slice(), &kind, &data].concat()
}

/// What tells formats with these boxes apart.
pub(super) struct Coding {
    pub(super) brands: &'static [u8],
    /// The type of the picture's item.
    pub(super) picture: &'static [u8],
}

struct Item {
    kind: &'static [u8],
    data: Vec<u8>,
}

/// Where the list says that items are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// In the file.
    File,
    /// In a box of the list itself.
    List,
}

fn place_of(index: usize, items: &[Item], version: u8, place: Place, start: usize) -> Vec<u8> {
    let offset: usize = start + items[..index].iter().map(|item| item.data.len()).sum::<usize>();
    let number = length16(index + 1);
    let id: Vec<u8> = if version == 2 { [[0, 0], number].concat() } else { number.to_vec() };
    let construction: &[u8] = match (version, place) {
        (0, _) => &[],
        (_, Place::File) => &[0, 0],
        (_, Place::List) => &[0, 1],
    };
    let offset = u32::try_from(offset).unwrap_or_default().to_be_bytes();
    [&id, construction, &[0, 0, 0, 1], &offset, &length32(&items[index].data)].concat()
}

fn meta(items: &[Item], version: u8, place: Place, start: usize) -> Vec<u8> {
    let count = length16(items.len());
    let wide: &[u8] = if version == 2 { &[0, 0] } else { &[] };
    let (mut infos, mut places, mut links) = (Vec::new(), Vec::new(), Vec::new());
    for (index, item) in items.iter().enumerate() {
        infos.extend(make(*b"infe", &[&[2, 0, 0, 0], &length16(index + 1), &[0, 0], item.kind]));
        places.extend(place_of(index, items, version, place, start));
        if index > 0 {
            links.extend(make(*b"cdsc", &[&length16(index + 1), &[0, 1, 0, 1]]));
        }
    }
    let data: Vec<u8> = items.iter().flat_map(|item| item.data.clone()).collect();
    let links = if links.is_empty() { links } else { make(*b"iref", &[&[0; 4], &links]) };
    let inside = if place == Place::List { make(*b"idat", &[&data]) } else { Vec::new() };
    make(
        *b"meta",
        &[
            &[0; 4],
            &make(*b"hdlr", &[&[0; 8], b"pict", &[0; 13]]),
            &make(*b"pitm", &[&[0, 0, 0, 0, 0, 1]]),
            &make(*b"iloc", &[&[version, 0, 0, 0, 0x44, 0], wide, &count, &places]),
            &make(*b"iinf", &[&[0; 4], &count, &infos]),
            &links,
            &make(
                *b"iprp",
                &[
                    &make(*b"ipco", &[&make(*b"ispe", &[&[0; 12]])]),
                    &make(*b"ipma", &[&[0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 1, 0x81]]),
                ],
            ),
            &inside,
        ],
    )
}

fn file(coding: &Coding, items: &[Item], version: u8, place: Place, trailer: &[u8]) -> Vec<u8> {
    let head = make(*b"ftyp", &[coding.brands]);
    let start = match place {
        Place::File => head.len() + meta(items, version, place, 0).len() + 8,
        Place::List => 0,
    };
    let data: Vec<u8> = items.iter().flat_map(|item| item.data.clone()).collect();
    let media = if place == Place::File { make(*b"mdat", &[&data]) } else { Vec::new() };
    [head, meta(items, version, place, start), media, trailer.to_vec()].concat()
}

fn picture(coding: &Coding) -> Item {
    Item { kind: coding.picture, data: b"\0\0\0\x04data".to_vec() }
}

/// A picture without metadata; its data comes last.
pub(super) fn plain(coding: &Coding) -> Vec<u8> {
    file(coding, &[picture(coding)], 0, Place::File, b"")
}

pub(crate) fn seeds() -> Seeds {
    seeds_of(&Coding { brands: b"heic\0\0\0\0mif1heic", picture: b"hvc1\0" })
}

pub(super) fn seeds_of(coding: &Coding) -> Seeds {
    let items = || {
        let exif = [b"\0\0\0\x06Exif\0\0".as_slice(), &exif::one()].concat();
        vec![
            picture(coding),
            Item { kind: b"Exif\0", data: exif },
            Item { kind: b"mime\0application/rdf+xml\0", data: xmp::one() },
        ]
    };
    let trailer = [make(*b"free", &[&[0; 40]]), make(*b"sefd", &[b"SEFH"])].concat();
    let endless = b"\0\0\0\0mdatrest";
    let mut whole = vec![plain(coding), file(coding, &[picture(coding)], 1, Place::List, endless)];
    for version in 0..3 {
        whole.push(file(coding, &items(), version, Place::File, b""));
        whole.push(file(coding, &items(), version, Place::File, &trailer));
    }
    whole.push(file(coding, &items(), 1, Place::List, &trailer));
    Seeds {
        whole,
        pieces: vec![
            b"ftyp",
            b"meta",
            b"mdat",
            b"iloc",
            b"iinf",
            b"infe",
            b"iref",
            b"cdsc",
            b"idat",
            b"free",
            b"moov",
            b"stco",
            b"co64",
            b"Exif",
            b"mime",
            b"\0\0\0\x01",
            b"\0\0\0\x08free",
            b"\0\0\0\0",
            b"\0\0\0\x0Csefdabcd",
            b"heic",
            b"mif1",
        ],
    }
}
