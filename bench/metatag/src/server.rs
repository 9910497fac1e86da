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
    pub(crate) fn start(root: &Path) -> Result<Server> {
        let mut child = Command::new(std::env::current_exe()?)
            .arg("serve")
            .env("DESKMATE_ROOTS", root)
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
        let metadata =
            json!({ "tags": TAGS, "people": PEOPLE, "description": DESCRIPTION, "location": LOCATION });
        let params = json!({ "filePath": path, "metadata": metadata });
        let request = json!({ "jsonrpc": "2.0", "id": id, "method": "writeImageMetadata", "params": params });
        Ok(self.requests.write_all(format!("{request}\n").as_bytes())?)
    }

    /// Waits for an answer, which must be a success.
    pub(crate) fn answer(&mut self) -> Result<Value> {
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        let answer: Value = serde_json::from_str(&line)?;
        if answer["result"]["success"] != true {
            return Err(format!("the server refused: {line}").into());
        }
        Ok(answer)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
