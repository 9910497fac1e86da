//! Requests as clients of each era write them.

use std::net::SocketAddr;

use mcp::Version;
use serde_json::{Value, json};

use crate::host::Host;
use crate::raw::{Request, Response};

/// A request of 2026-07-28 from a client that can do nothing in particular.
pub(crate) fn modern(id: impl Into<Value>, method: &str, params: Value) -> Request {
    capable_modern(json!({}), id, method, params)
}

/// Like [`modern`], from a client with these capabilities.
pub(crate) fn capable_modern(
    capabilities: Value,
    id: impl Into<Value>,
    method: &str,
    mut params: Value,
) -> Request {
    let name = ["name", "uri", "taskId"].iter().find_map(|key| params[key].as_str().map(str::to_owned));
    let meta = &mut params["_meta"];
    meta["io.modelcontextprotocol/protocolVersion"] = json!("2026-07-28");
    meta["io.modelcontextprotocol/clientCapabilities"] = capabilities;
    let request = Request::post(message(id, method, params))
        .header("mcp-protocol-version", "2026-07-28")
        .header("mcp-method", method);
    match name {
        Some(name) => request.header("mcp-name", &name),
        None => request,
    }
}

pub(crate) fn modern_call(id: impl Into<Value>, tool: &str, arguments: Value) -> Request {
    modern(id, "tools/call", json!({ "name": tool, "arguments": arguments }))
}

/// A request as it stands in the body.
pub(crate) fn message(id: impl Into<Value>, method: &str, params: Value) -> String {
    json!({ "jsonrpc": "2.0", "id": id.into(), "method": method, "params": params }).to_string()
}

pub(crate) fn notification(method: &str, params: Value) -> String {
    json!({ "jsonrpc": "2.0", "method": method, "params": params }).to_string()
}

pub(crate) fn initialize(version: Version, capabilities: Value) -> Request {
    let client = json!({ "name": "raw", "version": "1" });
    let params = json!({
        "protocolVersion": version.as_str(),
        "capabilities": capabilities,
        "clientInfo": client,
    });
    Request::post(message(0, "initialize", params))
}

/// A client that has shaken hands.
pub(crate) struct Session {
    pub(crate) door: SocketAddr,
    pub(crate) id: String,
    version: Version,
}

impl Session {
    pub(crate) fn open(host: &Host, version: Version) -> Session {
        Session::capable(host, version, json!({}))
    }

    pub(crate) fn capable(host: &Host, version: Version, capabilities: Value) -> Session {
        let mut response = initialize(version, capabilities).send(host.door);
        assert_eq!(response.status, 200);
        assert_eq!(response.json()["result"]["protocolVersion"], version.as_str());
        let id = response.header("mcp-session-id").expect("a session").to_owned();
        Session { door: host.door, id, version }
    }

    /// Makes a request one of this session.
    pub(crate) fn own(&self, request: Request) -> Request {
        request.header("mcp-session-id", &self.id).header("mcp-protocol-version", self.version.as_str())
    }

    pub(crate) fn request(&self, id: impl Into<Value>, method: &str, params: Value) -> Request {
        self.own(Request::post(message(id, method, params)))
    }

    pub(crate) fn call(&self, id: impl Into<Value>, tool: &str, arguments: Value) -> Request {
        self.request(id, "tools/call", json!({ "name": tool, "arguments": arguments }))
    }

    pub(crate) fn post(&self, body: impl Into<Vec<u8>>) -> Response {
        self.own(Request::post(body)).send(self.door)
    }

    /// Whether the server still knows it.
    pub(crate) fn is_known(&self) -> bool {
        let response = self.request(999, "ping", json!({})).send(self.door);
        assert!([200, 404].contains(&response.status), "{}", response.status);
        response.status == 200
    }
}

pub(crate) fn text(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text in {answer}"))
}
