//! Arguments as models send them, to every tool of every server: what is meant is taken, and what is not is refused in words
//! that name it and that any caller understands.

use std::path::PathBuf;

use mcp::Version;
use mcp_testkit::Client;
use serde_json::{Map, Value, json};

use crate::binary::command;

/// Its schema is the contract, to the letter.
const LITERAL: &str = "writeImageMetadata";

/// Words of a programming language, which mean nothing to the caller.
const FOREIGN: [&str; 8] =
    ["struct ", "enum ", " u32", " u64", " i64", " f64", "invalid type", "did not match any variant"];

/// Calls every tool with what `arguments` makes of its schema, and hands the answer's words to `check`.
fn each(arguments: impl Fn(&str, &Value) -> Vec<Value>, check: impl Fn(&str, &Value, Answer)) {
    // Some of the calls are good, and leave something behind.
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("arguments-{}", std::process::id()));
    let mut command = command(&["stdio", "--all"]);
    let mut client = Client::process(command.env("DESKMATE_HOME", &folder)).speaking(Version::V2025_11_25);
    let list = client.result("tools/list", json!({}));
    let tools = list["tools"].as_array().expect("tools").clone();
    assert!(tools.len() > 40, "{} tools", tools.len());
    for tool in &tools {
        let name = tool["name"].as_str().expect("a name");
        for arguments in arguments(name, &tool["inputSchema"]) {
            check(name, &arguments, call(&mut client, name, &arguments));
        }
    }
    assert_eq!(client.hang_up().code, Some(0));
    let _ = std::fs::remove_dir_all(folder);
}

struct Answer {
    failed: bool,
    words: String,
}

fn call(client: &mut Client, name: &str, arguments: &Value) -> Answer {
    let answer = client.request("tools/call", json!({ "name": name, "arguments": arguments }));
    let (failed, words) = match answer.get("error") {
        Some(error) => (true, error["message"].as_str()),
        None => (answer["result"]["isError"] == true, answer["result"]["content"][0]["text"].as_str()),
    };
    let words = words.unwrap_or_default().to_owned();
    if failed {
        assert!(!words.is_empty(), "{name}: {answer}");
        for foreign in FOREIGN {
            assert!(!words.contains(foreign), "{name} says `{foreign}`: {words}");
        }
        assert!(words.chars().count() <= 2_001, "{name} says {} bytes", words.len());
    }
    Answer { failed, words }
}

fn properties(schema: &Value) -> Map<String, Value> {
    schema["properties"].as_object().cloned().unwrap_or_default()
}

#[test]
fn null_is_an_argument_that_was_not_given() {
    let nulls = |name: &str, schema: &Value| {
        let all = properties(schema).into_iter().map(|(name, _)| (name, Value::Null));
        if name == LITERAL { Vec::new() } else { vec![Value::Object(all.collect())] }
    };
    each(nulls, |name, arguments, answer| {
        let refused = answer.failed && answer.words.contains("got null");
        assert!(!refused, "{name} {arguments}: {}", answer.words);
    });
}

#[test]
fn a_number_or_a_yes_in_a_string_is_what_it_says() {
    let strings = |name: &str, schema: &Value| {
        let meant = |schema: &Value| match schema["type"].as_str()? {
            "integer" | "number" => Some(schema["minimum"].as_f64().map_or(17.0, |least| least.max(17.0))),
            _ => None,
        };
        if name == LITERAL {
            return vec![json!({ "overwrite": "true", "filePath": "/no/such.jpg", "metadata": {} })];
        }
        let mut rows = Vec::new();
        for (name, property) in properties(schema) {
            if let Some(number) = meant(&property) {
                let most = property["maximum"].as_f64().unwrap_or(number);
                rows.push(json!({ name: number.min(most).to_string() }));
            } else if property["type"] == "boolean" {
                rows.push(json!({ name: "true" }));
            }
        }
        rows
    };
    each(strings, |name, arguments, answer| {
        let mut names = arguments.as_object().into_iter().flat_map(Map::keys);
        let argument = if name == LITERAL { "overwrite" } else { names.next().expect("an argument") };
        let refused = answer.failed && answer.words.contains(&format!("`{argument}`: expected"));
        assert_eq!(refused, name == LITERAL, "{name} {arguments}: {}", answer.words);
    });
}

#[test]
fn an_unknown_argument_is_refused_and_named() {
    each(
        |_, _| vec![json!({ "no_such_argument": 1 })],
        |name, _, answer| {
            assert!(answer.failed && answer.words.contains("no_such_argument"), "{name}: {}", answer.words);
        },
    );
}

#[test]
fn a_slip_gets_a_suggestion() {
    let slips = |_: &str, schema: &Value| {
        let long = properties(schema).into_iter().map(|(name, _)| name).find(|name| name.len() > 7);
        long.into_iter().map(|name| json!({ format!("{name}s"): 1 })).collect()
    };
    each(slips, |name, arguments, answer| {
        assert!(
            answer.failed && answer.words.contains("did you mean"),
            "{name} {arguments}: {}",
            answer.words
        );
    });
}

#[test]
fn a_megabyte_is_not_sent_back() {
    let long = "x".repeat(1_000_000);
    let rows = |_: &str, schema: &Value| {
        let each = properties(schema).into_iter().map(|(name, _)| json!({ name: &long }));
        each.chain([json!({ &long: 1 })]).collect()
    };
    // The length of what failed is looked at in any case.
    each(rows, |name, _, answer| {
        assert!(answer.failed || answer.words.len() < 100_000, "{name} says {} bytes", answer.words.len());
    });
}
