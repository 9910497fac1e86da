//! IPTC blocks as they are found in the wild, read and changed.

use super::*;

fn dataset(record: u8, number: u8, data: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    Dataset::new(record, number, data).write(&mut bytes).unwrap();
    bytes
}

fn block(datasets: &[(u8, u8, &[u8])]) -> Vec<u8> {
    datasets.iter().flat_map(|(record, number, data)| dataset(*record, *number, data)).collect()
}

fn changes(tag: Tag, values: &[&str]) -> Changes {
    Changes::from([(tag, values.iter().map(ToString::to_string).collect())])
}

const MARKED: (u8, u8, &[u8]) = (1, 90, UTF8);
const VERSIONED: (u8, u8, &[u8]) = (2, 0, &VERSION);

#[test]
fn a_new_block_says_that_it_is_utf8() {
    let written = edit(None, &changes(Tag::Keywords, &["家庭", "a"])).unwrap();
    let expected = block(&[MARKED, VERSIONED, (2, 25, "家庭".as_bytes()), (2, 25, b"a")]);
    assert_eq!(written, Some(expected.clone()));
    assert_eq!(edit(None, &changes(Tag::Keywords, &[])).unwrap(), None);
    assert_eq!(edit(Some(&expected), &changes(Tag::Keywords, &[])).unwrap(), None);
    assert_eq!(edit(Some(&expected), &changes(Tag::Keywords, &["家庭", "a"])).unwrap(), Some(expected));
}

#[test]
fn latin_texts_become_utf8_and_everything_else_stays() {
    let preview = &[0xFF, 0xD8, 0xE9][..];
    let old = block(&[
        (2, 0, &[0, 2]),
        (2, 80, b"Ren\xE9"),
        (2, 85, b"x"),
        (2, 80, "家".as_bytes()),
        (2, 120, b"caf\xE9 \x80"),
        (2, 202, preview),
        (3, 10, b"\xE9"),
        (1, 5, b"dest"),
    ]);
    let read = Values::read(&old).unwrap();
    assert_eq!(read.caption.as_deref(), Some("café €"));
    let written = edit(Some(&old), &changes(Tag::Sublocation, &["Köln"])).unwrap().unwrap();
    let expected = block(&[
        MARKED,
        (1, 5, b"dest"),
        VERSIONED,
        (2, 80, "René".as_bytes()),
        (2, 85, b"x"),
        (2, 80, "家".as_bytes()),
        (2, 92, "Köln".as_bytes()),
        (2, 120, "café €".as_bytes()),
        (2, 202, preview),
        (3, 10, b"\xE9"),
    ]);
    // 2:92 belongs before the first higher number, which here is 2:120.
    assert_eq!(written, expected);
    assert_eq!(Values::read(&written).unwrap().sublocation.as_deref(), Some("Köln"));
}

#[test]
fn a_value_in_the_right_words_but_without_the_marker_is_written_again() {
    let old = block(&[(2, 25, "家".as_bytes())]);
    let written = edit(Some(&old), &changes(Tag::Keywords, &["家"])).unwrap();
    assert_eq!(written, Some(block(&[MARKED, VERSIONED, (2, 25, "家".as_bytes())])));
    let ascii = block(&[(2, 25, b"a")]);
    assert_eq!(edit(Some(&ascii), &changes(Tag::Keywords, &["a"])).unwrap(), Some(ascii));
}

#[test]
fn long_texts_have_long_lengths() {
    let long = "长".repeat(20_000);
    let written = edit(None, &changes(Tag::Caption, &[&long])).unwrap().unwrap();
    assert_eq!(Values::read(&written).unwrap().caption.as_deref(), Some(long.as_str()));
    let small = [&[0x1C, 2, 5, 0x80, 2, 0, 1, b'x'][..], &dataset(2, 25, b"k")].concat();
    let written = edit(Some(&small), &changes(Tag::Keywords, &["n"])).unwrap().unwrap();
    assert!(written.windows(8).any(|window| window == &small[..8]), "an odd length stays as it was");
}

#[test]
fn damaged_records_and_unknown_character_sets_are_errors() {
    for bad in [&b"x"[..], b"\x1C\x02\x19\x00\x05ab", b"\x1C\x02", b"\x1C\x02\x19\x80\x05\0\0\0\0\x01a"] {
        assert_eq!(Values::read(bad), Err(IimError::Damaged { at: 0 }), "{bad:?}");
        assert!(edit(Some(bad), &changes(Tag::Keywords, &["a"])).is_err());
    }
    let odd = block(&[(1, 90, b"\x1B$B"), (2, 5, b"\xE9")]);
    assert_eq!(edit(Some(&odd), &changes(Tag::Keywords, &["a"])), Err(IimError::UnknownCharset));
    let padded = [block(&[(2, 25, b"a")]), vec![0; 3], block(&[(2, 25, b"b")]), vec![0]].concat();
    assert_eq!(Values::read(&padded).unwrap().keywords, ["a", "b"]);
}
