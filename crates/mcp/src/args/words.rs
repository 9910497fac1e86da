//! What does not fit, in the words of JSON: where, what was expected, and what came.

use serde_json::{Map, Value};

use crate::echo::shown;

use super::Problem;
use super::limits::broken;
use super::schema::{admits, branch, fold, is_required, kind_of, member, properties, required};

/// One sentence about the first thing that is wrong.
pub(super) fn explain(problem: &Problem, arguments: Option<&Value>, schema: &Value) -> String {
    let fault = || fault(arguments?, schema, "");
    match problem {
        Problem::Unknown(name) => {
            fault().unwrap_or_else(|| format!("Unknown argument `{}`; leave it out", shown(name)))
        }
        Problem::Refused { path, reason } if is_structural(reason) => {
            let at_top = quoted_after(reason, "unknown field ").filter(|_| path == ".");
            at_top
                .filter(|name| member(schema, name).is_none())
                .and_then(|name| Some(unknown(name, properties(schema)?, "")))
                .or_else(fault)
                .unwrap_or_else(|| reworded(path, reason))
        }
        // Inside of what is read in two steps, the type does not know where it is.
        Problem::Refused { path, reason } if reason.starts_with("invalid value: ") => {
            let broken = arguments.and_then(|arguments| broken(arguments, schema, ""));
            broken.unwrap_or_else(|| reworded(path, reason))
        }
        Problem::Refused { path, reason } => reworded(path, reason),
    }
}

/// Whether the reason is about the shape of the arguments, which the schema has better words for.
fn is_structural(reason: &str) -> bool {
    [
        "invalid type: ",
        "invalid length ",
        "missing field ",
        "unknown field ",
        "unknown variant ",
        "data did not match",
        "expected value",
    ]
    .iter()
    .any(|start| reason.starts_with(start))
}

/// What the schema has against this value, if anything.
pub(super) fn fault(value: &Value, schema: &Value, path: &str) -> Option<String> {
    let schema = branch(schema, value);
    if !admits(schema, kind_of(value)) {
        return Some(format!("{}: expected {}, got {}", place(path), expected(schema), got(value)));
    }
    if let Some(allowed) = schema.get("enum").and_then(Value::as_array)
        && !allowed.contains(value)
    {
        return Some(format!("{}: expected {}, got {}", place(path), one_of(allowed), got(value)));
    }
    match value {
        Value::Object(members) => fault_in_object(members, schema, path),
        Value::Array(items) => {
            let schema = schema.get("items")?;
            items.iter().enumerate().find_map(|(at, item)| fault(item, schema, &format!("{path}[{at}]")))
        }
        _ => None,
    }
}

fn fault_in_object(members: &Map<String, Value>, schema: &Value, path: &str) -> Option<String> {
    let takes_any = schema.get("additionalProperties") == Some(&Value::Bool(true));
    if let Some(known) = properties(schema).filter(|_| !takes_any)
        && let Some(name) = members.keys().find(|name| member(schema, name).is_none())
    {
        return Some(unknown(name, known, path));
    }
    if let Some(name) = required(schema).find(|name| !members.contains_key(*name)) {
        let described = member(schema, name).map(describe).unwrap_or_default();
        return Some(format!("Missing argument `{}`{described}", joined(path, name)));
    }
    members.iter().find_map(|(name, value)| fault(value, member(schema, name)?, &joined(path, name)))
}

pub(super) fn joined(path: &str, name: &str) -> String {
    if path.is_empty() { shown(name).into_owned() } else { format!("{path}.{}", shown(name)) }
}

pub(super) fn place(path: &str) -> String {
    if path.is_empty() { "Arguments".into() } else { format!("Argument `{path}`") }
}

fn unknown(name: &str, known: &Map<String, Value>, path: &str) -> String {
    let accepted: Vec<&str> = known.keys().map(String::as_str).collect();
    let guess =
        closest(name, &accepted).map(|guess| format!("; did you mean `{guess}`?")).unwrap_or_default();
    let accepted = match accepted.as_slice() {
        [] => "it takes none".to_owned(),
        names => format!("accepted are {}", quoted(names)),
    };
    format!("Unknown argument `{}`{guess} ({accepted})", joined(path, name))
}

fn quoted(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// ` (a string): what it is`, as the schema has it.
fn describe(property: &Value) -> String {
    let kind = format!(" ({})", expected(property));
    match property.get("description").and_then(Value::as_str) {
        Some(description) => format!("{kind}: {description}"),
        None => kind,
    }
}

/// What may stand here: a kind of value, and for an object one to send.
pub(super) fn expected(schema: &Value) -> String {
    if let Some(allowed) = schema.get("enum").and_then(Value::as_array) {
        return one_of(allowed);
    }
    let kinds = ["string", "integer", "number", "boolean", "array", "object"];
    let is_number = admits(schema, "number");
    let named: Vec<String> = kinds
        .into_iter()
        .filter(|kind| admits(schema, kind) && !(*kind == "integer" && is_number))
        .map(|kind| match kind {
            "integer" => whole_number(schema),
            "array" => match schema.get("items").map(example) {
                Some(item) if item.is_object() => format!("an array such as [{item}]"),
                _ => "an array".to_owned(),
            },
            "object" if properties(schema).is_some_and(|all| !all.is_empty()) => {
                format!("an object such as {}", example(schema))
            }
            "object" => "an object".to_owned(),
            other => format!("a {other}"),
        })
        .collect();
    named.join(" or ")
}

fn whole_number(schema: &Value) -> String {
    let bound = |name| schema.get(name).and_then(Value::as_i64);
    match (bound("minimum"), bound("maximum")) {
        (Some(least), Some(most)) => format!("a whole number, {least}-{most}"),
        (Some(0..), None) => "a whole number, not negative".to_owned(),
        _ => "an integer".to_owned(),
    }
}

pub(super) fn one_of(allowed: &[Value]) -> String {
    let allowed: Vec<String> = allowed
        .iter()
        .map(|value| value.as_str().map_or_else(|| format!("`{value}`"), |text| format!("`{text}`")))
        .collect();
    match allowed.as_slice() {
        [only] => only.clone(),
        several => format!("one of {}", several.join(", ")),
    }
}

/// How many members an example has at most, besides those that are required.
const SOME: usize = 3;

/// The smallest value of a kind, with enough in it to see its shape.
fn example(schema: &Value) -> Value {
    if let Some(first) = schema.get("enum").and_then(Value::as_array).and_then(|allowed| allowed.first()) {
        return first.clone();
    }
    match schema.get("type").and_then(Value::as_str) {
        Some("string") => "…".into(),
        Some("integer" | "number") => 1.into(),
        Some("boolean") => true.into(),
        Some("array") => Value::Array(Vec::new()),
        _ => {
            let mut members = Map::new();
            for (name, property) in properties(schema).into_iter().flatten() {
                if is_required(schema, name) || (required(schema).next().is_none() && members.len() < SOME) {
                    members.insert(name.clone(), example(property));
                }
            }
            Value::Object(members)
        }
    }
}

/// What came, as far as it helps to recognise it.
pub(super) fn got(value: &Value) -> String {
    match value {
        Value::Null => "null".into(),
        Value::Bool(flag) => format!("boolean `{flag}`"),
        Value::Number(number) => format!("{} `{number}`", kind_of(value)),
        Value::String(text) => format!("string {:?}", shown(text)),
        Value::Array(_) => "an array".into(),
        Value::Object(_) => "an object".into(),
    }
}

/// The reason of a type, without the words of its language.
fn reworded(path: &str, reason: &str) -> String {
    let path = if path == "." { "" } else { path };
    if let Some(name) = quoted_after(reason, "missing field ") {
        return format!("Missing argument `{}`", joined(path, name));
    }
    if let Some(name) = quoted_after(reason, "unknown field ") {
        // The path of an unknown field ends in the field itself.
        return format!("Unknown argument `{}`; leave it out", shown(name));
    }
    if let Some(name) = quoted_after(reason, "duplicate field ") {
        return format!("{} is given twice; give it once", place(&joined(path, name)));
    }
    let place = place(&shown(path));
    let parts = reason
        .strip_prefix("invalid type: ")
        .or_else(|| reason.strip_prefix("invalid value: "))
        .and_then(|rest| rest.rsplit_once(", expected "));
    match parts {
        Some((found, expected)) => {
            // Of the right kind and above zero, it can only be too large.
            let is_too_large = reason.starts_with("invalid value: integer `") && !found.contains('-');
            let expected = match in_json(expected) {
                "an integer" | "a whole number, not negative" if is_too_large => "a smaller whole number",
                expected => expected,
            };
            format!(
                "{place}: expected {expected}, got {}",
                shown(&found.replace("map", "an object").replace("sequence", "an array"))
            )
        }
        // What JSON allows to be written, and no text can hold.
        None if reason.contains("hex escape") => {
            format!("{place}: it has an escape such as `\\ud800`, which is half a character; send whole ones")
        }
        None => format!("{place}: {}", shown(reason)),
    }
}

fn quoted_after<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    text.strip_prefix(prefix)?.strip_prefix('`')?.split_once('`').map(|(name, _)| name)
}

/// The types of a programming language mean nothing to the caller.
fn in_json(expected: &str) -> &str {
    match expected {
        "f64" | "f32" => "a number",
        "i8" | "i16" | "i32" | "i64" | "isize" => "an integer",
        "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number, not negative",
        "a map" => "an object",
        "a sequence" => "an array",
        other if other.starts_with("struct ") || other.starts_with("internally tagged enum") => "an object",
        other if other.starts_with("enum ") => "one of its values, as a string",
        other => other,
    }
}

/// Longer names are no slips of the pen, and comparing them takes time.
const LONGEST_NAME: usize = 64;

/// The accepted name nearest to what was typed, when it is near enough to be a slip.
fn closest<'a>(name: &str, accepted: &[&'a str]) -> Option<&'a str> {
    if name.len() > LONGEST_NAME {
        return None;
    }
    accepted
        .iter()
        .map(|candidate| (distance(&fold(name), &fold(candidate)), *candidate))
        .min()
        .filter(|(distance, candidate)| *distance <= candidate.len().max(3) / 3)
        .map(|(_, candidate)| candidate)
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
