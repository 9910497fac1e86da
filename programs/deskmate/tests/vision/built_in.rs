//! Built-in server: as one of Deskmate's.

use serde_json::{Value, json};

use crate::binary;
use crate::http::{JSON, Serving};

#[test]
fn standard_mcp_over_http() {
    let serving = Serving::start(&["--only", "zai-mcp-server"]);
    let message = |method: &str| {
        json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": { "_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {},
    } } })
    };
    for method in ["server/discover", "tools/list"] {
        let headers = [("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", method)];
        let answer = serving.post("/mcp/zai-mcp-server/mcp", &headers, &message(method));
        assert_eq!((answer.code, &answer.json()["id"]), (200, &json!(7)), "{answer:?}");
    }
    let old = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize",
                      "params": { "protocolVersion": "2025-06-18", "capabilities": {} } });
    let answer = serving.post("/mcp/zai-mcp-server/mcp", &[], &old);
    assert_eq!(answer.json()["result"]["protocolVersion"], "2025-06-18");
}

#[test]
fn served_at_mcp_zai_mcp_server_mcp() {
    let serving = Serving::start(&[]);
    let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize",
                        "params": { "protocolVersion": "2024-11-05", "capabilities": {} } });
    let answer = serving.post("/mcp/zai-mcp-server/mcp", &[], &hello);
    assert_eq!(
        (answer.code, &answer.json()["result"]["serverInfo"]["name"]),
        (200, &json!("zai-mcp-server"))
    );
    let elsewhere = serving.send("POST", "/mcp/zai-mcp-server", &JSON, &Value::Null.to_string());
    assert_eq!(elsewhere.code, 404);
}

#[test]
fn it_is_one_of_the_servers_of_deskmate() {
    let listed = binary::deskmate(&["tools", "zai-mcp-server"]).said();
    assert!(listed.contains("analyze_image"), "{listed}");
}
