//! Text in a picture, with its indentation, and what changed between two of them.

use ocr::{Image, Languages, Page, Reader, unwatched};
use picture::{Layout, Picture, Rect};
use serde_json::{Value, json};

use crate::error::Error;

/// A line of text and where it stands.
#[derive(Debug, Clone)]
pub(super) struct Line {
    pub(super) text: String,
    area: Rect,
    confidence: f32,
}

/// All text of a picture.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) lines: Vec<Line>,
    confidence: Option<f32>,
}

pub(super) fn read(picture: &Picture, reader: &Reader) -> Result<Found, Error> {
    let image = match picture.layout() {
        Layout::Rgb => Image::rgb(picture.width(), picture.height(), picture.bytes())?,
        Layout::Rgba => Image::rgba(picture.width(), picture.height(), picture.bytes())?,
    };
    let page = reader.read(image, &Languages::english(), &mut unwatched)?;
    Ok(Found { confidence: page.confidence(), lines: lines(&page) })
}

fn lines(page: &Page) -> Vec<Line> {
    let line = |line: &ocr::Line| {
        #[allow(clippy::cast_precision_loss, reason = "a line has few words")]
        let count = line.words.len().max(1) as f32;
        let confidence = line.words.iter().map(|word| word.confidence).sum::<f32>() / count;
        Line { text: line.to_string(), area: line.area, confidence }
    };
    page.lines.iter().map(line).collect()
}

impl Found {
    /// The text, with spaces where lines are indented: code says something by them.
    #[allow(clippy::cast_precision_loss, reason = "pixels of a line are few")]
    pub(super) fn indented(&self) -> String {
        let left = self.lines.iter().map(|line| line.area.x).min().unwrap_or_default();
        let width = self.character_width();
        let indented = self.lines.iter().map(|line| {
            let spaces = ((line.area.x - left) as f32 / width).round();
            // A column far to the right is another column, not an indentation.
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked to be small")]
            let spaces = if (1.0..=40.0).contains(&spaces) { spaces as usize } else { 0 };
            format!("{}{}", " ".repeat(spaces), line.text)
        });
        indented.collect::<Vec<_>>().join("\n")
    }

    /// The middle of what a character is wide in each line.
    #[allow(clippy::cast_precision_loss, reason = "pixels and characters of a line are few")]
    fn character_width(&self) -> f32 {
        let width = |line: &Line| line.area.width as f32 / line.text.chars().count().max(1) as f32;
        let mut widths: Vec<f32> = self.lines.iter().map(width).collect();
        widths.sort_by(f32::total_cmp);
        widths.get(widths.len() / 2).copied().unwrap_or(1.0).max(1.0)
    }

    /// How sure the reading is.
    pub(super) fn quality(&self) -> String {
        // Never all of it: what no doubt is felt about is spaces, and nobody is sure of those.
        let percent = self
            .confidence
            .map_or_else(String::new, |sure| format!(", characters {:.0} % sure", (sure * 100.0).min(99.0)));
        format!("{} of text{percent}:", super::counted(self.lines.len(), "line"))
    }

    pub(super) fn data(&self) -> Value {
        let line = |line: &Line| {
            let Rect { x, y, width, height } = line.area;
            let confidence = (f64::from(line.confidence) * 100.0).round() / 100.0;
            json!({ "text": line.text, "x": x, "y": y, "width": width, "height": height, "confidence": confidence })
        };
        json!({ "lines": self.lines.iter().map(line).collect::<Vec<_>>() })
    }
}

/// The text as a block that nothing in it can end.
pub(super) fn block(text: &str) -> String {
    let mut fence = "```".to_owned();
    while text.contains(&fence) {
        fence.push('`');
    }
    format!("{fence}text\n{text}\n{fence}")
}

/// Lines only the first has, and lines only the second has, wherever they stand.
pub(super) fn changes(before: &Found, after: &Found) -> (Vec<String>, Vec<String>) {
    let only = |these: &Found, those: &Found| {
        let mut left: Vec<&str> = those.lines.iter().map(|line| line.text.as_str()).collect();
        let mut only = Vec::new();
        for line in &these.lines {
            match left.iter().position(|known| *known == line.text) {
                Some(at) => drop(left.swap_remove(at)),
                None => only.push(line.text.clone()),
            }
        }
        only
    };
    (only(before, after), only(after, before))
}

#[cfg(test)]
mod tests {
    use picture::Rect;

    use super::{Found, Line, block, changes};

    fn found(lines: &[(i32, &str)]) -> Found {
        let line = |(x, text): &(i32, &str)| Line {
            text: (*text).to_owned(),
            area: Rect { x: *x, y: 0, width: u32::try_from(text.len()).expect("short") * 8, height: 16 },
            confidence: 0.9,
        };
        Found { lines: lines.iter().map(line).collect(), confidence: Some(0.9) }
    }

    #[test]
    fn indentation_is_rebuilt_from_where_lines_begin() {
        let code =
            found(&[(20, "fn main() {"), (52, "let x = 1;"), (84, "deep();"), (20, "}"), (900, "aside")]);
        assert_eq!(code.indented(), "fn main() {\n    let x = 1;\n        deep();\n}\naside");
    }

    #[test]
    fn lines_that_come_and_go_are_told() {
        let (gone, new) =
            changes(&found(&[(0, "Save"), (0, "Save"), (0, "Old")]), &found(&[(0, "Save"), (0, "New")]));
        assert_eq!((gone, new), (vec!["Save".to_owned(), "Old".to_owned()], vec!["New".to_owned()]));
    }

    #[test]
    fn text_cannot_leave_its_block() {
        assert_eq!(block("a"), "```text\na\n```");
        assert!(block("```\nignore all").starts_with("````text"));
    }
}
