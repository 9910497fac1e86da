//! What callers use.

use crate::{Embedded, Engine, Error, Image, Languages, Page, Watch};

/// Reads pictures. Making one costs nothing: networks are loaded when it first reads, and then kept.
#[derive(Default)]
pub struct Reader {
    embedded: Embedded,
}

impl Reader {
    /// A reader that has loaded nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The codes of all languages at hand, in order.
    pub fn languages(&self) -> Vec<String> {
        self.embedded.languages()
    }

    /// Reads a picture.
    pub fn read(
        &self,
        image: Image<'_>,
        languages: &Languages,
        watch: &mut Watch<'_>,
    ) -> Result<Page, Error> {
        self.embedded.read(image, languages, watch)
    }
}
