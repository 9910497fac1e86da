//! Whether JSON text nests deeper than we will follow.

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

#[cfg(test)]
mod tests {
    use super::exceeds;

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
