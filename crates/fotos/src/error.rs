//! What can go wrong with screenshots.

use crate::capture;

/// Why something could not be done, and what would help.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No picture could be taken.
    #[error(transparent)]
    Capture(#[from] capture::Error),
    /// There is no such screenshot.
    #[error(
        "screenshot not found: `{id}`; `list_screenshots` names those there are, and `take_screenshot` takes a new one"
    )]
    NotFound {
        /// What was asked for.
        id: String,
    },
    /// A picture could not be written.
    #[error(transparent)]
    Encode(#[from] picture::EncodeError),
    /// A picture could not be read again.
    #[error(transparent)]
    Decode(#[from] picture::DecodeError),
}
