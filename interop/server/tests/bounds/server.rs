//! The fixture over HTTP as a process of its own, and a client that writes its requests by hand.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// Long enough for a loaded machine; only a hang gets there.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// The fixture over HTTP, until dropped.
pub(crate) struct Server {
    process: Child,
    port: u16,
    port_file: PathBuf,
}

impl Server {
    pub(crate) fn start(name: &str, options: &[&str]) -> Server {
        let port_file =
            PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
        let process = Command::new(env!("CARGO_BIN_EXE_interop-server"))
            .args(["http", "--port-file"])
            .arg(&port_file)
            .args(options)
            .spawn()
            .expect("it starts");
        let mut server = Server { process, port: 0, port_file };
        let began = Instant::now();
        while server.port == 0 {
            let said = std::fs::read_to_string(&server.port_file).unwrap_or_default();
            server.port = said.trim().parse().unwrap_or(0);
            assert!(began.elapsed() < PATIENCE, "it does not listen");
        }
        server
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)).expect("a connection");
        stream.set_read_timeout(Some(PATIENCE)).expect("a limit");
        stream
    }

    /// The head of a POST.
    pub(crate) fn head(&self, headers: &[(&str, &str)], length: usize) -> String {
        let more: Vec<String> = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let more = more.concat();
        format!(
            "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAccept: application/json, text/event-stream\r\n\
             Content-Type: application/json\r\nContent-Length: {length}\r\n{more}\r\n",
            self.port
        )
    }

    /// Sends a message on a connection of its own, which ends with the answer.
    fn send(&self, headers: &[(&str, &str)], message: &Value) -> Answer {
        let body = message.to_string();
        let mut stream = self.connect();
        let head = self.head(&[headers, &[("Connection", "close")]].concat(), body.len());
        stream.write_all(format!("{head}{body}").as_bytes()).expect("it reads");
        Answer::of(stream)
    }

    /// Opens a session of 2025-11-25.
    pub(crate) fn open(&self) -> Session<'_> {
        let params = json!({ "protocolVersion": "2025-11-25", "capabilities": { "elicitation": {} },
                             "clientInfo": { "name": "raw", "version": "1" } });
        let message = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params });
        let id = self.send(&[], &message).header("mcp-session-id").expect("a session");
        Session { server: self, id }
    }

    /// A request of 2026-07-28 as it is sent, with these headers besides those it needs.
    pub(crate) fn modern_bytes(&self, headers: &[(&str, &str)], method: &str, params: &Value) -> Vec<u8> {
        let mut params = params.clone();
        let name = ["name", "taskId"].iter().find_map(|key| params[key].as_str().map(str::to_owned));
        params["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("2026-07-28");
        params["_meta"]["io.modelcontextprotocol/clientCapabilities"] =
            json!({ "elicitation": {}, "extensions": { "io.modelcontextprotocol/tasks": {} } });
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }).to_string();
        let mut all = vec![("Mcp-Protocol-Version", "2026-07-28"), ("Mcp-Method", method)];
        all.extend(name.as_deref().map(|name| ("Mcp-Name", name)));
        all.extend(headers);
        format!("{}{body}", self.head(&all, body.len())).into_bytes()
    }

    /// Sends a request of 2026-07-28 on a connection of its own, which ends with the answer.
    pub(crate) fn modern(&self, headers: &[(&str, &str)], method: &str, params: &Value) -> Answer {
        let mut stream = self.connect();
        let request = self.modern_bytes(&[headers, &[("Connection", "close")]].concat(), method, params);
        stream.write_all(&request).expect("it reads");
        Answer::of(stream)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        let _ = std::fs::remove_file(&self.port_file);
    }
}

pub(crate) struct Session<'a> {
    server: &'a Server,
    pub(crate) id: String,
}

impl Session<'_> {
    /// A call whose progress is wanted.
    pub(crate) fn call(&self, id: usize, tool: &str, arguments: &Value) -> Answer {
        let params = json!({ "name": tool, "arguments": arguments, "_meta": { "progressToken": id } });
        self.post(&json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params }))
    }

    pub(crate) fn post(&self, message: &Value) -> Answer {
        self.server.send(&[("Mcp-Session-Id", &self.id)], message)
    }

    /// Sends a call without waiting for anything.
    pub(crate) fn start(&self, id: usize, tool: &str, arguments: &Value) -> TcpStream {
        let params = json!({ "name": tool, "arguments": arguments });
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params });
        let body = message.to_string();
        let mut stream = self.server.connect();
        let head = self.server.head(&[("Mcp-Session-Id", &self.id)], body.len());
        stream.write_all(format!("{head}{body}").as_bytes()).expect("it reads");
        stream
    }

    /// Starts a call that waits until `release` is called. Nobody stays connected; the event to go on from.
    pub(crate) fn leave(&self, id: usize, bytes: usize) -> String {
        let left = self.call(id, "develop", &json!({ "bytes": bytes })).body();
        let last = left.lines().filter_map(|line| line.strip_prefix("id: ")).next_back();
        last.unwrap_or_else(|| panic!("call {id}: {left}")).to_owned()
    }

    /// What comes for a client that goes on after this event.
    pub(crate) fn resume(&self, event: &str) -> String {
        let mut stream = self.server.connect();
        let head = format!(
            "GET /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\nConnection: close\r\n\
             Mcp-Session-Id: {}\r\nLast-Event-ID: {event}\r\n\r\n",
            self.id
        );
        stream.write_all(head.as_bytes()).expect("it reads");
        Answer::of(stream).body()
    }
}

/// A response whose head was read.
pub(crate) struct Answer {
    pub(crate) head: String,
    pub(crate) rest: BufReader<TcpStream>,
}

impl Answer {
    pub(crate) fn of(stream: TcpStream) -> Answer {
        let mut rest = BufReader::new(stream);
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert!(rest.read_line(&mut head).expect("a head") > 0, "it hung up: {head}");
        }
        Answer { head, rest }
    }

    pub(crate) fn header(&self, name: &str) -> Option<String> {
        let values = self.head.lines().filter_map(|line| line.split_once(": "));
        values
            .into_iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.to_owned())
    }

    /// Everything that follows, to the end of the connection.
    pub(crate) fn body(mut self) -> String {
        let mut body = String::new();
        self.rest.read_to_string(&mut body).expect("an end");
        body
    }
}
