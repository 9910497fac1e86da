//! A POST and what comes back for it when all is well.

use mcp::Version;
use serde_json::json;

use crate::host::Host;
use crate::raw::{Connection, Request};
use crate::speaking::{Session, modern, modern_call, notification, text};

#[test]
fn an_answer_alone_is_plain_json() {
    let host = Host::start();
    let session = Session::open(&host, Version::V2025_11_25);
    for request in [
        session.call("a", "echo", json!({ "text": "hello" })),
        session.call("a", "sleep", json!({ "ms": 1 })),
        modern_call("a", "echo", json!({ "text": "hello" })),
        modern_call("a", "sleep", json!({ "ms": 1 })),
    ] {
        let mut response = request.send(host.door);
        assert_eq!(response.status, 200);
        let answer = response.json();
        assert_eq!(answer["id"], "a");
        assert!(["hello", "slept"].contains(&text(&answer)), "{answer}");
    }
}

#[test]
fn what_is_said_before_the_answer_makes_it_a_stream() {
    let host = Host::start();
    let session = Session::open(&host, Version::V2025_06_18);
    let params = json!({ "name": "count", "arguments": { "steps": 3 }, "_meta": { "progressToken": "t" } });
    for request in [session.request(1, "tools/call", params.clone()), modern(1, "tools/call", params)] {
        let mut response = request.send(host.door);
        assert_eq!((response.status, response.is_stream()), (200, true));
        assert_eq!(response.header("cache-control"), Some("no-cache"));
        assert_eq!(response.header("x-accel-buffering"), Some("no"));
        for step in 1..=3 {
            let progress = response.message();
            assert_eq!(progress["method"], "notifications/progress");
            assert_eq!(progress["params"]["progressToken"], "t");
            assert_eq!(progress["params"]["progress"], step);
        }
        assert_eq!(text(&response.message()), "counted to 3");
        assert_eq!(response.event(), None, "the stream ends after the answer");
    }
}

#[test]
fn what_is_said_at_once_before_the_answer_makes_it_a_stream_too() {
    let host = Host::start();
    let params = json!({
        "name": "shout",
        "arguments": { "text": "fire" },
        "_meta": { "io.modelcontextprotocol/logLevel": "warning" },
    });
    let mut response = modern(1, "tools/call", params).send(host.door);
    assert_eq!(response.message()["params"]["data"], "fire");
    assert_eq!(text(&response.message()), "shouted");
    assert_eq!(response.event(), None);
}

#[test]
fn events_have_ids_only_where_they_can_be_come_back_for() {
    let host = Host::start();
    let session = Session::open(&host, Version::V2025_06_18);
    let params = json!({ "name": "count", "arguments": { "steps": 1 }, "_meta": { "progressToken": 7 } });
    let mut legacy = session.request(1, "tools/call", params.clone()).send(host.door);
    assert!(legacy.event().expect("an event").id.is_some());
    let mut modern = modern(1, "tools/call", params).send(host.door);
    assert_eq!(modern.event().expect("an event").id, None);
}

#[test]
fn a_client_that_takes_no_events_gets_the_answer_alone() {
    let host = Host::start();
    let session = Session::open(&host, Version::V2025_11_25);
    let params = json!({ "name": "count", "arguments": { "steps": 2 }, "_meta": { "progressToken": 7 } });
    for request in [session.request(1, "tools/call", params.clone()), modern(1, "tools/call", params)] {
        let mut response = request.header("accept", "application/json").send(host.door);
        assert_eq!(text(&response.json()), "counted to 2");
    }
}

#[test]
fn notifications_and_responses_are_accepted_without_a_body() {
    let host = Host::start();
    let session = Session::open(&host, Version::V2025_11_25);
    let late = json!({ "jsonrpc": "2.0", "id": "ask-9", "result": {} }).to_string();
    let told = notification("notifications/initialized", json!({}));
    let modern = Request::post(told.clone()).header("mcp-protocol-version", "2026-07-28");
    for mut response in [session.post(told), session.post(late), modern.send(host.door)] {
        assert_eq!((response.status, response.text().as_str()), (202, ""));
    }
}

#[test]
fn a_connection_serves_one_request_after_the_other() {
    let host = Host::start();
    let mut connection = Connection::open(host.door);
    for round in 1..=3 {
        connection.write(&modern_call(round, "echo", json!({ "text": "again" })));
        let mut response = connection.response();
        assert_eq!(response.json()["id"], round);
        connection = response.into_connection();
    }
}
