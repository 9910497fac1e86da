//! EXIF: the TIFF block of a picture, patched without moving anything in it.
//!
//! Maker notes, thumbnails and other directories are found by absolute offsets, some of which nobody but the camera's
//! maker knows. So new text goes to the end of the block, or into the place of the old text if that was nobody else's.

mod block;
mod claims;
pub(crate) mod file;
mod tags;
mod walk;

use std::borrow::Cow;
use std::collections::BTreeMap;

use block::{Block, Keep};
pub(crate) use block::{Ifd, Raw};
pub use tags::Tags;

use crate::bytes::ByteOrder;
use crate::model::{DateTaken, Position};
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
    /// It is larger than any real block, or would be, or a value of ours in it is.
    #[error("the EXIF block is too large")]
    TooLarge,
    /// A directory leads back to the first one.
    #[error("a directory of the EXIF block leads back to the first one")]
    Looping,
    /// A value or directory lies behind its end, where something new would be taken for it.
    #[error("the EXIF block has values outside of it, so that nothing can be added to it")]
    Dangling,
}

/// A tag that holds one of our fields, or belongs to one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tag {
    /// The description, in UTF-8 whatever the standard says: everybody reads it.
    ImageDescription,
    /// The creators, with `; ` between them.
    Artist,
    /// The rating, from 0 to 5; Windows writes it.
    Rating,
    /// The same from 0 to 99.
    RatingPercent,
    /// Who may use the picture.
    Copyright,
    /// The title for Windows, in UTF-16.
    XpTitle,
    /// The creators for Windows, in UTF-16 with `;` between them.
    XpAuthor,
    /// The keywords for Windows, in UTF-16 with `;` between them.
    XpKeywords,
    /// When the picture was taken.
    DateTimeOriginal,
    /// How far that is from UTC.
    OffsetTimeOriginal,
    /// Fractions of the second.
    SubSecTimeOriginal,
    /// The version of the GPS tags.
    GpsVersionId,
    /// `N` or `S`.
    GpsLatitudeRef,
    /// Degrees, minutes, seconds.
    GpsLatitude,
    /// `E` or `W`.
    GpsLongitudeRef,
    /// Degrees, minutes, seconds.
    GpsLongitude,
}

impl Tag {
    /// All of them.
    pub(crate) const ALL: [Tag; 16] = [
        Self::ImageDescription,
        Self::Artist,
        Self::Rating,
        Self::RatingPercent,
        Self::Copyright,
        Self::XpTitle,
        Self::XpAuthor,
        Self::XpKeywords,
        Self::DateTimeOriginal,
        Self::OffsetTimeOriginal,
        Self::SubSecTimeOriginal,
        Self::GpsVersionId,
        Self::GpsLatitudeRef,
        Self::GpsLatitude,
        Self::GpsLongitudeRef,
        Self::GpsLongitude,
    ];

    /// The directory it is in, and its number.
    pub(crate) fn place(self) -> (Ifd, u16) {
        match self {
            Self::ImageDescription => (Ifd::Main, 0x010E),
            Self::Artist => (Ifd::Main, 0x013B),
            Self::Rating => (Ifd::Main, 0x4746),
            Self::RatingPercent => (Ifd::Main, 0x4749),
            Self::Copyright => (Ifd::Main, 0x8298),
            Self::XpTitle => (Ifd::Main, 0x9C9B),
            Self::XpAuthor => (Ifd::Main, 0x9C9D),
            Self::XpKeywords => (Ifd::Main, 0x9C9E),
            Self::DateTimeOriginal => (Ifd::Exif, 0x9003),
            Self::OffsetTimeOriginal => (Ifd::Exif, 0x9011),
            Self::SubSecTimeOriginal => (Ifd::Exif, 0x9291),
            Self::GpsVersionId => (Ifd::Gps, 0),
            Self::GpsLatitudeRef => (Ifd::Gps, 1),
            Self::GpsLatitude => (Ifd::Gps, 2),
            Self::GpsLongitudeRef => (Ifd::Gps, 3),
            Self::GpsLongitude => (Ifd::Gps, 4),
        }
    }
}

/// The value of a tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Value {
    /// Type ASCII; we write UTF-8, and everybody reads it.
    Text(String),
    /// Type BYTE, with UTF-16 in it, whatever the byte order of the block.
    Wide(String),
    /// Type BYTE.
    Bytes(Vec<u8>),
    /// Type SHORT.
    Short(u16),
    /// Type RATIONAL.
    Rationals(Vec<(u32, u32)>),
}

impl Value {
    fn encode(&self, order: ByteOrder) -> Raw {
        match self {
            Self::Text(text) => Raw { kind: 2, bytes: text.bytes().chain([0]).collect() },
            Self::Wide(text) => {
                Raw { kind: 1, bytes: text.encode_utf16().chain([0]).flat_map(u16::to_le_bytes).collect() }
            }
            Self::Bytes(bytes) => Raw { kind: 1, bytes: bytes.clone() },
            Self::Short(number) => Raw { kind: 3, bytes: order.write_u16(*number).to_vec() },
            Self::Rationals(list) => {
                let parts = list.iter().flat_map(|(above, below)| [*above, *below]);
                Raw { kind: 5, bytes: parts.flat_map(|part| order.write_u32(part)).collect() }
            }
        }
    }
}

fn ascii(value: &[u8]) -> Cow<'_, str> {
    text::decode(value.split(|byte| *byte == 0).next().unwrap_or_default())
}

fn wide(value: &[u8]) -> String {
    let units = text::utf16_units(value, ByteOrder::Little).take_while(|unit| *unit != 0);
    char::decode_utf16(units).map(|c| c.unwrap_or('\u{FFFD}')).collect()
}

fn rationals(value: &[u8], order: ByteOrder) -> Vec<(u32, u32)> {
    let pair = |at| Some((order.u32(value, at)?, order.u32(value, at + 4)?));
    (0..value.len() / 8).map_while(|number| pair(number * 8)).collect()
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

/// Of a value of ours, in bytes: each is held several times while a picture is read or changed, and a list of keywords may
/// stand in one.
const MOST_VALUE: usize = 1 << 20;
/// Of the description of a TIFF file, in which microscopes keep how the picture is laid out.
const MOST_LAYOUT: usize = 16 << 20;

/// The new values of the tags that change; nothing removes a tag.
pub(crate) type Changes = BTreeMap<Tag, Option<Value>>;

/// The values of our tags.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Values {
    /// `ImageDescription`.
    pub description: Option<String>,
    /// `XPKeywords`, all in one text.
    pub keywords: Option<String>,
    /// `XPTitle`.
    pub title: Option<String>,
    /// `Artist`, all in one text.
    pub artist: Option<String>,
    /// `XPAuthor`, all in one text.
    pub author: Option<String>,
    /// `Copyright`.
    pub copyright: Option<String>,
    /// `Rating`.
    pub rating: Option<u16>,
    /// `RatingPercent`.
    pub rating_percent: Option<u16>,
    /// `DateTimeOriginal`, with `OffsetTimeOriginal`.
    pub date_taken: Option<DateTaken>,
    /// `GPSLatitude` and `GPSLongitude`.
    pub position: Option<Position>,
}

impl Values {
    /// Whether the block says anything in a tag that changes.
    pub(crate) fn has_any(&self, changes: &Changes) -> bool {
        changes.keys().any(|tag| match tag {
            Tag::ImageDescription => self.description.is_some(),
            Tag::Artist => self.artist.is_some(),
            Tag::Rating => self.rating.is_some(),
            Tag::RatingPercent => self.rating_percent.is_some(),
            Tag::Copyright => self.copyright.is_some(),
            Tag::XpTitle => self.title.is_some(),
            Tag::XpAuthor => self.author.is_some(),
            Tag::XpKeywords => self.keywords.is_some(),
            Tag::DateTimeOriginal | Tag::OffsetTimeOriginal | Tag::SubSecTimeOriginal => {
                self.date_taken.is_some()
            }
            Tag::GpsVersionId
            | Tag::GpsLatitudeRef
            | Tag::GpsLatitude
            | Tag::GpsLongitudeRef
            | Tag::GpsLongitude => self.position.is_some(),
        })
    }

    /// Reads the block.
    pub fn read(block: &[u8]) -> Result<Self, ExifError> {
        let block = Block::parse(block)?;
        let mut found: BTreeMap<(Ifd, u16), &[u8]> = BTreeMap::new();
        for ifd in Ifd::ALL {
            for entry in block.entries(ifd)? {
                // A value outside the block is an empty one: the tag is there and wants to be put right.
                found.entry((ifd, entry.tag)).or_insert_with(|| block.value(&entry).unwrap_or_default());
            }
        }
        let length = |tag: Tag| found.get(&tag.place()).map_or(0, |value| value.len());
        if Tag::ALL.into_iter().any(|tag| length(tag) > MOST_VALUE) {
            return Err(ExifError::TooLarge);
        }
        Ok(Self::of(block.order(), |tag| found.get(&tag.place()).copied()))
    }

    /// What the bytes of our tags say.
    fn of<'v>(order: ByteOrder, value: impl Fn(Tag) -> Option<&'v [u8]>) -> Self {
        let said = |text: String| Some(text).filter(|text| !text::is_blank(text));
        let text = |tag: Tag| value(tag).and_then(|value| said(ascii(value).into_owned()));
        let offset = text(Tag::OffsetTimeOriginal);
        let moment = text(Tag::DateTimeOriginal);
        let parts = |tag| value(tag).map(|value| rationals(value, order)).unwrap_or_default();
        let letter = |tag| text(tag).unwrap_or_default();
        let position = Position::from_exif([
            (&letter(Tag::GpsLatitudeRef), &parts(Tag::GpsLatitude)),
            (&letter(Tag::GpsLongitudeRef), &parts(Tag::GpsLongitude)),
        ]);
        Self {
            description: text(Tag::ImageDescription),
            keywords: value(Tag::XpKeywords).map(wide),
            title: value(Tag::XpTitle).and_then(|value| said(wide(value))),
            artist: text(Tag::Artist),
            author: value(Tag::XpAuthor).and_then(|value| said(wide(value))),
            copyright: text(Tag::Copyright),
            rating_percent: value(Tag::RatingPercent).and_then(|value| order.u16(value, 0)),
            rating: value(Tag::Rating).and_then(|value| order.u16(value, 0)),
            date_taken: moment.and_then(|moment| DateTaken::from_exif(&moment, offset.as_deref())),
            position,
        }
    }
}

/// What the standard asks of every block; we put it into those that we make, and take it out again with the last of ours.
fn mandatory(order: ByteOrder) -> BTreeMap<(Ifd, u16), Raw> {
    let resolution = Value::Rationals(vec![(72, 1)]).encode(order);
    let undefined = |bytes: &[u8]| Raw { kind: 7, bytes: bytes.to_vec() };
    BTreeMap::from([
        // What the standard says for an unknown resolution, in inches.
        ((Ifd::Main, 0x011A), resolution.clone()),
        ((Ifd::Main, 0x011B), resolution),
        ((Ifd::Main, 0x0128), Value::Short(2).encode(order)),
        ((Ifd::Main, 0x0213), Value::Short(1).encode(order)),
        ((Ifd::Exif, 0x9000), undefined(b"0232")),
        ((Ifd::Exif, 0x9101), undefined(&[1, 2, 3, 0])),
        ((Ifd::Exif, 0xA000), undefined(b"0100")),
        // Not known.
        ((Ifd::Exif, 0xA001), Value::Short(0xFFFF).encode(order)),
    ])
}

/// Whether a block has nothing but what the standard asks for.
fn is_hollow(block: &Block<'_>) -> bool {
    let mut left = mandatory(block.order());
    for ifd in Ifd::ALL {
        for entry in block.entries(ifd).unwrap_or_default() {
            let is_pointer = ifd == Ifd::Main && Ifd::Exif.pointer() == Some(entry.tag);
            let expected = left.remove(&(ifd, entry.tag)).filter(|raw| raw.kind == entry.kind);
            if !is_pointer && expected.is_none_or(|raw| block.value(&entry) != Some(raw.bytes.as_slice())) {
                return false;
            }
        }
    }
    left.is_empty() && walk::walk(block, &[]).directories.len() == 2
}

/// Changes the block; the same bytes come back if it is as wanted, and nothing if nothing is left.
pub(crate) fn edit(old: Option<&[u8]>, changes: &Changes) -> Result<Option<Vec<u8>>, ExifError> {
    let mut block = match old {
        Some(old) => Block::parse(old)?,
        None => Block::empty(ByteOrder::Little),
    };
    let mut values: BTreeMap<(Ifd, u16), Option<Raw>> = BTreeMap::new();
    for (tag, value) in changes {
        let value = value.as_ref().map(|value| value.encode(block.order()));
        if !is_as_wanted(&block, tag.place(), value.as_ref())? {
            values.insert(tag.place(), value);
        }
    }
    if values.is_empty() {
        return Ok(old.map(<[u8]>::to_vec));
    }
    if old.is_none() {
        values.extend(mandatory(block.order()).into_iter().map(|(place, raw)| (place, Some(raw))));
    }
    set(&mut block, &values)?;
    if is_hollow(&block) {
        return Ok(None);
    }
    Ok(block.finish())
}

/// The same as far as it can be made with at most so many bytes: only for tags that are there already, since what is there
/// must not contradict what is new elsewhere. Nothing if not even that has room.
pub(crate) fn edit_within(old: &[u8], changes: &Changes, capacity: usize) -> Option<Vec<u8>> {
    let block = Block::parse(old).ok()?;
    let is_there = |tag: Tag| {
        let (ifd, number) = tag.place();
        block.entries(ifd).is_ok_and(|entries| entries.iter().any(|entry| entry.tag == number))
    };
    let mut fitting = (Changes::new(), None);
    for (tag, value) in changes.iter().filter(|(tag, _)| is_there(**tag)) {
        let mut tried = fitting.0.clone();
        tried.insert(*tag, value.clone());
        if let Ok(Some(edited)) = edit(Some(old), &tried)
            && edited.len() <= capacity
        {
            fitting = (tried, Some(edited));
        }
    }
    fitting.1
}

/// Gives tags other values, or none.
fn set(block: &mut Block<'_>, values: &BTreeMap<(Ifd, u16), Option<Raw>>) -> Result<(), ExifError> {
    let tags: Vec<(Ifd, u16)> = values.keys().copied().collect();
    let missing = walk::walk(block, &tags).missing;
    let old_end = block.bytes.len();
    block.complete()?;
    let free = claims::release(block, &tags)?;
    // Directories first, then values: so the values are last and can be cut off next time.
    let given = || values.iter().filter_map(|(place, value)| Some((*place, value.as_ref()?)));
    let needed: Vec<Ifd> =
        Ifd::ALL.into_iter().filter(|ifd| given().any(|((of, _), _)| of == *ifd)).collect();
    for ifd in Ifd::ALL {
        for ((_, tag), _) in given().filter(|((of, _), _)| *of == ifd) {
            block.entry(ifd, tag)?;
        }
        if ifd == Ifd::Main {
            block.make(&needed)?;
        }
    }
    // Ours are the very last: they are those that change.
    let is_ours = |place: (Ifd, u16)| Tag::ALL.iter().any(|tag| tag.place() == place);
    let (ours, others): (Vec<_>, Vec<_>) = given().partition(|(place, _)| is_ours(*place));
    for (place, value) in others.into_iter().chain(ours) {
        block.set(place, value, free.get(&place))?;
    }
    for ((ifd, tag), _) in values.iter().filter(|(_, value)| value.is_none()) {
        block.remove(*ifd, *tag, Keep::None)?;
    }
    for ifd in [Ifd::Gps, Ifd::Exif] {
        if values.iter().any(|((of, _), value)| *of == ifd && value.is_none()) {
            block.drop_empty(ifd)?;
        }
    }
    let added = old_end..block.bytes.len();
    if missing.iter().any(|range| range.start < added.end && added.start < range.end) {
        return Err(ExifError::Dangling);
    }
    Ok(())
}

fn is_as_wanted(block: &Block<'_>, (ifd, tag): (Ifd, u16), wanted: Option<&Raw>) -> Result<bool, ExifError> {
    let entries = block.entries(ifd)?;
    let mut ours = entries.iter().filter(|entry| entry.tag == tag);
    Ok(match (ours.next(), ours.next(), wanted) {
        (None, _, wanted) => wanted.is_none(),
        (Some(entry), None, Some(wanted)) => {
            block.value(entry).is_some_and(|v| v.trim_suffix_zeros() == wanted.bytes.trim_suffix_zeros())
        }
        _ => false,
    })
}

#[cfg(test)]
mod tests;
