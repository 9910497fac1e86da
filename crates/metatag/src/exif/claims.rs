//! Whose a place in the block is. Only bytes that were ours alone are used again.

use std::collections::BTreeMap;
use std::ops::Range;

use super::ExifError;
use super::block::{Block, ENTRY, Entry};

const MOST_DIRECTORIES: usize = 64;
const MOST_CLAIMS: usize = 100_000;

/// Blanks the old values of these tags, as far as they are nobody else's: a description that was removed should not stay
/// readable. Those at the very end are cut off; the places of the others are free for a new value.
pub(super) fn release(block: &mut Block, tags: &[u16]) -> Result<BTreeMap<u16, Range<usize>>, ExifError> {
    let mut ours: Vec<(u16, Range<usize>)> = Vec::new();
    for entry in block.entries()?.iter().filter(|entry| tags.contains(&entry.tag)) {
        if let Some(place) = block.place(entry).filter(|place| place.len() > 4) {
            ours.push((entry.tag, place));
        }
    }
    let Some(others) = claims(block, tags) else { return Ok(BTreeMap::new()) };
    let overlap = |a: &Range<usize>, b: &Range<usize>| a.start < b.end && b.start < a.end;
    let mut free: Vec<(u16, Range<usize>)> = Vec::new();
    for (index, (tag, place)) in ours.iter().enumerate() {
        let mut shared = ours.iter().enumerate().filter(|(other, _)| *other != index).map(|(_, (_, p))| p);
        if !others.iter().chain(&mut shared).any(|other| overlap(place, other)) {
            free.push((*tag, place.clone()));
        }
    }
    free.sort_by_key(|(_, place)| std::cmp::Reverse(place.end));
    let mut left = BTreeMap::new();
    for (tag, place) in free {
        let padding = place.end..block.bytes.len();
        let padded = padding.len() == 1
            && place.end % 2 == 1
            && block.bytes.last() == Some(&0)
            && !others.iter().any(|other| overlap(&padding, other));
        if padding.is_empty() || padded {
            block.bytes.truncate(place.start);
        } else if let Some(bytes) = block.bytes.get_mut(place.clone()) {
            bytes.fill(0);
            left.insert(tag, place);
        }
    }
    Ok(left)
}

/// Every place that the header, a directory or an entry claims, those of the given tags of the first directory left
/// out. Nothing if the block is too odd to say.
fn claims(block: &Block, tags: &[u16]) -> Option<Vec<Range<usize>>> {
    let header = 0..8;
    let mut claimed = vec![header];
    let mut directories = vec![block.directory];
    let mut next = 0;
    while let Some(directory) = directories.get(next).copied() {
        next += 1;
        let entries = block.entries_at(directory)?;
        let end = directory + 2 + entries.len() * ENTRY;
        claimed.push(directory..end + 4);
        let mut more = vec![block.pointer(end).unwrap_or(0)];
        for entry in &entries {
            if directory == block.directory && tags.contains(&entry.tag) {
                continue;
            }
            let place = block.place(entry)?;
            if is_pointer(entry.tag) {
                if place.len() > 4 * MOST_DIRECTORIES {
                    return None;
                }
                more.extend((place.start..place.end).step_by(4).filter_map(|at| block.pointer(at)));
            }
            claimed.push(place);
        }
        claimed.extend(data(block, &entries, 0x0201, 0x0202)?);
        claimed.extend(data(block, &entries, 0x0111, 0x0117)?);
        claimed.extend(data(block, &entries, 0x0144, 0x0145)?);
        for directory in more {
            if directory != 0 && !directories.contains(&directory) {
                directories.push(directory);
            }
            if directories.len() > MOST_DIRECTORIES {
                return None;
            }
        }
        if claimed.len() > MOST_CLAIMS {
            return None;
        }
    }
    Some(claimed)
}

/// Every place that is claimed but not, or not wholly, in the block. The tags of the first directory that are left out
/// are put right.
pub(super) fn dangling(block: &Block, tags: &[u16]) -> Vec<Range<usize>> {
    let end = block.bytes.len();
    let mut missing = Vec::new();
    let mut directories = vec![block.directory];
    let mut next = 0;
    while let Some(directory) = directories.get(next).copied() {
        next += 1;
        let Some(entries) = block.entries_at(directory) else {
            let count = block.u16(directory).unwrap_or(u16::MAX);
            missing.push(directory..directory.saturating_add(2 + usize::from(count) * ENTRY));
            continue;
        };
        let mut more = vec![block.pointer(directory + 2 + entries.len() * ENTRY).unwrap_or(0)];
        for entry in &entries {
            if directory == block.directory && tags.contains(&entry.tag) {
                continue;
            }
            match block.place(entry) {
                Some(place) if is_pointer(entry.tag) => {
                    let pointers = (place.start..place.end).step_by(4).take(MOST_DIRECTORIES);
                    more.extend(pointers.filter_map(|at| block.pointer(at)));
                }
                Some(_) => {}
                None => {
                    missing.extend(block.pointer(entry.at + 8).map(|at| at..at.saturating_add(entry.size())))
                }
            }
        }
        let pictures = data(block, &entries, 0x0201, 0x0202).unwrap_or_default();
        missing.extend(pictures.into_iter().filter(|range| range.end > end));
        for directory in more {
            if directory != 0 && !directories.contains(&directory) && directories.len() < MOST_DIRECTORIES {
                directories.push(directory);
            }
        }
    }
    missing
}

/// Whether the values of a tag are places of further directories.
fn is_pointer(tag: u16) -> bool {
    matches!(tag, 0x014A | 0x8769 | 0x8825 | 0xA005)
}

/// The picture data that one tag gives the places of and another the lengths.
fn data(block: &Block, entries: &[Entry], places: u16, lengths: u16) -> Option<Vec<Range<usize>>> {
    let numbers = |tag| {
        let Some(entry) = entries.iter().find(|entry| entry.tag == tag) else { return Some(Vec::new()) };
        let place = block.place(entry).filter(|place| place.len() <= MOST_CLAIMS)?;
        Some(match entry.kind {
            3 => place.step_by(2).filter_map(|at| block.u16(at)).map(usize::from).collect::<Vec<_>>(),
            _ => place.step_by(4).filter_map(|at| block.pointer(at)).collect(),
        })
    };
    let (places, lengths): (Vec<usize>, Vec<usize>) = (numbers(places)?, numbers(lengths)?);
    Some(places.into_iter().zip(lengths).map(|(at, length)| at..at.saturating_add(length)).collect())
}
