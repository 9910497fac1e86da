//! What the schemas say about values is enforced: how large, how long, how many, and which.

use serde_json::{Map, Value, json};

use super::table::{Row, each, good, places};

/// What schemas say that something here or elsewhere makes sure of: the tests below, and those of the kinds of values.
const ENFORCED: [&str; 14] = [
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "maxProperties",
    "enum",
    "format",
    "type",
    "properties",
    "required",
    "items",
    "additionalProperties",
];

/// What schemas say that only tells.
const TOLD: [&str; 2] = ["description", "default"];

#[test]
fn what_a_schema_says_is_enforced() {
    let beyond = |_: &str, schema: &Value| {
        let mut rows = Vec::new();
        for place in places(schema) {
            for keyword in place.schema.as_object().into_iter().flat_map(Map::keys) {
                let is_known = ENFORCED.contains(&keyword.as_str()) || TOLD.contains(&keyword.as_str());
                assert!(is_known, "`{keyword}` at {}: who enforces it?", place.path());
            }
            let whole = |keyword: &str| place.schema[keyword].as_i64();
            let count =
                |keyword: &str| place.schema[keyword].as_u64().and_then(|at| usize::try_from(at).ok());
            let mut wrong = Vec::new();
            wrong.extend(whole("minimum").map(|least| json!(least - 1)));
            wrong.extend(whole("maximum").map(|most| json!(most + 1)));
            // As models write it.
            wrong.extend(whole("maximum").map(|most| json!((most + 1).to_string())));
            wrong.extend(count("minLength").map(|least| json!("x".repeat(least - 1))));
            wrong.extend(count("maxLength").map(|most| json!("x".repeat(most + 1))));
            wrong.extend(count("minItems").map(|least| json!(vec![good(&place.schema["items"]); least - 1])));
            wrong.extend(count("maxItems").map(|most| json!(vec![good(&place.schema["items"]); most + 1])));
            let names =
                |count: usize| -> Map<_, _> { (0..count).map(|at| (format!("n{at}"), json!("x"))).collect() };
            wrong.extend(count("maxProperties").map(|most| Value::Object(names(most + 1))));
            wrong.extend(place.schema.get("enum").map(|_| json!("no_such_word")));
            wrong.extend(place.schema.get("format").map(|_| json!("no such form")));
            rows.extend(wrong.into_iter().map(|value| Row::of(place.put(good(schema), value), place.path())));
        }
        rows
    };
    each(beyond, |tool, row, answer| {
        answer.must_be_bad_argument(tool, row);
        assert!(answer.words.contains(&row.about), "{tool} {}: {}", row.arguments, answer.words);
    });
}
