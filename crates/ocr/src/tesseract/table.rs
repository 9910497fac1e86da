//! From Tesseract's table of words (tab-separated, one row each) to a page.

use crate::{Character, Image, Line, Page, Rect, Word};

/// Rows of this level are words; the others are pages, blocks, paragraphs and lines.
const WORD: &str = "5";

/// The page of a table whose boxes are `scale` times as large as the picture's.
pub(super) fn page(table: &str, scale: u32, image: Image<'_>) -> Page {
    let mut lines: Vec<Line> = Vec::new();
    let mut current = None;
    for row in table.lines() {
        let Some((line, word)) = word(row, scale, image) else { continue };
        match lines.last_mut() {
            Some(last) if current == Some(line) => {
                last.area = last.area.joined(word.area);
                last.words.push(word);
            }
            _ => lines.push(Line { area: word.area, words: vec![word] }),
        }
        current = Some(line);
    }
    Page { lines }
}

/// The word of a row, and which line it is in: block, paragraph and line of the page.
fn word<'a>(row: &'a str, scale: u32, image: Image<'_>) -> Option<([&'a str; 3], Word)> {
    let cells: Vec<&str> = row.splitn(12, '\t').collect();
    let &[WORD, _, block, paragraph, line, _, left, top, width, height, confidence, text] = cells.as_slice()
    else {
        return None;
    };
    let number = |cell: &str| cell.parse::<u32>().ok();
    let (x, y) = (number(left)? / scale, number(top)? / scale);
    let right = (number(left)? + number(width)?).div_ceil(scale).min(image.width());
    let bottom = (number(top)? + number(height)?).div_ceil(scale).min(image.height());
    let confidence = confidence.parse::<f32>().ok().filter(|value| *value >= 0.0)? / 100.0;
    let text = text.trim();
    if text.is_empty() {
        return None;
    }
    let area = Rect::from_edges(x.into(), y.into(), right.into(), bottom.into())?;
    let characters = shared_out(text, area, confidence.min(1.0));
    Some((
        [block, paragraph, line],
        Word { text: text.to_owned(), area, confidence: confidence.min(1.0), characters },
    ))
}

/// Cells of equal width: Tesseract's table knows words only.
fn shared_out(text: &str, area: Rect, confidence: f32) -> Vec<Character> {
    let count = u64::try_from(text.chars().count()).unwrap_or(u64::MAX).max(1);
    let edge = |index: u64| {
        area.x.unsigned_abs() + u32::try_from(u64::from(area.width) * index / count).unwrap_or(area.width)
    };
    let cells = (0_u64..).zip(text.chars());
    cells
        .map(|(index, value)| Character { value, left: edge(index), right: edge(index + 1), confidence })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "1\t1\t0\t0\t0\t0\t0\t0\t200\t100\t-1\t\n\
        5\t1\t1\t1\t1\t1\t20\t10\t40\t12\t96.5\tSave\n\
        5\t1\t1\t1\t1\t2\t70\t11\t61\t12\t90\tit now\n\
        5\t1\t1\t1\t1\t3\t70\t11\t0\t12\t90\tnarrow\n\
        5\t1\t1\t1\t1\t4\t70\t11\t10\t12\t-1\tunsure\n\
        5\t1\t1\t1\t2\t1\t20\t30\t10\t12\t50\tx\n\
        5\t1\tbroken\n";

    fn read(table: &str) -> Page {
        page(table, 2, Image::rgb(60, 30, &[0; 60 * 30 * 3]).unwrap())
    }

    #[test]
    fn words_are_scaled_back_and_stand_in_lines() {
        let page = read(TABLE);
        assert_eq!(page.to_string(), "Save it now\nx");
        let word = &page.lines[0].words[0];
        assert_eq!(word.area, Rect { x: 10, y: 5, width: 20, height: 6 });
        assert!((word.confidence - 0.965).abs() < 1e-6);
        assert_eq!(word.part(1..3), Some(Rect { x: 15, y: 5, width: 10, height: 6 }));
    }

    #[test]
    fn boxes_end_where_the_picture_ends() {
        assert_eq!(read(TABLE).lines[0].words[1].area.right(), 60);
    }

    #[test]
    fn what_is_no_table_is_an_empty_page() {
        for table in ["", "\n\n", "5\t\t\t\t\t\t\t\t\t\t\t", "5\t1\t1\t1\t1\t1\t99999999999\t1\t1\t1\t1\tx"] {
            assert_eq!(read(table), Page::default());
        }
    }
}
