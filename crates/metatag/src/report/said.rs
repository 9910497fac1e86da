//! What each store says, by the names people know from other programs.

use schemars::JsonSchema;
use serde::Serialize;

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
        Property::MetadataDate | Property::HasExtendedXmp => None,
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
    }
    if let Some(exif) = &view.exif {
        add(Store::Exif, "ImageDescription", Field::Description, one(&exif.description));
        add(Store::Exif, "XPKeywords", Field::Tags, one(&exif.keywords));
    }
    add(Store::Png, "Description", Field::Description, one(&view.png_description));
    all
}
