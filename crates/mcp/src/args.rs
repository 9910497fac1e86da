//! Arguments to typed input, with errors a model can act on.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::fail::Fail;
use crate::wire::{kind, without_position};

/// Reads the arguments of a call. `schema` is asked only to word the message when they do not fit.
pub(crate) fn read<'s, T: DeserializeOwned>(
    arguments: Option<&RawValue>,
    schema: impl FnOnce() -> &'s RawValue,
) -> Result<T, Fail> {
    let text = arguments.map_or("{}", RawValue::get);
    if let Some(raw) = arguments
        && !text.starts_with('{')
    {
        return Err(Fail::arguments(format!("`arguments` must be an object, not {}", kind(raw))));
    }
    serde_json::from_str(text).or_else(|_| explain(text, schema()))
}

/// The parameters of a bare method without `_meta`, which is not one of its arguments.
pub(crate) fn without_meta(params: &RawValue) -> Cow<'_, RawValue> {
    if memchr::memmem::find(params.get().as_bytes(), b"\"_meta\"").is_none() {
        return Cow::Borrowed(params);
    }
    let Ok(mut members) = serde_json::from_str::<BTreeMap<Cow<'_, str>, &RawValue>>(params.get()) else {
        return Cow::Borrowed(params);
    };
    members.remove("_meta");
    serde_json::value::to_raw_value(&members).map_or(Cow::Borrowed(params), Cow::Owned)
}

/// Parses once more, this time keeping track of where it is: only calls that fail pay for it.
fn explain<T: DeserializeOwned>(text: &str, schema: &RawValue) -> Result<T, Fail> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    serde_path_to_error::deserialize(&mut deserializer).map_err(|error| {
        let path = error.path().to_string();
        let reason = without_position(error.inner().to_string());
        Fail::arguments(word(&path, &reason, schema))
    })
}

fn word(path: &str, reason: &str, schema: &RawValue) -> String {
    let field = |name: &str| match path {
        "." | "" => format!("`{name}`"),
        parent => format!("`{parent}.{name}`"),
    };
    if let Some(name) = quoted_after(reason, "missing field ") {
        let schema: Value = serde_json::from_str(schema.get()).unwrap_or_default();
        let described = if path == "." || path.is_empty() { describe(&schema, name) } else { String::new() };
        return format!("Missing argument {}{described}", field(name));
    }
    if let Some(name) = quoted_after(reason, "unknown field ") {
        let accepted: Vec<&str> = reason.split('`').skip(3).step_by(2).collect();
        // The path of an unknown field ends in the field itself.
        let guess =
            closest(name, &accepted).map(|guess| format!("; did you mean `{guess}`?")).unwrap_or_default();
        let accepted = match accepted.as_slice() {
            [] => "it takes none".to_owned(),
            names => format!(
                "accepted are {}",
                names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
            ),
        };
        return format!("Unknown argument `{name}`{guess} ({accepted})");
    }
    if let Some((found, expected)) = reason
        .strip_prefix("invalid type: ")
        .or_else(|| reason.strip_prefix("invalid value: "))
        .and_then(|rest| rest.split_once(", expected "))
    {
        return format!("Argument `{path}`: expected {}, got {}", in_words(expected), shortened(found));
    }
    if path == "." || path.is_empty() {
        format!("Arguments: {reason}")
    } else {
        format!("Argument `{path}`: {reason}")
    }
}

/// As much of what came as it takes to recognise it.
fn shortened(found: &str) -> Cow<'_, str> {
    match found.char_indices().nth(80) {
        None => Cow::Borrowed(found),
        Some((end, _)) => Cow::Owned(format!("{}…", found.get(..end).unwrap_or_default())),
    }
}

/// Rust's number types mean nothing to the caller.
fn in_words(expected: &str) -> &str {
    match expected {
        "f64" | "f32" => "a number",
        "i8" | "i16" | "i32" | "i64" | "isize" => "an integer",
        "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number, not negative",
        other => other,
    }
}

fn quoted_after<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    text.strip_prefix(prefix)?.strip_prefix('`')?.split_once('`').map(|(name, _)| name)
}

/// ` (a string): what it is`, as the schema has it.
fn describe(schema: &Value, name: &str) -> String {
    let Some(property) = schema.get("properties").and_then(|all| all.get(name)) else {
        return String::new();
    };
    let kind = match property.get("type").and_then(Value::as_str) {
        Some(kind @ ("object" | "array" | "integer")) => format!(" (an {kind})"),
        Some(kind) => format!(" (a {kind})"),
        None => String::new(),
    };
    match property.get("description").and_then(Value::as_str) {
        Some(description) => format!("{kind}: {description}"),
        None => kind,
    }
}

/// The accepted name nearest to what was typed, when it is near enough to be a slip.
fn closest<'a>(name: &str, accepted: &[&'a str]) -> Option<&'a str> {
    accepted
        .iter()
        .map(|candidate| (distance(&fold(name), &fold(candidate)), *candidate))
        .min()
        .filter(|(distance, candidate)| *distance <= candidate.len().max(3) / 3)
        .map(|(_, candidate)| candidate)
}

/// `filePath` and `file_path` are the same word to a model.
fn fold(name: &str) -> Vec<u8> {
    name.bytes().filter(|byte| *byte != b'_').map(|byte| byte.to_ascii_lowercase()).collect()
}

/// Levenshtein distance.
fn distance(a: &[u8], b: &[u8]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        for (cell, y) in row.iter_mut().skip(1).zip(b) {
            let here = (diagonal + usize::from(x != y)).min(left + 1).min(*cell + 1);
            diagonal = std::mem::replace(cell, here);
            left = here;
        }
        if let Some(first) = row.first_mut() {
            *first = i + 1;
        }
    }
    row.last().copied().unwrap_or(a.len())
}

#[cfg(test)]
mod tests {
    use schemars::JsonSchema;
    use serde::Deserialize;
    use serde_json::value::{RawValue, to_raw_value};

    use crate::schema;

    #[derive(Deserialize, JsonSchema, Debug)]
    #[serde(deny_unknown_fields, rename_all = "camelCase")]
    #[allow(dead_code)]
    struct Input {
        /// Absolute path of the picture.
        file_path: String,
        #[serde(default)]
        points: Vec<Point>,
    }

    #[derive(Deserialize, JsonSchema, Debug)]
    #[allow(dead_code)]
    struct Point {
        x: f64,
    }

    fn message(arguments: &str) -> String {
        let schema = to_raw_value(&schema::of::<Input>()).expect("schema");
        let raw = RawValue::from_string(arguments.to_owned()).expect("JSON");
        super::read::<Input>(Some(&raw), || &schema).expect_err("must fail").message
    }

    #[test]
    fn a_missing_argument_is_named_with_its_type_and_meaning() {
        assert_eq!(message("{}"), "Missing argument `filePath` (a string): Absolute path of the picture.");
    }

    #[test]
    fn a_wrong_type_names_the_field_what_was_expected_and_what_came() {
        assert_eq!(
            message(r#"{"filePath":"a","points":[{"x":1},{"x":"far"}]}"#),
            "Argument `points[1].x`: expected a number, got string \"far\""
        );
        assert_eq!(message(r#"{"filePath":5}"#), "Argument `filePath`: expected a string, got integer `5`");
    }

    #[test]
    fn an_unknown_argument_gets_a_suggestion() {
        assert_eq!(
            message(r#"{"file_path":"a"}"#),
            "Unknown argument `file_path`; did you mean `filePath`? (accepted are `filePath`, `points`)"
        );
    }

    #[test]
    fn arguments_that_are_no_object_are_named_so() {
        assert_eq!(message("\"x\""), "`arguments` must be an object, not a string");
    }
}
