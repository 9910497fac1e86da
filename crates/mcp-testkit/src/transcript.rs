//! Conversations written down: `>` lines are sent, `<` lines must come back, in that order.
//!
//! In a `<` line the string `"*"` stands for any value, and `"*name"` for any value that is remembered:
//! in the `>` lines that follow, `"*name"` is that value. Lines that start with `#` and empty lines are
//! for the reader.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use crate::Client;

/// What `"*name"` stands for.
type Remembered = BTreeMap<String, Value>;

/// Plays the transcript at `path` and compares. With `UPDATE_TRANSCRIPTS=1` the answers are written
/// into the file instead, but for those with a `"*"` in them.
pub fn check(path: impl AsRef<Path>, mut client: Client) {
    let path = path.as_ref();
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let update = std::env::var_os("UPDATE_TRANSCRIPTS").is_some();
    let mut remembered = Remembered::new();
    let mut played = Vec::new();
    for (number, line) in text.lines().enumerate() {
        if let Some(sent) = line.strip_prefix("> ") {
            client.send(&recalled(sent, &remembered));
        } else if let Some(expected) = line.strip_prefix("< ") {
            let actual = client.receive();
            if update && !expected.contains("\"*") {
                played.push(format!("< {actual}"));
                continue;
            }
            let expected: Value = serde_json::from_str(expected)
                .unwrap_or_else(|error| panic!("{}:{}: {error}", path.display(), number + 1));
            assert!(
                matches(&expected, &actual, &mut remembered),
                "{}:{}\n expected {expected}\n      got {actual}",
                path.display(),
                number + 1
            );
        }
        played.push(line.to_owned());
    }
    if update {
        std::fs::write(path, played.join("\n") + "\n").expect("the transcript can be written");
    }
    let goodbye = client.hang_up();
    assert!(goodbye.rest.is_empty(), "{}: more came than expected: {:?}", path.display(), goodbye.rest);
}

/// The line with every remembered value in its place.
fn recalled(line: &str, remembered: &Remembered) -> String {
    remembered.iter().fold(line.to_owned(), |line, (name, value)| {
        line.replace(&format!("\"*{name}\""), &value.to_string())
    })
}

fn matches(expected: &Value, actual: &Value, remembered: &mut Remembered) -> bool {
    match (expected, actual) {
        (Value::String(any), _) if any.starts_with('*') => {
            remembered.insert(any[1..].to_owned(), actual.clone());
            true
        }
        (Value::Object(expected), Value::Object(actual)) => {
            expected.len() == actual.len()
                && expected.iter().all(|(key, value)| {
                    actual.get(key).is_some_and(|other| matches(value, other, remembered))
                })
        }
        (Value::Array(expected), Value::Array(actual)) => {
            expected.len() == actual.len()
                && expected.iter().zip(actual).all(|(one, other)| matches(one, other, remembered))
        }
        (expected, actual) => expected == actual,
    }
}
