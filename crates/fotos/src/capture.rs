//! Pictures of the screen, however the session shows one.

mod backend;
mod error;
mod excluded;
#[cfg(any(target_os = "linux", windows, target_os = "macos"))]
mod monitor;
#[cfg(target_os = "linux")]
mod outputs;
#[cfg(target_os = "linux")]
mod portal;
mod session;
#[cfg(target_os = "linux")]
mod x11;
#[cfg(any(all(target_os = "linux", feature = "xcap"), windows, target_os = "macos"))]
mod xcap;

use std::future::Future;
use std::pin::Pin;

pub use backend::Backend;
pub use error::Error;
pub use excluded::Excluded;
pub use session::{Eye, Session, Wayland};

use crate::pixels::Pixels;
use crate::rect::Rect;

/// What to take a picture of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// All monitors, as they lie beside each other.
    Fullscreen,
    /// One monitor, by its number.
    Monitor(usize),
    /// The uppermost window whose title contains this, in upper or lower case.
    Window(String),
}

/// Whether the mouse pointer is in the picture.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Cursor {
    /// It is left out.
    #[default]
    Hidden,
    /// It is drawn where it is.
    Shown,
}

/// Everything about a picture that is wanted.
#[derive(Debug, Clone)]
pub struct Wish<'a> {
    /// Of what.
    pub target: &'a Target,
    /// Which part of it, counted from its upper left corner; all of it if nothing is said.
    pub region: Option<Rect>,
    /// With or without the pointer.
    pub cursor: Cursor,
    /// The windows that nobody is to see.
    pub excluded: &'a Excluded,
}

/// A picture of the screen.
#[derive(Debug)]
pub struct Shot {
    /// What was seen.
    pub pixels: Pixels,
    /// The monitor's name or the window's title.
    pub subject: Option<String>,
    /// How many windows were blacked out.
    pub hidden: usize,
}

/// The longest a backend may take to give its picture: a person may have to answer a dialog.
pub type Capturing<'a> = Pin<Box<dyn Future<Output = Result<Shot, Error>> + Send + 'a>>;

/// A screen of which pictures can be taken. What it keeps between two of them makes the second one faster.
pub trait Screen: Send {
    /// Takes a picture. May hold up its thread.
    fn capture<'a>(&'a mut self, wish: &'a Wish<'a>) -> Capturing<'a>;
}

/// More pixels than any desk has, and as many as we are ready to hold: two screens of 8K.
pub(crate) const MOST_PIXELS: u64 = 80_000_000;

/// The part of `whole` that is wanted, in the coordinates of `whole`.
pub(crate) fn part_of(whole: Rect, region: Option<Rect>) -> Result<Rect, Error> {
    let part = match region {
        None => whole,
        Some(region) => {
            let (width, height) = (whole.width, whole.height);
            let inside =
                Rect::of_size(width, height).common(region).ok_or(Error::EmptyRegion { width, height })?;
            Rect { x: whole.x.saturating_add(inside.x), y: whole.y.saturating_add(inside.y), ..inside }
        }
    };
    if u64::from(part.width) * u64::from(part.height) > MOST_PIXELS {
        return Err(Error::TooLarge { width: part.width, height: part.height });
    }
    Ok(part)
}
