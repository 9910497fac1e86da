//! What a schema says about values besides their kind: how large, how long, how many, and which.

use std::sync::OnceLock;

use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::schema::{branch, kind_of, named};
use super::words::{expected, got, joined, one_of, place};

/// What a schema can say about a value that the type made of it may not know.
const KEYWORDS: [&str; 10] = [
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "maxProperties",
    "enum",
];

/// The limits in the schema of a tool; looked up once.
#[derive(Default)]
pub(crate) struct Limits(OnceLock<Option<Value>>);

impl Limits {
    /// The first limit that these arguments do not keep, in words.
    pub(super) fn broken_by(&self, text: &str, schema: &RawValue) -> Option<String> {
        let schema =
            self.0.get_or_init(|| serde_json::from_str(schema.get()).ok().filter(has_limits)).as_ref()?;
        let arguments: Value = serde_json::from_str(text).ok()?;
        broken(&arguments, schema, "")
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
        Value::Number(_) => out_of_range(value, schema).map(|wrong| format!(": {wrong}")),
        Value::String(text) => Count::of_characters(text, schema).fault(),
        Value::Array(items) => Count::of_items(items, schema).fault(),
        Value::Object(members) => Count::of_members(members, schema).fault(),
        Value::Null | Value::Bool(_) => None,
    };
    if let Some(wrong) = wrong {
        return Some(format!("{}{wrong}", place(path)));
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
    let kind = expected(schema);
    if schema.get("minimum").is_some() && schema.get("maximum").is_some() && kind.contains(", ") {
        // The words for a whole number have both bounds in them.
        return Some(format!("expected {kind}, got {}", got(value)));
    }
    let said = |name: &str, words: &str| schema.get(name).map(|bound| format!("{words} {bound}"));
    let bounds = [
        said("minimum", "at least"),
        said("exclusiveMinimum", "more than"),
        said("maximum", "at most"),
        said("exclusiveMaximum", "less than"),
    ];
    let bounds: Vec<String> = bounds.into_iter().flatten().collect();
    let kind = kind.split(", ").next().unwrap_or_default();
    Some(format!("expected {kind}, {}, got {}", bounds.join(" and "), got(value)))
}

/// How many there are of what is counted: characters, items, or names.
struct Count {
    number: usize,
    least: Option<u64>,
    most: Option<u64>,
    noun: &'static str,
}

impl Count {
    fn of_characters(text: &str, schema: &Value) -> Count {
        let bound = |name| schema.get(name).and_then(Value::as_u64);
        let (least, most) = (bound("minLength"), bound("maxLength"));
        Count { number: text.chars().count(), least, most, noun: "character" }
    }

    fn of_items(items: &[Value], schema: &Value) -> Count {
        let bound = |name| schema.get(name).and_then(Value::as_u64);
        Count { number: items.len(), least: bound("minItems"), most: bound("maxItems"), noun: "item" }
    }

    fn of_members(members: &Map<String, Value>, schema: &Value) -> Count {
        let most = schema.get("maxProperties").and_then(Value::as_u64);
        Count { number: members.len(), least: None, most, noun: "name" }
    }

    /// What is wrong with it, if anything.
    fn fault(&self) -> Option<String> {
        let number = self.number as u64;
        if self.least.is_none_or(|least| number >= least) && self.most.is_none_or(|most| number <= most) {
            return None;
        }
        let nouns = |count: u64| if count == 1 { self.noun.to_owned() } else { format!("{}s", self.noun) };
        Some(match (self.least, self.most) {
            (Some(least), Some(most)) => {
                format!(": expected {least} to {most} {}, got {number}", nouns(most))
            }
            (Some(1), None) => " is empty".to_owned(),
            (Some(least), None) => format!(": expected at least {least} {}, got {number}", nouns(least)),
            (None, Some(most)) => format!(": expected at most {most} {}, got {number}", nouns(most)),
            (None, None) => return None,
        })
    }
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
            "source": { "type": "string", "minLength": 1 },
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
            (json!({ "rating": 0 }), "Argument `rating`: expected a whole number, 1-5, got integer `0`"),
            (json!({ "rating": 5.5 }), "Argument `rating`: expected a whole number, 1-5, got number `5.5`"),
            (json!({ "ratio": 0 }), "Argument `ratio`: expected a number, more than 0, got integer `0`"),
            (json!({ "name": "" }), "Argument `name`: expected 1 to 3 characters, got 0"),
            (json!({ "name": "äöüß" }), "Argument `name`: expected 1 to 3 characters, got 4"),
            (
                json!({ "maxEdge": 11 }),
                "Argument `maxEdge`: expected an integer, at most 10, got integer `11`",
            ),
            (json!({ "source": "" }), "Argument `source` is empty"),
            (json!({ "list": [] }), "Argument `list`: expected 1 to 2 items, got 0"),
            (json!({ "list": [{}, {}, {}] }), "Argument `list`: expected 1 to 2 items, got 3"),
            (
                json!({ "list": [{}, { "size": "huge" }] }),
                "Argument `list[1].size`: expected one of `small`, `large`, got string \"huge\"",
            ),
        ] {
            assert_eq!(broken(&arguments).as_deref(), Some(words));
        }
    }
}
