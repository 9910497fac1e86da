//! What a picture says, as data and in words: all stores together, each for itself, and where they disagree.

mod conflicts;
mod said;

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;

pub use conflicts::Conflict;
pub(crate) use said::said;
pub use said::{Said, Store};

use crate::container::Picture;
use crate::container::raw::RawError;
use crate::model::Field;
use crate::stores::{Container, Stores};
use crate::view::{self, Fault};
use crate::words::{self, Table};

/// What a picture says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// The picture, as it was named.
    pub file_path: String,
    /// Its format, by content.
    pub format: &'static str,
    /// Its size in bytes.
    pub size: u64,
    /// Keywords of all stores together, each once; people are among them.
    pub keywords: Vec<String>,
    /// Names of the people shown.
    pub people: Vec<String>,
    /// The description.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Where it is, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<String>,
    /// The other fields that are there: `title`, `headline`, `creator`, `copyright`, `city`, `state`, `country`,
    /// `rating`, `label`, `dateTaken`, `position`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub details: BTreeMap<Field, String>,
    /// What each store says for itself.
    pub stores: Vec<Said>,
    /// What a raw picture or video says itself, besides its sidecar, which comes first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub in_file: Vec<Said>,
    /// What of a raw picture or video itself cannot be read, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub in_file_faults: Vec<String>,
    /// Stores that say different things, and which of them counts.
    pub conflicts: Vec<Conflict>,
    /// Stores that cannot be read.
    pub faults: Vec<StoreFault>,
    /// Whether IPTC was changed by a program that knows nothing of XMP.
    pub iptc_digest: IptcDigest,
}

/// A store that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct StoreFault {
    /// Which.
    pub store: Store,
    /// Why.
    pub reason: String,
}

/// What the digest of the IPTC records says about them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum IptcDigest {
    /// There is none.
    Absent,
    /// It is theirs: nobody has changed them behind the back of XMP.
    Current,
    /// It is not theirs: they were changed later than XMP.
    Stale,
}

impl Report {
    pub(crate) fn of(path: &Path, size: u64, picture: &Picture<'_>) -> Report {
        let stores = picture.stores();
        let seen = view::view(stores);
        let iptc_digest = match stores.iim_digest {
            _ if view::iim_is_newer(stores) => IptcDigest::Stale,
            Some(_) if stores.iim.is_some() => IptcDigest::Current,
            Some(_) | None => IptcDigest::Absent,
        };
        Report {
            file_path: path.display().to_string(),
            format: format_name(picture.container()),
            size,
            stores: said(&seen),
            in_file: Vec::new(),
            in_file_faults: Vec::new(),
            conflicts: conflicts::find(&seen, iptc_digest),
            faults: seen.faults.iter().map(StoreFault::of).collect(),
            iptc_digest,
            keywords: seen.keywords,
            people: seen.people,
            description: seen.description,
            location: seen.location,
            details: seen.details,
        }
    }
}

impl Report {
    /// The same, with what the file itself says where its sidecar says nothing.
    pub(crate) fn with_file(mut self, stores: &Stores) -> Report {
        let file = view::view(stores);
        self.in_file = said(&file);
        self.in_file_faults = file.faults.iter().map(Fault::to_string).collect();
        if self.keywords.is_empty() {
            self.keywords = file.keywords;
        }
        if self.people.is_empty() {
            self.people = file.people;
        }
        self.description = self.description.or(file.description);
        self.location = self.location.or(file.location);
        for (field, text) in file.details {
            self.details.entry(field).or_insert(text);
        }
        self
    }

    /// The same, with why it is not known what the file itself says.
    pub(crate) fn without_file(mut self, error: &RawError) -> Report {
        self.in_file_faults = vec![error.to_string()];
        self
    }
}

impl StoreFault {
    fn of(fault: &Fault) -> StoreFault {
        let store = match fault {
            Fault::Xmp(_) => Store::Xmp,
            Fault::Exif(_) => Store::Exif,
            Fault::Iim(_) => Store::Iptc,
        };
        StoreFault { store, reason: fault.to_string() }
    }
}

/// What people call a format.
pub(crate) fn format_name(container: Container) -> &'static str {
    match container {
        Container::Jpeg => "JPEG",
        Container::Png => "PNG",
        Container::Heic => "HEIC",
        Container::Avif => "AVIF",
        Container::Webp => "WebP",
        Container::Gif => "GIF",
        Container::Tiff => "TIFF",
        Container::Sidecar => "XMP sidecar",
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: {}, {}", words::line(&self.file_path), self.format, words::bytes(self.size))?;
        let text = |text: &Option<String>| words::whole(text.as_slice());
        let mut merged = Table::default();
        merged.row(["tags", &words::whole(&self.keywords)]);
        merged.row(["people", &words::whole(&self.people)]);
        merged.row(["description", &text(&self.description)]);
        merged.row(["location", &text(&self.location)]);
        for (field, text) in &self.details {
            merged.row([&field.to_string(), &words::line(text)]);
        }
        write!(f, "{merged}")?;
        if !self.stores.is_empty() {
            writeln!(f, "\nIn each store:")?;
            let mut each = Table::default();
            for said in &self.stores {
                each.row([said.store.label(), &said.name, &words::list(&said.values)]);
            }
            write!(f, "{each}")?;
        }
        if !self.in_file.is_empty() {
            writeln!(f, "\nIn the file itself:")?;
            let mut each = Table::default();
            for said in &self.in_file {
                each.row([said.store.label(), &said.name, &words::list(&said.values)]);
            }
            write!(f, "{each}")?;
        }
        if !self.conflicts.is_empty() || self.iptc_digest == IptcDigest::Stale {
            writeln!(f, "\nConflicts:")?;
        }
        if self.iptc_digest == IptcDigest::Stale {
            writeln!(
                f,
                "  the IPTC digest is stale: IPTC was changed after XMP, by a program that knows nothing of XMP"
            )?;
        }
        for Conflict { field, counts, between } in &self.conflicts {
            writeln!(f, "  {field}: {} say different things; {counts}", between.join(", "))?;
        }
        for StoreFault { store, reason } in &self.faults {
            writeln!(f, "\nCannot be read: {}: {reason}", store.label())?;
        }
        for reason in &self.in_file_faults {
            writeln!(f, "\nCannot be read: the file itself: {reason}")?;
        }
        Ok(())
    }
}
