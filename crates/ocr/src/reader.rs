//! Chooses the engine.

use std::collections::BTreeSet;

use crate::{Embedded, Engine, Error, Image, Languages, Page, Tesseract, Watch};

/// Which engine reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Choice {
    /// The embedded one if it knows the languages, else Tesseract.
    #[default]
    Automatic,
    /// The networks inside the program.
    Embedded,
    /// libtesseract.
    Tesseract,
}

/// Both engines. Making one costs nothing; each engine is loaded when it first reads and then kept.
#[derive(Default)]
pub struct Reader {
    embedded: Embedded,
    tesseract: Tesseract,
}

impl Reader {
    /// Both engines, not loaded yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Forgets the lines that were read: see [`crate::Memory`].
    pub fn forget(&self) {
        self.embedded.forget();
    }

    /// The codes of all languages at hand, in order.
    pub fn languages(&self) -> Vec<String> {
        let mut all = BTreeSet::from_iter(self.embedded.languages());
        all.extend(self.tesseract.languages());
        all.into_iter().collect()
    }

    /// The engine that reads these languages.
    pub fn engine(&self, languages: &Languages, choice: Choice) -> Result<&dyn Engine, Error> {
        let engine: &dyn Engine = match choice {
            Choice::Embedded => &self.embedded,
            Choice::Tesseract => &self.tesseract,
            Choice::Automatic => {
                if languages.must_be_among(self.embedded.languages()).is_ok() {
                    return Ok(&self.embedded);
                }
                if languages.must_be_among(self.tesseract.languages()).is_ok() {
                    return Ok(&self.tesseract);
                }
                languages.must_be_among(self.languages())?;
                // Each is known to one engine, but together to none.
                &self.tesseract
            }
        };
        Ok(engine)
    }

    /// Reads a picture with the engine for its languages.
    pub fn read(
        &self,
        image: Image<'_>,
        languages: &Languages,
        watch: &mut Watch<'_>,
    ) -> Result<Page, Error> {
        self.engine(languages, Choice::Automatic)?.read(image, languages, watch)
    }
}
