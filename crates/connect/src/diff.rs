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
    match line.char_indices().nth(MOST_LETTERS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}
