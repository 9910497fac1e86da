//! Pictures in, text out, through the public surface.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod hard_pictures;
mod picture;
mod tesseract;

use std::ops::ControlFlow;

use ocr::{Choice, Embedded, Engine, Error, Languages, Memory, Page, Progress, Reader, unwatched};

use picture::Picture;

fn read(name: &str, languages: &str) -> Page {
    let picture = Picture::load(name);
    Reader::new().read(picture.image(), &languages.parse().unwrap(), &mut unwatched).unwrap()
}

#[test]
fn english_is_read_line_by_line() {
    let page = read("english", "eng");
    assert_eq!(page.to_string(), "Save changes before closing\nthe window and try again\nToken: 8f3a-77c2");
    assert!(page.confidence().unwrap() > 0.9);
}

#[test]
fn german_is_read_from_a_dark_theme() {
    assert_eq!(
        read("german-dark", "deu").to_string(),
        "Übermäßig viele Anfragen wurden\nfür größere Dateien abgelehnt"
    );
}

#[test]
fn japanese_is_read() {
    let text = read("japanese", "jpn").to_string();
    assert_eq!(text, "設定を変更する前に保存してください\n検索結果が見つかりませんでした");
}

#[test]
fn columns_are_read_one_after_the_other() {
    let text = read("columns", "eng").to_string();
    assert_eq!(text, "first of left\nsecond of left\nfirst of right\nsecond of right");
}

#[test]
fn boxes_of_words_hold_their_ink_and_the_gaps_between_them_none() {
    let picture = Picture::load("english");
    let page = read("english", "eng");
    for line in &page.lines {
        for word in &line.words {
            assert_eq!(word.text.chars().count(), word.characters.len());
            assert!(picture.ink(word.area) > 0, "{word:?}");
            for pair in word.characters.windows(2) {
                assert_eq!(pair[0].right, pair[1].left, "{word:?}");
            }
        }
        for pair in line.words.windows(2) {
            let (left, right) = (pair[0].area, pair[1].area);
            let gap = ocr::Rect::from_edges(left.right(), left.y.into(), right.x.into(), left.bottom());
            let gap = gap.expect("a gap");
            assert!(gap.width >= 2, "{pair:?}");
            assert_eq!(picture.ink(gap), 0, "{pair:?}");
        }
    }
    let boxed: usize = page.words().map(|word| picture.ink(word.area)).sum();
    assert_eq!(boxed, picture.ink(ocr::Rect { x: 0, y: 0, width: 360, height: 90 }));
}

#[test]
fn a_part_of_a_word_is_where_its_characters_are() {
    let page = read("english", "eng");
    let word = page.words().find(|word| word.text == "8f3a-77c2").unwrap();
    // Digits of this font are 9 pixels wide and the hyphen 5.
    let tail = word.part(5..9).unwrap();
    let expected = word.area.right() - 36;
    assert!(i64::from(tail.x).abs_diff(expected) <= 2, "{tail:?} should begin at about {expected}");
    assert_eq!(tail.right(), word.area.right());
}

#[test]
fn progress_is_told_and_ends_with_all_lines() {
    let picture = Picture::load("english");
    let mut told = Vec::new();
    let mut watch = |progress: Progress| {
        told.push((progress.done, progress.of));
        ControlFlow::Continue(())
    };
    Reader::new().read(picture.image(), &Languages::english(), &mut watch).unwrap();
    assert_eq!(told, [(0, 3), (1, 3), (2, 3), (3, 3)]);
}

#[test]
fn reading_can_be_stopped() {
    let picture = Picture::load("english");
    for at in [0, 1] {
        let mut watch = |progress: Progress| {
            if progress.done < at { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        };
        let result = Reader::new().read(picture.image(), &Languages::english(), &mut watch);
        assert!(matches!(result, Err(Error::Stopped)), "{result:?}");
    }
}

#[test]
fn a_line_read_before_reads_the_same() {
    let picture = Picture::load("english");
    let engine = Embedded::new(Memory::Kept);
    let page = || engine.read(picture.image(), &Languages::english(), &mut unwatched).unwrap();
    assert_eq!(page(), page());
    let fresh =
        Embedded::new(Memory::Off).read(picture.image(), &Languages::english(), &mut unwatched).unwrap();
    assert_eq!(page(), fresh);
}

#[test]
fn four_bytes_a_pixel_read_like_three() {
    let picture = Picture::load("english");
    let four = picture.with_alpha();
    let image = ocr::Image::rgba(picture.width(), picture.height(), &four).unwrap();
    let page = Reader::new().read(image, &Languages::english(), &mut unwatched).unwrap();
    assert_eq!(page, read("english", "eng"));
}

#[test]
fn an_unknown_language_names_those_at_hand() {
    let picture = Picture::load("english");
    let error = Reader::new().read(picture.image(), &"eng+tlh".parse().unwrap(), &mut unwatched).unwrap_err();
    let text = error.to_string();
    assert!(text.starts_with("the language `tlh` is not at hand; choose one of: afr, "), "{text}");
    assert!(text.contains(" deu, ") && text.contains(" jpn, "), "{text}");
}

#[test]
fn the_embedded_engine_is_chosen_when_it_knows_the_languages() {
    let reader = Reader::new();
    let name = |languages: &str, choice| reader.engine(&languages.parse().unwrap(), choice).unwrap().name();
    assert_eq!(name("eng+jpn", Choice::Automatic), "embedded");
    assert_eq!(name("eng", Choice::Embedded), "embedded");
    assert_eq!(name("eng", Choice::Tesseract), "tesseract");
}
