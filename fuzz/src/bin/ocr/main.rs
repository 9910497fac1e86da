//! Fuzzes the reading of pictures: whatever is on them, and however small, narrow or flat they are.

mod pictures;

use std::process::ExitCode;
use std::sync::LazyLock;

use fuzz::Target;
use ocr::{Embedded, Engine, Error, Image, Memory, unwatched};

/// As a server has it: one engine for all pictures.
static ENGINE: LazyLock<Embedded> = LazyLock::new(|| Embedded::new(Memory::Kept));

fn main() -> ExitCode {
    fuzz::main(&[Target { name: "ocr", input: pictures::input, run: read }])
}

/// Every word stands on the picture, and has a box for each of its characters.
fn read(input: &[u8]) {
    let Some((image, languages)) = pictures::decode(input) else { return };
    let languages = languages.parse().unwrap_or_else(|error| panic!("{error}"));
    let page = match ENGINE.read(image, &languages, &mut unwatched) {
        Ok(page) => page,
        Err(Error::TooLarge { .. } | Error::Pixels { .. }) => return,
        Err(error) => panic!("a picture of {} x {} is not read: {error}", image.width(), image.height()),
    };
    for word in page.words() {
        check(image, word);
    }
}

fn check(image: Image<'_>, word: &ocr::Word) {
    assert!(word.area.width > 0 && word.area.height > 0, "a word without a place: {word:?}");
    assert!(
        word.area.right() <= image.width() && word.area.bottom() <= image.height(),
        "a word beyond the picture: {word:?}"
    );
    assert_eq!(word.text.chars().count(), word.characters.len(), "{word:?}");
    assert!((0.0..=1.0).contains(&word.confidence), "{word:?}");
}
