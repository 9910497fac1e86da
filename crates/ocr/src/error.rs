//! What can go wrong while a picture is read.

use std::fmt;
use std::sync::Arc;

/// Why there is no text.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The bytes of a picture and its size do not agree.
    #[error("a picture of {width} x {height} pixels of {channels} bytes is not {found} bytes long")]
    Pixels {
        /// Width in pixels.
        width: u32,
        /// Height in pixels.
        height: u32,
        /// Bytes of a pixel.
        channels: usize,
        /// Bytes there are.
        found: usize,
    },
    /// The picture has more pixels than are read in one go.
    #[error("{width} x {height} pixels are too many to read; cut the picture to at most {limit} pixels")]
    TooLarge {
        /// Width in pixels.
        width: u32,
        /// Height in pixels.
        height: u32,
        /// Pixels a picture may have.
        limit: u64,
    },
    /// What was given as a language is no code.
    #[error("`{0}` is no language; languages are codes like `eng`, or several like `eng+deu`")]
    NotALanguage(String),
    /// No engine knows the language.
    #[error("the language `{name}` is not at hand; choose one of: {}", List(.known))]
    UnknownLanguage {
        /// The code that was asked for.
        name: String,
        /// The codes there are, in order.
        known: Vec<String>,
    },
    /// The watcher asked to stop.
    #[error("reading was stopped")]
    Stopped,
    /// A network inside the program does not do its work.
    #[error("the network `{name}` inside the program failed")]
    Network {
        /// Which.
        name: &'static str,
        /// What the runtime says.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// libtesseract is not installed, or is one we cannot use.
    #[error("Tesseract is not at hand; install its library (on Debian: `apt-get install tesseract-ocr`)")]
    NoTesseract(#[source] Arc<libloading::Error>),
    /// libtesseract does not start with these languages.
    #[error("Tesseract does not start with `{languages}`; see that its data files are whole, in: {folder}")]
    TesseractStart {
        /// The codes, joined by `+`.
        languages: String,
        /// Where its data files are.
        folder: String,
    },
    /// libtesseract gives up on a picture.
    #[error("Tesseract could not read this picture")]
    TesseractRead,
}

struct List<'a>(&'a [String]);

impl fmt::Display for List<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join(", "))
    }
}
