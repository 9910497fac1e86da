//! What a schema says about values besides their kind: how large, how long, how many, and which.

use std::sync::OnceLock;

use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::schema::{branch, kind_of, member, properties};
use super::words::{expected, fold, got, joined, one_of, place};

/// What a schema can say about a value that the type made of it may not know.
const KEYWORDS: [&str; 9] = [
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "enum",
];

/// The limits in the schema of a tool; looked up once.
#[derive(Default)]
pub(crate) struct Limits(OnceLock<Option<Value>>);

impl Limits {
    /// The first limit that these arguments do not keep, in words.
    pub(super) fn broken_by(&self, text: &str, schema: &RawValue) -> Option<String> {
        let schema = self.0.get_or_init(|| serde_json::from_str(schema.get()).ok().filter(has_limits));
        let arguments: Value = serde_json::from_str(text).ok().filter(|_| schema.is_some())?;
        broken(&arguments, schema.as_ref()?, "")
    }
}

/// Whether any part of a schema limits values.
fn has_limits(schema: &Value) -> bool {
    let of_parts = match schema {
        Value::Object(object) => object.values().any(has_limits),
        Value::Array(items) => items.iter().any(has_limits),
        _ => false,
    };
    of_parts || KEYWORDS.iter().any(|keyword| schema.get(keyword).is_some())
}

pub(super) fn broken(value: &Value, schema: &Value, path: &str) -> Option<String> {
    let schema = branch(schema, value);
    if let Some(allowed) = schema.get("enum").and_then(Value::as_array)
        && !allowed.iter().any(|one| one == value)
        // Of another kind, it is something that the type takes as well.
        && allowed.iter().any(|one| kind_of(one) == kind_of(value))
    {
        return Some(format!("{}: expected {}, got {}", place(path), one_of(allowed), got(value)));
    }
    let wrong = match value {
        Value::Number(_) => out_of_range(value, schema),
        Value::String(text) => not_so_many(Count::of("Length", text.chars().count()), schema),
        Value::Array(items) => not_so_many(Count::of("Items", items.len()), schema),
        Value::Null | Value::Bool(_) | Value::Object(_) => None,
    };
    if let Some(wrong) = wrong {
        return Some(format!("{}: {wrong}", place(path)));
    }
    match value {
        Value::Object(members) => {
            members.iter().find_map(|(name, value)| broken(value, named(schema, name)?, &joined(path, name)))
        }
        Value::Array(items) => {
            let schema = schema.get("items")?;
            items.iter().enumerate().find_map(|(at, item)| broken(item, schema, &format!("{path}[{at}]")))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}

/// The schema of a member, also under the other spelling of its name that many types take: `maxEdge` is `max_edge`.
fn named<'s>(schema: &'s Value, name: &str) -> Option<&'s Value> {
    let spelt_otherwise = |all: &'s Map<String, Value>| {
        all.iter().find(|(known, _)| fold(known) == fold(name)).map(|(_, schema)| schema)
    };
    member(schema, name).or_else(|| properties(schema).and_then(spelt_otherwise))
}

fn out_of_range(value: &Value, schema: &Value) -> Option<String> {
    let number = value.as_f64()?;
    let bound = |name: &str| schema.get(name).and_then(Value::as_f64);
    let is_below = bound("minimum").is_some_and(|least| number < least)
        || bound("exclusiveMinimum").is_some_and(|beyond| number <= beyond);
    let is_above = bound("maximum").is_some_and(|most| number > most)
        || bound("exclusiveMaximum").is_some_and(|below| number >= below);
    if !is_below && !is_above {
        return None;
    }
    let said = |name: &str, words: &str| schema.get(name).map(|bound| format!("{words} {bound}"));
    let bounds: Vec<String> = [
        said("minimum", "at least"),
        said("exclusiveMinimum", "more than"),
        said("maximum", "at most"),
        said("exclusiveMaximum", "less than"),
    ]
    .into_iter()
    .flatten()
    .collect();
    let kind = expected(schema);
    // The words for whole numbers have the bounds in them where there are two.
    let kind = kind.split(", ").next().unwrap_or_default();
    Some(format!("expected {kind}, {}, got {}", bounds.join(" and "), got(value)))
}

/// How many there are of what is counted.
struct Count {
    keyword: &'static str,
    number: usize,
}

impl Count {
    fn of(keyword: &'static str, number: usize) -> Count {
        Count { keyword, number }
    }

    fn noun(&self, number: u64) -> &'static str {
        match (self.keyword, number) {
            ("Length", 1) => "character",
            ("Length", _) => "characters",
            (_, 1) => "item",
            _ => "items",
        }
    }
}

fn not_so_many(count: Count, schema: &Value) -> Option<String> {
    let bound = |end: &str| schema.get(format!("{end}{}", count.keyword)).and_then(Value::as_u64);
    let number = count.number as u64;
    if let Some(least) = bound("min").filter(|least| number < *least) {
        return Some(format!("expected at least {least} {}, got {number}", count.noun(least)));
    }
    let most = bound("max").filter(|most| number > *most)?;
    Some(format!("expected at most {most} {}, got {number}", count.noun(most)))
}

#[cfg(test)]
mod tests {
    use serde_json::value::to_raw_value;
    use serde_json::{Value, json};

    use super::Limits;

    fn broken(arguments: &Value) -> Option<String> {
        let schema = to_raw_value(&json!({ "type": "object", "properties": {
            "rating": { "type": "integer", "minimum": 1, "maximum": 5 },
            "ratio": { "type": "number", "exclusiveMinimum": 0 },
            "name": { "type": "string", "minLength": 1, "maxLength": 3 },
            "max_edge": { "type": "integer", "maximum": 10 },
            "list": { "type": "array", "minItems": 1, "maxItems": 2, "items": { "type": "object", "properties": {
                "size": { "enum": ["small", "large"] } } } },
            "any": {},
        } }));
        Limits::default().broken_by(&arguments.to_string(), &schema.expect("JSON"))
    }

    #[test]
    fn what_keeps_the_limits_is_taken() {
        for arguments in [
            json!({}),
            json!({ "rating": 1, "ratio": 0.001, "name": "äöü", "max_edge": 10, "any": [1, "x"] }),
            json!({ "rating": 5, "list": [{ "size": "small" }, {}] }),
            // Not what the schema speaks of; whether it fits is for the type to say.
            json!({ "rating": "many", "name": 5, "list": {} , "more": 5 }),
        ] {
            assert_eq!(broken(&arguments), None, "{arguments}");
        }
    }

    #[test]
    fn what_does_not_is_named_with_the_limit_and_what_came() {
        for (arguments, words) in [
            (
                json!({ "rating": 0 }),
                "Argument `rating`: expected a whole number, at least 1 and at most 5, got integer `0`",
            ),
            (
                json!({ "rating": 5.5 }),
                "Argument `rating`: expected a whole number, at least 1 and at most 5, got number `5.5`",
            ),
            (json!({ "ratio": 0 }), "Argument `ratio`: expected a number, more than 0, got integer `0`"),
            (json!({ "name": "" }), "Argument `name`: expected at least 1 character, got 0"),
            (json!({ "name": "äöüß" }), "Argument `name`: expected at most 3 characters, got 4"),
            (
                json!({ "maxEdge": 11 }),
                "Argument `maxEdge`: expected an integer, at most 10, got integer `11`",
            ),
            (json!({ "list": [] }), "Argument `list`: expected at least 1 item, got 0"),
            (json!({ "list": [{}, {}, {}] }), "Argument `list`: expected at most 2 items, got 3"),
            (
                json!({ "list": [{}, { "size": "huge" }] }),
                "Argument `list[1].size`: expected one of `small`, `large`, got string \"huge\"",
            ),
        ] {
            assert_eq!(broken(&arguments).as_deref(), Some(words));
        }
    }
}
