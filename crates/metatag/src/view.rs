//! What the stores say, together and each for itself.

use crate::exif::{self, ExifError};
use crate::iim::{self, IimError};
use crate::model::keywords;
use crate::stores::Stores;
use crate::text;
use crate::xmp::{Properties, Property, XmpError};

/// What the stores say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct View {
    /// Keywords of all stores, each once.
    pub keywords: Vec<String>,
    /// Names of the people shown.
    pub people: Vec<String>,
    /// The description.
    pub description: Option<String>,
    /// Where it is, in words.
    pub location: Option<String>,
    /// What XMP says.
    pub xmp: Option<Properties>,
    /// What IPTC says.
    pub iim: Option<iim::Values>,
    /// What EXIF says.
    pub exif: Option<exif::Values>,
    /// What the PNG chunk says.
    pub png_description: Option<String>,
    /// The stores that cannot be read.
    pub faults: Vec<Fault>,
}

/// A store that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The XMP packet.
    #[error(transparent)]
    Xmp(#[from] XmpError),
    /// The EXIF block.
    #[error(transparent)]
    Exif(#[from] ExifError),
    /// The IPTC records.
    #[error(transparent)]
    Iim(#[from] IimError),
}

/// Reads the stores.
pub fn view(stores: &Stores) -> View {
    let mut faults = Vec::new();
    let xmp = stores.xmp.as_deref().map(Properties::read);
    let xmp = xmp.and_then(|read| read.map_err(|error| faults.push(error.into())).ok());
    let iim = stores.iim.as_deref().map(iim::Values::read);
    let iim = iim.and_then(|read| read.map_err(|error| faults.push(error.into())).ok());
    let exif = stores.exif.as_deref().map(exif::Values::read);
    let exif = exif.and_then(|read| read.map_err(|error| faults.push(error.into())).ok());
    let png_description = stores.png_description.clone().filter(|text| !text::is_blank(text));
    let mut view = View { xmp, iim, exif, png_description, faults, ..View::default() };
    view.keywords = keywords::existing(&view, &[]);
    view.people = keywords::unique(view.texts(Property::PersonInImage));
    view.description = view.said_description(iim_is_newer(stores));
    view.location = view.said_location(iim_is_newer(stores));
    view
}

/// Whether a program that knows nothing of XMP has changed the IPTC records since.
pub(crate) fn iim_is_newer(stores: &Stores) -> bool {
    match (&stores.iim, stores.iim_digest) {
        (Some(records), Some(digest)) => iim::digest(records) != digest,
        _ => false,
    }
}

impl View {
    /// The texts of an XMP property.
    pub(crate) fn texts(&self, property: Property) -> Vec<&str> {
        self.xmp.as_ref().map(|xmp| xmp.texts(property)).unwrap_or_default()
    }

    fn text(&self, property: Property) -> Option<&str> {
        self.xmp.as_ref().and_then(|xmp| xmp.text(property))
    }

    fn said_description(&self, iim_is_newer: bool) -> Option<String> {
        let caption = self.iim.as_ref().and_then(|iim| iim.caption.as_deref());
        let exif = self.exif.as_ref().and_then(|exif| exif.description.as_deref());
        let newer = caption.filter(|_| iim_is_newer);
        let said = newer.or(self.text(Property::Description)).or(caption).or(exif);
        let said = said.or(self.text(Property::TiffDescription)).or(self.png_description.as_deref());
        said.map(str::to_owned)
    }

    fn said_location(&self, iim_is_newer: bool) -> Option<String> {
        let sublocation = self.iim.as_ref().and_then(|iim| iim.sublocation.as_deref());
        let newer = sublocation.filter(|_| iim_is_newer);
        newer.or(self.text(Property::Location)).or(sublocation).map(str::to_owned)
    }
}
