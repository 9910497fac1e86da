//! What clients leave behind at a server that is a process of its own, with the limits it has by default: `crates/web` tests
//! the same with limits of its own, beside the listener.
#![allow(clippy::expect_used)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// Long enough for a loaded machine; only a hang gets there.
const PATIENCE: Duration = Duration::from_secs(120);

/// The fixture over HTTP, until dropped.
struct Server {
    process: Child,
    port: u16,
    port_file: PathBuf,
}

impl Server {
    fn start(name: &str, options: &[&str]) -> Server {
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

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)).expect("a connection");
        stream.set_read_timeout(Some(PATIENCE)).expect("a limit");
        stream
    }

    /// The head of a POST.
    fn head(&self, session: Option<&str>, length: usize) -> String {
        let session = session.map(|id| format!("Mcp-Session-Id: {id}\r\n")).unwrap_or_default();
        format!(
            "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAccept: application/json, text/event-stream\r\n\
             Content-Type: application/json\r\nContent-Length: {length}\r\nConnection: close\r\n{session}\r\n",
            self.port
        )
    }

    fn send(&self, session: Option<&str>, message: &Value) -> Answer {
        let body = message.to_string();
        let mut stream = self.connect();
        let request = format!("{}{body}", self.head(session, body.len()));
        stream.write_all(request.as_bytes()).expect("it reads");
        Answer::of(stream)
    }

    fn open(&self) -> Session<'_> {
        let params = json!({ "protocolVersion": "2025-11-25", "capabilities": {},
                             "clientInfo": { "name": "raw", "version": "1" } });
        let message = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params });
        let id = self.send(None, &message).header("mcp-session-id").expect("a session");
        Session { server: self, id }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        let _ = std::fs::remove_file(&self.port_file);
    }
}

struct Session<'a> {
    server: &'a Server,
    id: String,
}

impl Session<'_> {
    /// A call whose progress is wanted.
    fn call(&self, id: usize, tool: &str, arguments: &Value) -> Answer {
        let params = json!({ "name": tool, "arguments": arguments, "_meta": { "progressToken": id } });
        self.post(&json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params }))
    }

    fn post(&self, message: &Value) -> Answer {
        self.server.send(Some(&self.id), message)
    }

    /// Starts a call that waits until `release` is called. Nobody stays connected; the event to go on from.
    fn leave(&self, id: usize, bytes: usize) -> String {
        let left = self.call(id, "develop", &json!({ "bytes": bytes })).body();
        let last = left.lines().filter_map(|line| line.strip_prefix("id: ")).next_back();
        last.unwrap_or_else(|| panic!("call {id}: {left}")).to_owned()
    }

    /// What comes for a client that goes on after this event.
    fn resume(&self, event: &str) -> String {
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
struct Answer {
    head: String,
    rest: BufReader<TcpStream>,
}

impl Answer {
    fn of(stream: TcpStream) -> Answer {
        let mut rest = BufReader::new(stream);
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert!(rest.read_line(&mut head).expect("a head") > 0, "it hung up: {head}");
        }
        Answer { head, rest }
    }

    fn header(&self, name: &str) -> Option<String> {
        let values = self.head.lines().filter_map(|line| line.split_once(": "));
        values
            .into_iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.to_owned())
    }

    /// Everything that follows, to the end of the connection.
    fn body(mut self) -> String {
        let mut body = String::new();
        self.rest.read_to_string(&mut body).expect("an end");
        body
    }
}

#[test]
fn a_session_has_a_thousand_calls_under_way_and_no_more() {
    let server = Server::start("calls", &[]);
    let [one, other] = [server.open(), server.open()];
    for id in 1..=1_000 {
        one.leave(id, 1);
    }
    let refused = one.call(1_001, "develop", &json!({ "bytes": 1 })).body();
    assert!(refused.contains("Too many requests are under way"), "{refused}");
    other.leave(1, 1);
}

#[test]
fn of_answers_that_nobody_waits_for_64_megabytes_are_kept() {
    const BYTES: usize = 700_000;
    let server = Server::start("answers", &[]);
    let sessions: Vec<Session<'_>> = (0..100).map(|_| server.open()).collect();
    let left: Vec<String> = sessions.iter().map(|session| session.leave(1, BYTES)).collect();
    server.open().call(1, "release", &json!({}));
    for session in &sessions {
        // Its id is in use as long as it is under way.
        let began = Instant::now();
        while session.call(1, "echo", &json!({ "text": "x" })).body().contains("under way") {
            assert!(began.elapsed() < PATIENCE, "it is still under way");
        }
    }
    let answers: Vec<String> =
        sessions.iter().zip(&left).map(|(session, event)| session.resume(event)).collect();
    let kept = answers.iter().filter(|answer| answer.len() > BYTES).count();
    let refused = answers.iter().filter(|answer| answer.contains("call again")).count();
    assert_eq!(kept + refused, sessions.len());
    // Each is a third longer in base64.
    assert!((30..=69).contains(&kept), "{kept} answers of {} bytes were kept", BYTES / 3 * 4);
}

#[test]
fn nothing_is_said_about_a_call_after_its_cancellation() {
    let server = Server::start("cancelling", &[]);
    let session = server.open();
    let mut call = session.call(1, "count", &json!({ "steps": 100_000 }));
    let mut line = String::new();
    while !line.contains("notifications/progress") {
        line.clear();
        call.rest.read_line(&mut line).expect("progress");
    }
    let cancelled =
        json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 1 } });
    assert!(session.post(&cancelled).head.starts_with("HTTP/1.1 202"));
    // To its end, which would come in half an hour.
    let rest = call.body();
    assert!(!rest.contains("\"result\"") && !rest.contains("\"error\""), "{rest}");
}

/// Four times as long as a client may keep the server waiting, and never silent for that long.
#[test]
fn a_body_that_arrives_steadily_is_read_to_its_end() {
    let server = Server::start("steady", &["--patience", "2"]);
    let session = server.open();
    let message = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call",
                          "params": { "name": "echo", "arguments": { "text": "x".repeat(400) } } });
    let body = message.to_string();
    let mut stream = server.connect();
    stream.write_all(server.head(Some(&session.id), body.len()).as_bytes()).expect("it reads");
    for piece in body.as_bytes().chunks(body.len() / 40) {
        std::thread::sleep(Duration::from_millis(200));
        stream.write_all(piece).expect("it reads");
    }
    let answer = Answer::of(stream);
    assert!(answer.head.starts_with("HTTP/1.1 200"), "{}", answer.head);
    assert!(answer.body().contains("xxx"));
}
