//! Arrays of messages: part of 2025-03-26 and of nothing else.

use mcp::Version;
use mcp_testkit::Client;
use serde_json::{Value, json};

use crate::{error_of, fault, fault_in_words, fixture, in_both_eras, request, stranger, text};

const BATCHES: Version = Version::V2025_03_26;

fn ping(id: &str) -> String {
    request(BATCHES, id, "ping", json!({}))
}

fn call(id: &str, tool: &str, arguments: &Value) -> String {
    request(BATCHES, id, "tools/call", json!({ "name": tool, "arguments": arguments }))
}

fn send(client: &mut Client, messages: &[String]) {
    client.send(&format!("[{}]", messages.join(",")));
}

/// Sends a batch and waits for the one array that answers it, ordered by id.
fn answers(client: &mut Client, messages: &[String]) -> Vec<Value> {
    send(client, messages);
    sorted(client.receive())
}

fn sorted(batch: Value) -> Vec<Value> {
    let Value::Array(mut answers) = batch else { panic!("not an array: {batch}") };
    answers.sort_by_key(|answer| answer["id"].to_string());
    answers
}

#[test]
fn a_batch_is_refused_once_where_none_was_negotiated() {
    in_both_eras(|client, version| {
        let tally = || request(version, "1", "tools/call", json!({ "name": "tally", "arguments": {} }));
        let (id, code, message) = fault_in_words(client, format!("[{},{}]", tally(), tally()));
        assert_eq!((id, code), (Value::Null, -32600));
        assert!(message.contains("2025-03-26"), "{message}");
        assert_eq!(fault(client, "[1]"), (Value::Null, -32600));
        assert_eq!(client.call("tally", json!({}))["structuredContent"]["effects"], 1, "nothing was served");
    });
    for version in [Version::V2024_11_05, Version::V2025_06_18] {
        assert_eq!(fault(&mut fixture(version), format!("[{}]", ping("1"))), (Value::Null, -32600));
    }
    assert_eq!(fault(&mut stranger(), format!("[{}]", ping("1"))), (Value::Null, -32600));
}

#[test]
fn an_empty_batch_is_an_invalid_request() {
    in_both_eras(|client, _| assert_eq!(fault(client, "[]"), (Value::Null, -32600)));
    assert_eq!(fault(&mut fixture(BATCHES), "[ ]"), (Value::Null, -32600));
}

#[test]
fn a_batch_is_answered_with_one_array() {
    let mut client = fixture(BATCHES);
    let notification = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9}}"#;
    let answers = answers(
        &mut client,
        &[
            ping("1"),
            notification.into(),
            call("2", "echo", &json!({ "text": "two" })),
            call("3", "sleep", &json!({ "ms": 50 })),
            request(BATCHES, "4", "no/such", json!({})),
            r#"{"jsonrpc":"2.0","id":5,"method":"ping","params":[]}"#.into(),
            "7".into(),
        ],
    );
    assert_eq!(answers.len(), 6, "{answers:?}");
    assert_eq!(answers[0]["result"], json!({}));
    assert_eq!(text(&answers[1]["result"]), "two");
    assert_eq!(text(&answers[2]["result"]), "slept");
    assert_eq!(answers[3]["error"]["code"], -32601);
    assert_eq!(answers[4]["error"]["code"], -32600);
    assert_eq!((&answers[5]["id"], &answers[5]["error"]["code"]), (&Value::Null, &json!(-32600)));
    crate::assert_alive_and_quiet(client);
}

#[test]
fn a_batch_of_notifications_and_responses_gets_no_answer() {
    let mut client = fixture(BATCHES);
    send(
        &mut client,
        &[
            r#"{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}"#.into(),
            r#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"tally","arguments":{}}}"#.into(),
            r#"{"jsonrpc":"2.0","id":1,"result":{}}"#.into(),
        ],
    );
    assert_eq!(text(&client.call("tally", json!({}))), r#"{"effects":1}"#);
    crate::assert_alive_and_quiet(client);
}

#[test]
fn initialize_cannot_be_part_of_a_batch() {
    let mut client = fixture(BATCHES);
    let handshake = json!({ "protocolVersion": "2025-11-25", "capabilities": {} });
    let answers = answers(&mut client, &[request(BATCHES, "1", "initialize", handshake), ping("2")]);
    assert_eq!(answers[0]["error"]["code"], -32600);
    assert_eq!(answers[1]["result"], json!({}));
    // It did not take place either: batches are still served.
    send(&mut client, &[ping("3")]);
    assert_eq!(client.receive(), json!([{ "jsonrpc": "2.0", "id": 3, "result": {} }]));
}

#[test]
fn a_modern_request_cannot_be_part_of_a_batch() {
    let mut client = fixture(BATCHES);
    let tally = request(Version::MODERN, "1", "tools/call", json!({ "name": "tally", "arguments": {} }));
    let answers = answers(&mut client, &[tally, ping("2")]);
    assert_eq!(answers[0]["error"]["code"], -32600);
    assert_eq!(answers[1]["result"], json!({}));
    assert_eq!(text(&client.call("tally", json!({}))), r#"{"effects":1}"#, "it was not served");
}

#[test]
fn an_element_that_is_an_array_is_no_request() {
    let mut client = fixture(BATCHES);
    let answers =
        answers(&mut client, &[r#"["2.0",1,"ping"]"#.into(), "[]".into(), format!("[{}]", ping("1"))]);
    let faults: Vec<(Value, i64, String)> = answers.iter().map(error_of).collect();
    assert!(faults.iter().all(|(id, code, _)| (id, *code) == (&Value::Null, -32600)), "{faults:?}");
    assert_eq!(faults.len(), 3);
}

#[test]
fn an_id_used_twice_in_a_batch_is_served_once() {
    let mut client = fixture(BATCHES);
    send(&mut client, &[call("1", "hold", &json!({})), call("1", "hold", &json!({})), ping("1"), ping("2")]);
    client.call("release", json!({}));
    let Value::Array(answers) = client.receive() else { panic!("not an array") };
    let (good, bad): (Vec<_>, Vec<_>) = answers.iter().partition(|answer| answer.get("error").is_none());
    assert_eq!((good.len(), bad.len()), (2, 2), "{answers:?}");
    assert!(bad.iter().all(|answer| answer["id"] == 1 && answer["error"]["code"] == -32600), "{answers:?}");
}

#[test]
fn a_slow_batch_does_not_hold_up_others_and_can_be_cancelled_in_part() {
    let mut client = fixture(BATCHES);
    send(
        &mut client,
        &[call("\"a\"", "hold", &json!({})), call("\"b\"", "never", &json!({})), ping("\"c\"")],
    );
    assert_eq!(text(&client.call("echo", json!({ "text": "meanwhile" }))), "meanwhile");
    client.notify("notifications/cancelled", json!({ "requestId": "b" }));
    client.call("release", json!({}));
    let answers = sorted(client.receive());
    let ids: Vec<&Value> = answers.iter().map(|answer| &answer["id"]).collect();
    assert_eq!(ids, ["a", "c"]);
    crate::assert_alive_and_quiet(client);
}

#[test]
fn a_batch_under_way_is_finished_when_the_client_hangs_up() {
    let mut client = fixture(BATCHES);
    send(
        &mut client,
        &[ping("1"), call("2", "sleep", &json!({ "ms": 300 })), call("3", "block", &json!({ "ms": 100 }))],
    );
    let goodbye = client.hang_up();
    assert_eq!((goodbye.rest.len(), goodbye.code), (1, Some(0)), "{goodbye:?}");
    assert_eq!(sorted(goodbye.rest[0].clone()).len(), 3);
}

#[test]
fn a_batch_of_a_million_messages_is_refused_without_an_answer_to_each() {
    let mut client = fixture(BATCHES);
    for (count, words) in [(5_000, "at most 1000"), (1_000_000, "more than 100000 values")] {
        let (id, code, message) = fault_in_words(&mut client, format!("[{}7]", "7,".repeat(count)));
        assert_eq!((id, code), (Value::Null, -32600));
        assert!(message.contains(words), "{message}");
    }
    assert_eq!(answers(&mut client, &[ping("1")]).len(), 1, "it goes on");
}

#[test]
fn answers_that_are_too_long_together_are_not_held() {
    let mut client = fixture(BATCHES);
    // As base64, each is a little longer than all may be.
    let picture = |id: &str| call(id, "picture", &json!({ "bytes": 51_000_000 }));
    let answers = answers(&mut client, &[picture("1"), picture("2")]);
    let codes: Vec<i64> = answers.iter().filter_map(|answer| answer["error"]["code"].as_i64()).collect();
    assert_eq!((answers.len(), codes), (2, vec![-32000]));
}
