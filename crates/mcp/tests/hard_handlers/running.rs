//! Calls that take their time: concurrency, cancellation, progress, logging.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use mcp::Version;
use mcp::stdio::Limits;
use mcp_testkit::{Client, fixture};
use serde_json::{Value, json};

use crate::{in_both_eras, text, with_and_without_a_relay};

#[test]
fn a_slow_call_never_blocks_another() {
    in_both_eras(fixture::server, |mut client, _| {
        let never = client.start("tools/call", json!({ "name": "never", "arguments": {} }));
        let blocked = client.start("tools/call", json!({ "name": "block", "arguments": { "ms": 200 } }));
        assert_eq!(text(&client.call("echo", json!({ "text": "first" }))), "first");
        assert_eq!(text(&client.call("sleep", json!({ "ms": 1 }))), "slept");
        assert_eq!(text(&client.response(&blocked)["result"]), "blocked");
        client.notify("notifications/cancelled", json!({ "requestId": never }));
        assert!(client.hang_up().rest.is_empty());
    });
}

#[test]
fn a_cancelled_call_is_dropped_and_never_answered() {
    for version in [Version::V2024_11_05, Version::MODERN] {
        let server = Arc::new(fixture::server());
        let state = Arc::clone(server.state());
        let (told, heard) = std::sync::mpsc::channel();
        let _listening = state.changes.listen(move |_| {
            let _ = told.send(());
        });
        for (dropped, service) in (1..).zip(with_and_without_a_relay(server)) {
            let mut client = Client::shared(service, Limits::default()).speaking(version);
            let id = client.start("tools/call", json!({ "name": "never", "arguments": {} }));
            heard.recv().expect("the handler starts");
            client.notify("notifications/cancelled", json!({ "requestId": id, "reason": "changed my mind" }));
            client.notify("notifications/cancelled", json!({ "requestId": id }));
            client.notify("notifications/cancelled", json!({ "requestId": "unknown" }));
            heard.recv().expect("the handler is dropped");
            assert_eq!(state.dropped.load(Ordering::SeqCst), dropped);
            assert!(client.hang_up().rest.is_empty());
        }
    }
}

#[test]
fn progress_comes_only_when_asked_for_and_before_the_answer() {
    in_both_eras(fixture::server, |mut client, _| {
        let call = json!({ "name": "count", "arguments": { "steps": 3 }, "_meta": { "progressToken": "t" } });
        let id = client.start("tools/call", call);
        let mut seen = Vec::new();
        loop {
            let message = client.receive();
            if message["id"] == id {
                break;
            }
            assert_eq!(message["method"], "notifications/progress");
            assert_eq!(message["params"]["progressToken"], "t");
            seen.push((message["params"]["progress"].as_u64(), message["params"]["total"].as_u64()));
        }
        assert_eq!(seen, [(Some(1), Some(3)), (Some(2), Some(3)), (Some(3), Some(3))]);
        client.call("count", json!({ "steps": 2 }));
        assert!(client.hang_up().rest.is_empty());
    });
}

#[test]
fn log_messages_follow_the_level_of_the_session_or_the_request() {
    let logged = |client: Client| -> Vec<Value> {
        let rest = client.hang_up().rest;
        rest.iter().map(|message| message["params"]["level"].clone()).collect()
    };
    for service in with_and_without_a_relay(Arc::new(fixture::server())) {
        let connect = |version| Client::shared(Arc::clone(&service), Limits::default()).speaking(version);
        let mut session = connect(Version::V2025_11_25);
        session.result("logging/setLevel", json!({ "level": "warning" }));
        session.call("shout", json!({ "text": "fire" }));
        assert_eq!(logged(session), ["warning"]);

        let mut modern = connect(Version::MODERN);
        modern.call("shout", json!({ "text": "unheard" }));
        let call = json!({ "name": "shout", "arguments": { "text": "fire" },
                           "_meta": { "io.modelcontextprotocol/logLevel": "debug" } });
        modern.result("tools/call", call);
        assert_eq!(logged(modern), ["debug", "warning"]);
    }
}

#[test]
fn both_eras_share_one_pipe() {
    let mut client = Client::memory(fixture::server()).speaking(Version::MODERN);
    assert_eq!(client.call("who_calls", json!({}))["structuredContent"]["version"], "2026-07-28");
    let mut client = client.capable(json!({ "elicitation": {} })).speaking(Version::V2025_06_18);
    let known = client.call("who_calls", json!({}));
    assert_eq!(known["structuredContent"], json!({ "version": "2025-06-18", "form": true }));
    assert!(known.get("resultType").is_none());
    let mut client = client.capable(json!({})).speaking(Version::MODERN);
    let known = client.call("who_calls", json!({}));
    assert_eq!(known["structuredContent"], json!({ "version": "2026-07-28", "form": false }));
}

#[test]
fn calls_beyond_the_limit_are_told_to_wait() {
    let limits = Limits { in_flight: 2, ..Limits::default() };
    let mut client = Client::shared(Arc::new(fixture::server()), limits).speaking(Version::MODERN);
    let first = client.start("tools/call", json!({ "name": "never", "arguments": {} }));
    let second = client.start("tools/call", json!({ "name": "never", "arguments": {} }));
    let error = client.error("tools/call", json!({ "name": "echo", "arguments": { "text": "x" } }));
    assert_eq!(error["code"], -32000);
    for id in [first, second] {
        client.notify("notifications/cancelled", json!({ "requestId": id }));
    }
    assert_eq!(text(&client.call("echo", json!({ "text": "now" }))), "now");
}
