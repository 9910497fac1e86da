//! Tesseract as an engine. Its library and its data for English and German have to be installed.

use std::ops::ControlFlow;

use ocr::{Engine, Error, Languages, Progress, Tesseract, unwatched};

use crate::picture::Picture;

#[test]
fn tesseract_reads_with_boxes_in_pixels_of_the_picture() {
    let picture = Picture::load("english");
    let page = Tesseract::default().read(picture.image(), &Languages::english(), &mut unwatched).unwrap();
    assert_eq!(page.to_string(), "Save changes before closing\nthe window and try again\nToken: 8f3a-77c2");
    for word in page.words() {
        assert!(picture.ink(word.area) > 0, "{word:?}");
        assert_eq!(word.text.chars().count(), word.characters.len());
        assert!((0.5..=1.0).contains(&word.confidence), "{word:?}");
    }
}

#[test]
fn tesseract_reads_german_from_a_dark_theme_and_then_english() {
    let tesseract = Tesseract::default();
    let read = |name: &str, languages: &str| {
        let picture = Picture::load(name);
        tesseract.read(picture.image(), &languages.parse().unwrap(), &mut unwatched).unwrap().to_string()
    };
    assert_eq!(read("german-dark", "deu"), "Übermäßig viele Anfragen wurden\nfür größere Dateien abgelehnt");
    assert!(read("english", "eng+deu").starts_with("Save changes before closing\n"));
}

#[test]
fn tesseract_names_the_languages_it_has() {
    let picture = Picture::load("english");
    let error =
        Tesseract::default().read(picture.image(), &"tlh".parse().unwrap(), &mut unwatched).unwrap_err();
    let Error::UnknownLanguage { name, known } = error else { panic!("{error}") };
    assert_eq!(name, "tlh");
    assert!(known.contains(&"deu".to_owned()) && known.contains(&"eng".to_owned()), "{known:?}");
    assert!(!known.contains(&"osd".to_owned()));
}

#[test]
fn tesseract_can_be_stopped_and_used_again() {
    let picture = Picture::load("english");
    let tesseract = Tesseract::default();
    let mut asked = 0;
    let mut watch = |progress: Progress| {
        asked += 1;
        if progress.done < 2 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    let stopped = tesseract.read(picture.image(), &Languages::english(), &mut watch);
    assert!(matches!(stopped, Err(Error::Stopped)), "{stopped:?}");
    assert!(asked >= 1);
    let page = tesseract.read(picture.image(), &Languages::english(), &mut unwatched).unwrap();
    assert!(page.to_string().starts_with("Save changes"));
}

#[test]
fn tesseract_reads_pictures_of_any_size() {
    for (width, height) in [(0, 0), (0, 5), (1, 1), (2, 2), (5, 3), (1, 20_000), (20_000, 1)] {
        let picture = Picture::new(width, height, &vec![200; (width * height) as usize]);
        let page = Tesseract::default().read(picture.image(), &Languages::english(), &mut unwatched).unwrap();
        assert!(page.lines.is_empty(), "{width} x {height}: {page:?}");
    }
}
