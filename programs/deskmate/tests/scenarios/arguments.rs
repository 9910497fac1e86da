//! Arguments as models send them, to every tool of every server: what is meant is taken, and what is not is refused in words
//! that name it and that any caller understands.

mod limits;
mod table;

use serde_json::{Map, Value, json};

use table::{Row, each, good, places};

/// Its schema is the contract, to the letter.
const LITERAL: &str = "writeImageMetadata";

#[test]
fn null_is_an_argument_that_was_not_given() {
    let nulls = |tool: &str, schema: &Value| {
        if tool == LITERAL {
            return Vec::new();
        }
        // At every place where something may be left out, also inside of objects and lists.
        let mut rows: Vec<Row> = places(schema)
            .into_iter()
            .filter(|place| !place.is_required && !place.is_item())
            .map(|place| Row::of(place.put(good(schema), Value::Null), place.path()))
            .collect();
        let all = schema["properties"].as_object().into_iter().flat_map(Map::keys);
        let all: Map<String, Value> = all.map(|name| (name.clone(), Value::Null)).collect();
        rows.push(Row::of(Value::Object(all), String::new()));
        rows
    };
    each(nulls, |tool, row, answer| {
        let names_it = !row.about.is_empty() && answer.words.contains(&format!("`{}`: expected", row.about));
        let refused = answer.failed && (answer.words.contains("null") || names_it);
        assert!(!refused, "{tool} {}: {}", row.arguments, answer.words);
    });
}

#[test]
fn a_number_or_a_yes_in_a_string_is_what_it_says() {
    let strings = |tool: &str, schema: &Value| {
        if tool == LITERAL {
            let arguments = json!({ "overwrite": "true", "filePath": "/no/such.jpg", "metadata": {} });
            return vec![Row::of(arguments, "overwrite".into())];
        }
        let mut rows = Vec::new();
        for place in places(schema) {
            let least = place.schema["minimum"].as_f64().unwrap_or(0.0);
            let most = place.schema["maximum"].as_f64().unwrap_or(f64::MAX);
            let number = 17.0_f64.clamp(least, most);
            let meant: &[String] = match place.schema["type"].as_str() {
                Some("integer") => &[json!(number.to_string()), json!(format!("{number}.0")), json!(number)]
                    .map(|value| value.to_string()),
                Some("number") => &[json!(number.to_string()).to_string()],
                Some("boolean") => &[json!("true").to_string(), json!("false").to_string()],
                _ => &[],
            };
            for meant in meant {
                let value = serde_json::from_str(meant).expect("JSON");
                rows.push(Row::of(place.put(good(schema), value), place.path()));
            }
        }
        rows
    };
    each(strings, |tool, row, answer| {
        let refused = answer.failed && answer.words.contains(&format!("`{}`: expected", row.about));
        assert_eq!(refused, tool == LITERAL, "{tool} {}: {}", row.arguments, answer.words);
    });
}

#[test]
fn what_is_no_number_and_no_yes_stays_a_bad_argument() {
    let strings = |_: &str, schema: &Value| {
        let mut rows = Vec::new();
        for place in places(schema) {
            let others: &[Value] = match place.schema["type"].as_str() {
                Some("integer") => {
                    &[json!("five"), json!(" 5"), json!("0x5"), json!(""), json!(5.5), json!([5])]
                }
                Some("number") => &[json!("five"), json!("5 "), json!(true), json!({})],
                Some("boolean") => &[json!("yes"), json!("True"), json!(1), json!([])],
                Some("string") => &[json!(5), json!(true), json!([]), json!({})],
                Some("array") => &[json!(5), json!({ "0": 1 })],
                // Headers may also be a list, as they were at first.
                Some("object") if place.path() == "headers" => &[json!(5)],
                Some("object") => &[json!(5), json!([])],
                _ => &[],
            };
            rows.extend(
                others.iter().map(|value| Row::of(place.put(good(schema), value.clone()), place.path())),
            );
        }
        rows
    };
    each(strings, |tool, row, answer| {
        answer.must_be_bad_argument(tool, row);
        assert!(answer.words.contains(&row.about), "{tool} {}: {}", row.arguments, answer.words);
    });
}

#[test]
fn an_unknown_argument_is_refused_and_named() {
    let unknown = |_: &str, schema: &Value| {
        let mut rows = vec![Row::of(json!({ "no_such_argument": 1 }), "no_such_argument".into())];
        let mut arguments = good(schema);
        arguments["no_such_argument"] = Value::Null;
        rows.push(Row::of(arguments, "no_such_argument".into()));
        // Inside of the objects that an argument is made of, too.
        for place in places(schema).iter().filter(|place| place.is_closed_object()) {
            let mut inside = good(&place.schema);
            inside["no_such_argument"] = json!(1);
            rows.push(Row::of(place.put(good(schema), inside), "no_such_argument".into()));
        }
        rows
    };
    each(unknown, |tool, row, answer| {
        answer.must_be_bad_argument(tool, row);
        assert!(answer.words.contains(&row.about), "{tool} {}: {}", row.arguments, answer.words);
    });
}

#[test]
fn a_slip_gets_a_suggestion() {
    let slips = |_: &str, schema: &Value| {
        let names = schema["properties"].as_object().into_iter().flat_map(Map::keys);
        let long = names.into_iter().find(|name| name.len() > 7).cloned();
        // Alone, and beside all that is needed.
        let slip = |mut arguments: Value, name: &str| {
            arguments[format!("{name}s")] = json!(1);
            Row::of(arguments, name.to_owned())
        };
        long.iter().flat_map(|name| [slip(json!({}), name), slip(good(schema), name)]).collect()
    };
    each(slips, |tool, row, answer| {
        answer.must_be_bad_argument(tool, row);
        let guess = format!("did you mean `{}`", row.about);
        assert!(answer.words.contains(&guess), "{tool} {}: {}", row.arguments, answer.words);
    });
}

/// A letter that no message has of itself.
const LETTER: &str = "\u{416}";

#[test]
fn of_what_was_sent_two_hundred_characters_come_back_at_most() {
    let lengths = [1_000, 1_000_000 / LETTER.len()];
    let long = |_: &str, schema: &Value| {
        let mut rows = Vec::new();
        for length in lengths {
            let text = LETTER.repeat(length);
            rows.push(Row::of(json!({ &text: 1 }), "an unknown name".into()));
            for place in places(schema) {
                rows.push(Row::of(place.put(good(schema), json!(&text)), place.path()));
            }
        }
        rows
    };
    each(long, |tool, row, answer| {
        let echoed = answer.words.matches(LETTER).count();
        let most = if answer.failed { 200 } else { 100_000 };
        assert!(echoed <= most, "{tool} sends {echoed} letters of `{}` back", row.about);
    });
}
