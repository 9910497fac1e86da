use super::super::{FormatError, Picture, Rewritten};
use super::{APP0, APP1, APP2, APP11, APP13, EXIF, PAYLOAD, PHOTOSHOP, XMP, XMP_CAPACITY, extended, segment};
use crate::model::Note;
use crate::stores::Stores;

const TIFF: &[u8] = b"II*\0\x08\0\0\0\0\0\0\0\0\0";
const SCAN: &[u8] = b"\xff\xda\0\x04ab\x12\xff\0\x34\xff\xd9and a trailer \xff\xe1\0\x02";

fn file(segments: &[Vec<u8>]) -> Vec<u8> {
    [b"\xff\xd8", segments.concat().as_slice(), SCAN].concat()
}

fn jfif() -> Vec<u8> {
    segment(APP0, &[b"JFIF\0\x01\x02\0\0\x01\0\x01\0\0"])
}

fn quantisation() -> Vec<u8> {
    segment(0xDB, &[&[7; 65]])
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

#[test]
fn nothing_changed_is_the_same_file() {
    let old = file(&[jfif(), segment(APP1, &[XMP, b"<x/>"]), b"\xff".to_vec(), quantisation()]);
    assert_eq!(rewrite(&old, |_| ()).bytes, old);
}

#[test]
fn new_blocks_come_after_jfif_in_their_order() {
    let new = rewrite(&file(&[jfif(), quantisation()]), |stores| {
        stores.exif = Some(TIFF.to_vec());
        stores.xmp = Some(b"<x/>".to_vec());
        stores.iim = Some(b"\x1c\x02\0\0\x02\0\x04".to_vec());
    });
    let iim = b"8BIM\x04\x04\0\0\0\0\0\x07\x1c\x02\0\0\x02\0\x04\0";
    let expected = file(&[
        jfif(),
        segment(APP1, &[EXIF, TIFF]),
        segment(APP1, &[XMP, b"<x/>"]),
        segment(APP13, &[PHOTOSHOP, iim]),
        quantisation(),
    ]);
    assert_eq!(new.bytes, expected);
}

#[test]
fn new_blocks_follow_the_old_ones_they_belong_behind() {
    let exif = segment(APP1, &[EXIF, TIFF]);
    let comment = segment(0xFE, &[b"a comment"]);
    let new = rewrite(&file(&[comment.clone(), exif.clone(), quantisation()]), |stores| {
        stores.xmp = Some(b"<x/>".to_vec());
    });
    assert_eq!(new.bytes, file(&[comment, exif, segment(APP1, &[XMP, b"<x/>"]), quantisation()]));
}

#[test]
fn a_changed_block_takes_the_place_of_the_old_one_and_a_removed_one_leaves_none() {
    let extension = segment(APP1, &[b"http://ns.adobe.com/xmp/extension/\0guid"]);
    let another = segment(APP1, &[EXIF, TIFF, b"a second one is not ours"]);
    let exif = segment(APP1, &[EXIF, TIFF]);
    let with_xmp = |xmp: &[u8]| {
        file(&[quantisation(), segment(APP1, &[XMP, xmp]), extension.clone(), exif.clone(), another.clone()])
    };
    let new = rewrite(&with_xmp(b"<old/>"), |stores| stores.xmp = Some(b"<new/>".to_vec()));
    assert_eq!(new.bytes, with_xmp(b"<new/>"));
    let removed = rewrite(&new.bytes, |stores| stores.xmp = None);
    assert_eq!(removed.bytes, file(&[quantisation(), extension, exif, another]));
}

#[test]
fn further_packets_are_changed_in_their_places() {
    let packet = |text: &[u8]| segment(APP1, &[XMP, text]);
    let with = |first: &[u8], second: &[u8]| file(&[packet(first), quantisation(), packet(second)]);
    let new = rewrite(&with(b"<a/>", b"<b/>"), |stores| {
        assert_eq!(stores.further_xmp, [b"<b/>"]);
        stores.xmp = Some(b"<c/>".to_vec());
        stores.further_xmp = vec![b"<d/>".to_vec()];
    });
    assert_eq!(new.bytes, with(b"<c/>", b"<d/>"));
}

const RDF: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";

fn main_packet(name: &str) -> Vec<u8> {
    format!(
        "<rdf:RDF xmlns:rdf='{RDF}'><rdf:Description xmlns:n='http://ns.adobe.com/xmp/note/' \
         n:HasExtendedXMP='{name}'/></rdf:RDF>"
    )
    .into_bytes()
}

fn extension(name: &str, length: usize, at: usize, part: &[u8]) -> Vec<u8> {
    let number = |number: usize| u32::try_from(number).expect("short").to_be_bytes();
    segment(APP1, &[extended::HEADER, name.as_bytes(), &number(length), &number(at), part])
}

#[test]
fn extended_xmp_is_joined_by_its_name_and_written_in_parts() {
    let name = "0123456789ABCDEF0123456789ABCDEF";
    let main = segment(APP1, &[XMP, &main_packet(name)]);
    let other = extension("F".repeat(32).as_str(), 3, 0, b"old");
    let old = file(&[
        main.clone(),
        extension(name, 8, 5, b"ded"),
        other.clone(),
        extension(name, 8, 0, b"exten"),
        quantisation(),
    ]);
    let packet = vec![b' '; 150_000];
    let new = rewrite(&old, |stores| {
        assert_eq!(stores.extended_xmp.as_deref(), Some(b"extended".as_slice()));
        stores.xmp = Some(main_packet(&crate::xmp::extended::name(&packet)));
        stores.extended_xmp = Some(packet.clone());
    });
    assert_eq!(new.bytes.windows(extended::HEADER.len()).filter(|w| *w == extended::HEADER).count(), 4);
    // One with a hole, or without a main packet that names it, is nobody's.
    for parts in [
        extension(name, 8, 5, b"ded"),
        [extension(name, 8, 0, b"ex"), extension(name, 8, 3, b"ended")].concat(),
    ] {
        let old = file(&[main.clone(), parts]);
        let kept = rewrite(&old, |stores| assert_eq!(stores.extended_xmp, None));
        assert_eq!(kept.bytes, old);
    }
    let removed = rewrite(&new.bytes, |stores| {
        stores.xmp = Some(main_packet(""));
        stores.extended_xmp = None;
    });
    assert_eq!(removed.bytes, file(&[segment(APP1, &[XMP, &main_packet("")]), other, quantisation()]));
}

#[test]
fn signed_provenance_is_kept_and_spoken_of() {
    let signed = segment(APP11, &[b"JP\0\x01\0\0\0\x01\0\0\0\x10jumb\0\0\0\x08jumdc2pa"]);
    let other = segment(APP11, &[b"JP\0\x01 something else"]);
    let xmp = |stores: &mut Stores| stores.xmp = Some(b"<x/>".to_vec());
    let new = rewrite(&file(&[signed.clone(), quantisation()]), xmp);
    assert_eq!(new.bytes, file(&[segment(APP1, &[XMP, b"<x/>"]), signed, quantisation()]));
    assert_eq!(new.notes, [Note::Provenance]);
    assert_eq!(rewrite(&file(&[other]), xmp).notes, []);
}

#[test]
fn image_resources_of_several_segments_are_joined_and_split_again() {
    let large = [b"8BIM\x04\x0c\0\0\0\x01\x11\x70".as_slice(), &vec![3; 70_000]].concat();
    let iim = b"8BIM\x04\x04\0\0\0\0\0\x05\x1c\x02\0\0\0\0";
    let all = [large.as_slice(), iim].concat();
    let (first, second) = all.split_at(60_000);
    let old = file(&[segment(APP13, &[PHOTOSHOP, first]), segment(APP13, &[PHOTOSHOP, second])]);
    let new = rewrite(&old, |stores| {
        assert_eq!(stores.iim.as_deref(), Some(b"\x1c\x02\0\0\0".as_slice()));
        stores.iim = Some(vec![0x1c; 8]);
        stores.iim_digest = Some([9; 16]);
    });
    assert_eq!(new.bytes.len(), old.len() + 2 + 28);
    assert_eq!(rewrite(&new.bytes, |_| ()).bytes, new.bytes);
}

#[test]
fn damaged_image_resources_are_not_added_to() {
    let old = file(&[segment(APP13, &[PHOTOSHOP, b"8BIM\x04\x05\0\0\xff\xff\xff\xff"])]);
    let picture = Picture::parse(&old).expect("a picture");
    let stores = Stores { iim: Some(vec![0x1c]), ..Stores::default() };
    assert!(matches!(picture.rewrite(&stores), Err(FormatError::Unsafe { .. })));
    assert_eq!(picture.rewrite(&Stores::default()).expect("the same").bytes, old);
}

#[test]
fn exif_without_room_stays_as_it_was_and_xmp_without_room_is_refused() {
    let old = file(&[segment(APP1, &[EXIF, TIFF])]);
    let new = rewrite(&old, |stores| stores.exif = Some(vec![0; PAYLOAD - EXIF.len() + 1]));
    assert_eq!((new.bytes, new.notes), (old.clone(), vec![Note::ExifFull]));
    let picture = Picture::parse(&old).expect("a picture");
    let with = |length| Stores { xmp: Some(vec![b' '; length]), ..picture.stores().clone() };
    assert!(picture.rewrite(&with(XMP_CAPACITY)).is_ok());
    assert!(matches!(picture.rewrite(&with(XMP_CAPACITY + 1)), Err(FormatError::Unsafe { .. })));
}

/// An index of two pictures: the first of `size` bytes, the second at `place` from the index.
fn index(size: u32, place: u32) -> Vec<u8> {
    let mut tiff = b"MM\0*\0\0\0\x08\0\x01\xb0\x02\0\x07\0\0\0\x20\0\0\0\x1a\0\0\0\0".to_vec();
    for (size, place) in [(size, 0), (100, place)] {
        tiff.extend_from_slice(&[0, 3, 0, 0]);
        tiff.extend_from_slice(&size.to_be_bytes());
        tiff.extend_from_slice(&place.to_be_bytes());
        tiff.extend_from_slice(&[0; 4]);
    }
    segment(APP2, &[b"MPF\0", &tiff])
}

#[test]
fn the_index_of_further_pictures_follows_the_growth() {
    let before = file(&[index(1000, 900), quantisation()]);
    let grown = rewrite(&before, |stores| stores.xmp = Some(vec![b' '; 10]));
    let growth = u32::try_from(grown.bytes.len() - before.len()).expect("a growth");
    let xmp = segment(APP1, &[XMP, &[b' '; 10]]);
    assert_eq!(grown.bytes, file(&[xmp.clone(), index(1000 + growth, 900), quantisation()]));
    // What lies behind the index moves the other pictures as well.
    let behind = file(&[index(1000, 900), xmp, quantisation()]);
    let shrunk = rewrite(&behind, |stores| stores.xmp = Some(vec![b' '; 4]));
    let xmp = segment(APP1, &[XMP, &[b' '; 4]]);
    assert_eq!(shrunk.bytes, file(&[index(994, 894), xmp, quantisation()]));
}

#[test]
fn an_afcp_trailer_follows_the_growth() {
    // Other programs put theirs before and behind it.
    for (before, behind) in [("", ""), ("a film", ""), ("", "SEFT"), ("AXS!", "AXS*")] {
        let with_trailer = |shift: u32| {
            let mut file = file(&[quantisation()]);
            file.extend_from_slice(before.as_bytes());
            let start = u32::try_from(file.len()).expect("short") + shift;
            file.extend_from_slice(b"AXS!\0\x01\0\x01\0\0\0\0IPTC\0\0\0\x05");
            file.extend_from_slice(&(start + 24).to_be_bytes());
            file.extend_from_slice(b"iptc!AXS!");
            file.extend_from_slice(&start.to_be_bytes());
            file.extend_from_slice(&[0; 4]);
            file.extend_from_slice(behind.as_bytes());
            file
        };
        let new = rewrite(&with_trailer(0), |stores| stores.xmp = Some(b"<x/>".to_vec()));
        let xmp = segment(APP1, &[XMP, b"<x/>"]);
        let tail = with_trailer(u32::try_from(xmp.len()).expect("short"));
        assert_eq!(new.bytes, [&tail[..2], &xmp, &tail[2..]].concat(), "{before} {behind}");
    }
}

#[test]
fn junk_between_segments_stays_where_it_is() {
    let junk = b"junk \xff\0 junk".to_vec();
    let old = file(&[jfif(), junk.clone(), quantisation(), junk.clone()]);
    assert_eq!(rewrite(&old, |_| ()).bytes, old);
    let new = rewrite(&old, |stores| stores.xmp = Some(b"<x/>".to_vec()));
    let xmp = segment(APP1, &[XMP, b"<x/>"]);
    assert_eq!(new.bytes, file(&[jfif(), xmp, junk.clone(), quantisation(), junk]));
}

#[test]
fn what_is_not_whole_is_refused() {
    let whole = file(&[jfif(), quantisation()]);
    for length in 3..=whole.len() - SCAN.len() {
        let refused = Picture::parse(&whole[..length]);
        assert!(matches!(refused, Err(FormatError::Damaged { .. })), "{length}: {refused:?}");
    }
    assert!(matches!(Picture::parse(b"\xff\xd8\xff\0"), Err(FormatError::Damaged { .. })));
    assert!(matches!(Picture::parse(b"a text"), Err(FormatError::Unsupported)));
}
