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
    /// What XMP says, all packets together.
    pub xmp: Option<Properties>,
    /// What IPTC says, all blocks together.
    pub iim: Option<iim::Values>,
    /// What EXIF says.
    pub exif: Option<exif::Values>,
    /// What the PNG chunk says.
    pub png_description: Option<String>,
    /// The stores that cannot be read.
    pub faults: Vec<Fault>,
    /// What each XMP packet says for itself.
    pub(crate) packets: Packets,
}

/// What each XMP packet says for itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Packets {
    pub(crate) main: Option<Properties>,
    pub(crate) further: Vec<Properties>,
    pub(crate) extended: Option<Properties>,
}

impl Packets {
    fn read(stores: &Stores, faults: &mut Vec<Fault>) -> Packets {
        let mut read =
            |packet: &[u8]| Properties::read(packet).map_err(|error| faults.push(error.into())).ok();
        Packets {
            main: stores.xmp.as_deref().and_then(&mut read),
            further: stores.further_xmp.iter().filter_map(|packet| read(packet)).collect(),
            extended: stores.extended_xmp.as_deref().and_then(&mut read),
        }
    }

    fn joined(&self) -> Option<Properties> {
        let mut all = self.main.iter().chain(&self.further).chain(&self.extended);
        let mut joined = all.next()?.clone();
        all.for_each(|packet| joined.join(packet));
        Some(joined)
    }
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
    let packets = Packets::read(stores, &mut faults);
    let xmp = packets.joined();
    let iim = read_records(stores, &mut faults);
    let exif = stores.exif.as_deref().map(exif::Values::read);
    let exif = exif.and_then(|read| read.map_err(|error| faults.push(error.into())).ok());
    let png_description = stores.png_description.clone().filter(|text| !text::is_blank(text));
    let mut view = View { xmp, iim, exif, png_description, faults, packets, ..View::default() };
    view.keywords = keywords::existing(&view, &[]);
    view.people = keywords::unique(view.texts(Property::PersonInImage));
    view.description = view.said_description(iim_is_newer(stores));
    view.location = view.said_location(iim_is_newer(stores));
    view
}

fn read_records(stores: &Stores, faults: &mut Vec<Fault>) -> Option<iim::Values> {
    let mut joined: Option<iim::Values> = None;
    for records in stores.iim.iter().chain(&stores.further_iim) {
        match iim::Values::read(records) {
            Ok(values) => joined.get_or_insert_default().join(values),
            Err(error) => faults.push(error.into()),
        }
    }
    joined
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
