//! Answers as data: a JSON value taken out of a model's words, and checked against the schema that was asked for.

use serde_json::Value;

/// What the model is told.
pub(crate) fn request(schema: &Value) -> String {
    format!("Answer with one JSON value that fits this JSON Schema, and with no other text:\n{schema}")
}

/// The value in an answer, if it fits.
pub(crate) fn read(answer: &str, schema: &Value) -> Result<Value, String> {
    let value: Value =
        serde_json::from_str(bare(answer)).map_err(|error| format!("it is not JSON ({error})"))?;
    check(&value, schema, "the answer")?;
    Ok(value)
}

/// Models like to put JSON into a code block.
fn bare(answer: &str) -> &str {
    let answer = answer.trim();
    let Some(rest) = answer.strip_prefix("```") else { return answer };
    let rest = rest.strip_suffix("```").unwrap_or(rest);
    rest.split_once('\n').map_or(rest, |(_, value)| value).trim()
}

/// The words of JSON Schema that people use: type, enum, const, properties, required, additionalProperties, items, bounds,
/// anyOf, oneOf, allOf. Others are not looked at.
fn check(value: &Value, schema: &Value, place: &str) -> Result<(), String> {
    match schema {
        Value::Bool(false) => return Err(format!("{place} must not be there")),
        Value::Object(_) => {}
        _ => return Ok(()),
    }
    let kinds = match &schema["type"] {
        Value::String(kind) => vec![kind.as_str()],
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    if !kinds.is_empty() && !kinds.iter().any(|kind| is(value, kind)) {
        return Err(format!("{place} is not of type {}", kinds.join(" or ")));
    }
    if schema["enum"].as_array().is_some_and(|values| !values.contains(value)) {
        return Err(format!("{place} is none of the values in `enum`"));
    }
    if schema.get("const").is_some_and(|wanted| wanted != value) {
        return Err(format!("{place} is not the value in `const`"));
    }
    let all = schema["allOf"].as_array().into_iter().flatten();
    all.into_iter().try_for_each(|part| check(value, part, place))?;
    for word in ["anyOf", "oneOf"] {
        if let Some(parts) = schema[word].as_array() {
            let fitting = parts.iter().filter(|part| check(value, part, place).is_ok()).count();
            if fitting == 0 || (word == "oneOf" && fitting > 1) {
                return Err(format!("{place} fits {fitting} of the schemas in `{word}`"));
            }
        }
    }
    match value {
        Value::Object(members) => check_members(members, schema, place),
        Value::Array(items) => check_items(items, schema, place),
        Value::Number(number) => {
            check_bounds(number.as_f64().unwrap_or_default(), schema, ["minimum", "maximum"], place)
        }
        #[allow(clippy::cast_precision_loss, reason = "no text is that long")]
        Value::String(text) => {
            check_bounds(text.chars().count() as f64, schema, ["minLength", "maxLength"], place)
        }
        Value::Null | Value::Bool(_) => Ok(()),
    }
}

fn is(value: &Value, kind: &str) -> bool {
    match kind {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "number" => value.is_number(),
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        _ => true,
    }
}

fn check_members(
    members: &serde_json::Map<String, Value>,
    schema: &Value,
    place: &str,
) -> Result<(), String> {
    let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    for name in required {
        if !members.contains_key(name) {
            return Err(format!("{place} has no `{name}`"));
        }
    }
    for (name, value) in members {
        let inner = format!("`{name}` of {place}");
        match schema["properties"].get(name) {
            Some(property) => check(value, property, &inner)?,
            None => match &schema["additionalProperties"] {
                Value::Bool(false) => {
                    return Err(format!("{place} has `{name}`, which the schema does not know"));
                }
                other => check(value, other, &inner)?,
            },
        }
    }
    Ok(())
}

fn check_items(items: &[Value], schema: &Value, place: &str) -> Result<(), String> {
    #[allow(clippy::cast_precision_loss, reason = "no list is that long")]
    check_bounds(items.len() as f64, schema, ["minItems", "maxItems"], place)?;
    items
        .iter()
        .enumerate()
        .try_for_each(|(at, item)| check(item, &schema["items"], &format!("item {at} of {place}")))
}

fn check_bounds(amount: f64, schema: &Value, [least, most]: [&str; 2], place: &str) -> Result<(), String> {
    if schema[least].as_f64().is_some_and(|bound| amount < bound) {
        return Err(format!("{place} is below `{least}`"));
    }
    if schema[most].as_f64().is_some_and(|bound| amount > bound) {
        return Err(format!("{place} is above `{most}`"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::read;

    fn schema() -> Value {
        json!({
            "type": "object", "required": ["title", "bars"], "additionalProperties": false,
            "properties": {
                "title": { "type": "string", "minLength": 1 },
                "kind": { "enum": ["bar", "line"] },
                "bars": { "type": "array", "minItems": 1, "items": { "type": "integer", "minimum": 0 } },
                "note": { "anyOf": [{ "type": "string" }, { "type": "null" }] },
            },
        })
    }

    #[test]
    fn what_fits_is_taken_with_or_without_a_code_block() {
        let value = json!({ "title": "Sales", "kind": "bar", "bars": [1, 2.0], "note": null });
        for answer in [value.to_string(), format!("```json\n{value}\n```"), format!(" ```\n{value}```")] {
            assert_eq!(read(&answer, &schema()), Ok(value.clone()), "{answer}");
        }
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let wrong = [
            ("Sure! Here it is", "not JSON"),
            ("[]", "not of type object"),
            (r#"{"title":"a"}"#, "no `bars`"),
            (r#"{"title":"","bars":[1]}"#, "`title`"),
            (r#"{"title":"a","bars":[]}"#, "minItems"),
            (r#"{"title":"a","bars":[1,-1]}"#, "item 1"),
            (r#"{"title":"a","bars":[1.5]}"#, "integer"),
            (r#"{"title":"a","bars":[1],"kind":"pie"}"#, "enum"),
            (r#"{"title":"a","bars":[1],"more":1}"#, "`more`"),
            (r#"{"title":"a","bars":[1],"note":7}"#, "anyOf"),
        ];
        for (answer, reason) in wrong {
            let error = read(answer, &schema()).expect_err(answer);
            assert!(error.contains(reason), "{answer}: {error}");
        }
    }
}
