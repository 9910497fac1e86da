//! What is left of a line that was read, when what stands on a grid is taken away: text beside a window, or all of it.

use super::Read;
use super::stretches::Stretch;
use crate::embedded::ctc::{Glyph, Reading};
use crate::embedded::lengths::real;
use crate::embedded::refine::Region;

/// Fewer letters and digits beside text on a grid are pieces of it.
const FEWEST: usize = 3;

/// The parts of a line that are not on a grid.
pub(super) fn of(read: &Read, stretches: &[Stretch]) -> Vec<Read> {
    let region = read.region;
    let rows = region.top..region.bottom;
    let beside: Vec<_> = stretches
        .iter()
        .filter(|stretch| rows.contains(&stretch.middle()))
        .map(Stretch::columns)
        .filter(|columns| columns.start < region.right && region.left < columns.end)
        .collect();
    if beside.is_empty() {
        return vec![Read { region, reading: read.reading.clone() }];
    }
    let step = (region.right - region.left) / real(read.reading.steps.max(1));
    let column = |glyph: &Glyph| region.left + glyph.centre * step;
    // A middle may be a little beyond the letter.
    let is_left = |glyph: &Glyph| {
        !beside.iter().any(|columns| (columns.start - step..columns.end + step).contains(&column(glyph)))
    };
    let parts = read.reading.glyphs.chunk_by(|one, next| is_left(one) == is_left(next));
    let parts = parts
        .filter(|part| part.first().is_some_and(is_left))
        .filter(|part| part.iter().filter(|glyph| glyph.value.is_alphanumeric()).count() >= FEWEST);
    let part = |part: &[Glyph]| {
        let (first, last) = (part.first().map(column)?, part.last().map(column)?);
        let before = beside.iter().map(|columns| columns.end).filter(|end| *end <= first);
        let behind = beside.iter().map(|columns| columns.start).filter(|start| *start >= last);
        let left = before.fold(region.left, f32::max);
        let right = behind.fold(region.right, f32::min);
        let width = (right - left).max(1.0);
        // As one step, so that places within it are exact.
        let glyphs = part.iter().map(|glyph| Glyph { centre: (column(glyph) - left) / width, ..*glyph });
        Some(Read {
            region: Region { left, right, ..region },
            reading: Reading { glyphs: glyphs.collect(), steps: 1 },
        })
    };
    parts.filter_map(part).collect()
}
