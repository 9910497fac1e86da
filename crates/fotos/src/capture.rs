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

use std::sync::Arc;

use geometry::Rect;
use picture::Pixels;
use schemars::JsonSchema;
use serde::Serialize;

pub use backend::Backend;
pub use error::Error;
pub use excluded::Excluded;
pub use session::{Eye, Session, Wayland};

/// What to take a picture of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// All monitors, as they lie beside each other.
    Fullscreen,
    /// One monitor, by its number.
    Monitor(usize),
    /// One window.
    Window(Which),
}

/// Which window.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Which {
    /// The uppermost one whose title contains this, in upper or lower case.
    Titled(String),
    /// The one of this number, which a person chose among several that may have the same title.
    Numbered(u32),
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
pub struct Wish {
    /// Of what.
    pub target: Target,
    /// Which part of it, counted from its upper left corner; all of it if nothing is said.
    pub region: Option<Rect>,
    /// With or without the pointer.
    pub cursor: Cursor,
    /// The windows that nobody is to see.
    pub excluded: Arc<Excluded>,
}

/// A picture of the screen.
#[derive(Debug)]
pub struct Shot {
    /// What was seen.
    pub pixels: Pixels,
    /// Where its upper left corner is on the screen, as `x` and `y`.
    pub origin: (i32, i32),
    /// The monitor's name or the window's title.
    pub subject: Option<String>,
    /// How many windows were blacked out.
    pub hidden: usize,
    /// The windows that are seen in it, the uppermost first, in its own pixels; none where they are not known.
    pub windows: Vec<Rect>,
    /// What could not be made sure of.
    pub warning: Option<String>,
}

impl Shot {
    /// Pixels about which nothing else is known.
    pub fn of(pixels: Pixels) -> Shot {
        Shot { pixels, origin: (0, 0), subject: None, hidden: 0, windows: Vec::new(), warning: None }
    }
}

/// A window on the screen.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Window {
    /// The number by which the screen knows it. Agents name windows by their titles.
    #[serde(skip)]
    pub number: u32,
    /// Its title.
    pub title: String,
    /// The class of its program.
    pub class: String,
    /// The number of its process.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
    /// The name of its process.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub process: Option<String>,
    /// Where its content is on the screen.
    #[serde(rename = "box")]
    pub place: Rect,
    /// How many windows lie above it; 0 is the uppermost.
    pub stacking: usize,
    /// Whether keys go to it.
    pub focused: bool,
    /// Whether it can be seen at all.
    pub state: WindowState,
}

/// Whether a title contains this in lower case: as it is, or as lists tell it, without what is private in it.
pub(crate) fn is_titled(title: &str, part: &str) -> bool {
    title.to_lowercase().contains(part) || redaction::mask(title).to_lowercase().contains(part)
}

/// Whether a window has pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WindowState {
    /// It is on this workspace; others may cover it.
    Visible,
    /// It is minimised.
    Minimised,
    /// It is on another workspace.
    OtherWorkspace,
}

/// A monitor.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct MonitorInfo {
    /// Its number, as `monitor_index` takes it.
    pub index: usize,
    /// Its name.
    pub name: String,
    /// Where it is on the screen.
    #[serde(rename = "box")]
    pub place: Rect,
    /// Pixels for a unit of length on it: 2 where everything is drawn twice as large.
    pub scale: f64,
    /// Whether it is the main one.
    pub primary: bool,
}

/// A screen of which pictures can be taken. What it keeps between two of them makes the second one faster. Every call may hold up
/// its thread.
pub trait Screen: Send {
    /// Takes a picture.
    fn capture(&mut self, wish: &Wish) -> Result<Shot, Error>;

    /// The windows there are, the uppermost first, without those nobody is to see.
    fn windows(&mut self, excluded: &Excluded) -> Result<Vec<Window>, Error>;

    /// The monitors there are.
    fn monitors(&mut self) -> Result<Vec<MonitorInfo>, Error>;
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
