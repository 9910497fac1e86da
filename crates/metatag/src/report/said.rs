//! What each store says, by the names people know from other programs.

use schemars::JsonSchema;
use serde::Serialize;

use crate::iim;
use crate::model::Field;
use crate::view::View;
use crate::xmp::Property;

/// Where something is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum Store {
    /// The XMP packet.
    Xmp,
    /// The IPTC-IIM records.
    Iptc,
    /// The EXIF block.
    Exif,
    /// A text chunk of PNG.
    Png,
}

impl Store {
    /// What people call it.
    pub fn label(self) -> &'static str {
        match self {
            Store::Xmp => "XMP",
            Store::Iptc => "IPTC",
            Store::Exif => "EXIF",
            Store::Png => "PNG",
        }
    }
}

/// What one place of a store says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Said {
    /// The store.
    pub store: Store,
    /// The place in it, such as `dc:subject`.
    pub name: String,
    /// What it is about.
    pub field: Field,
    /// Its values, as they are; keywords may be paths.
    pub values: Vec<String>,
}

/// What a property is about; nothing for bookkeeping.
pub(super) fn field_of(property: Property) -> Option<Field> {
    match property {
        Property::Subject
        | Property::TagsList
        | Property::HierarchicalSubject
        | Property::LastKeywordXmp
        | Property::LastKeywordIptc
        | Property::CatalogSets
        | Property::AcdseeKeywords
        | Property::AcdseeCategories => Some(Field::Tags),
        Property::PersonInImage => Some(Field::People),
        Property::Description | Property::TiffDescription => Some(Field::Description),
        Property::Location => Some(Field::Location),
        Property::Title => Some(Field::Title),
        Property::Headline => Some(Field::Headline),
        Property::Creator | Property::TiffArtist => Some(Field::Creator),
        Property::Rights | Property::TiffCopyright => Some(Field::Copyright),
        Property::City => Some(Field::City),
        Property::State => Some(Field::State),
        Property::Country => Some(Field::Country),
        Property::Rating | Property::MicrosoftRating => Some(Field::Rating),
        Property::Label => Some(Field::Label),
        Property::DateCreated | Property::ExifDate => Some(Field::DateTaken),
        Property::GpsLatitude | Property::GpsLongitude => Some(Field::Position),
        Property::MetadataDate | Property::HasExtendedXmp => None,
    }
}

/// What people call a dataset of IPTC, and what it is about.
fn record(tag: iim::Tag) -> (&'static str, Field) {
    match tag {
        iim::Tag::ObjectName => ("ObjectName", Field::Title),
        iim::Tag::Keywords => ("Keywords", Field::Tags),
        iim::Tag::DateCreated => ("DateCreated", Field::DateTaken),
        iim::Tag::TimeCreated => ("TimeCreated", Field::DateTaken),
        iim::Tag::ByLine => ("By-line", Field::Creator),
        iim::Tag::City => ("City", Field::City),
        iim::Tag::Sublocation => ("Sub-location", Field::Location),
        iim::Tag::State => ("Province-State", Field::State),
        iim::Tag::Country => ("Country-PrimaryLocationName", Field::Country),
        iim::Tag::Headline => ("Headline", Field::Headline),
        iim::Tag::Copyright => ("CopyrightNotice", Field::Copyright),
        iim::Tag::Caption => ("Caption-Abstract", Field::Description),
    }
}

/// Everything that is said, store by store. What is empty says nothing.
pub(crate) fn said(view: &View) -> Vec<Said> {
    let mut all = Vec::new();
    let mut add = |store, name: &str, field, values: Vec<String>| {
        if !values.is_empty() {
            all.push(Said { store, name: name.to_owned(), field, values });
        }
    };
    let one = |text: &Option<String>| text.iter().cloned().collect::<Vec<String>>();
    for property in Property::ALL {
        if let Some(field) = field_of(property) {
            let values = view.texts(property).into_iter().map(str::to_owned).collect();
            add(Store::Xmp, &property.label(), field, values);
        }
    }
    if let Some(iim) = &view.iim {
        add(Store::Iptc, "Keywords", Field::Tags, iim.keywords.clone());
        add(Store::Iptc, "Caption-Abstract", Field::Description, one(&iim.caption));
        add(Store::Iptc, "Sub-location", Field::Location, one(&iim.sublocation));
        for (tag, texts) in &iim.others {
            let (name, field) = record(*tag);
            add(Store::Iptc, name, field, texts.clone());
        }
    }
    if let Some(exif) = &view.exif {
        add(Store::Exif, "ImageDescription", Field::Description, one(&exif.description));
        add(Store::Exif, "XPKeywords", Field::Tags, one(&exif.keywords));
        add(Store::Exif, "XPTitle", Field::Title, one(&exif.title));
        add(Store::Exif, "Artist", Field::Creator, one(&exif.artist));
        add(Store::Exif, "XPAuthor", Field::Creator, one(&exif.author));
        add(Store::Exif, "Copyright", Field::Copyright, one(&exif.copyright));
        let shown = |value: Option<String>| value.into_iter().collect::<Vec<String>>();
        add(Store::Exif, "Rating", Field::Rating, shown(exif.rating.map(|rating| rating.to_string())));
        let percent = exif.rating_percent.map(|percent| percent.to_string());
        add(Store::Exif, "RatingPercent", Field::Rating, shown(percent));
        let date = exif.date_taken.map(|date| date.to_string());
        add(Store::Exif, "DateTimeOriginal", Field::DateTaken, shown(date));
        let position = exif.position.map(|position| position.to_string());
        add(Store::Exif, "GPSPosition", Field::Position, shown(position));
    }
    add(Store::Png, "Description", Field::Description, one(&view.png_description));
    all
}
