//! Clients that mix up the revisions, or never say which one they speak.

use mcp::Version;
use serde_json::{Value, json};

use crate::{assert_alive_and_quiet, fixture, stranger, text};

const KEY: &str = "io.modelcontextprotocol";

#[test]
fn a_bare_first_request_is_served_as_the_oldest_revision() {
    let mut client = stranger();
    let tools = client.result("tools/list", json!({}));
    let tools = tools["tools"].as_array().expect("tools");
    assert!(!tools.is_empty());
    for tool in tools {
        for newer in ["title", "annotations", "outputSchema", "icons", "execution"] {
            assert!(tool.get(newer).is_none(), "{newer} in {tool}");
        }
    }
    let sum = client.call("add", json!({ "a": 1, "b": 2 }));
    assert_eq!(sum, json!({ "content": [{ "type": "text", "text": "{\"sum\":3}" }] }));
    assert_eq!(text(&client.call("who_calls", json!({}))), r#"{"version":"2024-11-05","form":false}"#);
    assert_eq!(client.result("ping", json!({})), json!({}));
    assert_alive_and_quiet(client);
}

#[test]
fn a_bare_request_without_params_is_served() {
    let mut client = stranger();
    client.send(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#);
    assert!(client.receive()["result"]["tools"].is_array());
    client.send(r#"{"jsonrpc":"2.0","id":2,"method":"tools/list","params":null}"#);
    assert!(client.receive()["result"]["tools"].is_array());
}

#[test]
fn an_unsupported_version_is_answered_with_those_that_are() {
    let mut client = fixture(Version::MODERN);
    let discovered = client.result("server/discover", json!({}));
    for requested in ["1999-01-01", "2027-01-01", "", "latest", "2025-11-25"] {
        let params = json!({ "_meta": {
            format!("{KEY}/protocolVersion"): requested, format!("{KEY}/clientCapabilities"): {} } });
        for method in ["tools/list", "server/discover", "no/such"] {
            let line = json!({ "jsonrpc": "2.0", "id": "v", "method": method, "params": params });
            client.send_json(&line);
            let answer = client.receive();
            assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!("v"), &json!(-32022)), "{answer}");
            assert_eq!(answer["error"]["data"]["requested"], requested);
            assert_eq!(answer["error"]["data"]["supported"], discovered["supportedVersions"]);
        }
    }
    assert_alive_and_quiet(client);
}

#[test]
fn a_version_that_is_no_string_is_refused() {
    let mut client = stranger();
    for version in [json!(5), json!({}), json!(["2026-07-28"]), json!(true)] {
        let meta =
            json!({ format!("{KEY}/protocolVersion"): version, format!("{KEY}/clientCapabilities"): {} });
        assert_eq!(client.error("tools/list", json!({ "_meta": meta }))["code"], -32602, "{version}");
    }
}

#[test]
fn modern_requests_must_say_what_the_client_can_do() {
    let mut client = stranger();
    for capabilities in [Value::Null, json!([]), json!("all"), json!(1)] {
        let mut meta = json!({ format!("{KEY}/protocolVersion"): "2026-07-28" });
        if !capabilities.is_null() {
            meta[format!("{KEY}/clientCapabilities")] = capabilities.clone();
        }
        for method in ["tools/list", "tools/call", "server/discover"] {
            let error = client.error(method, json!({ "name": "tally", "_meta": meta }));
            assert_eq!(error["code"], -32602, "{capabilities}");
            let message = error["message"].as_str().expect("a message");
            assert!(message.contains("io.modelcontextprotocol/clientCapabilities"), "{message}");
        }
    }
    assert_eq!(text(&client.call("tally", json!({}))), r#"{"effects":1}"#);
}

#[test]
fn capabilities_of_odd_shapes_count_as_none() {
    let mut client = stranger().capable(json!({ "elicitation": 7, "roots": "x", "future": [] }));
    client = client.speaking(Version::MODERN);
    assert_eq!(client.call("who_calls", json!({}))["structuredContent"]["form"], false);
    let client = client.speaking(Version::V2025_11_25);
    assert_alive_and_quiet(client);
}

#[test]
fn the_handshake_is_unknown_to_the_modern_era() {
    let mut client = fixture(Version::MODERN);
    let handshake = json!({ "protocolVersion": "2026-07-28", "capabilities": {},
                            "clientInfo": { "name": "c", "version": "1" } });
    let error = client.error("initialize", handshake);
    assert_eq!(error["code"], -32601);
    assert_eq!(error["message"], "Method not found: initialize");
    assert_alive_and_quiet(client);
}

#[test]
fn a_handshake_for_a_revision_that_is_not_known_settles_on_one_that_is() {
    for requested in [json!("1999-01-01"), json!("2026-07-28"), json!("2030-01-01"), json!("")] {
        let mut client = stranger();
        let result = client.result("initialize", json!({ "protocolVersion": requested, "capabilities": {} }));
        assert_eq!(result["protocolVersion"], "2025-11-25", "{requested}");
    }
    let mut client = stranger();
    assert_eq!(client.result("initialize", json!({}))["protocolVersion"], "2025-11-25");
    for wrong in
        [json!({ "protocolVersion": 5 }), json!({ "protocolVersion": "2025-11-25", "capabilities": [] })]
    {
        assert_eq!(client.error("initialize", wrong)["code"], -32602);
    }
}

#[test]
fn discover_is_served_before_and_after_a_handshake_on_the_same_pipe() {
    let mut client = fixture(Version::MODERN);
    let before = client.result("server/discover", json!({}));
    assert_eq!(before["supportedVersions"][0], "2026-07-28");

    let mut client = client.speaking(Version::V2025_06_18);
    assert_eq!(client.error("server/discover", json!({}))["code"], -32601, "not without its version");
    assert!(client.result("tools/list", json!({})).get("resultType").is_none());

    let mut client = client.speaking(Version::MODERN);
    assert_eq!(client.result("server/discover", json!({})), before);
    assert_eq!(client.error("ping", json!({}))["code"], -32601);
    // The session is as it was, for requests without a version.
    client.send(r#"{"jsonrpc":"2.0","id":"s","method":"tools/call","params":{"name":"who_calls"}}"#);
    assert_eq!(client.receive()["result"]["structuredContent"]["version"], "2025-06-18");
    assert_alive_and_quiet(client);
}
