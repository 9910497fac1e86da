//! Whose a place in the block is. Only bytes that were ours alone are used again.

use std::collections::BTreeMap;
use std::ops::Range;

use super::ExifError;
use super::block::{Block, Ifd};
use super::walk::walk;

/// Values of ours that are compared with all others.
const MOST_VALUES: usize = 32;

/// Blanks the old values of these tags, as far as they are nobody else's: a description that was removed should not stay
/// readable. Those at the very end are cut off; the places of the others are free for a new value.
pub(super) fn release(
    block: &mut Block<'_>,
    tags: &[(Ifd, u16)],
) -> Result<BTreeMap<(Ifd, u16), Range<usize>>, ExifError> {
    let mut ours: Vec<((Ifd, u16), Range<usize>)> = Vec::new();
    for ifd in Ifd::ALL {
        for entry in block.entries(ifd)?.iter().filter(|entry| tags.contains(&(ifd, entry.tag))) {
            if let Some(place) = block.place_outside(entry) {
                ours.push(((ifd, entry.tag), place));
            }
        }
    }
    // A tag should be there once. Where there are many, comparing each with each would take forever.
    let Some(others) = claims(block, tags).filter(|_| ours.len() <= MOST_VALUES) else {
        return Ok(BTreeMap::new());
    };
    let overlap = |a: &Range<usize>, b: &Range<usize>| a.start < b.end && b.start < a.end;
    let mut free: Vec<((Ifd, u16), Range<usize>)> = Vec::new();
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
            block.bytes.to_mut().truncate(place.start);
        } else if let Some(bytes) = block.bytes.to_mut().get_mut(place.clone()) {
            bytes.fill(0);
            left.insert(tag, place);
        }
    }
    Ok(left)
}

/// Every place that the header, a directory or an entry claims, those of the given tags left out. Nothing if the block is too odd to say.
fn claims(block: &Block<'_>, tags: &[(Ifd, u16)]) -> Option<Vec<Range<usize>>> {
    let walk = walk(block, tags);
    if walk.is_cut_short || !walk.missing.is_empty() {
        return None;
    }
    let header = 0..block.form.header();
    let mut claimed = vec![header];
    for directory in &walk.directories {
        claimed.push(directory.place());
        claimed.extend(directory.entries.iter().filter_map(|entry| block.place(entry)));
        claimed.extend(directory.data.iter().cloned());
    }
    Some(claimed)
}
