//! Parts marks where one window ends and another begins: text of both may stand so close that the detector sees one line. The
//! backgrounds tell, where they differ.

use std::ops::Range;

use super::detector::Mark;
use super::lengths::pixels;
use crate::Image;
use crate::image::brightness;

/// Backgrounds that differ by less are taken for one.
const DIFFERENT: u8 = 72;
/// How wide the border of a window may be, in pixels.
const BORDER: usize = 3;
/// The background is that of the middle one of so many columns, and more of large letters: strokes are narrower.
const COLUMNS: usize = 9;

/// The parts of a mark, each with the columns it must keep to.
pub(super) fn parted(image: Image<'_>, mark: &Mark) -> Vec<(Mark, Range<usize>)> {
    let height = mark.rows.len();
    // As far as letters are looked for beside a mark, and a little further.
    let around = mark.columns.start.saturating_sub(3 * height)
        ..(mark.columns.end + 3 * height).min(image.width() as usize);
    let grounds = grounds(image, &around, &mark.rows);
    let mut parts = Vec::new();
    let mut from = around.start;
    for (end, next) in edges(&grounds, COLUMNS.max(2 * height)).chain([(grounds.len(), 0)]) {
        let limits = from..around.start + end;
        from = around.start + next;
        let columns = mark.columns.start.max(limits.start)..mark.columns.end.min(limits.end);
        // What is narrower is the edge itself.
        if columns.len() * 2 > height {
            parts.push((Mark { columns, ..mark.clone() }, limits));
        }
    }
    parts
}

/// The background of each column: its middle brightness, also above and below the letters.
fn grounds(image: Image<'_>, columns: &Range<usize>, rows: &Range<usize>) -> Vec<u8> {
    let reach = rows.len();
    let rows = rows.start.saturating_sub(reach)..(rows.end + reach).min(image.height() as usize);
    let mut values = vec![Vec::with_capacity(rows.len()); columns.len()];
    for y in rows {
        let row = image.row(pixels(y), pixels(columns.start), pixels(columns.end));
        for (column, pixel) in values.iter_mut().zip(row.chunks_exact(image.channels())) {
            column.push(brightness(pixel));
        }
    }
    values.iter_mut().map(|column| middle(column)).collect()
}

fn middle(values: &mut [u8]) -> u8 {
    let at = values.len() / 2;
    if values.is_empty() { 0 } else { *values.select_nth_unstable(at).1 }
}

/// Where one background ends and where the next begins, from left to right.
fn edges(grounds: &[u8], count: usize) -> impl Iterator<Item = (usize, usize)> {
    let around = |columns: Range<usize>| grounds.get(columns).map(|some| middle(&mut some.to_vec()));
    let mut next = 0;
    (count..grounds.len()).filter_map(move |at| {
        let (before, after) = (around(at - count..at)?, around(at + BORDER..at + BORDER + count)?);
        let is_own = |ground: u8, other: u8| ground.abs_diff(other) < DIFFERENT / 3;
        let begins = (at..=at + BORDER).find(|column| is_own(grounds[*column], after))?;
        let is_edge = at >= next
            && before.abs_diff(after) >= DIFFERENT
            && is_own(grounds[at - 1], before)
            && !is_own(grounds[at], before);
        is_edge.then(|| {
            next = at + count;
            (at, begins)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A picture of five rows: a space is white, a dot dark gray, `#` is black and `+` white. Letters are in the middle row.
    fn parts(letters: &str, grounds: &str, columns: Range<usize>) -> Vec<(Range<usize>, Range<usize>)> {
        let byte = |letter: char| match letter {
            ' ' | '+' => 255_u8,
            '.' => 40,
            _ => 0,
        };
        let rows = [grounds, grounds, letters, grounds, grounds];
        let bytes: Vec<u8> =
            rows.iter().flat_map(|row| row.chars().flat_map(|letter| [byte(letter); 3])).collect();
        let image = Image::rgb(u32::try_from(letters.len()).unwrap(), 5, &bytes).unwrap();
        let mark = Mark { columns, rows: 2..3, fill: 1.0 };
        parted(image, &mark).into_iter().map(|(mark, limits)| (mark.columns, limits)).collect()
    }

    #[test]
    fn a_mark_over_two_backgrounds_is_two() {
        let letters = "#  # ##  # ## # ##..+.++..+.++.+..+.+";
        let grounds = "                #....................";
        assert_eq!(parts(letters, grounds, 0..37), [(0..16, 0..16), (17..37, 17..37)]);
    }

    #[test]
    fn strokes_part_nothing() {
        let row = "#  #   #   ###   #   #  #  ##   #   #";
        assert_eq!(parts(row, row, 0..37), [(0..37, 0..37)]);
    }
}
