//! The servers over HTTP. No token is sent: this process is the same user's, and the server finds that out.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use mcp::Version;
use serde_json::{Value, json};

use crate::running::Person;

/// A server that listens; killed when dropped.
struct Serving {
    child: Child,
    address: String,
}

impl Serving {
    fn start(command: &mut Command) -> Serving {
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().expect("it starts");
        let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines();
        let address = loop {
            let line = lines.next().expect("it says where it listens").expect("text");
            if let Some((_, rest)) = line.split_once("http://") {
                break rest.split(['/', ' ']).next().expect("an address").to_owned();
            }
        };
        // What else it says is read by nobody, and there is little of it.
        Serving { child, address }
    }

    fn ask(&self, request: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.address).expect("a connection");
        stream.write_all(request.as_bytes()).expect("sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        let status = answer.split(' ').nth(1).and_then(|code| code.parse().ok()).expect("a status");
        let body = answer.split_once("\r\n\r\n").map(|(_, body)| body.to_owned()).unwrap_or_default();
        (status, body)
    }

    fn get(&self, path: &str) -> (u16, String) {
        self.ask(&format!("GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", self.address))
    }

    fn post(&self, path: &str, message: &Value) -> (u16, String) {
        let (body, method) = (message.to_string(), message["method"].as_str().expect("a method"));
        let version = Version::MODERN.as_str();
        self.ask(&format!(
            "POST {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: {version}\r\nMcp-Method: {method}\r\n\
             Content-Length: {}\r\n\r\n{body}",
            self.address,
            body.len()
        ))
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn every_server_converses_over_http() {
    let person = Person::new();
    let deskmate = Serving::start(&mut person.command("deskmate", &["serve", "--port", "0", "--all"]));
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": Version::MODERN.as_str(),
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
    });
    let list = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": { "_meta": meta } });
    for server in ["", "/fotos", "/MetaTagGenie", "/authy", "/zai-mcp-server", "/recipe-vault"] {
        let path = if server.is_empty() { "/mcp".to_owned() } else { format!("/mcp{server}/mcp") };
        let (status, body) = deskmate.post(&path, &list);
        assert_eq!(status, 200, "{server}: {body}");
        assert!(body.contains("\"inputSchema\""), "{server}: {body}");
    }
    assert_eq!(deskmate.get("/").0, 200);
}

#[test]
fn the_cookbook_is_served_over_http() {
    let person = Person::new();
    let cookbook = Serving::start(&mut person.command("recipe-vault", &["serve", "--port", "0"]));
    // Whoever did not come by the link that it printed is sent to where they sign in.
    let (status, body) = cookbook.get("/");
    assert_eq!(status, 303, "{body}");
    // The API wants a key from everybody.
    let (status, body) = cookbook.get("/api/recipes");
    assert_eq!(status, 401, "{body}");
}
