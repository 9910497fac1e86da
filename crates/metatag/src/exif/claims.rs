//! Whose a place in the block is. Only bytes that were ours alone are used again.

use std::collections::BTreeMap;
use std::ops::Range;

use super::ExifError;
use super::block::Block;
use super::walk::walk;

/// Blanks the old values of these tags, as far as they are nobody else's: a description that was removed should not stay
/// readable. Those at the very end are cut off; the places of the others are free for a new value.
pub(super) fn release(block: &mut Block<'_>, tags: &[u16]) -> Result<BTreeMap<u16, Range<usize>>, ExifError> {
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
            block.bytes.to_mut().truncate(place.start);
        } else if let Some(bytes) = block.bytes.to_mut().get_mut(place.clone()) {
            bytes.fill(0);
            left.insert(tag, place);
        }
    }
    Ok(left)
}

/// Every place that the header, a directory or an entry claims, those of the given tags of the first directory left
/// out. Nothing if the block is too odd to say.
fn claims(block: &Block<'_>, tags: &[u16]) -> Option<Vec<Range<usize>>> {
    let walk = walk(block, tags);
    if walk.is_cut_short || !walk.missing.is_empty() {
        return None;
    }
    let header = 0..8;
    let mut claimed = vec![header];
    for directory in &walk.directories {
        claimed.push(directory.place());
        claimed.extend(directory.entries.iter().filter_map(|entry| block.place(entry)));
        claimed.extend(directory.data.iter().cloned());
    }
    Some(claimed)
}
