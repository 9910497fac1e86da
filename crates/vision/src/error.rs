//! What can go wrong, and what to do then.

use fetch::{FetchError, Reserved};
use files::{OpenError, ResolveError};
use models::{ModelError, SettingsError};
use picture::{DecodeError, EncodeError, RegionError};

use crate::frames::FramesError;
use crate::pdf::PdfError;

/// Why nothing was seen.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An argument that has to say something says nothing.
    #[error("`{0}` is empty; say something")]
    EmptyArgument(&'static str),
    /// An argument is out of its bounds.
    #[error("`{name}` is {value}; it must be {bounds}")]
    OutOfBounds {
        /// Its name.
        name: &'static str,
        /// What it is.
        value: u64,
        /// What it may be.
        bounds: &'static str,
    },
    /// A setting is wrong.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// The path cannot be used.
    #[error(transparent)]
    Path(#[from] ResolveError),
    /// The file cannot be read.
    #[error(transparent)]
    File(#[from] OpenError),
    /// A `file:` URL that names no file of this machine.
    #[error("`{0}` names no file on this machine; use `file:///` and an absolute path")]
    FileUrl(String),
    /// The URL cannot be fetched.
    #[error("the picture cannot be fetched: {0}")]
    Fetch(#[from] FetchError),
    /// The host is in a private network.
    #[error(
        "the picture cannot be fetched: `{host}` is at an address that is {range}, and only public ones may be reached; use \
         another host, or name this one in `VISION_ALLOW_HOSTS`"
    )]
    PrivateHost {
        /// Its name.
        host: String,
        /// What its address is.
        range: Reserved,
    },
    /// Neither a path nor a URL that can be fetched.
    #[error("`{0}:` is not a source that can be read; use an absolute path, a https: URL or a data: URL")]
    Scheme(String),
    /// A `data:` URL that holds no base64.
    #[error("the data: URL holds no file: {0}; write it as `data:image/png;base64,` and the file in base64")]
    Data(&'static str),
    /// The source has more bytes than are read.
    #[error("{source_name} has more than {limit} bytes; use a smaller file")]
    TooLarge {
        /// What the caller named.
        source_name: String,
        /// The bound in bytes.
        limit: usize,
    },
    /// The bytes are no picture.
    #[error("{source_name} is not usable: {reason}")]
    Picture {
        /// What the caller named.
        source_name: String,
        /// Why.
        reason: DecodeError,
    },
    /// The bytes are no video.
    #[error(
        "{source_name} is not a video of a known format; use an .mp4, .mov or .m4v file, or analyze_image for a picture"
    )]
    NotVideo {
        /// What the caller named.
        source_name: String,
    },
    /// The video is larger than the provider takes.
    #[error(
        "{source_name} has {size} bytes, and {provider} takes videos of up to {limit} bytes (8 MB); cut it or compress it"
    )]
    VideoTooLarge {
        /// What the caller named.
        source_name: String,
        /// Its size in bytes.
        size: usize,
        /// The bound in bytes.
        limit: usize,
        /// Whose bound it is.
        provider: String,
    },
    /// The part is not in the picture.
    #[error("`region` does not fit: {0}")]
    Region(#[from] RegionError),
    /// The picture cannot be written for the provider.
    #[error(transparent)]
    Encode(#[from] EncodeError),
    /// No answer of a model.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// Only a model could do this.
    #[error(
        "{what} takes a vision model, and none is set up: set `Z_AI_API_KEY` (or the key of another provider and \
         `VISION_PROVIDER`), or run Ollama and use `provider`: `ollama`"
    )]
    NeedsModel {
        /// What was asked for.
        what: &'static str,
    },
    /// Text could not be read.
    #[error("the text cannot be read: {0}")]
    Text(#[from] ocr::Error),
    /// The page of a PDF cannot be seen.
    #[error("{source_name} is not usable: {reason}")]
    Pdf {
        /// What the caller named.
        source_name: String,
        /// Why.
        reason: PdfError,
    },
    /// A page is wanted of what has none.
    #[error("`page` is for PDF files, and {source_name} is none; leave it out")]
    NoPages {
        /// What the caller named.
        source_name: String,
    },
    /// Nothing can be taken out of a video.
    #[error(
        "private things cannot be taken out of a video before it is sent; leave `redact` out where `VISION_REDACT` permits it, or choose a \
         `provider` that gets single pictures of it, such as `claude`"
    )]
    CannotRedactVideos,
    /// An argument for pictures, and a video.
    #[error("`{0}` is for pictures, not for videos; leave it out")]
    NotForVideos(&'static str),
    /// There are no frames for a model that takes no videos.
    #[error(transparent)]
    Frames(#[from] FramesError),
    /// The answer does not fit the schema that was asked for.
    #[error(
        "the model's answer does not fit `output_schema`: {reason}; ask again or ask for less. It began: {beginning}"
    )]
    Schema {
        /// What does not fit.
        reason: String,
        /// How the answer begins.
        beginning: String,
    },
    /// A thread of ours ended early.
    #[error("the picture could not be worked on; try again")]
    Interrupted,
}
