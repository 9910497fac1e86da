//! Our server, in a process of its own.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::Result;
use crate::vaults::Bench;

pub(crate) struct Server {
    child: Child,
    requests: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Server {
    pub(crate) fn start(bench: &Bench) -> Result<Server> {
        Server::run(Command::new(std::env::current_exe()?).arg("serve"), bench.vault.folder(), |command| {
            command.env("AUTHY_KEYFILE", &bench.keyfile)
        })
    }

    /// One that has a passphrase instead of a keyfile.
    pub(crate) fn with_passphrase(vault: &Path, passphrase: &str) -> Result<Server> {
        Server::run(Command::new(std::env::current_exe()?).arg("serve"), vault, |command| {
            command.env("AUTHY_PASSPHRASE", passphrase)
        })
    }

    /// One whose waits for the disk are written down.
    pub(crate) fn traced(bench: &Bench, log: &Path) -> Result<Server> {
        let server = std::env::current_exe()?;
        let arguments: [&OsStr; 8] = [
            "-f".as_ref(),
            "-qq".as_ref(),
            "-e".as_ref(),
            "trace=fsync,fdatasync,sync_file_range,msync".as_ref(),
            "-o".as_ref(),
            log.as_ref(),
            server.as_ref(),
            "serve".as_ref(),
        ];
        Server::run(Command::new("strace").args(arguments), bench.vault.folder(), |command| {
            command.env("AUTHY_KEYFILE", &bench.keyfile)
        })
        .map_err(|error| format!("strace does not start: {error}; install it").into())
    }

    fn run(
        command: &mut Command,
        vault: &Path,
        credential: impl FnOnce(&mut Command) -> &mut Command,
    ) -> Result<Server> {
        let command = command.env("AUTHY_HOME", vault).env("AUTHY_ANCHOR", vault).env_remove("AUTHY_TOKEN");
        let mut child = credential(command).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let requests = child.stdin.take();
        let answers = BufReader::new(child.stdout.take().ok_or("no pipe from the server")?);
        Ok(Server { child, requests, answers })
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn greet(&mut self) -> Result<()> {
        let params = json!({
            "protocolVersion": "2024-11-05",
            "capabilities": {},
            "clientInfo": { "name": "bench", "version": "1" },
        });
        let answer = self.ask("initialize", &params)?;
        if answer["result"]["serverInfo"]["name"] == "authy" { Ok(()) } else { Err("another server".into()) }
    }

    /// The text a tool answers with.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Result<String> {
        let answer = self.ask("tools/call", &json!({ "name": tool, "arguments": arguments }))?;
        let result = &answer["result"];
        match result["content"][0]["text"].as_str() {
            Some(text) if result["isError"] != true => Ok(text.to_owned()),
            _ => Err(format!("{tool} failed: {answer}").into()),
        }
    }

    fn ask(&mut self, method: &str, params: &Value) -> Result<Value> {
        let request = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let pipe = self.requests.as_mut().ok_or("no pipe to the server")?;
        pipe.write_all(format!("{request}\n").as_bytes())?;
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        Ok(serde_json::from_str(&line)?)
    }

    /// Ends it as a client does, and waits until it has.
    pub(crate) fn end(mut self) -> Result<()> {
        drop(self.requests.take());
        self.child.wait()?;
        Ok(())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
