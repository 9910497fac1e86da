//! A whole TIFF file as a block: its values, and everything in it that is not ours.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry::Vacant;
use std::ops::Range;

use super::block::{Block, Entry, Ifd, Raw};
use super::walk::{Walk, walk};
use super::{ExifError, set};

/// Entries may share bytes, but not so many of them that comparing them takes forever.
const SHARED: usize = 4;

/// A part of the file: what it is, and its bytes.
pub(crate) type Part<'f> = (String, Cow<'f, [u8]>);

/// The values of tags, each of at most so many bytes. Of a tag that is there twice, the first counts; a value outside the
/// file is an empty one.
pub(crate) fn values(
    file: &[u8],
    tags: &[(Ifd, u16)],
    most: impl Fn((Ifd, u16)) -> usize,
) -> Result<BTreeMap<(Ifd, u16), Raw>, ExifError> {
    let block = Block::parse(file)?;
    let mut values = BTreeMap::new();
    for ifd in Ifd::ALL {
        for entry in block.entries(ifd)?.into_iter().filter(|entry| tags.contains(&(ifd, entry.tag))) {
            let place = (ifd, entry.tag);
            // Thousands of entries may lead to the same megabytes, so only what counts is copied.
            let Vacant(free) = values.entry(place) else { continue };
            let bytes = block.value(&entry).unwrap_or_default();
            if bytes.len() > most(place) {
                return Err(ExifError::TooLarge);
            }
            free.insert(Raw { kind: entry.kind, bytes: bytes.to_vec() });
        }
    }
    Ok(values)
}

/// Whether the first directory has a tag.
pub(crate) fn has(file: &[u8], tag: u16) -> bool {
    Block::parse(file)
        .and_then(|block| block.entries(Ifd::Main))
        .is_ok_and(|all| all.iter().any(|entry| entry.tag == tag))
}

/// The file with other values. What is new goes to its end or into the places of old values.
pub(crate) fn with(file: &[u8], values: &BTreeMap<(Ifd, u16), Option<Raw>>) -> Result<Vec<u8>, ExifError> {
    let mut block = Block::parse(file)?;
    set(&mut block, values)?;
    Ok(block.bytes.into_owned())
}

/// Everything that directories lead to, but for the values of these tags in the first one.
pub(crate) fn foreign<'f>(file: &'f [u8], ours: &[(Ifd, u16)]) -> Result<Vec<Part<'f>>, ExifError> {
    let block = Block::parse(file)?;
    let Walk { directories, returns, .. } = walk(&block, ours);
    if returns {
        return Err(ExifError::Looping);
    }
    if directories.iter().any(|directory| directory.place().end > file.len()) {
        return Err(ExifError::DamagedDirectory);
    }
    let form = block.form;
    let mut parts: Vec<Part<'f>> = Vec::new();
    let mut length = 0_usize;
    let mut push = |what: String, range: Range<usize>| {
        let bytes = file.get(range.start.min(file.len())..range.end.min(file.len())).unwrap_or_default();
        length = length.saturating_add(bytes.len());
        parts.push((what, Cow::Borrowed(bytes)));
    };
    // Our own directories are made and moved, so what leads to them changes; and what has nothing else in it is ours.
    let is_foreign = |at: usize, entry: &Entry| {
        at != block.directory || Ifd::ALL.iter().all(|ifd| ifd.pointer() != Some(entry.tag))
    };
    let used = directories
        .iter()
        .filter(|directory| !directory.entries.is_empty() || directory.at == block.directory);
    for (number, directory) in used.enumerate() {
        for entry in directory.entries.iter().filter(|entry| is_foreign(directory.at, entry)) {
            push(format!("tag {} of directory {number}", entry.tag), entry.at..entry.at + form.entry());
            if let Some(place) = block.place_outside(entry) {
                push(format!("value of tag {} of directory {number}", entry.tag), place);
            }
        }
        let end = directory.place().end;
        push(format!("end of directory {number}"), end - form.word()..end);
        for range in &directory.data {
            push(format!("picture data of directory {number}"), range.clone());
        }
    }
    if length / SHARED > file.len() {
        return Err(ExifError::TooLarge);
    }
    Ok(parts)
}

/// The places in which a file may change when tags get other values: the header, the first directory, and the old
/// values, with the zero that fills one up to an even place.
pub(crate) fn changeable(file: &[u8], tags: &[(Ifd, u16)]) -> Result<Vec<Range<usize>>, ExifError> {
    let block = Block::parse(file)?;
    let form = block.form;
    let first = Range { start: form.header() - form.word(), end: form.header() };
    let mut places = vec![first];
    for ifd in Ifd::ALL.into_iter().filter(|ifd| *ifd == Ifd::Main || tags.iter().any(|(of, _)| of == ifd)) {
        let entries = block.entries(ifd)?;
        let Some(located) = block.locate(ifd) else { continue };
        places.push(located.at..located.at + form.directory(entries.len()));
        let ours = entries.iter().filter(|entry| tags.contains(&(ifd, entry.tag)));
        places.extend(ours.filter_map(|entry| block.place(entry)).map(|place| {
            let is_padded = place.end % 2 == 1 && file.get(place.end) == Some(&0);
            place.start..place.end + usize::from(is_padded)
        }));
    }
    places.sort_by_key(|place| place.start);
    Ok(places)
}
