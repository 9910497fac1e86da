//! How a text is laid out: what is written into it looks like the rest.

/// The line ending and the indentation a text uses.
pub(super) struct Style {
    pub(super) newline: &'static str,
    pub(super) unit: String,
}

impl Style {
    pub(super) fn of(text: &str) -> Style {
        let newline = match text.find('\n') {
            Some(at) if text[..at].ends_with('\r') => "\r\n",
            _ => "\n",
        };
        let indented = text.lines().find(|line| line.starts_with([' ', '\t']) && !line.trim().is_empty());
        let unit = indented.map_or_else(|| "  ".to_owned(), |line| indentation(line).to_owned());
        Style { newline, unit }
    }
}

/// The white space a line begins with.
pub(super) fn indentation(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// The line a place is on, up to that place.
pub(super) fn line_before(text: &str, offset: usize) -> &str {
    &text[text[..offset].rfind('\n').map_or(0, |at| at + 1)..offset]
}
