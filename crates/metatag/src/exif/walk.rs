//! Every directory of a block that can be reached from the first.

use std::ops::Range;

use super::block::{Block, ENTRY, Entry};

const HEADER: usize = 8;
const MOST_DIRECTORIES: usize = 64;
/// A longer directory is none: what leads to it leads into something else. Real ones have less than a hundred entries.
const MOST_ENTRIES: usize = 512;
/// Places in one list of places, such as the strips of a picture.
const MOST_PLACES: usize = 1 << 20;

/// The tags with places of picture data, and those with their lengths.
const DATA: [(u16, u16); 3] = [(0x0201, 0x0202), (0x0111, 0x0117), (0x0144, 0x0145)];

/// A directory and what is in it.
pub(super) struct Directory {
    pub(super) at: usize,
    pub(super) entries: Vec<Entry>,
    /// The places of picture data, in the block or not.
    pub(super) data: Vec<Range<usize>>,
    /// How many entries were left out.
    removed: usize,
}

impl Directory {
    /// Its count and entries, and the place of the next directory.
    pub(super) fn place(&self) -> Range<usize> {
        self.at..self.at + 2 + (self.entries.len() + self.removed) * ENTRY + 4
    }
}

/// What there is.
#[derive(Default)]
pub(super) struct Walk {
    /// The first one first.
    pub(super) directories: Vec<Directory>,
    /// Directories and values that are not, or not wholly, in the block. Values of ours are left out.
    pub(super) missing: Vec<Range<usize>>,
    /// Whether a directory leads back to the first one, which may have to move.
    pub(super) returns: bool,
    /// Whether there is more than we look at.
    pub(super) is_cut_short: bool,
}

/// Finds all directories. The entries of the given tags in the first one are left out.
pub(super) fn walk(block: &Block<'_>, ours: &[u16]) -> Walk {
    let mut walk = Walk::default();
    let mut known = vec![block.directory];
    let mut next = 0;
    while let Some(at) = known.get(next).copied() {
        next += 1;
        if at != block.directory && usize::from(block.u16(at).unwrap_or(0)) > MOST_ENTRIES {
            walk.is_cut_short = true;
            continue;
        }
        let Some(mut entries) = block.entries_at(at) else {
            let count = usize::from(block.u16(at).unwrap_or(u16::MAX));
            walk.missing.push(at..at.saturating_add(2 + count * ENTRY));
            continue;
        };
        let mut more = vec![block.pointer(at + 2 + entries.len() * ENTRY).unwrap_or(0)];
        let all = entries.len();
        if at == block.directory {
            entries.retain(|entry| !ours.contains(&entry.tag));
        }
        let removed = all - entries.len();
        for entry in &entries {
            match block.place(entry) {
                Some(place) if is_pointer(entry.tag) => {
                    walk.is_cut_short |= place.len() > 4 * MOST_DIRECTORIES;
                    let pointers = (place.start..place.end).step_by(4).take(MOST_DIRECTORIES);
                    more.extend(pointers.filter_map(|at| block.pointer(at)));
                }
                Some(_) => {}
                None => {
                    let start = block.pointer(entry.at + 8).unwrap_or(usize::MAX);
                    walk.missing.push(start..start.saturating_add(entry.size()));
                }
            }
        }
        let mut data = Vec::new();
        for (places, lengths) in DATA {
            match places_and_lengths(block, &entries, places, lengths) {
                Some(found) => data.extend(found),
                None => walk.is_cut_short = true,
            }
        }
        walk.missing.extend(data.iter().filter(|range| range.end > block.bytes.len()).cloned());
        // In the header there is no directory, whatever leads there.
        for directory in more.into_iter().filter(|at| *at >= HEADER) {
            walk.returns |= directory == block.directory;
            if !known.contains(&directory) {
                walk.is_cut_short |= known.len() == MOST_DIRECTORIES;
                if known.len() < MOST_DIRECTORIES {
                    known.push(directory);
                }
            }
        }
        walk.directories.push(Directory { at, entries, data, removed });
    }
    walk
}

/// Whether the values of a tag are places of further directories.
fn is_pointer(tag: u16) -> bool {
    matches!(tag, 0x014A | 0x8769 | 0x8825 | 0xA005)
}

/// The picture data that one tag gives the places of and another the lengths.
fn places_and_lengths(
    block: &Block<'_>,
    entries: &[Entry],
    places: u16,
    lengths: u16,
) -> Option<Vec<Range<usize>>> {
    let numbers = |tag| {
        let Some(entry) = entries.iter().find(|entry| entry.tag == tag) else { return Some(Vec::new()) };
        let place = block.place(entry).filter(|place| place.len() <= 4 * MOST_PLACES)?;
        Some(match entry.kind {
            3 => place.step_by(2).filter_map(|at| block.u16(at)).map(usize::from).collect::<Vec<_>>(),
            _ => place.step_by(4).filter_map(|at| block.pointer(at)).collect(),
        })
    };
    let (places, lengths): (Vec<usize>, Vec<usize>) = (numbers(places)?, numbers(lengths)?);
    Some(places.into_iter().zip(lengths).map(|(at, length)| at..at.saturating_add(length)).collect())
}
