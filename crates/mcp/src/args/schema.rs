//! Questions to a schema of ours, about one value.

use serde_json::{Map, Value};

/// What kind of value this is, in the words of JSON Schema.
pub(super) fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Whether a value of this kind may stand here.
pub(super) fn admits(schema: &Value, kind: &str) -> bool {
    let fits = |named: &str| named == kind || (named == "number" && kind == "integer");
    match schema.get("type") {
        Some(Value::String(named)) => return fits(named),
        Some(Value::Array(named)) => return named.iter().filter_map(Value::as_str).any(fits),
        _ => {}
    }
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        return values.iter().any(|value| fits(kind_of(value)));
    }
    match choices(schema) {
        Some(choices) => choices.iter().any(|choice| admits(choice, kind)),
        None => true,
    }
}

fn choices(schema: &Value) -> Option<&Vec<Value>> {
    ["anyOf", "oneOf"].iter().find_map(|key| schema.get(key)).and_then(Value::as_array)
}

/// The part of the schema that is about this value: of several choices the first that could be meant.
pub(super) fn branch<'s>(schema: &'s Value, value: &Value) -> &'s Value {
    let Some(choices) = choices(schema) else { return schema };
    let is_meant = |choice: &&Value| admits(choice, kind_of(value)) && has_tags_of(choice, value);
    choices.iter().find(is_meant).map_or(schema, |choice| branch(choice, value))
}

/// Whether the members that can only have one value have it.
fn has_tags_of(choice: &Value, value: &Value) -> bool {
    properties(choice).into_iter().flatten().all(|(name, property)| {
        let only = match property.get("enum").and_then(Value::as_array).map(Vec::as_slice) {
            Some([only]) => Some(only),
            _ => property.get("const"),
        };
        only.is_none_or(|only| value.get(name) == Some(only))
    })
}

pub(super) fn properties(schema: &Value) -> Option<&Map<String, Value>> {
    schema.get("properties").and_then(Value::as_object)
}

/// The schema of a member, also where any name may stand.
pub(super) fn member<'s>(schema: &'s Value, name: &str) -> Option<&'s Value> {
    let named = properties(schema).and_then(|properties| properties.get(name));
    named.or_else(|| schema.get("additionalProperties").filter(|any| any.is_object()))
}

/// The schema of a member, also under the other spelling of its name that many types take: `maxEdge` is `max_edge`.
pub(super) fn named<'s>(schema: &'s Value, name: &str) -> Option<&'s Value> {
    let spelt_otherwise = |all: &'s Map<String, Value>| {
        all.iter().find(|(known, _)| fold(known) == fold(name)).map(|(_, schema)| schema)
    };
    member(schema, name).or_else(|| properties(schema).and_then(spelt_otherwise))
}

/// `filePath` and `file_path` are the same word to a model.
pub(super) fn fold(name: &str) -> Vec<u8> {
    name.bytes().filter(|byte| *byte != b'_').map(|byte| byte.to_ascii_lowercase()).collect()
}

pub(super) fn is_required(schema: &Value, name: &str) -> bool {
    required(schema).any(|required| required == name)
}

pub(super) fn required(schema: &Value) -> impl Iterator<Item = &str> {
    schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}
