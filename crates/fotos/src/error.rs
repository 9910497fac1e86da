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
    /// A part that is not there.
    #[error("`region` lies outside of the picture, which is {width}x{height} pixels large")]
    EmptyRegion {
        /// The picture's width.
        width: u32,
        /// Its height.
        height: u32,
    },
    /// The work was given up.
    #[error("the work on the screenshot broke off; try again")]
    Interrupted,
    /// A picture could not be written.
    #[error(transparent)]
    Encode(#[from] picture::EncodeError),
    /// A picture could not be read again.
    #[error(transparent)]
    Decode(#[from] picture::DecodeError),
    /// The text could not be read.
    #[error(transparent)]
    Reading(#[from] ocr::Error),
    /// A setting of the models is wrong.
    #[error(transparent)]
    Settings(#[from] models::SettingsError),
    /// A pattern is no regular expression.
    #[error(
        "`pattern` is no regular expression: {reason}; escape what is to be taken literally with a backslash"
    )]
    Pattern {
        /// What is wrong with it.
        reason: String,
    },
    /// A model could not be asked.
    #[error(transparent)]
    Model(#[from] models::ModelError),
}
