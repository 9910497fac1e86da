//! Quick validation: the three requests of the specification, as they are written there, sent by curl.

use std::process::Command;

use serde_json::Value;

use crate::png;
use crate::sessions::{PATH, Session};

/// What curl prints for a POST: the head and the body.
fn curl(session: &Session, headers: &[&str], body: &str) -> (String, Value) {
    let url = format!("http://{}{PATH}", session.serving.address);
    let mut command = Command::new("curl");
    command.args(["--silent", "--show-error", "--include", "--max-time", "60", "-X", "POST", &url]);
    command.args(["-H", "Content-Type: application/json", "-d", body]);
    for header in headers {
        command.args(["-H", header]);
    }
    let output = command.output().expect("curl");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let (head, body) = text.split_once("\r\n\r\n").expect("a head and a body");
    (head.to_ascii_lowercase(), serde_json::from_str(body).unwrap_or_default())
}

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2024-11-05","capabilities":{}}}"#;

#[test]
fn initialize_answers_with_an_mcp_session_id_header() {
    let session = Session::start();
    let (head, body) = curl(&session, &[], INITIALIZE);
    assert!(head.starts_with("http/1.1 200") && head.contains("\r\nmcp-session-id: "), "{head}");
    assert_eq!(body["result"]["protocolVersion"], "2024-11-05");
}

#[test]
fn tools_list_with_the_session_id() {
    let session = Session::start();
    let id = format!("Mcp-Session-Id: {}", session.id);
    let (_, body) = curl(&session, &[&id], r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#);
    assert_eq!(body["result"]["tools"].as_array().map(Vec::len), Some(8), "{body}");
}

#[test]
fn tools_call_of_analyze_image_with_the_session_id() {
    let session = Session::start();
    let id = format!("Mcp-Session-Id: {}", session.id);
    let source = session.folder.file("file.png", &png());
    let call = r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"analyze_image","arguments":{"image_source":"/path/to/file.png","prompt":"Describe this image"}}}"#;
    let (_, body) = curl(&session, &[&id], &call.replace("/path/to/file.png", &source));
    assert_eq!(body["result"]["content"][0]["text"], "The stub looked at it.", "{body}");
}
