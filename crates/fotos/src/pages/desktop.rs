//! What only a desktop program can do: the small difference between its window and a browser.

use std::path::{Path, PathBuf};

use bytes::Bytes;
use picture::Pixels;
use serde::Serialize;

/// What this desktop can do. Pages show only that, or do it the way a browser does.
#[derive(Debug, Clone, Default, Serialize)]
#[allow(clippy::struct_excessive_bools, reason = "a list of independent abilities, as pages read it")]
pub struct Abilities {
    /// Puts pictures into the clipboard.
    pub copy: bool,
    /// Gets pictures out of the clipboard.
    pub paste: bool,
    /// Writes files, and asks where.
    pub save: bool,
    /// Keeps a picture on top of everything.
    pub pin: bool,
    /// Drags a picture into another program, as a file.
    pub drag: bool,
    /// Lets a region be chosen on the screen itself.
    pub overlay: bool,
    /// Connects MCP clients.
    pub connect: bool,
    /// Ends the program.
    pub quit: bool,
    /// The keys that choose a region from anywhere.
    pub shortcut: Option<String>,
}

/// Why the desktop did not do it.
#[derive(Debug, thiserror::Error)]
pub enum DesktopError {
    /// There is none.
    #[error("this needs the Fotos application; a browser cannot do it")]
    NoDesktop,
    /// It could not.
    #[error("{0}")]
    Failed(String),
}

/// A desktop. Its functions may take their time, and are called on a thread that may wait.
pub trait Desktop: Send + Sync + 'static {
    /// What it can do.
    fn abilities(&self) -> Abilities {
        Abilities::default()
    }

    /// Puts a picture into the clipboard, and makes sure that it is there.
    fn copy(&self, picture: &Pixels) -> Result<(), DesktopError> {
        let _ = picture;
        Err(DesktopError::NoDesktop)
    }

    /// The picture in the clipboard, as a file; nothing if there is none.
    fn paste(&self) -> Result<Option<Bytes>, DesktopError> {
        Err(DesktopError::NoDesktop)
    }

    /// Asks the person where a file goes; nothing if they do not want to any more.
    fn ask_where(&self, suggested: &Path) -> Result<Option<PathBuf>, DesktopError> {
        let _ = suggested;
        Err(DesktopError::NoDesktop)
    }

    /// Keeps a screenshot on top of everything.
    fn pin(&self, id: &str) -> Result<(), DesktopError> {
        let _ = id;
        Err(DesktopError::NoDesktop)
    }

    /// Whether what was dragged last was let go of in our own window, and so went nowhere. Asked once for each drag.
    fn was_dropped_here(&self) -> bool {
        false
    }

    /// Takes the window out of the picture, and returns when it is not seen any more.
    fn step_aside(&self) {}

    /// Brings the window back.
    fn come_back(&self) {}

    /// Shows what was frozen on all monitors, for a region to be chosen.
    fn show_frozen(&self) -> Result<(), DesktopError> {
        Err(DesktopError::NoDesktop)
    }

    /// Takes it away again: a region was chosen, or none is wanted.
    fn hide_frozen(&self) {}

    /// Connects the MCP clients of this person, and says which.
    fn connect(&self) -> Result<String, DesktopError> {
        Err(DesktopError::NoDesktop)
    }

    /// Ends the program, once the person does not mind what is not saved.
    fn quit(&self) -> Result<(), DesktopError> {
        Err(DesktopError::NoDesktop)
    }
}

/// No desktop: the pages are in a browser.
#[derive(Debug, Clone, Copy, Default)]
pub struct Browser;

impl Desktop for Browser {}
