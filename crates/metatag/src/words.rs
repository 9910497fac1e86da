//! How results are said to people: lists, sizes, tables, and what a change did.

use std::fmt;

use crate::model::{Field, Note};
use crate::undo::{Direction, Undone};
use crate::write::{Done, Effect};

/// Longer texts are cut where several stand one under the other.
const LONGEST_LINE: usize = 300;

/// How a sentence goes on about tags that gave way to others.
pub const REPLACED: &str = "these tags were replaced";

/// Values in a row, or a dash for none; no more of them than a glance takes.
pub(crate) fn list(values: &[String]) -> String {
    let whole = whole(values);
    match whole.char_indices().nth(LONGEST_LINE) {
        Some((end, _)) => format!("{}…", &whole[..end]),
        None => whole,
    }
}

/// All values in a row, or a dash for none.
pub(crate) fn whole(values: &[String]) -> String {
    if values.is_empty() {
        return "-".to_owned();
    }
    line(&values.join(", "))
}

/// What an undo or a redo did, in a sentence.
pub(crate) fn undone(undone: &Undone) -> String {
    let (done, state) = match undone.direction {
        Direction::Undo => ("undone", "what it was before"),
        Direction::Redo => ("redone", "what it was before the undo"),
    };
    let changes = if undone.steps == 1 { "1 change".to_owned() } else { format!("{} changes", undone.steps) };
    let mut sentence = format!("{changes} {done}; the file is byte for byte {state}");
    if undone.left_behind > 0 {
        sentence.push_str("; other names (hard links) of the file keep the newer content");
    }
    if let Some(reason) = &undone.unsynced {
        sentence.push_str(&unsynced(reason));
    }
    sentence
}

fn unsynced(reason: &str) -> String {
    format!("; the disk did not confirm it ({reason}): after a power failure the old file may be back")
}

/// A text on one line. Control characters are shown, not sent: a terminal would obey them.
pub fn line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\n' | '\r' | '\t' => line.push(' '),
            letter if letter.is_control() || is_direction(letter) => line.extend(letter.escape_unicode()),
            letter => line.push(letter),
        }
    }
    line
}

/// Whether a character turns the direction of what follows, so that a name reads as another one.
fn is_direction(letter: char) -> bool {
    matches!(letter, '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// A size as people read it.
pub(crate) fn bytes(size: u64) -> String {
    const UNITS: [(u64, &str); 3] = [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    match UNITS.into_iter().find(|(unit, _)| size >= *unit) {
        Some((unit, name)) => {
            let tenths = u128::from(size) * 10 / u128::from(unit);
            format!("{}.{} {name}", tenths / 10, tenths % 10)
        }
        None => format!("{size} bytes"),
    }
}

/// What a note says.
pub(crate) fn note(note: Note) -> &'static str {
    match note {
        Note::Kept(Field::Tags) => "tags were there already and stay",
        Note::Kept(Field::Description) => "a description was there already and stays",
        Note::Kept(Field::People) => "people were there already and stay",
        Note::Kept(Field::Location) => "a location was there already and stays",
        Note::Kept(Field::Title) => "a title was there already and stays",
        Note::Kept(Field::Headline) => "a headline was there already and stays",
        Note::Kept(Field::Creator) => "a creator was there already and stays",
        Note::Kept(Field::Copyright) => "a copyright notice was there already and stays",
        Note::Kept(Field::City) => "a city was there already and stays",
        Note::Kept(Field::State) => "a state was there already and stays",
        Note::Kept(Field::Country) => "a country was there already and stays",
        Note::Kept(Field::Rating) => "a rating was there already and stays",
        Note::Kept(Field::Label) => "a label was there already and stays",
        Note::Kept(Field::DateTaken) => "a date was there already and stays",
        Note::Kept(Field::Position) => "a position was there already and stays",
        Note::ExifFull => "EXIF has no room for what is new; the other stores have it",
        Note::ExifOdd => {
            "EXIF has values outside of itself and is left alone; the other stores have what is new"
        }
        Note::Provenance => "the signed provenance (C2PA) is kept, but no longer matches the file",
        Note::Sidecar => "the metadata is in an XMP sidecar in the same folder; the file itself is untouched",
    }
}

/// What a change did, in a sentence.
pub fn done(done: &Done) -> String {
    let effect = match done.effect {
        Effect::Written => "metadata written",
        Effect::Nothing => "nothing to change; the file is untouched",
    };
    let mut parts = vec![effect.to_owned()];
    parts.extend(done.notes.iter().map(|this| note(*this).to_owned()));
    if !done.replaced.is_empty() {
        parts.push(format!("{REPLACED}: {}", list(&done.replaced)));
    }
    if done.left_behind > 0 {
        parts.push("other names (hard links) of the file keep the old content".to_owned());
    }
    if let Some(reason) = &done.not_undoable {
        parts.push(format!("this change cannot be undone: {reason}"));
    }
    let mut sentence = parts.join("; ");
    if let Some(reason) = &done.unsynced {
        sentence.push_str(&unsynced(reason));
    }
    sentence
}

/// Rows of words, one under the other.
#[derive(Debug, Default)]
pub(crate) struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(crate) fn row<const N: usize>(&mut self, cells: [&str; N]) {
        self.rows.push(cells.map(str::to_owned).to_vec());
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or_default();
        let mut widths = vec![0; columns];
        for row in &self.rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = cell.chars().count().max(*width);
            }
        }
        for row in &self.rows {
            let Some((last, first)) = row.split_last() else { continue };
            for (cell, width) in first.iter().zip(&widths) {
                write!(f, "  {cell:width$}")?;
            }
            writeln!(f, "  {last}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Table, bytes, line, list, whole};

    #[test]
    fn sizes_have_units() {
        for (size, expected) in
            [(0, "0 bytes"), (1023, "1023 bytes"), (1024, "1.0 KiB"), (3 << 20, "3.0 MiB")]
        {
            assert_eq!(bytes(size), expected);
        }
        assert_eq!(bytes(u64::MAX), "17179869183.9 GiB");
    }

    #[test]
    fn a_terminal_is_told_nothing_to_obey() {
        assert_eq!(line("a\nb\u{1b}[31m"), "a b\\u{1b}[31m");
        assert_eq!(list(&["x".repeat(1000)]).chars().count(), 301);
        assert_eq!(whole(&["x".repeat(1000)]).chars().count(), 1000);
        assert_eq!(list(&[]), "-");
    }

    #[test]
    fn columns_stand_under_each_other() {
        let mut table = Table::default();
        table.row(["a", "b", "c"]);
        table.row(["long", "x", "y z"]);
        assert_eq!(table.to_string(), "  a     b  c\n  long  x  y z\n");
    }
}
