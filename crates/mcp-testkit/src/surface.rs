//! Snapshots of what a client sees of a server: one file a tool, and one for everything else.
//!
//! A changed surface fails the test until the change is written down with `UPDATE_SURFACE=1`: what
//! models read is part of the interface.

use std::collections::BTreeMap;
use std::path::Path;

use mcp::{Service, Version};
use serde_json::{Value, json};

use crate::Client;

/// Compares the surface of `service` with the snapshots in `folder`, and checks the rules every tool
/// keeps: see [`faults`].
pub fn check(service: impl Service, folder: impl AsRef<Path>) {
    let folder = folder.as_ref();
    let current = snapshots(service);
    let broken: Vec<String> = current.values().flat_map(faults).collect();
    assert!(broken.is_empty(), "{}", broken.join("\n"));
    if std::env::var_os("UPDATE_SURFACE").is_some() {
        write(folder, &current);
    }
    let stored = read(folder);
    for (name, snapshot) in &current {
        match stored.get(name) {
            None => panic!("{}/{name}.json is missing; run the test with UPDATE_SURFACE=1", folder.display()),
            Some(stored) => assert_eq!(
                stored,
                snapshot,
                "{}/{name}.json is not what clients see now; if that is meant, run the test with UPDATE_SURFACE=1",
                folder.display()
            ),
        }
    }
    for name in stored.keys() {
        assert!(
            current.contains_key(name),
            "{}/{name}.json is of nothing any more; delete it",
            folder.display()
        );
    }
}

fn snapshots(service: impl Service) -> BTreeMap<String, Value> {
    let mut client = Client::memory(service).speaking(Version::MODERN);
    let greeting = client.result("server/discover", json!({}));
    let mut all = BTreeMap::new();
    let mut rest =
        json!({ "capabilities": greeting["capabilities"], "instructions": greeting["instructions"] });
    for (capability, method, key) in [
        ("tools", "tools/list", "tools"),
        ("resources", "resources/list", "resources"),
        ("resources", "resources/templates/list", "resourceTemplates"),
        ("prompts", "prompts/list", "prompts"),
    ] {
        if greeting["capabilities"].get(capability).is_none() {
            continue;
        }
        let mut others = Vec::new();
        let mut cursor = Value::Null;
        loop {
            let page = client.result(method, json!({ "cursor": cursor }));
            for entry in page[key].as_array().expect("a list") {
                if key == "tools" {
                    all.insert(entry["name"].as_str().expect("a name").to_owned(), entry.clone());
                } else {
                    others.push(entry.clone());
                }
            }
            cursor = page["nextCursor"].clone();
            if cursor.is_null() {
                break;
            }
        }
        if !others.is_empty() {
            rest[key] = Value::Array(others);
        }
    }
    all.insert("server".into(), rest);
    all
}

/// What is wrong with a tool as clients see it.
pub fn faults(tool: &Value) -> Vec<String> {
    let Some(name) = tool["name"].as_str() else { return Vec::new() };
    let mut found = Vec::new();
    let mut fault = |what: String| found.push(format!("tool `{name}`: {what}"));
    if name.is_empty() || name.len() > 40 || !name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
        fault("the name must be 1 to 40 letters, digits or `_`: hosts add prefixes and cap at 64".into());
    }
    if tool["description"].as_str().is_none_or(|text| text.len() < 20) {
        fault("the description must say what it does and when to use it".into());
    }
    if tool["title"].as_str().is_none_or(str::is_empty) {
        fault("a title is missing".into());
    }
    let schema = tool["inputSchema"].to_string();
    for odd in ["\"$ref\"", "\"$defs\"", "\"uint", "\"int32\"", "\"int64\"", "\"double\""] {
        if schema.contains(odd) {
            fault(format!("the input schema contains {odd}, which some clients refuse"));
        }
    }
    if tool["inputSchema"]["type"] != "object" {
        fault("the input schema must be of type object".into());
    }
    for (property, schema) in tool["inputSchema"]["properties"].as_object().into_iter().flatten() {
        if schema["description"].as_str().is_none_or(str::is_empty) {
            fault(format!("the argument `{property}` has no description"));
        }
    }
    found
}

fn read(folder: &Path) -> BTreeMap<String, Value> {
    let Ok(files) = std::fs::read_dir(folder) else { return BTreeMap::new() };
    files
        .map(|file| file.expect("a folder entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .map(|path| {
            let text = std::fs::read_to_string(&path).expect("a readable snapshot");
            let value =
                serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            (path.file_stem().expect("a name").to_string_lossy().into_owned(), value)
        })
        .collect()
}

fn write(folder: &Path, current: &BTreeMap<String, Value>) {
    std::fs::create_dir_all(folder).expect("a folder for snapshots");
    for name in read(folder).keys().filter(|name| !current.contains_key(*name)) {
        std::fs::remove_file(folder.join(format!("{name}.json"))).expect("an old snapshot can be deleted");
    }
    for (name, snapshot) in current {
        let text = serde_json::to_string_pretty(snapshot).expect("JSON") + "\n";
        std::fs::write(folder.join(format!("{name}.json")), text).expect("a snapshot can be written");
    }
}
