//! Arguments as models write them, made into what the schema wants where there is no doubt about what they mean: `null` for
//! an argument that is not given, exact numerals and `"true"` or `"false"` in strings, and whole numbers with a fraction
//! of zero.

use serde_json::value::RawValue;
use serde_json::{Number, Value};

use super::distinct;
use super::schema::{admits, branch, named, properties};

/// The arguments as they are meant; nothing where they cannot be read, or say something twice.
pub(super) fn adapted(text: &str, schema: &RawValue) -> Option<String> {
    let mut arguments = distinct::parse(text)?;
    let schema: Value = serde_json::from_str(schema.get()).ok()?;
    adapt(&mut arguments, &schema);
    Some(arguments.to_string())
}

fn adapt(value: &mut Value, schema: &Value) {
    let schema = branch(schema, value);
    match value {
        Value::Object(members) => {
            members.retain(|name, value| {
                let known = properties(schema).and_then(|properties| properties.get(name));
                !value.is_null()
                    || known.is_none_or(|schema| schema.get("type").is_some() && admits(schema, "null"))
            });
            for (name, value) in members {
                if let Some(schema) = named(schema, name) {
                    adapt(value, schema);
                }
            }
        }
        Value::Array(items) => {
            if let Some(schema) = schema.get("items") {
                for item in items {
                    adapt(item, schema);
                }
            }
        }
        Value::String(text) if !admits(schema, "string") => {
            if let Some(meant) = meant_by(text, schema) {
                *value = meant;
            }
        }
        Value::Number(number) if admits(schema, "integer") && !admits(schema, "number") => {
            if let Some(whole) = whole(number) {
                *value = whole.into();
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn meant_by(text: &str, schema: &Value) -> Option<Value> {
    match text {
        "true" | "false" => admits(schema, "boolean").then(|| Value::Bool(text == "true")),
        _ if !text.starts_with(|first: char| first == '-' || first.is_ascii_digit()) => None,
        _ => {
            // Space around it is no fault in JSON, but no exact numeral either.
            let number: Number =
                serde_json::from_str(text).ok().filter(|_| !text.ends_with(char::is_whitespace))?;
            if admits(schema, "number") {
                Some(number.into())
            } else if admits(schema, "integer") {
                whole(&number).map(Value::from)
            } else {
                None
            }
        }
    }
}

/// A whole number, however it was written; beyond 2^53 a fraction of zero says nothing.
#[allow(clippy::cast_possible_truncation)] // guarded: whole and far inside i64
fn whole(number: &Number) -> Option<Number> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if !number.is_f64() {
        return Some(number.clone());
    }
    let float = number.as_f64()?;
    (float.fract() == 0.0 && float.abs() < EXACT).then(|| Number::from(float as i64))
}

#[cfg(test)]
mod tests {
    use serde_json::value::to_raw_value;
    use serde_json::{Value, json};

    fn adapted(arguments: &Value) -> Value {
        let schema = to_raw_value(&json!({ "type": "object", "properties": {
            "whole": { "type": "integer" },
            "whole_edge": { "type": "integer" },
            "number": { "type": "number" },
            "flag": { "type": "boolean" },
            "text": { "type": "string" },
            "either": { "type": ["string", "integer"] },
            "list": { "type": "array", "items": { "type": "integer" } },
            "map": { "type": "object", "additionalProperties": { "type": "string" } },
            "part": { "type": "object", "properties": { "x": { "type": "number" } } },
        } }))
        .expect("JSON");
        let text = super::adapted(&arguments.to_string(), &schema).expect("an object");
        serde_json::from_str(&text).expect("JSON")
    }

    #[test]
    fn null_is_an_argument_that_was_not_given() {
        let given = json!({
            "whole": null, "text": null, "part": { "x": null }, "list": [null], "other": null, "map": { "a": null },
        });
        let meant = json!({ "part": {}, "list": [null], "other": null, "map": { "a": null } });
        assert_eq!(adapted(&given), meant);
    }

    #[test]
    fn only_what_has_one_meaning_is_taken() {
        for (given, meant) in [
            (json!({ "whole": "5" }), json!({ "whole": 5 })),
            (json!({ "whole": "-5" }), json!({ "whole": -5 })),
            (json!({ "whole": "5.0" }), json!({ "whole": 5 })),
            (json!({ "whole": 5.0 }), json!({ "whole": 5 })),
            (json!({ "wholeEdge": "5" }), json!({ "wholeEdge": 5 })),
            (json!({ "number": "1e2" }), json!({ "number": 100.0 })),
            (json!({ "flag": "false" }), json!({ "flag": false })),
            (json!({ "list": ["1", 2.0] }), json!({ "list": [1, 2] })),
            (json!({ "part": { "x": "2.5" } }), json!({ "part": { "x": 2.5 } })),
        ] {
            assert_eq!(adapted(&given), meant, "{given}");
        }
        for same in [
            json!({ "whole": "5 " }),
            json!({ "whole": " 5" }),
            json!({ "whole": "five" }),
            json!({ "whole": "+5" }),
            json!({ "whole": "0x5" }),
            json!({ "whole": "05" }),
            json!({ "whole": "" }),
            json!({ "whole": "5.5" }),
            json!({ "whole": 5.5 }),
            json!({ "whole": 1e300 }),
            json!({ "flag": "True" }),
            json!({ "flag": "1" }),
            json!({ "flag": 1 }),
            json!({ "text": "5" }),
            json!({ "text": 5 }),
            json!({ "either": "5" }),
            json!({ "list": "[1]" }),
        ] {
            assert_eq!(adapted(&same), same);
        }
    }
}
