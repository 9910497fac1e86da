//! Text as the stores hold it: which characters are possible, and when two texts count as the same.

use unicode_normalization::UnicodeNormalization;

/// Whether XML can hold every character of the text. What it cannot hold, no store gets.
pub(crate) fn is_legal(text: &str) -> bool {
    text.chars().all(|c| match c {
        '\t' | '\n' | '\r' => true,
        c => c >= ' ' && c != '\u{FFFE}' && c != '\u{FFFF}',
    })
}

/// Whether there is nothing to read in the text. Cameras fill fields with spaces and zeros.
pub(crate) fn is_blank(text: &str) -> bool {
    text.chars().all(|c| c.is_whitespace() || c == '\0')
}

/// What two texts share that count as the same: composed and without the space around. Never stored.
pub(crate) fn key(text: &str) -> String {
    text.trim().nfc().collect()
}
