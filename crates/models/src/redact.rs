//! What a provider says, fit to be passed on: short, one line, and without the key it was sent.

/// Characters of a provider's message that are passed on.
const MOST: usize = 400;

/// As many characters of a key as give it away.
const TELLING: usize = 8;

/// The message without words that hold a piece of the key.
pub(crate) fn redact(message: &str, key: Option<&str>) -> String {
    let words = message.split_whitespace().map(|word| match key {
        Some(key) if gives_away(word, key) => "[…]",
        _ => word,
    });
    let mut told = String::new();
    for word in words {
        if told.chars().count() + word.chars().count() > MOST {
            told.push('…');
            break;
        }
        if !told.is_empty() {
            told.push(' ');
        }
        told.push_str(word);
    }
    told
}

fn gives_away(word: &str, key: &str) -> bool {
    if key.len() <= TELLING {
        return word.contains(key);
    }
    key.as_bytes()
        .windows(TELLING)
        .any(|piece| word.as_bytes().windows(TELLING).any(|candidate| candidate == piece))
}

#[cfg(test)]
mod tests {
    use super::redact;

    #[test]
    fn a_key_is_taken_out_whole_or_in_part() {
        let key = Some("sk-live-0123456789abcdef");
        let echoes = [
            "the key sk-live-0123456789abcdef is wrong",
            "the key \"Bearer:sk-live-0123456789abcdef\" is wrong",
            "the key sk-live-0123****cdef is wrong",
            "the key ****56789abcdef is wrong",
        ];
        for echo in echoes {
            assert_eq!(redact(echo, key), "the key […] is wrong");
        }
        assert_eq!(redact("short key abc", Some("abc")), "short key […]");
        assert_eq!(redact("nothing\n here", None), "nothing here");
    }

    #[test]
    fn a_long_message_is_cut() {
        let told = redact(&"word ".repeat(1000), None);
        assert!(told.chars().count() <= 402 && told.ends_with('…'));
        assert_eq!(redact(&"x".repeat(1000), None), "…");
    }
}
