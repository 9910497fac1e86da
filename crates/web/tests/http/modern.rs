//! 2026-07-28: one POST, one answer, and headers that repeat the body.

use serde_json::{Value, json};

use crate::host::Host;
use crate::raw::Request;
use crate::speaking::{message, modern, modern_call, text};

fn refusal(host: &Host, request: Request) -> (u16, Value) {
    let mut response = request.send(host.door);
    let answer = response.json();
    assert_eq!(answer["id"], "the id", "{answer}");
    (response.status, answer["error"]["code"].clone())
}

#[test]
fn headers_that_do_not_repeat_the_body_are_refused() {
    let host = Host::start();
    let call = modern_call("the id", "echo", json!({ "text": "x" }));
    let read = modern("the id", "resources/read", json!({ "uri": "fixture://readme" }));
    let get = modern("the id", "prompts/get", json!({ "name": "describe", "arguments": { "page": "1" } }));
    for request in [
        call.clone().without("mcp-protocol-version"),
        call.clone().header("mcp-protocol-version", "2025-11-25"),
        call.clone().without("mcp-method"),
        call.clone().header("mcp-method", "tools/list"),
        call.clone().header("mcp-method", "Tools/Call"),
        call.clone().without("mcp-name"),
        call.clone().header("mcp-name", "add"),
        call.clone().header("mcp-name", "Echo"),
        call.header("mcp-name", "=?base64?!!!?="),
        read.without("mcp-name"),
        get.header("mcp-name", "other"),
    ] {
        assert_eq!(refusal(&host, request), (400, json!(-32020)));
    }
}

#[test]
fn headers_may_be_padded_wrapped_and_written_in_any_case() {
    let host = Host::start();
    let call = modern_call(1, "echo", json!({ "text": "x" }));
    for request in [
        call.clone().header("mcp-name", "  echo \t"),
        call.clone().header("mcp-name", "=?base64?ZWNobw==?="),
        call.clone().without("mcp-method").header("MCP-METHOD", "tools/call"),
    ] {
        assert_eq!(text(&request.send(host.door).json()), "x");
    }
}

#[test]
fn a_request_must_say_what_it_speaks_and_what_it_can_do() {
    let host = Host::start();
    let discover = |meta: Value| {
        Request::post(message("the id", "server/discover", json!({ "_meta": meta })))
            .header("mcp-protocol-version", "2026-07-28")
            .header("mcp-method", "server/discover")
    };
    for meta in [
        json!({}),
        json!({ "io.modelcontextprotocol/clientCapabilities": {} }),
        json!({ "io.modelcontextprotocol/protocolVersion": "2026-07-28" }),
        json!({ "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": 5 }),
    ] {
        assert_eq!(refusal(&host, discover(meta)), (400, json!(-32602)));
    }
}

#[test]
fn an_unknown_version_learns_which_ones_there_are() {
    let host = Host::start();
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2199-01-01",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let request = Request::post(message(1, "tools/list", json!({ "_meta": meta })))
        .header("mcp-protocol-version", "2199-01-01")
        .header("mcp-method", "tools/list");
    let mut response = request.send(host.door);
    assert_eq!(response.status, 400);
    let error = response.json()["error"].take();
    assert_eq!((&error["code"], &error["data"]["requested"]), (&json!(-32022), &json!("2199-01-01")));
    let supported = modern(1, "server/discover", json!({})).send(host.door).json();
    assert_eq!(error["data"]["supported"], supported["result"]["supportedVersions"]);
}

#[test]
fn methods_that_are_unknown_or_gone_are_404() {
    let host = Host::start();
    for method in [
        "unknown/method",
        "initialize",
        "ping",
        "logging/setLevel",
        "resources/subscribe",
        "resources/unsubscribe",
        "tasks/list",
        "tasks/result",
    ] {
        assert_eq!(refusal(&host, modern("the id", method, json!({}))), (404, json!(-32601)), "{method}");
    }
}

#[test]
fn other_failures_ride_on_200_but_a_missing_capability_does_not() {
    let host = Host::start();
    let missing = modern("the id", "resources/read", json!({ "uri": "fixture://nowhere" }));
    assert_eq!(refusal(&host, missing), (200, json!(-32602)));
    for (what, arguments) in [("erase", json!({ "what": "x" })), ("ask_model", json!({}))] {
        let call = modern_call("the id", what, arguments);
        assert_eq!(refusal(&host, call), (400, json!(-32021)), "{what}");
    }
}

#[test]
fn nothing_is_remembered_and_no_session_is_opened() {
    let host = Host::start();
    let request = modern(1, "tools/list", json!({})).header("mcp-session-id", "nobody");
    let mut response = request.header("last-event-id", "1/1").send(host.door);
    assert_eq!((response.status, response.header("mcp-session-id")), (200, None));
    assert!(response.json()["result"]["tools"].is_array());
}
