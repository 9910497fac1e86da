//! Text in pictures: words with boxes and confidence, in lines, in reading order.
//!
//! [`Reader`] is what callers use. Behind it are two engines: [`Embedded`], networks that ship inside the program and
//! need nothing installed, and [`Tesseract`], the library of that name if the machine has it, for the languages it
//! has. Nothing is loaded before the first picture is read.

mod embedded;
mod engine;
mod error;
mod image;
mod language;
mod page;
mod reader;
mod sys;
mod tesseract;

pub use embedded::{Embedded, Memory};
pub use engine::{Engine, Progress, Watch, unwatched};
pub use error::Error;
pub use geometry::Rect;
pub use image::Image;
pub use language::Languages;
pub use page::{Character, Line, Page, Word};
pub use reader::{Choice, Reader};
pub use tesseract::Tesseract;
