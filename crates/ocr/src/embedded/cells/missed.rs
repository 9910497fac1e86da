//! Where rows of a window should be, though none was read: the distance of the others tells.

use std::collections::{BTreeMap, BTreeSet};

use super::row::Place;

/// How far rows are apart, as shares of the width of a cell, at least and at most.
const NEAREST: usize = 1;
const FURTHEST: usize = 4;
/// More rows of a window are not looked for.
const MOST_ROWS: usize = 500;
/// So many rows may be missed one upon another at the upper or lower end of a window.
const AT_THE_ENDS: usize = 4;

/// The bases that no row of a window has, though the distance of the others says there should be one.
pub(super) fn bases(place: &Place, bases: &BTreeSet<usize>) -> BTreeSet<usize> {
    let (pitch, _) = place.style;
    let mut distances = BTreeMap::new();
    for (one, next) in bases.iter().zip(bases.iter().skip(1)) {
        *distances.entry(next - one).or_insert(0_usize) += 1;
    }
    let is_line = |distance: &usize| (NEAREST * pitch + 1..=FURTHEST * pitch).contains(distance);
    let distance =
        distances.into_iter().filter(|(distance, _)| is_line(distance)).max_by_key(|(_, count)| *count);
    let Some((distance, _)) = distance else { return BTreeSet::new() };
    let beside = bases.iter().flat_map(|base| [base.checked_sub(distance), Some(base + distance)]).flatten();
    let mut found = BTreeSet::new();
    let mut next: Vec<usize> = beside.collect();
    let (Some(first), Some(last)) = (bases.first(), bases.last()) else { return BTreeSet::new() };
    while let Some(base) = next.pop() {
        let beyond = AT_THE_ENDS * distance;
        let is_near = base + beyond >= *first && base <= last + beyond;
        if found.len() < MOST_ROWS && is_near && !bases.contains(&base) && found.insert(base) {
            next.extend([base.checked_sub(distance), Some(base + distance)].into_iter().flatten());
        }
    }
    found
}
