//! A server on a real socket, and just enough HTTP to talk to it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use crate::binary::command;

/// `deskmate serve`, or something like it, on a free port until dropped.
pub(crate) struct Serving {
    process: Child,
    pub(crate) address: SocketAddr,
    /// The path of the cookbook that lets the person at this machine in, where one is served.
    #[allow(dead_code, reason = "for the tests of the cookbook, which are another binary")]
    pub(crate) home: String,
}

/// The head and body of an answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) code: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_default()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (known, value) = line.split_once(": ")?;
            known.eq_ignore_ascii_case(name).then_some(value)
        })
    }
}

impl Serving {
    pub(crate) fn start(arguments: &[&str]) -> Serving {
        Serving::with(arguments, &[])
    }

    /// With further variables in its environment.
    pub(crate) fn with(arguments: &[&str], variables: &[(&str, &Path)]) -> Serving {
        let mut command = command(&["serve", "--port", "0"]);
        Serving::run(command.args(arguments).envs(variables.iter().copied()).env_remove("DESKMATE_TOKEN"))
    }

    /// What this command serves, as soon as it says where.
    pub(crate) fn run(command: &mut Command) -> Serving {
        let mut process = command.stdout(Stdio::piped()).spawn().expect("it starts");
        let mut line = String::new();
        let stdout = process.stdout.take().expect("stdout is piped");
        let mut lines = BufReader::new(stdout);
        lines.read_line(&mut line).expect("a line");
        let mut said = line.clone();
        if line.contains("Ctrl-C") {
            // `recipe-vault` has one line more.
            lines.read_line(&mut said).expect("a line");
        }
        while !said.contains("Ctrl-C") {
            assert!(lines.read_line(&mut said).expect("a line") > 0, "it ended: {said}");
        }
        let home = home_path(&said);
        let address =
            line.split("http://").nth(1).and_then(|rest| rest.split('/').next()).expect("an address");
        Serving { address: address.parse().expect("an address"), home, process }
    }

    /// Like [`run`](Serving::run), with everything it says until it says how to end it.
    pub(crate) fn announced(command: &mut Command) -> (Serving, String) {
        let mut process = command.stdout(Stdio::piped()).spawn().expect("it starts");
        let mut stdout = BufReader::new(process.stdout.take().expect("stdout is piped"));
        let mut said = String::new();
        while !said.contains("Ctrl-C") {
            assert!(stdout.read_line(&mut said).expect("a line") > 0, "it ended: {said}");
        }
        let address =
            said.split("http://").nth(1).and_then(|rest| rest.split('/').next()).expect("an address");
        let home = home_path(&said);
        (Serving { address: address.parse().expect("an address"), home, process }, said)
    }

    /// How many bytes it has read from files so far.
    pub(crate) fn bytes_read(&self) -> u64 {
        let io = std::fs::read_to_string(format!("/proc/{}/io", self.process.id())).expect("it runs");
        let line = io.lines().find_map(|line| line.strip_prefix("rchar: ")).expect("a count");
        line.trim().parse().expect("a number")
    }

    pub(crate) fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).expect("a connection")
    }

    /// The bytes of a request; `Host` is ours unless given.
    pub(crate) fn request(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> String {
        let (length, host) = (body.len().to_string(), self.address.to_string());
        let mut all = vec![("Content-Length", length.as_str())];
        if !headers.iter().any(|(name, _)| *name == "Host") {
            all.push(("Host", &host));
        }
        all.extend_from_slice(headers);
        let head: String = all.iter().flat_map(|(name, value)| [name, ": ", value, "\r\n"]).collect();
        format!("{method} {path} HTTP/1.1\r\n{head}\r\n{body}")
    }

    /// Sends one request on a connection of its own.
    pub(crate) fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let headers: Vec<_> = headers.iter().copied().chain([("Connection", "close")]).collect();
        let mut stream = self.connect();
        stream.write_all(self.request(method, path, &headers, body).as_bytes()).expect("the request is sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        let (head, body) = answer.split_once("\r\n\r\n").expect("a head and a body");
        let code = head.split(' ').nth(1).and_then(|code| code.parse().ok()).expect("a status");
        Answer { code, head: head.to_owned(), body: body.to_owned() }
    }

    pub(crate) fn post(&self, path: &str, headers: &[(&str, &str)], message: &Value) -> Answer {
        let headers: Vec<_> = JSON.iter().chain(headers).copied().collect();
        self.send("POST", path, &headers, &message.to_string())
    }

    /// The most memory it ever held, in bytes.
    pub(crate) fn peak_memory(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.process.id())).expect("it runs");
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a peak");
        line.trim().trim_end_matches(" kB").parse::<u64>().expect("a number") * 1024
    }

    /// Tells it to stop, and waits for it; the exit code.
    pub(crate) fn stop(mut self) -> i32 {
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

/// What a command starts with that another user is to run: `nobody`, reached from root directly and from anybody else
/// through sudo.
pub(crate) fn as_nobody() -> &'static [&'static str] {
    let id = |words: &[&str]| Command::new(words[0]).args(&words[1..]).output().expect("the command starts");
    let us = id(&["id", "-u"]);
    let nobody: &[&str] = if us.stdout == b"0\n" {
        &["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    } else {
        &["sudo", "-n", "-u", "nobody"]
    };
    let who = id(&[nobody, &["id", "-u"]].concat());
    assert!(who.status.success(), "this test needs root, or sudo without a password, to become another user");
    assert_ne!(who.stdout, us.stdout);
    nobody
}

/// What every POST carries.
pub(crate) const JSON: [(&str, &str); 2] =
    [("Content-Type", "application/json"), ("Accept", "application/json, text/event-stream")];

/// What a modern `server/discover` carries besides.
pub(crate) const DISCOVER: [(&str, &str); 2] =
    [("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", "server/discover")];

pub(crate) fn discover() -> Value {
    json!({ "jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": { "_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    } } })
}

pub(crate) fn initialize() -> Value {
    json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize",
            "params": { "protocolVersion": "2025-11-25", "capabilities": {} } })
}

/// The path of the link for the person at this machine, if one is announced.
fn home_path(said: &str) -> String {
    let link = said.split_whitespace().find(|word| word.contains("/home/"));
    link.and_then(|link| link.splitn(4, '/').nth(3)).map(|path| format!("/{path}")).unwrap_or_default()
}
