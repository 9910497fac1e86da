//! EXIF: the TIFF block of a picture, patched without moving anything in it.
//!
//! Maker notes, thumbnails and other directories are found by absolute offsets, some of which nobody but the camera's
//! maker knows. So new text goes to the end of the block, or into the place of the old text if that was nobody else's.

mod block;
mod claims;
pub(crate) mod file;
mod walk;

use std::borrow::Cow;
use std::collections::BTreeMap;

pub(crate) use block::Raw;
use block::{Block, Keep};

use crate::text;

/// Why an EXIF block cannot be read or changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ExifError {
    /// It does not begin like a TIFF block.
    #[error("the EXIF block has no TIFF header")]
    NoHeader,
    /// Its first directory does not fit into it.
    #[error("the first directory of the EXIF block is damaged")]
    DamagedDirectory,
    /// It is larger than any real block, or would be.
    #[error("the EXIF block is too large")]
    TooLarge,
    /// A directory leads back to the first one.
    #[error("a directory of the EXIF block leads back to the first one")]
    Looping,
    /// A value or directory lies behind its end, where something new would be taken for it.
    #[error("the EXIF block has values outside of it, so that nothing can be added to it")]
    Dangling,
}

/// A tag of the first directory that holds one of our fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tag {
    /// The description, in UTF-8 whatever the standard says: everybody reads it.
    ImageDescription,
    /// The keywords for Windows, in UTF-16 with `;` between them.
    XpKeywords,
}

impl Tag {
    pub(crate) fn number(self) -> u16 {
        match self {
            Self::ImageDescription => 0x010E,
            Self::XpKeywords => 0x9C9E,
        }
    }

    fn encode(self, text: &str) -> Raw {
        match self {
            Self::ImageDescription => Raw { kind: 2, bytes: text.bytes().chain([0]).collect() },
            Self::XpKeywords => {
                let bytes = text.encode_utf16().chain([0]).flat_map(u16::to_le_bytes).collect();
                Raw { kind: 1, bytes }
            }
        }
    }

    fn decode(self, value: &[u8]) -> Cow<'_, str> {
        match self {
            Self::ImageDescription => text::decode(value.split(|byte| *byte == 0).next().unwrap_or_default()),
            Self::XpKeywords => {
                let units = text::utf16_units(value, text::ByteOrder::Little).take_while(|unit| *unit != 0);
                Cow::Owned(char::decode_utf16(units).map(|c| c.unwrap_or('\u{FFFD}')).collect())
            }
        }
    }
}

trait TrimZeros {
    fn trim_suffix_zeros(&self) -> &[u8];
}

impl TrimZeros for [u8] {
    fn trim_suffix_zeros(&self) -> &[u8] {
        let end = self.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
        &self[..end]
    }
}

/// The new texts of the tags that change; an empty one removes the tag.
pub(crate) type Changes = BTreeMap<Tag, String>;

/// The values of our tags.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Values {
    /// `ImageDescription`.
    pub description: Option<String>,
    /// `XPKeywords`, all in one text.
    pub keywords: Option<String>,
}

impl Values {
    /// Reads the block.
    pub fn read(block: &[u8]) -> Result<Self, ExifError> {
        let block = Block::parse(block)?;
        let text = |tag: Tag| {
            let entry = block.entries()?.into_iter().find(|entry| entry.tag == tag.number());
            // A value outside the block is an empty one: the tag is there and wants to be put right.
            let value = entry.map(|entry| block.value(&entry).unwrap_or_default());
            Ok(value.map(|value| tag.decode(value).into_owned()))
        };
        Ok(Self {
            description: text(Tag::ImageDescription)?.filter(|text| !text::is_blank(text)),
            keywords: text(Tag::XpKeywords)?,
        })
    }
}

/// Changes the block; the same bytes come back if it is as wanted, and nothing if nothing is left.
pub(crate) fn edit(old: Option<&[u8]>, changes: &Changes) -> Result<Option<Vec<u8>>, ExifError> {
    let mut block = match old {
        Some(old) => Block::parse(old)?,
        None => Block::empty(),
    };
    let mut wrong = Vec::new();
    for (tag, text) in changes {
        if !is_as_wanted(&block, *tag, text)? {
            wrong.push((*tag, text));
        }
    }
    if wrong.is_empty() {
        return Ok(old.map(<[u8]>::to_vec));
    }
    let values =
        wrong.iter().map(|(tag, text)| (tag.number(), Some(tag.encode(text)).filter(|_| !text.is_empty())));
    set(&mut block, &values.collect())?;
    Ok(block.finish())
}

/// Gives tags of the first directory other values, or none.
fn set(block: &mut Block<'_>, values: &BTreeMap<u16, Option<Raw>>) -> Result<(), ExifError> {
    let tags: Vec<u16> = values.keys().copied().collect();
    let missing = walk::walk(block, &tags).missing;
    let old_end = block.bytes.len();
    block.complete()?;
    let free = claims::release(block, &tags)?;
    // Directory first, then values: so the values are last and can be cut off next time.
    for (tag, _) in values.iter().filter(|(_, value)| value.is_some()) {
        block.entry(*tag)?;
    }
    for (tag, value) in values {
        match value {
            Some(value) => block.set(*tag, value, free.get(tag))?,
            None => block.remove(*tag, Keep::None)?,
        }
    }
    let added = old_end..block.bytes.len();
    if missing.iter().any(|range| range.start < added.end && added.start < range.end) {
        return Err(ExifError::Dangling);
    }
    Ok(())
}

fn is_as_wanted(block: &Block<'_>, tag: Tag, wanted: &str) -> Result<bool, ExifError> {
    let entries = block.entries()?;
    let mut ours = entries.iter().filter(|entry| entry.tag == tag.number());
    Ok(match (ours.next(), ours.next()) {
        (None, _) => wanted.is_empty(),
        (Some(entry), None) if !wanted.is_empty() => {
            let encoded = tag.encode(wanted);
            block.value(entry).is_some_and(|v| v.trim_suffix_zeros() == encoded.bytes.trim_suffix_zeros())
        }
        _ => false,
    })
}

#[cfg(test)]
mod tests;
