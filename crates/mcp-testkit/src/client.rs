//! A client for tests: sends what it is told, checks that what comes back is well-formed.

use std::collections::VecDeque;
use std::io::Write;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use mcp::stdio::Limits;
use mcp::{Service, Version};
use serde_json::{Value, json};

use crate::memory::Memory;
use crate::pipes::{Peer, Pipes};

/// Long enough for a loaded machine; only a hang gets there.
const PATIENCE: Duration = Duration::from_secs(60);

/// One connection to a server.
pub struct Client {
    pipes: Pipes,
    version: Option<Version>,
    capabilities: Value,
    next_id: u64,
    /// What came while something else was waited for.
    aside: VecDeque<Value>,
}

/// How a connection ended.
#[derive(Debug)]
pub struct Goodbye {
    /// What was still to be read.
    pub rest: Vec<Value>,
    /// The exit code of a process; `None` when a signal killed it, 0 for a server in this process.
    pub code: Option<i32>,
    /// What a process wrote to stderr.
    pub stderr: String,
}

impl Client {
    /// Connects to a service in this process. Nothing is sent yet.
    pub fn memory(service: impl Service) -> Client {
        Client::shared(Arc::new(service), Limits::default())
    }

    /// Connects to a service that is shared, with limits of your own.
    pub fn shared(service: Arc<dyn Service>, limits: Limits) -> Client {
        Client::over(Pipes::memory(service, limits))
    }

    /// Starts a process and connects to it. Nothing is sent yet.
    pub fn process(command: &mut Command) -> Client {
        Client::over(Pipes::process(command))
    }

    fn over(pipes: Pipes) -> Client {
        Client { pipes, version: None, capabilities: json!({}), next_id: 1, aside: VecDeque::new() }
    }

    /// Says what this client can do, from the next handshake or modern request on.
    #[must_use]
    pub fn capable(mut self, capabilities: Value) -> Client {
        self.capabilities = capabilities;
        self
    }

    /// Speaks `version` from now on: shakes hands where the revision has a handshake.
    #[must_use]
    pub fn speaking(mut self, version: Version) -> Client {
        if version.is_modern() {
            self.version = Some(version);
            return self;
        }
        // A handshake carries no version of its own, whatever was spoken before.
        self.version = None;
        let capabilities = self.capabilities.clone();
        let answer = self.request(
            "initialize",
            json!({
                "protocolVersion": version.as_str(),
                "capabilities": capabilities,
                "clientInfo": { "name": "testkit", "version": "1" },
            }),
        );
        assert_eq!(answer["result"]["protocolVersion"], version.as_str(), "{answer}");
        self.notify("notifications/initialized", json!({}));
        self.version = Some(version);
        self
    }

    /// The server's input, for what is not sent line by line.
    pub fn input(&mut self) -> &mut (dyn Write + Send) {
        self.pipes.to.as_mut().expect("hung up already")
    }

    /// Sends bytes as they are, and a newline.
    pub fn send_bytes(&mut self, line: &[u8]) {
        let to = self.input();
        to.write_all(line)
            .and_then(|()| to.write_all(b"\n"))
            .and_then(|()| to.flush())
            .expect("the server reads");
    }

    /// Sends a line of text.
    pub fn send(&mut self, line: &str) {
        self.send_bytes(line.as_bytes());
    }

    /// Sends a message.
    pub fn send_json(&mut self, message: &Value) {
        self.send(&message.to_string());
    }

    /// The next message, whatever it is.
    pub fn receive(&mut self) -> Value {
        self.aside.pop_front().unwrap_or_else(|| self.read_wire())
    }

    /// The next line as it was written; nothing may have been kept for later.
    pub fn receive_text(&mut self) -> String {
        assert!(self.aside.is_empty(), "not the next line: {:?} came before", self.aside);
        self.pipes.from.recv_timeout(PATIENCE).expect("the server answers")
    }

    fn read_wire(&self) -> Value {
        let line = self.pipes.from.recv_timeout(PATIENCE).expect("the server answers");
        let message: Value =
            serde_json::from_str(&line).unwrap_or_else(|error| panic!("not JSON ({error}): {line}"));
        for message in message.as_array().unwrap_or(&vec![message.clone()]) {
            assert_eq!(message["jsonrpc"], "2.0", "not JSON-RPC: {line}");
        }
        message
    }

    /// The next message that `wanted` accepts; others are kept for later.
    pub fn receive_where(&mut self, mut wanted: impl FnMut(&Value) -> bool) -> Value {
        if let Some(at) = self.aside.iter().position(&mut wanted) {
            return self.aside.remove(at).expect("just found");
        }
        loop {
            let message = self.read_wire();
            if wanted(&message) {
                return message;
            }
            self.aside.push_back(message);
        }
    }

    /// The response to the request with this id.
    pub fn response(&mut self, id: &Value) -> Value {
        self.receive_where(|message| message.get("method").is_none() && message.get("id") == Some(id))
    }

    /// The next notification of this method.
    pub fn notification(&mut self, method: &str) -> Value {
        self.receive_where(|message| message["method"] == method)
    }

    /// Sends a request without waiting, and returns its id.
    pub fn start(&mut self, method: &str, params: Value) -> Value {
        let id = json!(self.next_id);
        self.next_id += 1;
        let params = self.with_meta(params);
        self.send_json(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    /// Sends a request and waits for its response, whole.
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.start(method, params);
        self.response(&id)
    }

    /// Sends a notification.
    pub fn notify(&mut self, method: &str, params: Value) {
        self.send_json(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Calls a tool; the result, or a panic when there is an error instead.
    pub fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.result("tools/call", json!({ "name": tool, "arguments": arguments }))
    }

    /// The result of a request, or a panic when there is an error instead.
    pub fn result(&mut self, method: &str, params: Value) -> Value {
        let mut answer = self.request(method, params);
        assert!(answer.get("error").is_none(), "{method} failed: {answer}");
        answer["result"].take()
    }

    /// The error of a request, or a panic when there is a result instead.
    pub fn error(&mut self, method: &str, params: Value) -> Value {
        let mut answer = self.request(method, params);
        assert!(answer.get("result").is_none(), "{method} did not fail: {answer}");
        answer["error"].take()
    }

    /// What every request of the modern era carries.
    fn with_meta(&self, mut params: Value) -> Value {
        if self.version.is_some_and(Version::is_modern) {
            let meta = &mut params["_meta"];
            meta["io.modelcontextprotocol/protocolVersion"] = json!(Version::MODERN.as_str());
            meta["io.modelcontextprotocol/clientInfo"] = json!({ "name": "testkit", "version": "1" });
            meta["io.modelcontextprotocol/clientCapabilities"] = self.capabilities.clone();
        }
        params
    }

    /// The process id of a server that is a process.
    pub fn pid(&self) -> Option<u32> {
        match &self.pipes.peer {
            Peer::Process(child, _) => Some(child.id()),
            Peer::Thread(_) => None,
        }
    }

    /// The memory of a server that is a process.
    pub fn memory_use(&self) -> Memory {
        Memory::of(self.pid().expect("the server is a process"))
    }

    /// Closes the server's input and waits for it to end.
    pub fn hang_up(mut self) -> Goodbye {
        drop(self.pipes.to.take());
        self.wait()
    }

    /// Waits for the server to end by itself; its input stays open.
    pub fn wait(mut self) -> Goodbye {
        let mut rest: Vec<Value> = self.aside.drain(..).collect();
        while let Ok(line) = self.pipes.from.recv_timeout(PATIENCE) {
            rest.push(
                serde_json::from_str(&line).unwrap_or_else(|error| panic!("not JSON ({error}): {line}")),
            );
        }
        match self.pipes.peer {
            Peer::Thread(thread) => {
                let ended = thread.join().expect("the server does not panic");
                ended.expect("the server ends well");
                Goodbye { rest, code: Some(0), stderr: String::new() }
            }
            Peer::Process(mut child, errors) => {
                let status = child.wait().expect("the child can be waited for");
                let stderr = errors.join().expect("stderr is read");
                Goodbye { rest, code: status.code(), stderr }
            }
        }
    }
}
