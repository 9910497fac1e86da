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
    /// It went away while somebody worked with it.
    #[error("the screenshot was deleted or redacted meanwhile; `list_screenshots` names those there are")]
    Deleted,
    /// Nothing more can be kept, and nothing is dropped for it.
    #[error(
        "there is no room for another screenshot: the memory is full, and the disk takes no more ({reason}); free space on the disk, or delete screenshots"
    )]
    NoRoom {
        /// What the operating system said.
        reason: String,
    },
    /// A file of the store cannot be read.
    #[error("the file of the screenshot cannot be read: {0}; take it again")]
    Spill(#[from] std::io::Error),
    /// A document stays as it was.
    #[error(transparent)]
    Edit(#[from] crate::document::EditError),
    /// An agent may not.
    #[error("screenshot `{id}` is the person's; only the person deletes it")]
    NotYours {
        /// Which one.
        id: String,
    },
    /// A screenshot that is handed over has the name of another one.
    #[error("there is another screenshot `{id}` already")]
    NameTaken {
        /// Which one.
        id: String,
    },
    /// A screenshot that is handed over is not what is said of it.
    #[error("its picture is no PNG file of the size that is said")]
    NotAsSaid,
    /// A setting that does not fit.
    #[error("`{setting}` cannot be set: {reason}")]
    Setting {
        /// Which one.
        setting: String,
        /// What is wrong.
        reason: String,
    },
    /// Only the application has settings.
    #[error("there are no settings to change here; they are those of the Fotos application")]
    NoSettings,
    /// A file of the application cannot be written.
    #[error(transparent)]
    Folder(#[from] files::FolderError),
    /// A key cannot be kept or looked up.
    #[error(transparent)]
    Key(#[from] models::KeyError),
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
    /// A picture could not be written as WebP.
    #[error(transparent)]
    Webp(#[from] crate::webp::WebpError),
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
