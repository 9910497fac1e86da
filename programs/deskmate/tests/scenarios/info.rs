//! What `deskmate_info` says about the state folder, in different surroundings.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::binary::{command, finish, unused_folder};

fn report(command: &mut Command) -> Value {
    let result: Value = serde_json::from_str(&finish(command, "").said()).expect("JSON");
    result["structuredContent"].clone()
}

fn call() -> Command {
    command(&["call", "deskmate_info", "--json"])
}

#[test]
fn a_folder_that_is_not_there_is_not_made() {
    let folder = unused_folder();
    let report = report(&mut call());
    assert_eq!(
        report["state_folder"],
        json!({ "path": folder.display().to_string(), "exists": false, "chosen_by": "DESKMATE_HOME" })
    );
    assert_eq!(report["missing"], json!([]));
    assert!(!folder.exists());
}

#[test]
fn a_folder_that_is_there_is_found() {
    let data = Path::new(env!("CARGO_TARGET_TMPDIR")).join("data");
    std::fs::create_dir_all(data.join("deskmate")).expect("a folder");
    let report = report(call().env_remove("DESKMATE_HOME").env("XDG_DATA_HOME", &data));
    assert_eq!(report["state_folder"]["exists"], true);
    assert_eq!(report["state_folder"]["chosen_by"], "XDG_DATA_HOME");
    assert_eq!(report["state_folder"]["path"], data.join("deskmate").display().to_string());
}

#[test]
fn a_place_that_cannot_be_used_is_missing_with_its_fix() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    for place in [file, "relative/folder"] {
        let report = report(call().env("DESKMATE_HOME", place));
        assert!(report.get("state_folder").is_none(), "{report}");
        let missing = &report["missing"][0];
        assert!(missing["what"].as_str().is_some_and(|what| what.contains(place)), "{report}");
        assert!(missing["fix"].as_str().is_some_and(|fix| fix.contains("`DESKMATE_HOME`")), "{report}");
    }
}

#[test]
fn every_server_is_listed_and_ready() {
    let report = report(&mut call());
    let servers = report["servers"].as_array().expect("servers");
    let names: Vec<&str> = servers.iter().filter_map(|server| server["name"].as_str()).collect();
    assert_eq!(names, ["info", "MetaTagGenie", "authy", "recipe-vault", "fotos", "zai-mcp-server"]);
    assert!(servers.iter().all(|server| server["ready"] == true), "{report}");
    assert_eq!(report["transports"], json!(["stdio", "Streamable HTTP"]));
    assert_eq!(report["protocol_versions"][0], "2026-07-28");
}
