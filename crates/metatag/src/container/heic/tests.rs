use super::super::{FormatError, Picture, Rewritten, detect};
use super::boxes::make;
use super::items::{describes, new_info};
use crate::model::{Details, Mode, Modified, Note, Wish};
use crate::stores::{Container, Stores};

const NOTHING: Wish = Wish {
    tags: None,
    description: None,
    people: None,
    location: None,
    details: Details::new(),
    mode: Mode::Overwrite,
    modified: Modified::Now,
};

const TIFF: &[u8] = b"II*\0\x08\0\0\0\0\0\0\0\0\0";
const PICTURE: &[u8] = b"the picture, as it was taken";
const GAIN: &[u8] = b"the gain map";

/// How a file is built.
#[derive(Clone, Copy)]
struct Built {
    /// Of `iloc`.
    version: u8,
    /// Whether places are counted from a base of their own.
    base: bool,
    /// The first EXIF block and packet; the packet lies in `idat`, if that can be said.
    exif: Option<&'static [u8]>,
    xmp: Option<&'static [u8]>,
    free: usize,
    /// Whether the picture comes before the list of items.
    data_first: bool,
    trailer: &'static [u8],
    /// Whether the last box says "to the end of the file".
    open: bool,
}

const PLAIN: Built = Built {
    version: 1,
    base: false,
    exif: None,
    xmp: None,
    free: 0,
    data_first: false,
    trailer: b"",
    open: false,
};

fn bytes(kind: [u8; 4], parts: &[&[u8]]) -> Vec<u8> {
    make(kind, parts).expect("short")
}

fn build(built: Built) -> Vec<u8> {
    // Where the data is depends on how long the list is, which does not depend on where the data is.
    let meta = meta(built, 0);
    let ftyp = bytes(*b"ftyp", &[b"heic\0\0\0\0mif1heic"]);
    let free = if built.free == 0 { Vec::new() } else { bytes(*b"free", &[&vec![0; built.free - 8]]) };
    let exif = built.exif.map(|tiff| [b"\0\0\0\x06Exif\0\0", tiff].concat()).unwrap_or_default();
    let mut mdat = bytes(*b"mdat", &[PICTURE, GAIN, &exif]);
    if built.open {
        mdat[..4].fill(0);
    }
    let before = if built.data_first { ftyp.len() } else { ftyp.len() + meta.len() + free.len() };
    let meta = self::meta(built, before + 8);
    let (first, second, third) = if built.data_first { (mdat, meta, free) } else { (meta, free, mdat) };
    [ftyp, first, second, third, built.trailer.to_vec()].concat()
}

fn meta(built: Built, data: usize) -> Vec<u8> {
    let mut infos = vec![new_info(10, *b"hvc1", b""), new_info(20, *b"hvc1", b"")];
    let mut references = vec![bytes(*b"auxl", &[&[0, 20, 0, 1, 0, 10]])];
    let mut places = vec![(10_u16, 0_u16, data, PICTURE.len()), (20, 0, data + PICTURE.len(), GAIN.len())];
    let mut idat = Vec::new();
    if let Some(tiff) = built.exif {
        infos.push(new_info(30, *b"Exif", b""));
        references.push(describes(30, 10, false).expect("short"));
        places.push((30, 0, data + PICTURE.len() + GAIN.len(), tiff.len() + 10));
    }
    // The gain map has a packet of its own, which is not the picture's.
    infos.push(new_info(40, *b"mime", b"application/rdf+xml"));
    references.push(describes(40, 20, false).expect("short"));
    places.push((40, 0, data + 1, 4));
    if let Some(packet) = built.xmp {
        infos.push(new_info(50, *b"mime", b"application/rdf+xml"));
        references.push(describes(50, 10, false).expect("short"));
        idat = bytes(*b"idat", &[b"grid", packet]);
        places.push((50, 1, 4, packet.len()));
    }
    let count = |list: usize| u16::try_from(list).expect("short").to_be_bytes();
    let infos: Vec<Vec<u8>> = infos.into_iter().map(|info| info.expect("short")).collect();
    let mut iloc = vec![built.version, 0, 0, 0, 0x44, if built.base { 0x40 } else { 0 }];
    match built.version {
        2 => iloc.extend(u32::try_from(places.len()).expect("short").to_be_bytes()),
        _ => iloc.extend(count(places.len())),
    }
    for (id, method, place, length) in places {
        match built.version {
            2 => iloc.extend(u32::from(id).to_be_bytes()),
            _ => iloc.extend(id.to_be_bytes()),
        }
        if built.version > 0 {
            iloc.extend(method.to_be_bytes());
        }
        iloc.extend([0, 0]);
        let number = |number: usize| u32::try_from(number).expect("short").to_be_bytes();
        let (base, offset) = if built.base { (place.saturating_sub(3), place.min(3)) } else { (0, place) };
        if built.base {
            iloc.extend(number(base));
        }
        iloc.extend([0, 1]);
        iloc.extend(number(offset));
        iloc.extend(number(length));
    }
    bytes(
        *b"meta",
        &[
            &[0; 4],
            &bytes(*b"hdlr", &[&[0; 8], b"pict", &[0; 13]]),
            &bytes(*b"pitm", &[&[0, 0, 0, 0, 0, 10]]),
            &bytes(*b"iinf", &[&[0; 4], &count(infos.len()), &infos.concat()]),
            &bytes(*b"iref", &[&[0; 4], &references.concat()]),
            &bytes(*b"iprp", &[b"properties"]),
            &idat,
            &bytes(*b"iloc", &[&iloc]),
        ],
    )
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

fn both(stores: &mut Stores) {
    stores.exif = Some([TIFF, b"and a description"].concat());
    stores.xmp = Some(b"<a packet that is longer than the old one/>".to_vec());
}

fn all() -> Vec<Built> {
    let mut all = Vec::new();
    for version in [0, 1, 2] {
        for base in [false, true] {
            for (exif, data_first) in [(None, false), (Some(TIFF), false), (Some(TIFF), true)] {
                for (free, trailer) in [(0, b"".as_slice()), (64, b"\0\0\0\x0csefdlast"), (400, b"no box")] {
                    let xmp = (version > 0 && data_first).then_some(b"<old/>".as_slice());
                    all.push(Built { version, base, exif, xmp, free, data_first, trailer, open: false });
                }
            }
        }
    }
    all
}

#[test]
fn every_layout_takes_both_blocks_and_keeps_the_rest() {
    for built in all() {
        let old = build(built);
        assert_eq!(rewrite(&old, |_| ()).bytes, old);
        let new = rewrite(&old, both);
        assert!(new.bytes.ends_with(built.trailer), "a trailer is found from the end");
        // The same again, and shorter again, are written into the same places.
        assert_eq!(rewrite(&new.bytes, both).bytes, new.bytes);
        let shorter = rewrite(&new.bytes, |stores| stores.xmp = Some(b"<x/>".to_vec()));
        assert_eq!(shorter.bytes.len(), new.bytes.len());
        // Longer ones take the place of the box that held only them.
        let longer = rewrite(&new.bytes, |stores| {
            stores.exif = Some(vec![7; 100]);
            stores.xmp = Some(vec![b' '; 100]);
        });
        assert!(longer.bytes.len() < new.bytes.len() + 200, "the old box of ours is gone");
        let without = rewrite(&new.bytes, |stores| (stores.exif, stores.xmp) = (None, None));
        if (built.exif, built.xmp, built.free) == (None, None, 0) {
            assert_eq!(without.bytes, old, "nothing of ours is left");
        }
    }
}

/// exiv2 reads the base alone, so a place beside it is lost to it.
#[test]
fn where_items_have_a_base_the_place_of_ours_is_in_it() {
    let new = rewrite(&build(Built { version: 0, base: true, ..PLAIN }), both).bytes;
    let at = new.windows(4).position(|window| window == b"Exif").expect("the item");
    let id = *new[at - 4..].first_chunk::<2>().expect("its id");
    let iloc = new.windows(4).position(|window| window == b"iloc").expect("the places");
    // Version 0: the id, the data reference, the base, the number of extents, then offset and length.
    let entry = (iloc + 12..new.len() - 18)
        .map(|at| &new[at..at + 18])
        .find(|entry| entry[..4] == [id[0], id[1], 0, 0] && entry[8..10] == [0, 1])
        .expect("its entry");
    assert_ne!(entry[4..8], [0; 4], "the base");
    assert_eq!(entry[10..14], [0; 4], "the offset");
}

#[test]
fn a_free_box_behind_the_list_is_used_so_that_nothing_moves() {
    let old = build(Built { free: 400, ..PLAIN });
    let new = rewrite(&old, both).bytes;
    let at = |file: &[u8]| file.windows(PICTURE.len()).position(|window| window == PICTURE);
    assert_eq!(at(&new), at(&old));
}

#[test]
fn a_box_that_goes_to_the_end_of_the_file_gets_a_length() {
    rewrite(&build(Built { open: true, ..PLAIN }), both);
}

#[test]
fn the_packet_of_a_gain_map_is_not_the_pictures() {
    let file = build(PLAIN);
    let picture = Picture::parse(&file).expect("a picture");
    assert_eq!(picture.stores().xmp, None);
}

#[test]
fn an_old_list_without_a_version_is_read() {
    let mut file = build(PLAIN);
    let at = file.windows(4).position(|window| window == b"meta").expect("a list") - 4;
    let length = u32::from_be_bytes(*file[at..].first_chunk().expect("a length")) - 4;
    file[at..at + 4].copy_from_slice(&length.to_be_bytes());
    file.drain(at + 8..at + 12);
    // The places are four too high now, so the data gets four more bytes before it.
    let data = file.windows(4).position(|window| window == b"mdat").expect("data") - 4;
    file.splice(data..data, *b"\0\0\0\x0cfree\0\0\0\0");
    let at = data + 12;
    file.drain(at..at + 8);
    let rest = file.split_off(at);
    file.truncate(data);
    file.extend_from_slice(&bytes(*b"mdat", &[&[0; 4], &rest]));
    rewrite(&file, both);
}

#[test]
fn a_sequence_follows_its_data() {
    let place = |file: &[u8]| {
        let at = file.windows(4).position(|window| window == b"stco").expect("a table") + 12;
        usize::try_from(u32::from_be_bytes(*file[at..].first_chunk().expect("a place"))).expect("short")
    };
    let moov = |place: usize| {
        let place = u32::try_from(place).expect("short").to_be_bytes();
        let mut table = bytes(*b"stco", &[&[0, 0, 0, 0, 0, 0, 0, 1], &place]);
        for folder in [b"stbl", b"minf", b"mdia", b"trak", b"moov"] {
            table = bytes(*folder, &[&table]);
        }
        table
    };
    let mut old = build(PLAIN);
    let picture = old.windows(PICTURE.len()).position(|window| window == PICTURE).expect("the picture");
    old.extend(moov(picture));
    let new = rewrite(&old, both).bytes;
    assert!(new[place(&new)..].starts_with(PICTURE));
    assert_ne!(place(&new), place(&old));
    let with_fragments = [old, bytes(*b"mfra", &[])].concat();
    let picture = Picture::parse(&with_fragments).expect("a picture");
    let mut stores = Stores::default();
    both(&mut stores);
    assert!(matches!(picture.rewrite(&stores), Err(FormatError::Unsafe { .. })));
}

#[test]
fn brands_decide_what_it_is() {
    let with = |brands: &[u8]| [bytes(*b"ftyp", &[brands]), build(PLAIN).split_off(24)].concat();
    for brands in [b"heic\0\0\0\0".as_slice(), b"heix\0\0\0\0mif1", b"mif1\0\0\0\0heic", b"mif1\0\0\0\0mif1"]
    {
        assert!(!matches!(Picture::parse(&with(brands)), Err(FormatError::Unsupported)), "{brands:?}");
    }
    for brands in [b"mp42\0\0\0\0isom".as_slice(), b"qt  heic"] {
        assert!(matches!(Picture::parse(&with(brands)), Err(FormatError::Unsupported)), "{brands:?}");
    }
    for brands in [b"avif\0\0\0\0mif1miaf".as_slice(), b"avis\0\0\0\0msf1", b"mif1\0\0\0\0avifMA1B"] {
        assert_eq!(detect(&with(brands)), Some(Container::Avif), "{brands:?}");
    }
}

/// The file with the packet compressed: the name of the coding and the bytes take the place of an uncompressed item.
fn compressed(name: &[u8], payload: &'static [u8]) -> Vec<u8> {
    let mut file = build(Built { xmp: Some(payload), ..PLAIN });
    let old = new_info(50, *b"mime", b"application/rdf+xml").expect("short");
    let new = bytes(*b"infe", &[&old[8..], name, b"\0"]);
    let grow = |file: &mut Vec<u8>, kind: &[u8; 4]| {
        let at = file.windows(4).position(|window| window == kind).expect("a box") - 4;
        let length = u32::from_be_bytes(*file[at..].first_chunk().expect("a length"));
        let longer = length + u32::try_from(new.len() - old.len()).expect("short");
        file[at..at + 4].copy_from_slice(&longer.to_be_bytes());
    };
    grow(&mut file, b"meta");
    grow(&mut file, b"iinf");
    let at = file.windows(old.len()).position(|window| window == old).expect("the item");
    file.splice(at..at + old.len(), new.iter().copied());
    // The picture has moved: its places are counted in the data of the items that were built without this.
    let iloc = file.windows(4).position(|window| window == b"iloc").expect("places");
    for entry in 0..3 {
        let place = iloc + 4 + 6 + 2 + entry * 16 + 8;
        let old = u32::from_be_bytes(*file[place..].first_chunk().expect("a place"));
        let moved = old + u32::try_from(name.len() + 1).expect("short");
        file[place..place + 4].copy_from_slice(&moved.to_be_bytes());
    }
    file
}

#[test]
fn a_compressed_packet_is_read_and_stays_compressed() {
    // `<old/>`, compressed with and without the header of zlib.
    let zlib: &[u8] = b"\x78\x9c\xb3\xc9\xcf\x49\xd1\xb7\x03\x00\x07\x11\x01\xe9";
    for payload in [zlib, &zlib[2..zlib.len() - 4]] {
        let file = compressed(b"deflate", payload);
        let picture = Picture::parse(&file).expect("a picture");
        assert_eq!(picture.stores().xmp.as_deref(), Some(b"<old/>".as_slice()));
        let long = b"<a packet that is long and long and long and long and long and long/>".repeat(20);
        let new = rewrite(&file, |stores| stores.xmp = Some(long.clone())).bytes;
        assert!(new.len() < file.len() + 300, "it is compressed: {} and {}", file.len(), new.len());
        assert_eq!(rewrite(&new, |_| ()).bytes, new);
    }
    let other = compressed(b"br", zlib);
    assert!(matches!(Picture::parse(&other), Err(FormatError::Unsafe { .. })));
    let broken = compressed(b"deflate", b"\xff\xff\xff");
    assert!(matches!(Picture::parse(&broken), Err(FormatError::Unsafe { .. })));
}

#[test]
fn signed_provenance_is_kept_and_spoken_of() {
    let signed = bytes(*b"uuid", &[&super::PROVENANCE, b"a manifest"]);
    let file = [build(PLAIN), signed.clone()].concat();
    let new = rewrite(&file, both);
    assert!(new.bytes.ends_with(&signed));
    assert_eq!(new.notes, [Note::Provenance]);
    assert_eq!(rewrite(&build(PLAIN), both).notes, []);
}

/// Every byte of the list of items, changed in a few ways: refused or written, but never different elsewhere.
#[test]
fn damaged_lists_never_lose_anything() {
    let old = build(Built { exif: Some(TIFF), xmp: Some(b"<old/>"), trailer: b"\0\0\0\x08sefd", ..PLAIN });
    for at in 0..old.len() {
        for value in [0, 1, 0x7F, 0xFF, old[at] ^ 1, old[at].wrapping_add(4)] {
            let mut file = old.clone();
            file[at] = value;
            let Ok(picture) = Picture::parse(&file) else { continue };
            let mut stores = picture.stores().clone();
            both(&mut stores);
            let Ok(new) = picture.rewrite(&stores) else { continue };
            // What a broken list makes of it is caught before anything is written.
            let _ = crate::verify::verify(&picture, &new, &NOTHING);
        }
    }
}
