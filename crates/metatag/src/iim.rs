//! IPTC-IIM: the older records with keywords, caption and place.
//!
//! What we write is UTF-8 and says so. That holds for the whole block, so other texts in it are brought to UTF-8 too.

mod dataset;

use std::borrow::Cow;
use std::collections::BTreeMap;

use dataset::{Dataset, parse};
use md5::{Digest, Md5};

use crate::text;

/// Why IPTC records cannot be read or changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum IimError {
    /// A record does not begin or end where it should.
    #[error("the IPTC records are damaged at byte {at}")]
    Damaged {
        /// Where.
        at: usize,
    },
    /// They are in a character set that nobody has used for decades.
    #[error("the IPTC records are in an unknown character set")]
    UnknownCharset,
    /// They are larger than any real block, or would be.
    #[error("the IPTC records are too large")]
    TooLarge,
}

/// A dataset of record 2 that holds one of our fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tag {
    /// 2:5, the title.
    ObjectName = 5,
    /// 2:25, once for each keyword.
    Keywords = 25,
    /// 2:55, the day it was taken.
    DateCreated = 55,
    /// 2:60, the time of that day, with the offset from UTC.
    TimeCreated = 60,
    /// 2:80, once for each creator.
    ByLine = 80,
    /// 2:90.
    City = 90,
    /// 2:92, where it is in words.
    Sublocation = 92,
    /// 2:95, the state or province.
    State = 95,
    /// 2:101.
    Country = 101,
    /// 2:105.
    Headline = 105,
    /// 2:116.
    Copyright = 116,
    /// 2:120, the description.
    Caption = 120,
}

/// The new values of the datasets that change; an empty list removes them.
pub(crate) type Changes = BTreeMap<Tag, Vec<String>>;

/// The values of our datasets.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Values {
    /// 2:25.
    pub keywords: Vec<String>,
    /// 2:92.
    pub sublocation: Option<String>,
    /// 2:120.
    pub caption: Option<String>,
    /// Those of the other datasets that are there.
    pub others: BTreeMap<Tag, Vec<String>>,
}

impl Tag {
    /// Those that are there besides keywords, sublocation and caption.
    const OTHERS: [Tag; 9] = [
        Tag::ObjectName,
        Tag::DateCreated,
        Tag::TimeCreated,
        Tag::ByLine,
        Tag::City,
        Tag::State,
        Tag::Country,
        Tag::Headline,
        Tag::Copyright,
    ];
}

const CHARSET: u8 = 90;
const UTF8: &[u8] = b"\x1B%G";
const VERSION: [u8; 2] = [0, 4];

impl Values {
    /// Reads the records.
    pub fn read(records: &[u8]) -> Result<Self, IimError> {
        let datasets = parse(records)?;
        let texts = |tag| {
            let all = texts(&datasets, tag).into_iter().map(|text| text.trim_end_matches('\0').to_owned());
            all.filter(|text| !text::is_blank(text))
        };
        Ok(Self {
            keywords: texts(Tag::Keywords).collect(),
            sublocation: texts(Tag::Sublocation).next(),
            caption: texts(Tag::Caption).next(),
            others: Tag::OTHERS
                .into_iter()
                .map(|tag| (tag, texts(tag).collect::<Vec<String>>()))
                .filter(|(_, texts)| !texts.is_empty())
                .collect(),
        })
    }
}

impl Values {
    /// Adds what a further block says: lists grow, and of what can be said only once, the first counts.
    pub(crate) fn join(&mut self, further: Self) {
        self.keywords.extend(further.keywords);
        self.sublocation = self.sublocation.take().or(further.sublocation);
        self.caption = self.caption.take().or(further.caption);
        for (tag, texts) in further.others {
            self.others.entry(tag).or_insert(texts);
        }
    }

    /// What one of the other datasets says first.
    pub(crate) fn other(&self, tag: Tag) -> Option<&str> {
        self.others.get(&tag)?.first().map(String::as_str)
    }
}

/// The digest by which other programs see that nobody has changed the records behind the back of XMP.
pub fn digest(records: &[u8]) -> [u8; 16] {
    Md5::digest(records).into()
}

/// Changes the records; the same bytes come back if they are as wanted, and nothing if nothing is left.
pub(crate) fn edit(records: Option<&[u8]>, changes: &Changes) -> Result<Option<Vec<u8>>, IimError> {
    let old = records.unwrap_or_default();
    let datasets = parse(old)?;
    let charset = Charset::of(&datasets);
    let as_wanted = |(tag, wanted): (&Tag, &Vec<String>)| {
        let readable = charset == Charset::Utf8 || wanted.iter().all(|text| text.is_ascii());
        readable && texts(&datasets, *tag) == *wanted
    };
    if changes.iter().all(as_wanted) {
        return Ok(records.map(<[u8]>::to_vec));
    }
    let (record_1, rest): (Vec<Dataset>, Vec<Dataset>) = datasets.into_iter().partition(|d| d.record < 2);
    let (record_2, others): (Vec<Dataset>, Vec<Dataset>) = rest.into_iter().partition(|d| d.record == 2);
    let record_1 = record_1.into_iter().filter(|d| (d.record, d.number) != (1, CHARSET)).collect::<Vec<_>>();
    let record_2 = replace(to_utf8(record_2, charset)?, changes);
    if record_1.is_empty() && record_2.is_empty() && others.is_empty() {
        return Ok(None);
    }
    // Readers look for the marker at the very start, and for the version before anything else of record 2.
    let marker = Dataset::new(1, CHARSET, UTF8);
    let version = Dataset::new(2, 0, &VERSION);
    let mut written = Vec::with_capacity(old.len() + 1024);
    for dataset in
        [marker].iter().chain(&record_1).chain([version].iter()).chain(&record_2).chain(others.iter())
    {
        dataset.write(&mut written)?;
    }
    Ok(Some(written))
}

/// What 1:90 says about the texts of record 2.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Charset {
    Utf8,
    /// No marker, or one for Latin-1.
    Latin,
    Unknown,
}

impl Charset {
    fn of(datasets: &[Dataset]) -> Self {
        let marker = datasets.iter().find(|d| (d.record, d.number) == (1, CHARSET));
        match marker.map_or(&[][..], |marker| &marker.data) {
            b"\x1B%G" | b"\x1B%/G" | b"\x1B%/H" | b"\x1B%/I" => Self::Utf8,
            [] | [0x1B, b'-' | b'.' | b'/', b'A'] | b"\x1B(B" => Self::Latin,
            zeros if zeros.iter().all(|byte| *byte == 0) => Self::Latin,
            _ => Self::Unknown,
        }
    }
}

fn texts<'d>(datasets: &'d [Dataset], tag: Tag) -> Vec<Cow<'d, str>> {
    let ours = datasets.iter().filter(|d| (d.record, d.number) == (2, tag as u8));
    ours.map(|dataset| text::decode(&dataset.data)).collect()
}

/// Whether a dataset of record 2 is a picture or a number instead of a text.
fn is_binary(number: u8) -> bool {
    matches!(number, 0 | 125 | 200..=202)
}

fn to_utf8(datasets: Vec<Dataset>, charset: Charset) -> Result<Vec<Dataset>, IimError> {
    let mut converted = Vec::with_capacity(datasets.len());
    for dataset in datasets {
        let is_text = charset != Charset::Utf8 && !is_binary(dataset.number);
        if !is_text || str::from_utf8(&dataset.data).is_ok() {
            converted.push(dataset);
        } else if charset == Charset::Unknown {
            return Err(IimError::UnknownCharset);
        } else {
            let text = text::decode(&dataset.data);
            converted.push(Dataset::new(2, dataset.number, text.as_bytes()));
        }
    }
    Ok(converted)
}

/// Puts the new values where the old ones were, or else in order of number, and leaves out the version. Other datasets
/// keep their order, which means something: pairs stand together.
fn replace<'d>(datasets: Vec<Dataset<'d>>, changes: &Changes) -> Vec<Dataset<'d>> {
    let mut datasets: Vec<Dataset> = datasets.into_iter().filter(|d| d.number != 0).collect();
    for (tag, values) in changes {
        let number = *tag as u8;
        let place = datasets.iter().position(|d| d.number == number);
        let place =
            place.or_else(|| datasets.iter().position(|d| d.number > number)).unwrap_or(datasets.len());
        datasets.retain(|d| d.number != number);
        let new = values.iter().map(|value| Dataset::new(2, number, value.as_bytes()));
        datasets.splice(place..place, new);
    }
    datasets
}

#[cfg(test)]
mod tests;
