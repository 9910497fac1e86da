//! The binary, its pipes, and who it says it is.

use mcp::Version;
use mcp_testkit::Client;
use serde_json::{Value, json};

use crate::fotos::{Fotos, command};

fn greeting() -> Value {
    let mut client = Client::process(&mut command());
    client.result(
        "initialize",
        json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" } }),
    )
}

#[test]
fn binary_invocation_by_mcp_host() {
    for version in Version::ALL {
        let mut client = Client::process(&mut command()).speaking(version);
        assert!(client.result("tools/list", json!({}))["tools"].is_array());
        assert_eq!(client.hang_up().code, Some(0));
    }
}

#[test]
fn fotos_mcp_is_a_binary_of_its_own() {
    let said = command().arg("--version").output().expect("it runs");
    assert_eq!(String::from_utf8_lossy(&said.stdout), format!("fotos-mcp {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn json_rpc_message_exchange() {
    let mut client = Client::process(&mut command());
    client.send(r#"{"jsonrpc":"2.0","id":"a","method":"ping"}"#);
    assert_eq!(client.receive(), json!({ "jsonrpc": "2.0", "id": "a", "result": {} }));
}

#[test]
fn malformed_input() {
    let mut client = Client::process(&mut command());
    client.send("{not json");
    let answer = client.receive();
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&Value::Null, &json!(-32700)));
    // It goes on.
    client.result("ping", json!({}));
}

/// The client of the tests refuses every line that is no message, so the last words are what is left to look at.
#[test]
fn nothing_but_json_rpc_messages_on_stdout() {
    let mut fotos = Fotos::with(&mut command());
    fotos.failure("take_screenshot", json!({}));
    let goodbye = fotos.client.hang_up();
    assert!(goodbye.rest.is_empty(), "{:?}", goodbye.rest);
}

#[test]
fn diagnostics_go_to_stderr() {
    let said = command().arg("--nonsense").output().expect("it runs");
    assert!(said.stdout.is_empty() && !said.status.success());
    assert!(String::from_utf8_lossy(&said.stderr).contains("--nonsense"));
}

#[test]
fn initialize_handshake() {
    let greeting = greeting();
    assert_eq!(greeting["protocolVersion"], "2025-11-25");
    assert!(greeting["serverInfo"].is_object() && greeting["capabilities"].is_object(), "{greeting}");
}

#[test]
fn name_is_fotos() {
    assert_eq!(greeting()["serverInfo"]["name"], "fotos");
}

#[test]
fn version_is_the_build_version() {
    assert_eq!(greeting()["serverInfo"]["version"], env!("CARGO_PKG_VERSION"));
}

#[test]
fn description_is_advertised() {
    let description = "AI-powered screenshot capture, annotation, and analysis";
    assert_eq!(greeting()["serverInfo"]["description"], description);
}

#[test]
fn tools_resources_and_prompts_capabilities_are_advertised() {
    let capabilities = greeting()["capabilities"].clone();
    for kind in ["tools", "resources", "prompts"] {
        assert!(capabilities[kind].is_object(), "{capabilities}");
    }
    assert_eq!(capabilities["resources"]["subscribe"], true);
}
