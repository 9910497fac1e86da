//! What an engine is, and how one is watched while it works.

use std::ops::ControlFlow;

use crate::{Error, Image, Languages, Page};

/// How far reading has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Lines that are read; Tesseract counts words.
    pub done: usize,
    /// Lines there are. Tesseract does not know, and says what is done.
    pub of: usize,
}

/// Told before the first line and after each, on the thread that called; `Break` stops the reading with [`Error::Stopped`].
pub type Watch<'a> = dyn FnMut(Progress) -> ControlFlow<()> + 'a;

/// A watch that lets the engine finish.
pub fn unwatched(_: Progress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// Something that reads text.
pub trait Engine: Send + Sync {
    /// Its name, for people.
    fn name(&self) -> &'static str;

    /// The codes of the languages it has at hand, in order. None if it is not at hand itself.
    fn languages(&self) -> Vec<String>;

    /// Reads a picture.
    fn read(&self, image: Image<'_>, languages: &Languages, watch: &mut Watch<'_>) -> Result<Page, Error>;
}
