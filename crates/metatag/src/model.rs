//! What somebody wants to have written, and what becomes of the stores.

mod details;
pub(crate) mod keywords;
mod packets;
mod targets;
mod values;

use std::collections::BTreeMap;
use std::fmt;
use std::time::SystemTime;

use calendar::Utc;
pub use files::Modified;

use crate::exif::{self, ExifError};
use crate::iim::{self, IimError};
use crate::stores::{Container, Stores};
use crate::text;
use crate::view::{Fault, View, iim_is_newer, view};
use crate::xmp::XmpError;
use targets::Targets;
pub use values::{DateTaken, Position, Rating, ValueError};

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
    /// The other fields; those that are not here are not touched.
    pub details: Details,
    /// What to do with values that are already there.
    pub mode: Mode,
    /// When the file was last modified, once it is written.
    pub modified: Modified,
}

/// What the other fields shall be.
pub type Details = BTreeMap<Field, Detail>;

/// What a field shall be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Detail {
    /// Nothing; in append mode it stays.
    Removed,
    /// A text, or several of a field that can have several. They are not blank.
    Texts(Vec<String>),
    /// Of [`Field::Rating`].
    Rating(Rating),
    /// Of [`Field::DateTaken`].
    Date(DateTaken),
    /// Of [`Field::Position`].
    Position(Position),
}

impl Detail {
    /// What a field shall be, from what a person writes; an empty text removes it.
    pub fn parse(field: Field, text: &str) -> Result<Detail, ValueError> {
        if text::is_blank(text) {
            return Ok(Detail::Removed);
        }
        Ok(match field {
            Field::Rating => Detail::Rating(Rating::whole(text)?),
            Field::DateTaken => Detail::Date(text.parse()?),
            Field::Position => Detail::Position(text.parse()?),
            Field::Creator => Detail::Texts(keywords::unique(text.split(';').map(str::trim))),
            Field::Tags
            | Field::Description
            | Field::People
            | Field::Location
            | Field::Title
            | Field::Headline
            | Field::Copyright
            | Field::City
            | Field::State
            | Field::Country
            | Field::Label => Detail::Texts(vec![text.to_owned()]),
        })
    }

    fn texts(&self) -> &[String] {
        match self {
            Detail::Texts(texts) => texts,
            Detail::Removed | Detail::Rating(_) | Detail::Date(_) | Detail::Position(_) => &[],
        }
    }

    /// Whether a picture that says this has it; stores may spell it in another way.
    pub(crate) fn is_said_by(&self, said: Option<&str>) -> bool {
        match (self, said) {
            (Detail::Removed, said) => said.is_none(),
            (_, None) => false,
            (Detail::Texts(texts), Some(said)) => text::key(&texts.join("; ")) == text::key(said),
            (Detail::Rating(rating), Some(said)) => said.parse() == Ok(*rating),
            (Detail::Date(date), Some(said)) => said.parse().is_ok_and(|said| date.agrees_with(&said)),
            (Detail::Position(position), Some(said)) => {
                said.parse().is_ok_and(|said| position.agrees_with(&said))
            }
        }
    }
}

/// What somebody wants to have taken away. What is not there is no fault.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Removal {
    /// Keywords, whatever path they have in stores with paths.
    pub tags: Vec<String>,
    /// Names of people, from among the people shown and from the keywords.
    pub people: Vec<String>,
}

/// What somebody wants done with the metadata of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change<'w> {
    /// Values to write.
    Write(&'w Wish),
    /// Values to take away.
    Remove(&'w Removal),
}

impl Change<'_> {
    /// When the file was last modified, once it is written.
    pub(crate) fn modified(self) -> Modified {
        match self {
            Change::Write(wish) => wish.modified,
            Change::Remove(_) => Modified::Now,
        }
    }
}

impl<'w> From<&'w Wish> for Change<'w> {
    fn from(wish: &'w Wish) -> Self {
        Self::Write(wish)
    }
}

impl<'w> From<&'w Removal> for Change<'w> {
    fn from(removal: &'w Removal) -> Self {
        Self::Remove(removal)
    }
}

/// A field of a wish.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Field {
    /// `tags`.
    Tags,
    /// `description`.
    Description,
    /// `people`.
    People,
    /// `location`.
    Location,
    /// `title`.
    Title,
    /// `headline`.
    Headline,
    /// `creator`.
    Creator,
    /// `copyright`.
    Copyright,
    /// `city`.
    City,
    /// `state`.
    State,
    /// `country`.
    Country,
    /// `rating`.
    Rating,
    /// `label`.
    Label,
    /// `dateTaken`.
    DateTaken,
    /// `position`.
    Position,
}

impl Field {
    /// Those besides tags, people, description and location.
    pub const DETAILS: [Field; 11] = [
        Field::Title,
        Field::Headline,
        Field::Creator,
        Field::Copyright,
        Field::City,
        Field::State,
        Field::Country,
        Field::Rating,
        Field::Label,
        Field::DateTaken,
        Field::Position,
    ];
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Tags => "tags",
            Self::Description => "description",
            Self::People => "people",
            Self::Location => "location",
            Self::Title => "title",
            Self::Headline => "headline",
            Self::Creator => "creator",
            Self::Copyright => "copyright",
            Self::City => "city",
            Self::State => "state",
            Self::Country => "country",
            Self::Rating => "rating",
            Self::Label => "label",
            Self::DateTaken => "dateTaken",
            Self::Position => "position",
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
    /// The EXIF block has values that are not in it, so that nothing can be added to it; the other stores have the
    /// description.
    ExifOdd,
    /// The file has signed provenance (C2PA), which no longer matches.
    Provenance,
    /// The metadata went into a sidecar; the file itself is as it was.
    Sidecar,
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

/// Does what is wanted.
pub fn apply<'w>(
    container: Container,
    stores: &Stores,
    change: impl Into<Change<'w>>,
) -> Result<Applied, ApplyError> {
    // As XMP writes it.
    let now = format!("{:.0}", Utc::from(SystemTime::now()));
    apply_at(container, stores, change, &now)
}

/// Does what is wanted at a given time, as `2026-01-31T12:00:00Z`.
pub fn apply_at<'w>(
    container: Container,
    stores: &Stores,
    change: impl Into<Change<'w>>,
    now: &str,
) -> Result<Applied, ApplyError> {
    let change = change.into();
    check(change)?;
    let view = view(stores);
    // What is too large to be read cannot be kept in step with the rest.
    if view.faults.contains(&Fault::Exif(ExifError::TooLarge)) {
        return Err(ExifError::TooLarge.into());
    }
    let said = (view.description.clone(), view.location.clone(), view.details.clone());
    let targets = Targets::of(container, &view, change);
    let mut new = stores.clone();
    if targets.are_empty() {
        return Ok(Applied { stores: new, changed: false, notes: targets.notes });
    }
    let mut notes = targets.notes;
    let mut wanted = targets.xmp;
    if let Some(tags) = &stores.tiff {
        new.tiff = Some(tags.with(&targets.exif));
    } else if !targets.exif.is_empty() {
        let mut exif = exif::edit(stores.exif.as_deref(), &targets.exif);
        let has_none_of_ours = view.exif.as_ref().is_some_and(|exif| !exif.has_any(&targets.exif));
        if exif == Err(ExifError::DamagedDirectory) && view.exif.is_some() {
            // A directory below the first is damaged; the first can still be changed.
            let mut main = targets.exif.clone();
            main.retain(|tag, _| tag.place().0 == exif::Ifd::Main);
            exif = exif::edit(stores.exif.as_deref(), &main);
            notes.push(Note::ExifOdd);
            wanted.extend(targets.instead_of_exif.clone());
        }
        match exif {
            // Readers would take what is added for the missing values.
            Err(ExifError::Dangling) if has_none_of_ours => {
                notes.push(Note::ExifOdd);
                wanted.extend(targets.instead_of_exif);
            }
            Ok(Some(exif)) if exif.len() > container.capacity().exif => {
                notes.push(Note::ExifFull);
                wanted.extend(targets.instead_of_exif);
                let old = stores.exif.as_deref().unwrap_or_default();
                let fitting = exif::edit_within(old, &targets.exif, container.capacity().exif);
                new.exif = fitting.or(new.exif);
            }
            edited => new.exif = edited?,
        }
    }
    if !targets.iim.is_empty() {
        new.iim = iim::edit(stores.iim.as_deref(), &targets.iim)?;
        // The first block has it all, so that others need not have it too.
        let removal = targets.iim.into_keys().map(|tag| (tag, Vec::new())).collect();
        new.further_iim.clear();
        for records in &stores.further_iim {
            new.further_iim.extend(iim::edit(Some(records), &removal)?);
        }
        if !new.further_iim.is_empty() {
            new.iim.get_or_insert_default();
        }
        if new.iim != stores.iim {
            let wants_digest = container == Container::Jpeg || stores.iim_digest.is_some();
            new.iim_digest = new.iim.as_deref().filter(|_| wants_digest).map(iim::digest);
        }
    }
    if let Some(description) = targets.png_description {
        new.png_description = description.into_iter().next();
    }
    packets::change(container, &view, &mut new, &packets::Changed { stores, wanted, now })?;
    if iim_is_newer(stores) && hides_newer(change, &said, &new) {
        new.iim_digest = stores.iim_digest;
    }
    Ok(Applied { changed: new != *stores, stores: new, notes })
}

/// Whether a digest that is right would hide what IPTC says about a field that nobody wants changed. Then it stays
/// wrong, so that IPTC still speaks first.
fn hides_newer(
    change: Change<'_>,
    said: &(Option<String>, Option<String>, BTreeMap<Field, String>),
    new: &Stores,
) -> bool {
    let (description, location) = match change {
        Change::Write(wish) => (wish.description.is_some(), wish.location.is_some()),
        Change::Remove(_) => (false, false),
    };
    let is_wanted = |field: &Field| match change {
        Change::Write(wish) => wish.details.contains_key(field),
        Change::Remove(_) => false,
    };
    let seen = view(new);
    let differs = |field: &Field| seen.details.get(field) != said.2.get(field) && !is_wanted(field);
    (!description && seen.description != said.0)
        || (!location && seen.location != said.1)
        || Field::DETAILS.iter().any(differs)
}

/// Whether the stores can hold every text.
pub(crate) fn check(change: Change<'_>) -> Result<(), ApplyError> {
    let legal = |field, texts: &[String]| {
        if texts.iter().all(|text| text::is_legal(text)) {
            Ok(())
        } else {
            Err(ApplyError::InvalidText { field })
        }
    };
    match change {
        Change::Write(wish) => {
            legal(Field::Tags, wish.tags.as_deref().unwrap_or_default())?;
            legal(Field::Description, wish.description.as_slice())?;
            legal(Field::People, wish.people.as_deref().unwrap_or_default())?;
            legal(Field::Location, wish.location.as_slice())?;
            wish.details.iter().try_for_each(|(field, detail)| legal(*field, detail.texts()))
        }
        Change::Remove(removal) => {
            legal(Field::Tags, &removal.tags)?;
            legal(Field::People, &removal.people)
        }
    }
}

impl Removal {
    /// What of it there is not in a picture that says this.
    pub fn missing_in(&self, view: &View) -> Removal {
        let (named, people) = (keywords::Named::of(view), keywords::keys(&view.people));
        let is_missing = |name: &&String| !people.contains(&text::key(name));
        Removal {
            tags: self.tags.iter().filter(|tag| named.find(tag).is_none()).cloned().collect(),
            people: self.people.iter().filter(is_missing).cloned().collect(),
        }
    }
}

#[cfg(test)]
mod tests;
