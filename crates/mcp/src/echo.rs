//! As much of what a client sent as a message repeats: enough to recognise it, and never a megabyte.

use std::borrow::Cow;

/// How many characters of it.
const MOST: usize = 200;

/// The text, or its beginning.
pub(crate) fn shown(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(MOST) {
        None => Cow::Borrowed(text),
        Some((end, _)) => Cow::Owned(format!("{}…", text.get(..end).unwrap_or_default())),
    }
}

#[cfg(test)]
mod tests {
    use super::{MOST, shown};

    #[test]
    fn only_what_is_long_is_cut_and_between_characters() {
        assert_eq!(shown(&"é".repeat(MOST)), "é".repeat(MOST));
        assert_eq!(shown(&"é".repeat(MOST + 1)), format!("{}…", "é".repeat(MOST)));
    }
}
