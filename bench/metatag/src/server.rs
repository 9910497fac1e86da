//! Our server, in a process of its own.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::Result;
use crate::ways::{DESCRIPTION, LOCATION, PEOPLE, TAGS};

pub(crate) struct Server {
    child: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Server {
    pub(crate) fn start(root: &Path, state: &Path) -> Result<Server> {
        let mut child = Command::new(std::env::current_exe()?)
            .arg("serve")
            .env("DESKMATE_ROOTS", root)
            .env("DESKMATE_HOME", state)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let requests = child.stdin.take().ok_or("no pipe to the server")?;
        let answers = BufReader::new(child.stdout.take().ok_or("no pipe from the server")?);
        Ok(Server { child, requests, answers })
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn ask(&mut self, id: usize, path: &Path) -> Result<()> {
        let params = json!({ "filePath": path, "metadata": metadata() });
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": "writeImageMetadata", "params": params }))
    }

    /// Has the tool for many pictures write all of a folder, and waits until each is written.
    pub(crate) fn batch(&mut self, folder: &Path) -> Result<Value> {
        let params = json!({
            "name": "batchWriteImageMetadata",
            "arguments": { "folder": folder, "metadata": metadata() },
            "_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": { "name": "bench", "version": "1" },
                "io.modelcontextprotocol/clientCapabilities": {},
            },
        });
        self.send(&json!({ "jsonrpc": "2.0", "id": 0, "method": "tools/call", "params": params }))?;
        let answer = self.line()?;
        let summary = &answer["result"]["structuredContent"];
        if summary["success"] != true {
            return Err(format!("the server refused: {answer}").into());
        }
        Ok(summary.clone())
    }

    fn send(&mut self, request: &Value) -> Result<()> {
        Ok(self.requests.write_all(format!("{request}\n").as_bytes())?)
    }

    fn line(&mut self) -> Result<Value> {
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        Ok(serde_json::from_str(&line)?)
    }

    /// Waits for an answer, which must be a success.
    pub(crate) fn answer(&mut self) -> Result<Value> {
        let answer = self.line()?;
        if answer["result"]["success"] != true {
            return Err(format!("the server refused: {answer}").into());
        }
        Ok(answer)
    }
}

fn metadata() -> Value {
    json!({ "tags": TAGS, "people": PEOPLE, "description": DESCRIPTION, "location": LOCATION })
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
