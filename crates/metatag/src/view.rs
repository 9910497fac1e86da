//! What the stores say, together and each for itself.

use std::collections::BTreeMap;

use crate::exif::{self, ExifError};
use crate::iim::{self, IimError};
use crate::model::{DateTaken, Field, Position, Rating, keywords};
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
    /// The other fields that are there, each as a text.
    pub details: BTreeMap<Field, String>,
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
    let exif = exif.or_else(|| stores.tiff.as_ref().map(exif::Tags::said));
    let png_description = stores.png_description.clone().filter(|text| !text::is_blank(text));
    let mut view = View { xmp, iim, exif, png_description, faults, packets, ..View::default() };
    view.keywords = keywords::existing(&view, &[]);
    view.people = keywords::unique(view.texts(Property::PersonInImage));
    view.description = view.said_description(iim_is_newer(stores));
    view.location = view.said_location(iim_is_newer(stores));
    let details = Field::DETAILS.into_iter();
    view.details =
        details.filter_map(|field| Some((field, view.said_detail(field, iim_is_newer(stores))?))).collect();
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

    /// XMP comes first for what people write, and EXIF for what cameras know.
    fn said_detail(&self, field: Field, iim_is_newer: bool) -> Option<String> {
        let iim = |tag| self.iim.as_ref()?.other(tag);
        let exif = self.exif.as_ref();
        let text = |property, tag, in_exif: Option<&String>| {
            let newer = iim(tag).filter(|_| iim_is_newer);
            let said = newer.or(self.text(property)).or(iim(tag)).or(in_exif.map(String::as_str));
            said.map(str::to_owned)
        };
        match field {
            Field::Title => {
                text(Property::Title, iim::Tag::ObjectName, exif.and_then(|exif| exif.title.as_ref()))
            }
            Field::Headline => text(Property::Headline, iim::Tag::Headline, None),
            Field::City => text(Property::City, iim::Tag::City, None),
            Field::State => text(Property::State, iim::Tag::State, None),
            Field::Country => text(Property::Country, iim::Tag::Country, None),
            Field::Copyright => {
                let said = exif.and_then(|exif| exif.copyright.as_ref());
                let said = text(Property::Rights, iim::Tag::Copyright, said);
                said.or_else(|| self.text(Property::TiffCopyright).map(str::to_owned))
            }
            Field::Creator => {
                let joined = |texts: Vec<&str>| Some(texts.join("; ")).filter(|text| !text::is_blank(text));
                let records = self.iim.as_ref().and_then(|iim| iim.others.get(&iim::Tag::ByLine));
                let records = records.and_then(|texts| joined(texts.iter().map(String::as_str).collect()));
                let newer = records.clone().filter(|_| iim_is_newer);
                // Several packets say the same names.
                let names = keywords::unique(self.texts(Property::Creator));
                let packet = joined(names.iter().map(String::as_str).collect());
                let said = newer.or(packet).or(records).or_else(|| exif?.artist.clone());
                let said = said.or_else(|| self.text(Property::TiffArtist).map(str::to_owned));
                said.or_else(|| exif?.author.clone())
            }
            Field::Label => self.text(Property::Label).map(str::to_owned),
            Field::Rating => {
                let packet = self.text(Property::Rating).and_then(|text| text.parse::<Rating>().ok());
                let stars = exif.and_then(|exif| exif.rating).map(|stars| stars.to_string());
                packet.or_else(|| stars?.parse().ok()).map(|rating| rating.to_string())
            }
            Field::DateTaken => {
                let records = || DateTaken::from_iim(iim(iim::Tag::DateCreated)?, iim(iim::Tag::TimeCreated));
                let packet = |property| self.text(property)?.parse::<DateTaken>().ok();
                let date = exif.and_then(|exif| exif.date_taken);
                let date = date.or_else(|| packet(Property::DateCreated));
                let date = date.or_else(|| packet(Property::ExifDate)).or_else(records);
                date.map(|date| date.to_string())
            }
            Field::Position => {
                let packet = || {
                    Position::from_xmp(self.text(Property::GpsLatitude)?, self.text(Property::GpsLongitude)?)
                };
                let position = exif.and_then(|exif| exif.position).or_else(packet);
                position.map(|position| position.to_string())
            }
            Field::Tags | Field::People | Field::Description | Field::Location => None,
        }
    }

    fn said_location(&self, iim_is_newer: bool) -> Option<String> {
        let sublocation = self.iim.as_ref().and_then(|iim| iim.sublocation.as_deref());
        let newer = sublocation.filter(|_| iim_is_newer);
        newer.or(self.text(Property::Location)).or(sublocation).map(str::to_owned)
    }
}
