//! `recipe-vault serve` on a real socket, a fake API that records, and just enough HTTP for both.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};

use mcp_testkit::Client;
use serde_json::{Value, json};

use crate::vault::{Database, Vault};

/// The key that opens every family, in these tests.
pub(crate) const KEY: &str = "the-bootstrap-key";

/// `recipe-vault serve` on a free port, until dropped.
pub(crate) struct Api {
    process: Child,
    pub(crate) address: SocketAddr,
    /// The path that lets the person at this machine in.
    pub(crate) home: String,
}

/// The head and body of an answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) code: u16,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (known, value) = line.split_once(": ")?;
            known.eq_ignore_ascii_case(name).then_some(value)
        })
    }
}

impl Api {
    pub(crate) fn start(database: &Database) -> Api {
        Api::start_at(database, "0")
    }

    pub(crate) fn start_at(database: &Database, port: &str) -> Api {
        Api::run(database.command().args(["serve", "--port", port]))
    }

    pub(crate) fn run(command: &mut Command) -> Api {
        let mut process = command.env("API_KEY", KEY).stdout(Stdio::piped()).spawn().expect("the API starts");
        let mut line = String::new();
        let stdout = process.stdout.take().expect("stdout is piped");
        let mut lines = BufReader::new(stdout);
        lines.read_line(&mut line).expect("a line");
        let mut home = String::new();
        lines.read_line(&mut home).expect("a line");
        let home = home.split_whitespace().find_map(|word| word.find("/home/").and_then(|at| word.get(at..)));
        let home = home.unwrap_or_default().to_owned();
        let address =
            line.split("http://").nth(1).and_then(|rest| rest.split('/').next()).expect("an address");
        Api { address: address.parse().expect("an address"), home, process }
    }

    /// The number of the process.
    pub(crate) fn process(&self) -> u32 {
        self.process.id()
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Sends one request on a connection of its own.
    pub(crate) fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        let mut stream = TcpStream::connect(self.address).expect("a connection");
        let mut head = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Length: {}\r\n",
            self.address,
            body.len()
        );
        for part in headers.iter().flat_map(|(name, value)| [*name, ": ", value, "\r\n"]) {
            head.push_str(part);
        }
        stream.write_all(format!("{head}\r\n").as_bytes()).expect("the head is sent");
        stream.write_all(body).expect("the body is sent");
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).expect("an answer");
        let end = answer.windows(4).position(|four| four == b"\r\n\r\n").expect("the end of a head");
        let head = String::from_utf8(answer[..end].to_vec()).expect("text");
        let code = head.split(' ').nth(1).and_then(|code| code.parse().ok()).expect("a status");
        Answer { code, head, body: answer[end + 4..].to_vec() }
    }

    /// With the key that opens every family.
    pub(crate) fn god(&self, method: &str, path: &str, body: &Value) -> Answer {
        self.with(&[("X-API-Key", KEY)], method, path, body)
    }

    pub(crate) fn with(&self, headers: &[(&str, &str)], method: &str, path: &str, body: &Value) -> Answer {
        let headers: Vec<_> = headers.iter().copied().chain([("Content-Type", "application/json")]).collect();
        let body = if body.is_null() { String::new() } else { body.to_string() };
        self.send(method, path, &headers, body.as_bytes())
    }
}

impl Drop for Api {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Creates a recipe; the status, or nothing if the connection broke.
pub(crate) fn create(address: SocketAddr, title: &str) -> Option<u16> {
    let body = json!({ "title": title, "steps": [{ "instruction": "Cook." }] }).to_string();
    let mut stream = TcpStream::connect(address).ok()?;
    let request = format!(
        "POST /api/recipes HTTP/1.1\r\nHost: {address}\r\nX-API-Key: {KEY}\r\nContent-Type: application/json\r\n\
         Connection: close\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    answer.split(' ').nth(1)?.parse().ok()
}

/// Answers every request with an empty list, and remembers the heads.
pub(crate) struct Recorder {
    pub(crate) address: SocketAddr,
    heads: Arc<Mutex<Vec<String>>>,
}

impl Recorder {
    pub(crate) fn start() -> Recorder {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let (address, heads) =
            (listener.local_addr().expect("an address"), Arc::<Mutex<Vec<String>>>::default());
        let kept = Arc::clone(&heads);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(mut stream) = stream else { return };
                let mut head = String::new();
                let mut reader = BufReader::new(stream.try_clone().expect("a socket"));
                while !head.ends_with("\r\n\r\n") && reader.read_line(&mut head).is_ok_and(|read| read > 0) {}
                kept.lock().expect("the list").push(head);
                let _ = stream.write_all(
                    b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n[]",
                );
            }
        });
        Recorder { address, heads }
    }

    /// The heads there were, in lower case.
    pub(crate) fn heads(&self) -> Vec<String> {
        self.heads.lock().expect("the list").iter().map(|head| head.to_lowercase()).collect()
    }
}

/// The MCP server as a client of an API at this address.
pub(crate) fn remote(database: &Database, url: &str, variables: &[(&str, &str)]) -> Vault {
    Vault { client: Client::process(&mut remote_command(database, url, variables)) }
}

pub(crate) fn remote_command(database: &Database, url: &str, variables: &[(&str, &str)]) -> Command {
    let mut command = database.command();
    command.env_remove("DATABASE_URL").env("API_BASE_URL", url);
    command.envs(variables.iter().copied());
    command
}
