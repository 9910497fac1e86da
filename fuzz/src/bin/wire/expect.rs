//! How often a line must be answered, found out in another way than the server does.

use std::collections::BTreeSet;
use std::fmt;
use std::ops::RangeInclusive;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;

const NONE: RangeInclusive<usize> = 0..=0;
const ONE: RangeInclusive<usize> = 1..=1;
/// It depends on finer points, which the tests of the server cover.
const EITHER: RangeInclusive<usize> = 0..=1;

/// The responses `line` calls for, as part of `input`.
pub(crate) fn answers(line: &[u8], input: &[u8]) -> RangeInclusive<usize> {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line).trim_ascii();
    let Ok(text) = std::str::from_utf8(line) else { return ONE };
    if text.is_empty() {
        return NONE;
    }
    if serde_json::from_str::<IgnoredAny>(text).is_err() {
        return ONE;
    }
    if text.bytes().filter(|byte| matches!(byte, b'[' | b'{')).count() > 128 {
        return EITHER;
    }
    match line.first() {
        Some(b'{') => answers_to_object(text),
        // Batches are served after one handshake only.
        Some(b'[') if has(input, b"2025-03-26") || has(input, b"\\u") => EITHER,
        _ => ONE,
    }
}

fn has(input: &[u8], wanted: &[u8]) -> bool {
    input.windows(wanted.len()).any(|window| window == wanted)
}

fn answers_to_object(text: &str) -> RangeInclusive<usize> {
    let (Ok(Names(names)), Ok(message)) = (serde_json::from_str(text), serde_json::from_str::<Value>(text))
    else {
        // Half a surrogate pair somewhere.
        return EITHER;
    };
    if names.iter().collect::<BTreeSet<_>>().len() < names.len() {
        return EITHER;
    }
    let has = |name: &str| message.get(name).is_some();
    if !has("method") && (has("result") || has("error")) {
        return NONE;
    }
    if has("id") {
        return ONE;
    }
    let params = message.get("params").is_none_or(|params| params.is_object() || params.is_null());
    if message["jsonrpc"] == "2.0" && message["method"].is_string() && params { NONE } else { ONE }
}

/// The names of an object's members, each as often as it stands there.
struct Names(Vec<String>);

impl<'de> Deserialize<'de> for Names {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Names, D::Error> {
        struct Collect;

        impl<'de> Visitor<'de> for Collect {
            type Value = Names;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Names, A::Error> {
                let mut names = Vec::new();
                while let Some((name, IgnoredAny)) = members.next_entry()? {
                    names.push(name);
                }
                Ok(Names(names))
            }
        }

        deserializer.deserialize_map(Collect)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_and_garbage_are_answered_notifications_and_responses_are_not() {
        for (line, expected) in [
            ("", NONE),
            (" \r", NONE),
            ("hello", ONE),
            ("7", ONE),
            ("[]", ONE),
            (r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, ONE),
            (r#"{"id":1}"#, ONE),
            (r#"{"jsonrpc":"2.0","method":"ping"}"#, NONE),
            (r#"{"jsonrpc":"2.0","method":7}"#, ONE),
            (r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, NONE),
            (r#"{"jsonrpc":"2.0","id":1,"id":2,"result":{}}"#, EITHER),
        ] {
            assert_eq!(answers(line.as_bytes(), line.as_bytes()), expected, "{line}");
        }
        assert_eq!(answers(b"\xff", b"\xff"), ONE);
    }
}
