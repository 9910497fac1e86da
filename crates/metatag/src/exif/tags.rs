//! Our tags in a TIFF file. They stand among its own, in its own directories: there is no EXIF block to edit.

use std::collections::BTreeMap;

use super::block::{Block, Ifd, Raw};
use super::{Changes, ExifError, MOST_LAYOUT, MOST_VALUE, Tag, TrimZeros, Values};
use crate::bytes::ByteOrder;

/// The values of our tags in a TIFF file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tags {
    order: ByteOrder,
    values: BTreeMap<(Ifd, u16), Raw>,
}

impl Tags {
    /// Reads them from a whole file.
    pub(crate) fn read(file: &[u8]) -> Result<Tags, ExifError> {
        let order = Block::parse(file)?.order();
        let most =
            |place: (Ifd, u16)| if place == Tag::ImageDescription.place() { MOST_LAYOUT } else { MOST_VALUE };
        let values = super::file::values(file, &Tag::ALL.map(Tag::place), most)?;
        Ok(Tags { order, values })
    }

    pub(crate) fn get(&self, tag: Tag) -> Option<&Raw> {
        self.values.get(&tag.place())
    }

    /// What they say.
    pub(crate) fn said(&self) -> Values {
        Values::of(self.order, |tag| self.get(tag).map(|value| value.bytes.as_slice()))
    }

    /// With changes. A value that says the same stays as it is, whatever its type and padding.
    pub(crate) fn with(&self, changes: &Changes) -> Tags {
        let mut new = self.clone();
        for (tag, value) in changes {
            let value = value.as_ref().map(|value| value.encode(self.order));
            let is_same = match (self.get(*tag), &value) {
                (Some(old), Some(new)) => old.bytes.trim_suffix_zeros() == new.bytes.trim_suffix_zeros(),
                (None, None) => true,
                (Some(_), None) | (None, Some(_)) => false,
            };
            match value {
                _ if is_same => {}
                Some(value) => drop(new.values.insert(tag.place(), value)),
                None => drop(new.values.remove(&tag.place())),
            }
        }
        new
    }

    /// The same, with one tag as others have it.
    pub(crate) fn with_tag_of(mut self, tag: Tag, others: &Tags) -> Tags {
        match others.get(tag) {
            Some(value) => drop(self.values.insert(tag.place(), value.clone())),
            None => drop(self.values.remove(&tag.place())),
        }
        self
    }
}
