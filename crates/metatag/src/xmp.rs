//! XMP packets: what is where in them, and changes that leave every other byte alone.

pub(crate) mod acdsee;
mod edit;
mod encoding;
pub(crate) mod extended;
mod markup;
mod padding;
mod property;
mod scan;
mod value;

use std::collections::BTreeMap;

pub(crate) use edit::{Changes, edit};
pub use property::Property;
pub use value::Item;

use crate::text;

/// Of a packet, as it stands in the file and as text: a longer one would take more than a second to change.
pub(crate) const MOST_BYTES: usize = crate::stores::LONGEST_BLOCK;

/// Why a packet cannot be read or changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum XmpError {
    /// It is not XML.
    #[error("the XMP packet is not well-formed XML: {reason}")]
    Malformed {
        /// What is wrong.
        reason: String,
    },
    /// There is XML, but nowhere to put a property.
    #[error("the XMP packet has no single `rdf:RDF` element")]
    NoRdf,
    /// It is larger or more deeply nested than any real packet.
    #[error("the XMP packet exceeds a limit: {limit}")]
    TooMuch {
        /// Which.
        limit: &'static str,
    },
}

/// Whether a packet says nothing but when it was changed.
pub(crate) fn is_hollow(packet: &[u8]) -> bool {
    let Ok(text) = encoding::decode(packet) else { return false };
    let Ok(scan) = scan::scan(&text) else { return false };
    let all: usize = scan.nodes.iter().map(|node| node.properties).sum();
    let dates = scan.found.iter().filter(|found| found.property == Property::MetadataDate).count();
    all == dates && scan.nodes.iter().all(|node| !node.needed)
}

/// The values of our properties in a packet.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Properties {
    values: BTreeMap<Property, Value>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Value {
    items: Vec<Item>,
    /// How often the packet has the property. More than once is wrong, but happens.
    times: usize,
}

impl Properties {
    /// Reads a packet.
    pub fn read(packet: &[u8]) -> Result<Self, XmpError> {
        let text = encoding::decode(packet)?;
        let mut properties = Self::default();
        for found in scan::scan(&text)?.found {
            let value = properties.values.entry(found.property).or_default();
            value.items.extend(found.items);
            value.times += 1;
        }
        Ok(properties)
    }

    /// Adds what a further packet says: lists grow, and of what can be said only once, this packet's comes first.
    pub(crate) fn join(&mut self, further: &Self) {
        for (property, value) in &further.values {
            match self.values.get_mut(property) {
                Some(known) if property.is_list() => known.items.extend(value.items.iter().cloned()),
                Some(_) => {}
                None => {
                    self.values.insert(*property, value.clone());
                }
            }
        }
    }

    /// Whether the packet has the property, be it empty.
    pub fn has(&self, property: Property) -> bool {
        self.values.contains_key(&property)
    }

    /// All texts of the property.
    pub fn items(&self, property: Property) -> &[Item] {
        self.values.get(&property).map(|value| value.items.as_slice()).unwrap_or_default()
    }

    /// All texts of the property, without their languages.
    pub fn texts(&self, property: Property) -> Vec<&str> {
        self.items(property).iter().map(|item| item.text.as_str()).collect()
    }

    /// The text of the property for readers without a preference; otherwise the first that says anything.
    pub fn text(&self, property: Property) -> Option<&str> {
        let said = || self.items(property).iter().filter(|item| !text::is_blank(&item.text));
        let default = said().find(|item| item.language.as_deref() == Some("x-default"));
        default.or_else(|| said().next()).map(|item| item.text.as_str())
    }

    /// Whether the property is as wanted, so that the packet need not change.
    pub(crate) fn are(&self, property: Property, wanted: &[Item]) -> bool {
        match self.values.get(&property) {
            Some(value) => value.times == 1 && value.items == wanted,
            None => wanted.is_empty(),
        }
    }
}

#[cfg(test)]
mod tests;
