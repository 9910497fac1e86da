//! Whether JSON text nests deeper, or has more values, than we will follow.

/// Counts brackets with SIMD first: ordinary messages have too few of them to be deep, and stop there.
pub(super) fn exceeds(bytes: &[u8], limit: usize) -> bool {
    memchr::memchr2_iter(b'{', b'[', bytes).nth(limit).is_some() && really_exceeds(bytes, limit)
}

fn really_exceeds(bytes: &[u8], limit: usize) -> bool {
    let mut depth = 0_usize;
    let mut rest = bytes.iter();
    while let Some(byte) = rest.next() {
        match byte {
            b'{' | b'[' => {
                depth += 1;
                if depth > limit {
                    return true;
                }
            }
            b'}' | b']' => depth = depth.saturating_sub(1),
            b'"' => {
                while let Some(inside) = rest.next() {
                    match inside {
                        b'\\' => drop(rest.next()),
                        b'"' => break,
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }
    false
}

/// Whether there are more than `limit` values in it: what is read from a few letters may take a hundred times their room,
/// so the length of a message alone does not bound what it costs. Commas are counted, those in strings only where that
/// could matter.
pub(super) fn has_more_values(bytes: &[u8], limit: usize) -> bool {
    bytes.len() > limit
        && memchr::memchr_iter(b',', bytes).nth(limit).is_some()
        && really_has_more_values(bytes, limit)
}

fn really_has_more_values(bytes: &[u8], limit: usize) -> bool {
    let (mut commas, mut at) = (0, 0);
    while let Some(found) = memchr::memchr2(b',', b'"', bytes.get(at..).unwrap_or_default()) {
        at += found + 1;
        if bytes.get(at - 1) == Some(&b',') {
            commas += 1;
            if commas > limit {
                return true;
            }
            continue;
        }
        let Some(end) = super::scan::string_end(bytes, at - 1) else { return false };
        at = end;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::{exceeds, has_more_values};

    #[test]
    fn commas_inside_strings_are_no_values() {
        let text = format!("[\"{}\\\"{}\",1]", ",".repeat(500), ",".repeat(500));
        assert!(!has_more_values(text.as_bytes(), 100));
    }

    #[test]
    fn one_value_more_than_the_limit_is_too_many() {
        assert!(!has_more_values(format!("[{}1]", "1,".repeat(100)).as_bytes(), 100));
        assert!(has_more_values(format!("[{}1]", "1,".repeat(101)).as_bytes(), 100));
        assert!(has_more_values(format!("[{}\"", "\"\",".repeat(101)).as_bytes(), 100));
    }

    #[test]
    fn brackets_inside_strings_do_not_count() {
        let text = format!("[\"{}\\\"{}\"]", "[".repeat(500), "{".repeat(500));
        assert!(!exceeds(text.as_bytes(), 128));
    }

    #[test]
    fn many_siblings_are_not_deep() {
        assert!(!exceeds("[[],[],[]]".repeat(100).as_bytes(), 128));
    }

    #[test]
    fn one_level_more_than_the_limit_is_too_deep() {
        assert!(!exceeds("[".repeat(128).as_bytes(), 128));
        assert!(exceeds("[".repeat(129).as_bytes(), 128));
    }
}
