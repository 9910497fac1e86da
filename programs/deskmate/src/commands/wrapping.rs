//! Text in lines as wide as the terminal, broken between words.

use std::io;

/// How wide the terminal is; nothing where the text goes elsewhere, which has a line for each thing.
pub(super) fn columns() -> Option<usize> {
    terminal_size::terminal_size_of(io::stdout()).map(|(width, _)| width.0.into())
}

/// Narrower than this, lines are left to the terminal.
const LEAST_ROOM: usize = 30;

/// What is left of a line behind its first columns.
pub(super) fn room(columns: Option<usize>, taken: usize) -> Option<usize> {
    columns.and_then(|columns| columns.checked_sub(taken)).filter(|room| *room >= LEAST_ROOM)
}

/// The text in lines that fit.
pub(super) fn lines(text: &str, room: Option<usize>) -> Vec<String> {
    let Some(room) = room else { return vec![text.to_owned()] };
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let length = word.chars().count();
        if let Some(last) = lines.last_mut() {
            if last.is_empty() {
                last.push_str(word);
                continue;
            }
            if last.chars().count() + 1 + length <= room {
                last.push(' ');
                last.push_str(word);
                continue;
            }
        }
        lines.push(word.to_owned());
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::lines;

    #[test]
    fn lines_break_between_words() {
        assert_eq!(lines("a long line", None), ["a long line"]);
        assert_eq!(lines("one two three", Some(7)), ["one two", "three"]);
        assert_eq!(lines("/a/very/long/path and more", Some(8)), ["/a/very/long/path", "and more"]);
        assert_eq!(lines("", Some(8)), [""]);
    }
}
