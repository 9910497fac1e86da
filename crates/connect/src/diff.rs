//! What changes in a file, for a person.

use similar::TextDiff;

/// Longer lines are cut: a file on one line would be shown whole, with whatever secrets other servers have in it.
const MOST_LETTERS: usize = 160;

/// The change, with one line around it.
pub(crate) fn unified(name: &str, old: &str, new: &str) -> String {
    let diff = TextDiff::from_lines(old, new);
    let text = diff.unified_diff().context_radius(1).header(name, name).to_string();
    text.lines().map(|line| cut(line) + "\n").collect()
}

fn cut(line: &str) -> String {
    let line = line.trim_end_matches('\r');
    let cut = line.chars().nth(MOST_LETTERS).map_or("", |_| "…");
    harmless(&line.chars().take(MOST_LETTERS).collect::<String>()) + cut
}

/// Text that a terminal shows and does not obey: somebody else may have written what is quoted in it.
pub fn harmless(text: &str) -> String {
    let shown = |letter: char| if commands_a_terminal(letter) { char::REPLACEMENT_CHARACTER } else { letter };
    text.chars().map(shown).collect()
}

/// Whether a terminal would do something else than show it: move about, or write from right to left.
fn commands_a_terminal(letter: char) -> bool {
    let turns = matches!(letter, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    turns || (letter.is_control() && !matches!(letter, '\t' | '\n'))
}
