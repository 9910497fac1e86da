//! Every directory of a block that can be reached from the first.

use std::ops::Range;

use super::block::{Block, Entry, Form, Ifd, MOST_ENTRIES};

const MOST_DIRECTORIES: usize = 64;
/// Places of picture data, such as strips, in all directories together.
const MOST_PLACES: usize = 1 << 18;

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
    form: Form,
}

impl Directory {
    /// Its count and entries, and the place of the next directory.
    pub(super) fn place(&self) -> Range<usize> {
        self.at..self.at + self.form.directory(self.entries.len() + self.removed)
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

/// Finds all directories. The entries of the given tags are left out, but only where they lead to no directory.
pub(super) fn walk(block: &Block<'_>, ours: &[(Ifd, u16)]) -> Walk {
    let mut walk = Walk::default();
    let form = block.form;
    let mut known = vec![block.directory];
    let mut next = 0;
    let mut places_left = MOST_PLACES;
    while let Some(at) = known.get(next).copied() {
        next += 1;
        if at != block.directory && block.count_at(at).unwrap_or(0) > MOST_ENTRIES {
            walk.is_cut_short = true;
            continue;
        }
        let Some(mut entries) = block.entries_at(at) else {
            let count = block.count_at(at).unwrap_or(usize::MAX).min(usize::from(u16::MAX));
            walk.missing.push(at..at.saturating_add(form.directory(count) - form.word()));
            continue;
        };
        let next_at = at + form.directory(entries.len()) - form.word();
        let mut more = vec![block.pointer(next_at).unwrap_or(0)];
        let all = entries.len();
        if let Some(ifd) = block.ifd_at(at) {
            entries.retain(|entry| !ours.contains(&(ifd, entry.tag)));
        }
        let removed = all - entries.len();
        for entry in &entries {
            match block.place(entry) {
                Some(place) if is_pointer(entry.tag) => {
                    walk.is_cut_short |= entry.count > MOST_DIRECTORIES as u64;
                    more.extend(numbers(block, entry, place).take(MOST_DIRECTORIES));
                }
                Some(_) => {}
                None => {
                    let start = block.pointer(entry.at + form.field()).unwrap_or(usize::MAX);
                    walk.missing.push(start..start.saturating_add(entry.size()));
                }
            }
        }
        let mut data = Vec::new();
        for (places, lengths) in DATA {
            match places_and_lengths(block, &entries, (places, lengths), places_left) {
                Some(found) => {
                    places_left -= found.len();
                    data.extend(found);
                }
                None => walk.is_cut_short = true,
            }
        }
        walk.missing.extend(data.iter().filter(|range| range.end > block.bytes.len()).cloned());
        // In the header there is no directory, whatever leads there.
        for directory in more.into_iter().filter(|at| *at >= form.header()) {
            walk.returns |= directory == block.directory;
            if !known.contains(&directory) {
                walk.is_cut_short |= known.len() == MOST_DIRECTORIES;
                if known.len() < MOST_DIRECTORIES {
                    known.push(directory);
                }
            }
        }
        walk.directories.push(Directory { at, entries, data, removed, form });
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
    (places, lengths): (u16, u16),
    most: usize,
) -> Option<Vec<Range<usize>>> {
    let listed = |tag| {
        let Some(entry) = entries.iter().find(|entry| entry.tag == tag) else { return Some(Vec::new()) };
        let place =
            block.place(entry).filter(|_| usize::try_from(entry.count).is_ok_and(|count| count <= most))?;
        Some(numbers(block, entry, place).collect::<Vec<usize>>())
    };
    let (places, lengths): (Vec<usize>, Vec<usize>) = (listed(places)?, listed(lengths)?);
    Some(places.into_iter().zip(lengths).map(|(at, length)| at..at.saturating_add(length)).collect())
}

/// The values of an entry as numbers, of whatever width.
fn numbers<'b>(block: &'b Block<'_>, entry: &Entry, place: Range<usize>) -> impl Iterator<Item = usize> + 'b {
    let width = match entry.kind {
        3 => 2,
        16..=18 => 8,
        _ => 4,
    };
    place.step_by(width).filter_map(move |at| match width {
        2 => block.u16(at).map(usize::from),
        4 => block.u32(at).and_then(|value| usize::try_from(value).ok()),
        _ => block.order().u64(&block.bytes, at).and_then(|value| usize::try_from(value).ok()),
    })
}
