//! Reading order: columns from left to right, each from top to bottom, found by cutting along the widest empty strips.

use crate::Line;

/// Deeper nesting than any page has; beyond it, top to bottom.
const DEEPEST: usize = 32;

/// Puts lines in the order people read them, and joins those that stand in one row of one block.
pub(super) fn ordered(lines: Vec<Line>) -> Vec<Line> {
    let mut result = Vec::with_capacity(lines.len());
    cut(lines, DEEPEST, &mut result);
    result
}

fn cut(mut lines: Vec<Line>, depth: usize, result: &mut Vec<Line>) {
    if lines.len() < 2 {
        result.append(&mut lines);
        return;
    }
    let height = median_height(&lines);
    let wide = |gap: &Gap| depth > 0 && gap.width > i64::from(height);
    let column = widest_gap(&lines, |line| (line.area.x.into(), line.area.right())).filter(wide);
    // One line beside others is the end of a row, not a column.
    let column = column.filter(|gap| {
        let left = lines.iter().filter(|line| i64::from(line.area.x) < gap.at).count();
        left.min(lines.len() - left) > 1
    });
    let block = widest_gap(&lines, |line| (line.area.y.into(), line.area.bottom())).filter(wide);
    let (before, after): (Vec<Line>, Vec<Line>) = match (column, block) {
        (Some(column), None) => lines.into_iter().partition(|line| i64::from(line.area.x) < column.at),
        (Some(column), Some(block)) if column.width >= block.width => {
            lines.into_iter().partition(|line| i64::from(line.area.x) < column.at)
        }
        (_, Some(block)) => lines.into_iter().partition(|line| i64::from(line.area.y) < block.at),
        (None, None) => return rows(lines, result),
    };
    cut(before, depth.saturating_sub(1), result);
    cut(after, depth.saturating_sub(1), result);
}

/// One block: rows from the top, those in one row joined.
fn rows(mut lines: Vec<Line>, result: &mut Vec<Line>) {
    lines.sort_by_key(|line| (line.area.centre().1, line.area.x));
    let mut row: Vec<Line> = Vec::new();
    for line in lines {
        // Not the last: rows of two windows that are off by half would all follow from each other.
        if row.first().is_some_and(|first| !same_row(first, &line)) {
            finish(&mut row, result);
        }
        row.push(line);
    }
    finish(&mut row, result);
}

fn same_row(one: &Line, other: &Line) -> bool {
    let overlap = one.area.bottom().min(other.area.bottom()) - i64::from(one.area.y.max(other.area.y));
    2 * overlap > i64::from(one.area.height.min(other.area.height))
}

/// Joins lines of a row that stand closer than two heights; in one block there are no columns.
fn finish(row: &mut Vec<Line>, result: &mut Vec<Line>) {
    row.sort_by_key(|line| line.area.x);
    let mut joined: Option<Line> = None;
    for line in row.drain(..) {
        joined = Some(match joined.take() {
            Some(mut left)
                if i64::from(line.area.x) - left.area.right() < 2 * i64::from(left.area.height) =>
            {
                left.area = left.area.joined(line.area);
                left.words.extend(line.words);
                left
            }
            Some(left) => {
                result.push(left);
                line
            }
            None => line,
        });
    }
    result.extend(joined);
}

struct Gap {
    /// Its far edge.
    at: i64,
    width: i64,
}

/// The widest strip that no line reaches into.
fn widest_gap(lines: &[Line], span: impl Fn(&Line) -> (i64, i64)) -> Option<Gap> {
    let mut spans: Vec<(i64, i64)> = lines.iter().map(span).collect();
    spans.sort_unstable();
    let mut end = spans.first()?.1;
    let mut widest: Option<Gap> = None;
    for (from, to) in spans {
        if from > end && widest.as_ref().is_none_or(|gap| from - end > gap.width) {
            widest = Some(Gap { at: from, width: from - end });
        }
        end = end.max(to);
    }
    widest
}

fn median_height(lines: &[Line]) -> u32 {
    let mut heights: Vec<u32> = lines.iter().map(|line| line.area.height).collect();
    heights.sort_unstable();
    heights[heights.len() / 2]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Rect, Word};

    fn line(text: &str, x: i32, y: i32) -> Line {
        let area = Rect { x, y, width: 8 * u32::try_from(text.len()).unwrap(), height: 16 };
        Line { words: vec![Word { text: text.to_owned(), area, confidence: 1.0, characters: vec![] }], area }
    }

    fn check(lines: Vec<Line>, expected: &[&str]) {
        let read: Vec<String> = ordered(lines).iter().map(Line::to_string).collect();
        assert_eq!(read, expected);
    }

    #[test]
    fn columns_are_read_one_after_the_other() {
        let lines = vec![
            line("one", 0, 40),
            line("three", 300, 40),
            line("two", 0, 60),
            line("four", 300, 60),
            line("title", 0, 0),
        ];
        check(lines, &["title", "one", "two", "three", "four"]);
    }

    #[test]
    fn parts_of_one_row_are_one_line() {
        check(vec![line("right", 60, 2), line("left", 0, 0), line("below", 0, 20)], &["left right", "below"]);
    }

    #[test]
    fn rows_of_two_windows_that_are_half_a_row_off_stay_rows() {
        let row = |number: i32| [line("left", 0, 17 * number), line("right", 42, 17 * number + 7)];
        check((0..3).flat_map(row).collect(), &["left right", "left right", "left right"]);
    }

    #[test]
    fn nothing_is_nothing() {
        check(vec![], &[]);
    }
}
