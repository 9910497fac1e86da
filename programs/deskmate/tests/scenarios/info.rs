//! What `deskmate_info` says as data; what each row says is tested with `deskmate doctor`.

use serde_json::{Value, json};

use crate::binary::{command, finish, unused_folder};

fn report() -> Value {
    let result: Value =
        serde_json::from_str(&finish(&mut command(&["call", "deskmate_info", "--json"]), "").said())
            .expect("JSON");
    result["structuredContent"].clone()
}

#[test]
fn every_server_is_listed_and_every_check_has_a_status() {
    let report = report();
    let servers = report["servers"].as_array().expect("servers");
    let names: Vec<&str> = servers.iter().filter_map(|server| server["name"].as_str()).collect();
    assert_eq!(names, ["info", "MetaTagGenie", "authy", "recipe-vault", "fotos", "zai-mcp-server"]);
    assert_eq!(report["transports"], json!(["stdio", "Streamable HTTP"]));
    assert_eq!(report["protocol_versions"][0], "2026-07-28");
    for check in report["checks"].as_array().expect("checks") {
        assert!(["ok", "not_set_up", "problem"].iter().any(|status| check["status"] == *status), "{check}");
    }
}

#[test]
fn a_folder_that_is_not_there_is_not_made() {
    let folder = unused_folder();
    let text = report().to_string();
    assert!(text.contains("made on first use") && text.contains("set by DESKMATE_HOME"), "{text}");
    assert!(!folder.exists());
}
