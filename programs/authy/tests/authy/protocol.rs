//! The protocol as the specification states it: lines of JSON-RPC 2.0 on stdin and stdout.

use mcp::Version;
use mcp_testkit::Client;
use serde_json::{Value, json};

use crate::vault::{Home, failed, said};

const OLDEST: Version = Version::ALL[Version::ALL.len() - 1];

fn initialize(client: &mut Client) -> Value {
    let hello = json!({ "protocolVersion": "2024-11-05", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } });
    client.request("initialize", hello)
}

#[test]
fn stdio_json_rpc_2_0() {
    let mut client = Home::empty().server(&[]);
    client.send(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#);
    assert_eq!(client.receive_text(), r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
    let goodbye = client.hang_up();
    assert_eq!(goodbye.code, Some(0));
}

#[test]
fn one_message_per_line() {
    let mut client = Home::empty().server(&[]);
    client.send_bytes(
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\r\n\n{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}",
    );
    for id in [1, 2] {
        assert_eq!(client.receive_text(), format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#));
    }
}

#[test]
fn initialize_returns_server_info_and_capabilities() {
    let mut client = Home::empty().server(&[]);
    let answer = initialize(&mut client);
    let result = &answer["result"];
    assert_eq!(result["protocolVersion"], "2024-11-05");
    assert_eq!(result["capabilities"], json!({ "tools": {} }));
    assert_eq!(result["serverInfo"]["name"], "authy");
    assert_eq!(result["serverInfo"]["version"], env!("CARGO_PKG_VERSION"));
}

#[test]
fn protocol_version_2024_11_05() {
    assert_eq!(initialize(&mut Home::empty().server(&[]))["result"]["protocolVersion"], "2024-11-05");
}

#[test]
fn capabilities_are_tools_alone() {
    assert_eq!(initialize(&mut Home::empty().server(&[]))["result"]["capabilities"], json!({ "tools": {} }));
}

#[test]
fn server_name_is_authy() {
    assert_eq!(initialize(&mut Home::empty().server(&[]))["result"]["serverInfo"]["name"], "authy");
}

#[test]
fn server_version_is_given() {
    let version = &initialize(&mut Home::empty().server(&[]))["result"]["serverInfo"]["version"];
    assert_eq!(version, env!("CARGO_PKG_VERSION"));
}

#[test]
fn notifications_initialized_gets_no_response() {
    let mut client = Home::empty().server(&[]);
    client.notify("notifications/initialized", json!({}));
    client.send(r#"{"jsonrpc":"2.0","id":"next","method":"ping"}"#);
    assert_eq!(client.receive()["id"], "next", "the first thing it says");
}

#[test]
fn tools_list_returns_definitions_with_json_schema() {
    let mut client = Home::empty().server(&[]).speaking(OLDEST);
    let tools = client.result("tools/list", json!({}))["tools"].take();
    let text = |description: &str| json!({ "type": "string", "description": description });
    let expected = json!([
        {
            "name": "get_secret",
            "description": "Retrieve a secret value from the vault. It becomes part of this conversation: prefer \
                            run_with_secrets or http_request, which use it without showing it.",
            "inputSchema": { "type": "object", "properties": { "name": text("Secret name") }, "required": ["name"] },
        },
        {
            "name": "list_secrets",
            "description": "List all secret names, optionally filtered by a policy scope",
            "inputSchema": {
                "type": "object",
                "properties": { "scope": text("Policy scope to filter by (optional)") },
            },
        },
        {
            "name": "store_secret",
            "description": "Store a secret in the vault. To use one that is there, prefer run_with_secrets; to make a new \
                            random one, generate_secret.",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "name": text("Secret name"),
                    "value": text("Secret value"),
                    "force": { "type": "boolean", "description": "Overwrite if exists (default: false)" },
                },
                "required": ["name", "value"],
            },
        },
        {
            "name": "remove_secret",
            "description": "Remove a secret from the vault",
            "inputSchema": { "type": "object", "properties": { "name": text("Secret name") }, "required": ["name"] },
        },
        {
            "name": "test_policy",
            "description": "Test whether a policy allows access to a secret name",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "scope": text("Policy/scope name"),
                    "secret_name": text("Secret name to test"),
                },
                "required": ["scope", "secret_name"],
            },
        },
    ]);
    let first: Vec<&Value> = tools.as_array().expect("a list").iter().take(5).collect();
    assert_eq!(json!(first), expected);
}

#[test]
fn tools_call_invokes_a_tool_by_name_with_arguments() {
    let home = Home::new();
    let mut client = home.owners_server();
    assert_eq!(said(&mut client, "store_secret", json!({ "name": "a", "value": "1" })), "Stored secret 'a'");
    assert_eq!(said(&mut client, "get_secret", json!({ "name": "a" })), "1");
}

#[test]
fn ping_returns_an_empty_object() {
    assert_eq!(Home::empty().server(&[]).result("ping", json!({})), json!({}));
}

#[test]
fn parse_error() {
    let mut client = Home::empty().server(&[]);
    for bad in [&b"{\"jsonrpc\""[..], b"\xff\xfe", b"nonsense"] {
        client.send_bytes(bad);
        let answer = client.receive();
        assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(-32700), &Value::Null));
    }
    assert_eq!(client.result("ping", json!({})), json!({}), "the server goes on");
}

#[test]
fn method_not_found() {
    assert_eq!(Home::empty().server(&[]).error("secrets/dump", json!({}))["code"], -32601);
}

#[test]
fn tool_errors_are_results_with_is_error_true() {
    let home = Home::new();
    let mut client = home.owners_server();
    assert_eq!(failed(&mut client, "get_secret", json!({ "name": "none" })), "Secret not found: none");
    assert_eq!(failed(&mut client, "no_such_tool", json!({})), "Unknown tool: no_such_tool");
    assert_eq!(failed(&mut client, "get_secret", json!({})), "Missing required parameter: name");
}

#[test]
fn a_request_without_an_id_is_a_notification() {
    let home = Home::new();
    let mut client = home.owners_server();
    client
        .notify("tools/call", json!({ "name": "store_secret", "arguments": { "name": "a", "value": "1" } }));
    assert_eq!(said(&mut client, "list_secrets", json!({})), "[]", "it does nothing, and answers nothing");
}

#[test]
fn params_defaults_to_an_empty_object() {
    let mut client = Home::empty().server(&[]);
    client.send(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#);
    assert!(client.receive()["result"]["tools"].is_array());
}

#[test]
fn a_success_carries_result_and_no_error() {
    let mut client = Home::empty().server(&[]);
    let answer = client.request("ping", json!({}));
    assert!(answer.get("result").is_some() && answer.get("error").is_none());
}

#[test]
fn an_error_carries_code_message_and_optional_data_and_no_result() {
    let answer = Home::empty().server(&[]).request("nothing", json!({}));
    assert!(answer.get("result").is_none());
    assert!(answer["error"]["code"].is_i64() && answer["error"]["message"].is_string());
}

#[test]
fn the_id_is_echoed_as_sent() {
    let mut client = Home::empty().server(&[]);
    for id in ["7", "\"seven\"", "18446744073709551615", "-1"] {
        client.send(&format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#));
        assert_eq!(client.receive_text(), format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#));
    }
}
