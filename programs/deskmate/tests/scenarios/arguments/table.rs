//! Calls of every tool of every server through the real program, and the places in their schemas.

use std::collections::BTreeMap;
use std::path::PathBuf;

use mcp::Version;
use mcp_testkit::Client;
use serde_json::{Map, Value, json};

use crate::binary::{command, deskmate};

/// Words of a programming language, which mean nothing to the caller.
const FOREIGN: [&str; 10] = [
    "struct ",
    "enum ",
    " u32",
    " u64",
    " i64",
    " f64",
    "invalid type",
    "did not match any variant",
    "None",
    "Some(",
];

/// How each server says that an argument is bad.
const REFUSALS: [(&str, Refusal); 6] = [
    ("info", Refusal::IsError),
    ("MetaTagGenie", Refusal::Code),
    ("authy", Refusal::IsError),
    ("recipe-vault", Refusal::Code),
    ("fotos", Refusal::IsError),
    ("zai-mcp-server", Refusal::IsError),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Refusal {
    IsError,
    /// The JSON-RPC error -32602.
    Code,
}

/// One call, and what it is about.
pub(super) struct Row {
    pub(super) arguments: Value,
    pub(super) about: String,
}

impl Row {
    pub(super) fn of(arguments: Value, about: String) -> Row {
        Row { arguments, about }
    }
}

pub(super) struct Answer {
    pub(super) failed: bool,
    pub(super) words: String,
    code: Option<i64>,
    refusal: Refusal,
}

impl Answer {
    /// Whether it is the refusal of a bad argument, as this tool's server makes them.
    pub(super) fn must_be_bad_argument(&self, tool: &str, row: &Row) {
        let code = (self.refusal == Refusal::Code).then_some(-32602);
        assert_eq!((self.failed, self.code), (true, code), "{tool} {}: {}", row.arguments, self.words);
    }
}

/// Calls every tool, in both eras, with what `rows` makes of its schema, and hands the answers to `check`.
pub(super) fn each(rows: impl Fn(&str, &Value) -> Vec<Row>, check: impl Fn(&str, &Row, &Answer)) {
    static COUNT: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
    let refusals = refusals();
    for version in [Version::V2025_11_25, Version::MODERN] {
        // Some of the calls are good, and leave something behind.
        let count = COUNT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
            .join(format!("arguments-{}-{count}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let mut command = command(&["stdio", "--all"]);
        command.env("DESKMATE_HOME", &folder).env("HOME", &folder).current_dir(&folder);
        // Nothing is to be seen here: the screen is another test's.
        command.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY");
        let mut client = Client::process(&mut command).speaking(version);
        let list = client.result("tools/list", json!({}));
        let tools = list["tools"].as_array().expect("tools").clone();
        assert_eq!(tools.len(), refusals.len(), "every tool of every server is offered");
        for tool in &tools {
            let name = tool["name"].as_str().expect("a name");
            let refusal = *refusals.get(name).unwrap_or_else(|| panic!("whose is {name}?"));
            for row in rows(name, &tool["inputSchema"]) {
                check(name, &row, &call(&mut client, name, &row, refusal));
            }
        }
        assert_eq!(client.hang_up().code, Some(0));
        let _ = std::fs::remove_dir_all(folder);
    }
}

/// Whose each tool is, as far as it matters here.
fn refusals() -> BTreeMap<String, Refusal> {
    let mut all = BTreeMap::new();
    for (server, refusal) in REFUSALS {
        let list: Value = serde_json::from_str(&deskmate(&["tools", "--json", server]).said()).expect("JSON");
        let tools = list["tools"].as_array().expect("tools");
        all.extend(tools.iter().map(|tool| (tool["name"].as_str().expect("a name").to_owned(), refusal)));
    }
    all
}

fn call(client: &mut Client, tool: &str, row: &Row, refusal: Refusal) -> Answer {
    let answer = client.request("tools/call", json!({ "name": tool, "arguments": row.arguments }));
    let error = answer.get("error");
    let (failed, words) = match error {
        Some(error) => (true, error["message"].as_str()),
        None => (answer["result"]["isError"] == true, answer["result"]["content"][0]["text"].as_str()),
    };
    let words = words.unwrap_or_default().to_owned();
    if failed {
        assert!(!words.is_empty(), "{tool}: {answer}");
        for foreign in FOREIGN {
            assert!(!words.contains(foreign), "{tool} says `{foreign}`: {words}");
        }
        let size = answer.to_string().len();
        assert!(size <= 10_000, "{tool}: {size} bytes about `{}`", row.about);
    }
    Answer { failed, words, code: error.and_then(|error| error["code"].as_i64()), refusal }
}

/// Somewhere in the arguments where a value can stand.
pub(super) struct Place {
    /// Names, and `None` for the first item of a list.
    steps: Vec<Option<String>>,
    pub(super) schema: Value,
    pub(super) is_required: bool,
    /// The schemas on the way, to fill in what is needed around it.
    around: Vec<Value>,
}

impl Place {
    /// As messages write it: `steps[0].section`.
    pub(super) fn path(&self) -> String {
        let mut path = String::new();
        for step in &self.steps {
            match step {
                Some(name) if path.is_empty() => path.push_str(name),
                Some(name) => path.extend([".", name]),
                None => path.push_str("[0]"),
            }
        }
        path
    }

    pub(super) fn is_item(&self) -> bool {
        matches!(self.steps.last(), Some(None))
    }

    /// Whether it is an object that takes only the members it names.
    pub(super) fn is_closed_object(&self) -> bool {
        let properties = self.schema["properties"].as_object().is_some_and(|all| !all.is_empty());
        properties && !self.schema["additionalProperties"].is_object()
    }

    /// The arguments with this value here, and what is needed around it.
    pub(super) fn put(&self, mut arguments: Value, value: Value) -> Value {
        let mut at = &mut arguments;
        for (step, schema) in self.steps.iter().zip(&self.around) {
            at = if let Some(name) = step {
                if !at.is_object() {
                    *at = good(schema);
                }
                &mut at[name.as_str()]
            } else {
                if at.as_array().is_none_or(Vec::is_empty) {
                    *at = json!([null]);
                }
                &mut at[0]
            };
        }
        *at = value;
        arguments
    }
}

/// Every place in the arguments of a tool.
pub(super) fn places(schema: &Value) -> Vec<Place> {
    let mut places = Vec::new();
    let root = Place { steps: Vec::new(), schema: schema.clone(), is_required: true, around: Vec::new() };
    collect(&root, &mut places);
    places
}

fn collect(of: &Place, places: &mut Vec<Place>) {
    let inside = |step: Option<String>, schema: &Value, is_required: bool| Place {
        steps: of.steps.iter().cloned().chain([step]).collect(),
        schema: schema.clone(),
        is_required,
        around: of.around.iter().cloned().chain([of.schema.clone()]).collect(),
    };
    let mut found = Vec::new();
    for (name, property) in of.schema["properties"].as_object().into_iter().flatten() {
        let required = of.schema["required"].as_array().is_some_and(|all| all.contains(&json!(name)));
        found.push(inside(Some(name.clone()), property, required));
    }
    if of.schema["items"].is_object() {
        found.push(inside(None, &of.schema["items"], true));
    }
    for place in found {
        collect(&place, places);
        places.push(place);
    }
}

/// A value that the schema has nothing against, as small as can be; what takes time takes little.
pub(super) fn good(schema: &Value) -> Value {
    if let Some(first) = schema["enum"].as_array().and_then(|all| all.first()) {
        return first.clone();
    }
    match (schema["type"].as_str(), schema["format"].as_str()) {
        (_, Some("uuid")) => json!("00000000-0000-4000-8000-000000000000"),
        (_, Some("date")) => json!("2026-01-02"),
        (_, Some("date-time")) => json!("2026-01-02T03:04:05Z"),
        (Some("string"), _) => json!("x"),
        (Some("integer" | "number"), _) => schema.get("minimum").cloned().unwrap_or(json!(1)),
        (Some("boolean"), _) => json!(false),
        (Some("array"), _) => match schema["minItems"].as_u64() {
            Some(1..) => json!([good(&schema["items"])]),
            _ => json!([]),
        },
        _ => {
            let mut members = Map::new();
            for (name, property) in schema["properties"].as_object().into_iter().flatten() {
                let required = schema["required"].as_array().is_some_and(|all| all.contains(&json!(name)));
                if required || name.starts_with("timeout") {
                    members.insert(name.clone(), good(property));
                }
            }
            Value::Object(members)
        }
    }
}
