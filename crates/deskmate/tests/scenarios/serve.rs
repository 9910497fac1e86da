//! `deskmate serve`, through a real socket.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use crate::binary::deskmate;

/// A server that runs until dropped.
struct Serving {
    process: Child,
    address: SocketAddr,
}

impl Serving {
    fn start(arguments: &[&str]) -> Serving {
        let mut process = Command::new(env!("CARGO_BIN_EXE_deskmate"))
            .args(["serve", "--port", "0"])
            .args(arguments)
            .env_remove("DESKMATE_TOKEN")
            .stdout(Stdio::piped())
            .spawn()
            .expect("deskmate starts");
        let mut line = String::new();
        let stdout = process.stdout.take().expect("stdout is piped");
        BufReader::new(stdout).read_line(&mut line).expect("a line");
        let address =
            line.split("http://").nth(1).and_then(|rest| rest.split('/').next()).expect("an address");
        Serving { address: address.parse().expect("an address"), process }
    }

    /// Sends one request and returns the status line's code, the head and the body.
    fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> (u16, String, String) {
        let mut stream = TcpStream::connect(self.address).expect("a connection");
        let mut request =
            format!("{method} {path} HTTP/1.1\r\nConnection: close\r\nContent-Length: {}\r\n", body.len());
        if !headers.iter().any(|(name, _)| *name == "Host") {
            request += &format!("Host: {}\r\n", self.address);
        }
        for (name, value) in headers {
            request += &format!("{name}: {value}\r\n");
        }
        write!(stream, "{request}\r\n{body}").expect("the request is sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        let (head, body) = answer.split_once("\r\n\r\n").expect("a head and a body");
        let code = head.split(' ').nth(1).and_then(|code| code.parse().ok()).expect("a status");
        (code, head.to_ascii_lowercase(), body.to_owned())
    }

    fn post(&self, path: &str, headers: &[(&str, &str)], message: &Value) -> (u16, String, Value) {
        let mut all =
            vec![("Content-Type", "application/json"), ("Accept", "application/json, text/event-stream")];
        all.extend_from_slice(headers);
        let (code, head, body) = self.send("POST", path, &all, &message.to_string());
        (code, head, serde_json::from_str(&body).unwrap_or_default())
    }

    fn stop(mut self) -> i32 {
        let pid = self.process.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &pid]).status().expect("kill").success());
        self.process.wait().expect("an end").code().expect("an exit code")
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

const MODERN: &str = "2026-07-28";

fn discover() -> Value {
    json!({ "jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": { "_meta": {
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": {},
    } } })
}

const MODERN_HEADERS: [(&str, &str); 2] =
    [("MCP-Protocol-Version", MODERN), ("Mcp-Method", "server/discover")];

#[test]
fn every_server_has_an_endpoint_and_all_of_them_have_one_together() {
    let serving = Serving::start(&[]);
    for (path, name) in [("/mcp", "deskmate"), ("/mcp/info/mcp", "info")] {
        let (code, _, answer) = serving.post(path, &MODERN_HEADERS, &discover());
        assert_eq!(code, 200, "{path}: {answer}");
        assert_eq!(answer["result"]["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], name);
    }
    assert_eq!(serving.stop(), 0);
}

#[test]
fn a_session_is_opened_used_and_ended() {
    let serving = Serving::start(&["--only", "info", "--read-only"]);
    let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize",
                        "params": { "protocolVersion": "2024-11-05", "capabilities": {} } });
    let (code, head, answer) = serving.post("/mcp/info/mcp", &[], &hello);
    assert_eq!((code, &answer["result"]["protocolVersion"]), (200, &json!("2024-11-05")));
    let id =
        head.lines().find_map(|line| line.strip_prefix("mcp-session-id: ")).expect("a session").to_owned();
    let call =
        json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": { "name": "deskmate_info" } });
    let (code, _, answer) = serving.post("/mcp/info/mcp", &[("Mcp-Session-Id", &id)], &call);
    assert_eq!(code, 200, "{answer}");
    assert!(
        answer["result"]["content"][0]["text"].as_str().is_some_and(|text| text.contains("Deskmate")),
        "{answer}"
    );
    assert_eq!(serving.send("DELETE", "/mcp/info/mcp", &[("Mcp-Session-Id", &id)], "").0, 200);
    assert_eq!(serving.post("/mcp/info/mcp", &[("Mcp-Session-Id", &id)], &call).0, 404);
}

#[test]
fn the_first_page_tells_a_person_how_to_connect() {
    let serving = Serving::start(&[]);
    let (code, head, page) = serving.send("GET", "/", &[], "");
    assert_eq!(code, 200);
    assert!(head.contains("content-security-policy: default-src 'none'"), "{head}");
    assert!(page.contains(&format!("http://{}/mcp/info/mcp", serving.address)), "{page}");
    assert_eq!(serving.send("GET", "/nothing", &[], "").0, 404);
}

#[test]
fn strangers_are_refused() {
    let serving = Serving::start(&[]);
    assert_eq!(serving.send("GET", "/", &[("Host", "evil.example.com")], "").0, 403);
    assert_eq!(serving.send("GET", "/", &[("Origin", "http://evil.example.com")], "").0, 403);
    let (code, _, answer) = serving.post("/mcp", &[("Origin", "http://evil.example.com")], &discover());
    assert_eq!((code, answer), (403, Value::Null));
}

#[test]
fn a_token_once_given_is_required() {
    let serving = Serving::start(&["--token", "s3cret"]);
    let (code, head, _) = serving.post("/mcp", &MODERN_HEADERS, &discover());
    assert_eq!(code, 401);
    assert!(head.contains("www-authenticate: bearer"), "{head}");
    let with: Vec<_> = MODERN_HEADERS.into_iter().chain([("Authorization", "Bearer s3cret")]).collect();
    assert_eq!(serving.post("/mcp", &with, &discover()).0, 200);
}

#[test]
fn other_machines_are_not_served_without_a_token() {
    let message = deskmate(&["serve", "--host", "0.0.0.0", "--port", "0"]).complained(2);
    assert!(message.contains("a token is needed") && message.contains("--token"), "{message}");
}

#[test]
fn a_port_in_use_is_said_with_what_to_do() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("an address").port().to_string();
    let message = deskmate(&["serve", "--port", &port]).complained(1);
    assert!(message.contains(&port) && message.contains("in use") && message.contains("--port"), "{message}");
}
