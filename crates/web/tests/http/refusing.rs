//! What is turned away, and how: always with a status, and with a JSON-RPC error where it is about a message.

use std::time::Duration;

use mcp::Version;
use mcp::http::Policy;
use serde_json::{Value, json};

use crate::host::Host;
use crate::raw::Request;
use crate::speaking::{Session, message, modern, modern_call};

fn post(body: impl Into<Vec<u8>>) -> Request {
    Request::post(body).header("mcp-protocol-version", "2026-07-28")
}

#[test]
fn a_body_that_is_no_message_is_400_with_an_error_without_an_id() {
    let host = Host::start();
    let batch = format!("[{}]", message(1, "ping", json!({})));
    let rows: [(&[u8], i64); 6] = [
        (b"{\"jsonrpc\":", -32700),
        (b"hello", -32700),
        (b"{\"method\":\"\xff\"}", -32700),
        (b"", -32700),
        (b"42", -32600),
        (batch.as_bytes(), -32600),
    ];
    for (body, code) in rows {
        let mut response = post(body).send(host.door);
        let answer = response.json();
        assert_eq!((response.status, &answer["error"]["code"]), (400, &json!(code)), "{answer}");
        assert_eq!(answer.get("id"), None, "{answer}");
    }
}

#[test]
fn the_id_is_told_back_where_it_can_be_read() {
    let host = Host::start();
    let rows: [(&str, i64); 3] = [
        (r#"{"jsonrpc":"2.0","id":7,"method":"ping""#, -32700),
        (r#"{"jsonrpc":"1.0","id":7,"method":"ping"}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":7,"method":"ping","params":{"_meta":5}}"#, -32602),
    ];
    for (body, code) in rows {
        let mut response = post(body).send(host.door);
        let answer = response.json();
        assert_eq!(
            (response.status, &answer["id"], &answer["error"]["code"]),
            (400, &json!(7), &json!(code)),
            "{answer}"
        );
    }
}

#[test]
fn batches_are_refused_in_every_revision_but_one() {
    let host = Host::start();
    for version in [Version::V2024_11_05, Version::V2025_06_18, Version::V2025_11_25] {
        let session = Session::open(&host, version);
        let mut response = session.post(format!("[{}]", message(1, "ping", json!({}))));
        assert_eq!((response.status, &response.json()["error"]["code"]), (400, &json!(-32600)), "{version}");
    }
}

fn refusal(host: &Host, request: Request) -> (u16, Value) {
    let mut response = request.send(host.door);
    (response.status, response.json()["error"]["code"].take())
}

#[test]
fn only_json_is_read() {
    let host = Host::start();
    let request = modern_call(1, "echo", json!({ "text": "x" }));
    for kind in ["text/plain", "application/jsonx", "multipart/form-data"] {
        assert_eq!(refusal(&host, request.clone().header("content-type", kind)), (415, json!(-32600)));
    }
    assert_eq!(refusal(&host, request.clone().without("content-type")), (415, json!(-32600)));
    let with_charset = request.header("content-type", "Application/JSON; charset=utf-8");
    assert_eq!(with_charset.send(host.door).status, 200);
}

#[test]
fn a_client_that_does_not_take_what_we_send_is_told() {
    let host = Host::start();
    let session = Session::open(&host, Version::V2025_11_25);
    let request = modern_call(1, "echo", json!({ "text": "x" }));
    for accept in ["text/html", "text/event-stream"] {
        assert_eq!(
            refusal(&host, request.clone().header("accept", accept)),
            (406, json!(-32600)),
            "{accept}"
        );
    }
    for accept in ["*/*", "application/*", "text/html, application/json;q=0.5"] {
        assert_eq!(request.clone().header("accept", accept).send(host.door).status, 200, "{accept}");
    }
    assert_eq!(request.without("accept").send(host.door).status, 200);
    let standing = session.own(Request::get().header("accept", "application/json"));
    assert_eq!(refusal(&host, standing), (406, json!(-32600)));
    let listen = modern(1, "subscriptions/listen", json!({ "notifications": {} }));
    assert_eq!(refusal(&host, listen.header("accept", "application/json")), (406, json!(-32600)));
}

#[test]
fn a_body_over_the_limit_is_413_whether_or_not_it_says_so() {
    let host = Host::with(Policy { body: 1_000, ..Policy::default() });
    let large = message(1, "ping", json!({ "x": "y".repeat(2_000) }));
    assert_eq!(refusal(&host, post(large.clone())), (413, json!(-32600)));
    let chunked = format!("{:x}\r\n{large}\r\n0\r\n\r\n", large.len());
    let silent = post(chunked).header("transfer-encoding", "chunked").without_length();
    assert_eq!(refusal(&host, silent), (413, json!(-32600)));
    assert_eq!(modern(1, "server/discover", json!({})).send(host.door).status, 200);
}

#[test]
fn a_body_that_does_not_come_is_given_up() {
    let host = Host::with(Policy { body_time: Duration::from_millis(20), ..Policy::default() });
    assert_eq!(refusal(&host, post("{").header("content-length", "50")), (408, json!(-32600)));
}

#[test]
fn other_methods_are_405_and_name_those_there_are() {
    let host = Host::start();
    let session = Session::open(&host, Version::V2025_11_25);
    for method in ["PUT", "PATCH", "OPTIONS"] {
        let response = Request::of_method(method).send(host.door);
        assert_eq!((response.status, response.header("allow")), (405, Some("GET, POST, DELETE")), "{method}");
    }
    let without_session = [Request::get(), Request::of_method("DELETE")];
    let modern = without_session
        .clone()
        .map(|request| session.own(request).header("mcp-protocol-version", "2026-07-28"));
    for request in without_session.into_iter().chain(modern) {
        let response = request.send(host.door);
        assert_eq!((response.status, response.header("allow")), (405, Some("POST")));
    }
    assert!(session.is_known());
}

#[test]
fn foreign_names_and_pages_are_403() {
    let host = Host::start();
    let request = modern(1, "server/discover", json!({}));
    for (name, value) in
        [("host", "evil.example.com"), ("origin", "http://evil.example.com"), ("origin", "null")]
    {
        assert_eq!(request.clone().header(name, value).send(host.door).status, 403, "{name}: {value}");
    }
    // As a proxy is told: what counts is the name in the target.
    let to = |name: &str| request.clone().path(&format!("http://{name}/mcp")).send(host.door).status;
    assert_eq!((to("evil.example.com"), to(&host.door.to_string())), (403, 200));
    let own = format!("http://{}", host.door);
    assert_eq!(request.header("origin", &own).send(host.door).status, 200);
}
