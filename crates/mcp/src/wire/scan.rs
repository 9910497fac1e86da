//! Finds the id of a message that does not parse, so that its sender is not left waiting.

use crate::id::Id;

/// Looks for a top-level `"id"` member in an object that may be broken, cut off, or not UTF-8.
pub(crate) fn find_id(bytes: &[u8]) -> Option<Id> {
    if !super::trimmed(bytes).starts_with(b"{") {
        return None;
    }
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            b'"' => {
                let end = string_end(bytes, at)?;
                if depth == 1
                    && bytes.get(at..end) == Some(b"\"id\"")
                    && let Some(value) = value_after_colon(bytes, end)
                {
                    return id_at(bytes.get(value..)?);
                }
                at = end;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// The index just past the string that opens at `start`.
pub(super) fn string_end(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start + 1;
    loop {
        at += memchr::memchr2(b'"', b'\\', bytes.get(at..)?)?;
        if bytes.get(at) == Some(&b'"') {
            return Some(at + 1);
        }
        at += 2;
    }
}

fn value_after_colon(bytes: &[u8], from: usize) -> Option<usize> {
    let colon = skip_space(bytes, from);
    (bytes.get(colon) == Some(&b':')).then(|| skip_space(bytes, colon + 1))
}

fn skip_space(bytes: &[u8], from: usize) -> usize {
    let rest = bytes.get(from..).unwrap_or_default();
    from + rest.len() - rest.trim_ascii_start().len()
}

fn id_at(bytes: &[u8]) -> Option<Id> {
    let end = match bytes.first()? {
        b'"' => string_end(bytes, 0)?,
        _ => bytes
            .iter()
            .position(|byte| !matches!(byte, b'-' | b'.' | b'+' | b'0'..=b'9' | b'a'..=b'z' | b'E'))?,
    };
    let text = std::str::from_utf8(bytes.get(..end)?).ok()?;
    // Echoed into our own JSON: it must be JSON by itself.
    serde_json::from_str::<serde::de::IgnoredAny>(text).ok()?;
    Id::from_json(text)
}

#[cfg(test)]
mod tests {
    use super::find_id;

    fn found(text: &str) -> Option<String> {
        find_id(text.as_bytes()).map(|id| id.as_json().to_owned())
    }

    #[test]
    fn the_top_level_id_is_found_wherever_it_stands() {
        assert_eq!(found(r#"{"id" : 12,"x":"#).as_deref(), Some("12"));
        assert_eq!(found(r#"{"params":{"id":1},"id":"a\"b","#).as_deref(), Some(r#""a\"b""#));
    }

    #[test]
    fn what_is_no_object_has_no_id() {
        assert_eq!(found(r#"INFO {"id":12,"x":"#), None);
        assert_eq!(found(r#"["id":12,"#), None);
    }

    #[test]
    fn ids_inside_parameters_strings_and_cut_off_values_are_not_taken() {
        assert_eq!(found(r#"{"params":{"id":1},"#), None);
        assert_eq!(found(r#"{"x":"\"id\":5","#), None);
        assert_eq!(found(r#"{"id":12"#), None);
        assert_eq!(found(r#"{"id":"ab"#), None);
        assert_eq!(found(r#"{"id":1.5,"#), None);
    }
}
