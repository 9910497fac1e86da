//! What has no id gets no answer, and has no effect beyond what it is for.

use mcp::Version;
use serde_json::json;

use crate::{fixture, in_both_eras, in_era, stranger, text};

#[test]
fn a_notification_never_executes_a_tool() {
    in_both_eras(|client, version| {
        for (method, params) in [
            ("tools/call", json!({ "name": "tally", "arguments": {} })),
            ("tallyUp", json!({})),
            ("tally", json!({})),
            ("notifications/tools/call", json!({ "name": "tally" })),
        ] {
            client.notify(method, in_era(version, params));
        }
        assert_eq!(client.call("tally", json!({}))["structuredContent"]["effects"], 1);
        assert_eq!(client.result("tallyUp", json!({}))["effects"], 2);
    });
}

#[test]
fn unknown_notifications_and_requests_without_id_are_ignored() {
    in_both_eras(|client, version| {
        for method in [
            "notifications/no/such",
            "no/such",
            "tools/list",
            "ping",
            "initialize",
            "resources/read",
            "server/discover",
        ] {
            client.notify(method, in_era(version, json!({})));
            client.notify(method, json!({ "uri": 5, "_meta": "no object" }));
        }
        client.send(r#"{"jsonrpc":"2.0","method":"notifications/cancelled"}"#);
        client.send(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}"#);
        client
            .send(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"nobody"}}"#);
    });
}

#[test]
fn a_notification_does_not_change_the_session() {
    let mut client = fixture(Version::V2025_11_25);
    client.notify("initialize", json!({ "protocolVersion": "2024-11-05", "capabilities": {} }));
    client.notify("logging/setLevel", json!({ "level": "emergency" }));
    let known = client.call("who_calls", json!({}));
    assert_eq!(known["structuredContent"]["version"], "2025-11-25");
    client.call("shout", json!({ "text": "heard" }));
    let heard = client.hang_up().rest;
    assert_eq!(heard.len(), 2, "{heard:?}");
}

#[test]
fn responses_nobody_waits_for_are_ignored() {
    in_both_eras(|client, _| {
        for line in [
            r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":"ask-1","result":{"action":"accept"}}"#,
            r#"{"jsonrpc":"2.0","id":"ask-99999999999999999999","result":{}}"#,
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}"#,
            // What a client says about a line of ours it could not read. An answer to it could go on for ever.
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}"#,
            r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"}}"#,
            // Not quite responses, but certainly no requests.
            r#"{"jsonrpc":"2.0","id":1,"result":{},"error":null}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{},"error":{}}"#,
            r#"{"id":1,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":1.5,"result":{}}"#,
        ] {
            client.send(line);
        }
    });
}

#[test]
fn notifications_and_stray_responses_after_discover_are_ignored() {
    let mut client = fixture(Version::MODERN);
    client.result("server/discover", json!({}));
    client.notify("notifications/initialized", json!({}));
    client.notify("notifications/cancelled", json!({ "requestId": 1 }));
    client.notify("notifications/roots/list_changed", json!({}));
    client.send(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
    client.send(r#"{"jsonrpc":"2.0","id":77,"error":{"code":-1,"message":"what?"}}"#);
    assert_eq!(text(&client.call("touch", json!({}))), "told");
    // Nobody subscribed: not a word about what was touched.
    crate::assert_alive_and_quiet(client);
}

#[test]
fn notifications_before_anything_else_are_ignored() {
    let mut client = stranger();
    client.notify("notifications/initialized", json!({}));
    client.notify("notifications/cancelled", json!({ "requestId": 1 }));
    client.send(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
    crate::assert_alive_and_quiet(client.speaking(Version::MODERN));
}
