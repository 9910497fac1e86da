//! The engine of others: libtesseract, if this machine has it, for the languages whose data is installed.

mod data;
mod gray;
mod library;
mod table;

use std::sync::{Mutex, PoisonError};

use crate::{Engine, Error, Image, Languages, Page, Watch};
use data::Data;
use gray::Gray;
use library::{Library, Session};

/// libtesseract. It is looked for when first needed; a start with some languages is kept for the next picture.
#[derive(Default)]
pub struct Tesseract {
    session: Mutex<Option<(Languages, Session)>>,
}

impl Engine for Tesseract {
    fn name(&self) -> &'static str {
        "tesseract"
    }

    fn languages(&self) -> Vec<String> {
        if Library::get().is_ok() { Data::find().languages() } else { Vec::new() }
    }

    fn read(&self, image: Image<'_>, languages: &Languages, watch: &mut Watch<'_>) -> Result<Page, Error> {
        let library = Library::get()?;
        let data = Data::find();
        languages.must_be_among(data.languages())?;
        let gray = Gray::new(image);
        if gray.is_too_small() {
            return Ok(Page::default());
        }
        let mut kept = self.session.lock().unwrap_or_else(PoisonError::into_inner);
        let mut session = match kept.take() {
            Some((known, session)) if known == *languages => session,
            _ => library.start(languages, &data)?,
        };
        let text = session.read(&gray, watch)?;
        *kept = Some((languages.clone(), session));
        Ok(table::page(&text, gray.scale(), image))
    }
}
