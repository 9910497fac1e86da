//! Fuzzes the reading of pictures: whatever is on them, and however small, narrow or flat they are.

mod pictures;

use std::process::ExitCode;
use std::sync::LazyLock;

use fuzz::Target;
use ocr::{Embedded, Engine, Error, Image, Memory, unwatched};

/// One engine for all pictures, which remembers none: every input must do the same alone.
static ENGINE: LazyLock<Embedded> = LazyLock::new(|| Embedded::new(Memory::Off));

fn main() -> ExitCode {
    fuzz::main(&[Target { stretch: STRETCH, ..Target::new("ocr", pictures::input, read) }])
}

/// A picture takes milliseconds: few of them between two signs of life.
const STRETCH: u64 = 8;

/// Every word stands on the picture, and has a box for each of its characters.
fn read(input: &[u8]) {
    let Some((image, languages)) = pictures::decode(input) else { return };
    let languages = languages.parse().unwrap_or_else(|error| panic!("{error}"));
    let page = match ENGINE.read(image, &languages, &mut unwatched) {
        Ok(page) => page,
        Err(Error::TooLarge { .. } | Error::Pixels { .. }) => return,
        Err(error) => panic!("a picture of {} x {} is not read: {error}", image.width(), image.height()),
    };
    let words = page.words().count();
    assert!(words <= image.width() as usize * image.height() as usize, "more words than pixels: {words}");
    for word in page.words() {
        check(image, word);
    }
}

fn check(image: Image<'_>, word: &ocr::Word) {
    assert!(word.area.width > 0 && word.area.height > 0, "a word without a place: {word:?}");
    assert!(
        word.area.right() <= i64::from(image.width()) && word.area.bottom() <= i64::from(image.height()),
        "a word beyond the picture: {word:?}"
    );
    assert_eq!(word.text.chars().count(), word.characters.len(), "{word:?}");
    let mut confidences = word.characters.iter().map(|character| character.confidence);
    let is_sound = |confidence: f32| (0.0..=1.0).contains(&confidence);
    assert!(is_sound(word.confidence) && confidences.all(is_sound), "{word:?}");
    for character in &word.characters {
        assert!(character.left <= character.right && character.right <= image.width(), "{word:?}");
    }
}
