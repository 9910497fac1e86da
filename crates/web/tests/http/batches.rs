//! Batches, in the one revision that has them.

use mcp::Version;
use serde_json::{Value, json};

use crate::host::Host;
use crate::speaking::{Session, message, notification, text};

fn batch(messages: &[String]) -> String {
    format!("[{}]", messages.join(","))
}

fn echo(id: impl Into<Value>) -> String {
    message(id, "tools/call", json!({ "name": "echo", "arguments": { "text": "x" } }))
}

fn sleep(id: impl Into<Value>) -> String {
    message(id, "tools/call", json!({ "name": "sleep", "arguments": { "ms": 5 } }))
}

#[test]
fn a_batch_is_answered_with_an_array_in_its_order() {
    let host = Host::start();
    let session = Session::open(&host, Version::V2025_03_26);
    let told = notification("notifications/initialized", json!({}));
    let mut response =
        session.post(batch(&[sleep("slow"), told, echo(2), "7".into(), message(3, "nowhere", json!({}))]));
    assert_eq!(response.status, 200);
    let answers = response.json();
    let answers = answers.as_array().expect("an array");
    assert_eq!(text(&answers[0]), "slept");
    assert_eq!((&answers[0]["id"], &answers[1]["id"]), (&json!("slow"), &json!(2)));
    assert_eq!((&answers[2]["error"]["code"], answers[2].get("id")), (&json!(-32600), None));
    assert_eq!((&answers[3]["error"]["code"], &answers[3]["id"]), (&json!(-32601), &json!(3)));
    assert_eq!(answers.len(), 4);
}

#[test]
fn a_batch_that_needs_no_answer_gets_none() {
    let host = Host::start();
    let session = Session::open(&host, Version::V2025_03_26);
    let late = json!({ "jsonrpc": "2.0", "id": "ask-1", "result": {} }).to_string();
    let mut response = session.post(batch(&[notification("notifications/initialized", json!({})), late]));
    assert_eq!((response.status, response.text().as_str()), (202, ""));
    assert_eq!(session.post("[]").status, 400);
}

#[test]
fn an_id_that_comes_twice_is_answered_twice() {
    let host = Host::start();
    let session = Session::open(&host, Version::V2025_03_26);
    let answers = session.post(batch(&[sleep(1), sleep(1)])).json();
    assert_eq!(text(&answers[0]), "slept");
    assert_eq!((&answers[1]["id"], &answers[1]["error"]["code"]), (&json!(1), &json!(-32600)));
}

#[test]
fn handshakes_and_modern_requests_stay_out_of_batches() {
    let host = Host::start();
    let session = Session::open(&host, Version::V2025_03_26);
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let listen = message(2, "subscriptions/listen", json!({ "notifications": {}, "_meta": meta }));
    let answers = session.post(batch(&[message(1, "initialize", json!({})), listen])).json();
    for (at, id) in [(0, 1), (1, 2)] {
        assert_eq!((&answers[at]["id"], &answers[at]["error"]["code"]), (&json!(id), &json!(-32600)));
    }
}

#[test]
fn what_needs_an_answer_from_the_client_says_that_a_batch_is_no_place_for_it() {
    let host = Host::start();
    let session = Session::capable(&host, Version::V2025_03_26, json!({ "sampling": {} }));
    let ask = message(1, "tools/call", json!({ "name": "ask_model", "arguments": {} }));
    let answers = session.post(batch(&[ask, echo(2)])).json();
    let told = answers[0]["error"]["message"].as_str().expect("an error");
    assert!(told.contains("do not send this in a batch"), "{told}");
    assert_eq!(text(&answers[1]), "x");
}
