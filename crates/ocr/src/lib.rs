//! Text in pictures: words with boxes and confidence, in lines, in reading order.
//!
//! [`Reader`] is what callers use. Behind it is [`Embedded`]: networks that ship inside the program and need nothing
//! installed. Nothing is loaded before the first picture is read.

mod embedded;
mod engine;
mod error;
mod image;
mod language;
mod page;
mod reader;

pub use embedded::{Embedded, Memory};
pub use engine::{Engine, Progress, Watch, unwatched};
pub use error::Error;
pub use image::Image;
pub use language::Languages;
pub use page::{Area, Character, Line, Page, Word};
pub use reader::Reader;
