//! The fixture over stdio, which the suite itself does not test.
#![allow(clippy::expect_used)]

use std::process::Command;

use mcp::Version;
use mcp_testkit::Client;
use serde_json::{Value, json};

fn server(version: Version) -> Client {
    Client::process(Command::new(env!("CARGO_BIN_EXE_conformance-server")).arg("stdio")).speaking(version)
}

/// What the suite asks for by name.
const NAMES: [&str; 35] = [
    "test_simple_text",
    "test_image_content",
    "test_audio_content",
    "test_embedded_resource",
    "test_multiple_content_types",
    "test_tool_with_logging",
    "test_logging_tool",
    "test_tool_with_progress",
    "test_error_handling",
    "test_missing_capability",
    "test_sampling",
    "test_elicitation",
    "test_elicitation_sep1034_defaults",
    "test_elicitation_sep1330_enums",
    "test_reconnection",
    "test_streaming_elicitation",
    "json_schema_2020_12_tool",
    "test_custom_header",
    "test_trigger_tool_change",
    "test_trigger_prompt_change",
    "test_input_required_result_elicitation",
    "test_input_required_result_sampling",
    "test_input_required_result_list_roots",
    "test_input_required_result_multiple_inputs",
    "test_input_required_result_capabilities",
    "test_input_required_result_request_state",
    "test_input_required_result_multi_round",
    "test_input_required_result_tampered_state",
    "greet",
    "slow_compute",
    "failing_job",
    "protocol_error_job",
    "confirm_delete",
    "multi_input",
    "test_tool_with_task",
];

#[test]
fn every_tool_is_there_in_every_revision() {
    for version in Version::ALL {
        let mut client = server(version);
        let list = client.result("tools/list", json!({}));
        let names: Vec<&str> = list["tools"]
            .as_array()
            .expect("a list")
            .iter()
            .filter_map(|tool| tool["name"].as_str())
            .collect();
        assert_eq!(names, NAMES, "{version}");
        let goodbye = client.hang_up();
        assert_eq!((goodbye.code, goodbye.stderr.as_str()), (Some(0), ""));
    }
}

#[test]
fn the_fixed_texts_are_the_suites() {
    let mut client = server(Version::MODERN);
    let simple = client.call("test_simple_text", json!({}));
    assert_eq!(simple["content"][0]["text"], "This is a simple text response for testing.");
    let failed = client.call("test_error_handling", json!({}));
    assert_eq!(failed["isError"], true);
    assert_eq!(failed["content"][0]["text"], "This tool intentionally returns an error for testing");
    let read = client.result("resources/read", json!({ "uri": "test://template/123/data" }));
    let data: Value =
        serde_json::from_str(read["contents"][0]["text"].as_str().expect("a text")).expect("JSON");
    assert_eq!(data, json!({ "id": "123", "templateTest": true, "data": "Data for ID: 123" }));
}
