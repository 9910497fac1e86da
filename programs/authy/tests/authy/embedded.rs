//! `McpServer` in a program of one's own, with and without a client.

use std::io::{Cursor, Write};
use std::sync::{Arc, Mutex};

use authy::mcp::McpServer;
use serde_json::{Value, json};

use crate::vault::Home;

const WITHOUT: &str = "No credentials configured. The user runs `authy setup-agent NAME --allow PATTERN` and puts the entry it \
                       prints, which names a token, into the configuration of this client. Without a vault, `authy init` \
                       comes first.";

/// Takes what is written, and counts how often it was flushed.
#[derive(Clone, Default)]
struct Taken(Arc<Mutex<(Vec<u8>, usize)>>);

impl Write for Taken {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().expect("no panic").0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.0.lock().expect("no panic").1 += 1;
        Ok(())
    }
}

/// What the server answers to these messages, in order of their ids.
fn answers(server: McpServer, messages: &[Value]) -> Vec<Value> {
    let lines: Vec<String> = messages.iter().map(Value::to_string).collect();
    let taken = Taken::default();
    server.run(Cursor::new(lines.join("\n").into_bytes()), taken.clone()).expect("served");
    let (bytes, flushed) = taken.0.lock().expect("no panic").clone();
    assert!(flushed > 0 || bytes.is_empty(), "what is written is flushed");
    let text = String::from_utf8(bytes).expect("text");
    let mut answers: Vec<Value> =
        text.lines().map(|line| serde_json::from_str(line).expect("a line is a message")).collect();
    answers.sort_by_key(|answer| answer["id"].as_i64());
    answers
}

fn call(id: u32, tool: &str, arguments: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": tool, "arguments": arguments } })
}

#[test]
fn mcp_server_new_takes_an_optional_client() {
    let home = Home::new();
    let some = answers(McpServer::new(Some(home.client())), &[call(1, "list_secrets", &json!({}))]);
    assert_eq!(some[0]["result"]["content"][0]["text"], "[]");
    let none = answers(McpServer::new(None), &[call(1, "list_secrets", &json!({}))]);
    assert_eq!(none[0]["result"]["content"][0]["text"], WITHOUT);
}

#[test]
fn mcp_server_run_reads_lines_dispatches_and_flushes_each_answer() {
    let home = Home::new();
    let ping = |id: u32| json!({ "jsonrpc": "2.0", "id": id, "method": "ping" });
    let answers = answers(
        McpServer::new(Some(home.client())),
        &[ping(1), call(2, "list_secrets", &json!({})), ping(3)],
    );
    assert_eq!(
        answers.iter().map(|answer| answer["id"].clone()).collect::<Vec<_>>(),
        [json!(1), json!(2), json!(3)]
    );
}

#[test]
fn without_a_client_every_tools_call_is_is_error_with_a_credentials_message() {
    let tools = [
        ("get_secret", json!({ "name": "a" })),
        ("list_secrets", json!({})),
        ("store_secret", json!({ "name": "a", "value": "b" })),
        ("remove_secret", json!({ "name": "a" })),
        ("test_policy", json!({ "scope": "a", "secret_name": "b" })),
    ];
    let calls: Vec<Value> =
        (1..).zip(tools).map(|(id, (tool, arguments))| call(id, tool, &arguments)).collect();
    for answer in answers(McpServer::new(None), &calls) {
        let expected = json!({ "content": [{ "type": "text", "text": WITHOUT }], "isError": true });
        assert_eq!(answer["result"], expected);
    }
    let mut client = Home::new().server(&[]);
    assert_eq!(
        crate::vault::failed(&mut client, "get_secret", json!({ "name": "a" })),
        WITHOUT,
        "the command, too"
    );
}

#[test]
fn without_a_client_initialize_ping_and_tools_list_still_answer() {
    let request = |id: u32, method: &str| json!({ "jsonrpc": "2.0", "id": id, "method": method });
    let hello = json!({ "protocolVersion": "2024-11-05", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } });
    let mut initialize = request(1, "initialize");
    initialize["params"] = hello;
    let answers = answers(McpServer::new(None), &[initialize, request(2, "ping"), request(3, "tools/list")]);
    assert_eq!(answers[0]["result"]["serverInfo"]["name"], "authy");
    assert_eq!(answers[1]["result"], json!({}));
    assert!(answers[2]["result"]["tools"].as_array().is_some_and(|tools| tools.len() >= 5));
}

#[test]
fn notifications_produce_no_output() {
    let home = Home::new();
    let notification = |method: &str| json!({ "jsonrpc": "2.0", "method": method, "params": {} });
    let sent = [
        notification("notifications/initialized"),
        notification("notifications/cancelled"),
        notification("ping"),
    ];
    assert_eq!(answers(McpServer::new(Some(home.client())), &sent), Vec::<Value>::new());
}
