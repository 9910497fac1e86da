//! Starts what was written, the way a client does, and talks to it.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::client::Era;
use crate::entry::Entry;

/// Longer than a client waits.
const PATIENCE: Duration = Duration::from_secs(20);

/// More than any answer has.
const MOST_BYTES: u64 = 16 << 20;

/// What the server said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proof {
    /// What it calls itself.
    pub server: String,
    /// The revision that was agreed on.
    pub revision: String,
    /// How many tools it offers.
    pub tools: usize,
    /// From the start to the list of tools.
    pub took: Duration,
}

/// Why the client would have no success.
#[derive(Debug, thiserror::Error)]
pub enum ProofError {
    /// It is not there, or cannot be run.
    #[error("cannot start `{command}`: {source}")]
    Start {
        /// What was started.
        command: String,
        /// What the operating system said.
        source: std::io::Error,
    },
    /// It ended, or said nothing for too long.
    #[error("`{command}` did not answer `{method}`{}", said(.stderr))]
    Silent {
        /// What was started.
        command: String,
        /// What it was asked.
        method: &'static str,
        /// What it complained about.
        stderr: String,
    },
    /// It answered something else.
    #[error("`{command}` answered `{method}` with: {answer}")]
    Refused {
        /// What was started.
        command: String,
        /// What it was asked.
        method: &'static str,
        /// What it said.
        answer: String,
    },
}

fn said(stderr: &str) -> String {
    let line = stderr.lines().next().unwrap_or_default().trim();
    if line.is_empty() { String::new() } else { format!("; it said: {line}") }
}

/// Starts the entry with nothing in its environment but a home and a search path, and asks for its tools.
pub fn prove(entry: &Entry, era: Era, home: &std::path::Path) -> Result<Proof, ProofError> {
    let start = Instant::now();
    let mut child = Command::new(&entry.command)
        .args(&entry.arguments)
        .env_clear()
        .env("HOME", home)
        .env("PATH", "/usr/bin:/bin")
        .envs(entry.variables.iter().map(|(name, value)| (name, value)))
        .current_dir(PathBuf::from("/"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|source| ProofError::Start { command: entry.command.clone(), source })?;
    let proof = converse(&mut child, entry, era, start);
    // The end of its input ends it; if not, we do.
    let _ = child.kill();
    let _ = child.wait();
    proof
}

fn converse(child: &mut Child, entry: &Entry, era: Era, start: Instant) -> Result<Proof, ProofError> {
    let mut talk =
        Talk { entry, lines: lines(child), input: child.stdin.take(), stderr: drain(child), start };
    let client = json!({ "name": "deskmate-connect", "version": env!("CARGO_PKG_VERSION") });
    let (hello, meta) = match era {
        Era::Legacy(revision) => {
            let params = json!({ "protocolVersion": revision, "capabilities": {}, "clientInfo": client });
            let hello = talk.ask(1, "initialize", &params)?;
            talk.tell(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
            (hello, None)
        }
        Era::Modern(revision) => {
            let meta = json!({
                "io.modelcontextprotocol/protocolVersion": revision,
                "io.modelcontextprotocol/clientInfo": client,
                "io.modelcontextprotocol/clientCapabilities": {},
            });
            (talk.ask(1, "server/discover", &json!({ "_meta": meta }))?, Some((revision, meta)))
        }
    };
    let name = |value: &Value| value["name"].as_str().map(str::to_owned);
    let server = name(&hello["serverInfo"])
        .or_else(|| name(&hello["_meta"]["io.modelcontextprotocol/serverInfo"]))
        .unwrap_or_default();
    let revision = match &meta {
        Some((revision, _)) => (*revision).to_owned(),
        None => hello["protocolVersion"].as_str().unwrap_or_default().to_owned(),
    };
    let mut tools = 0;
    let mut cursor: Option<String> = None;
    // As many pages as there are tools at most.
    for page in 2..1_000 {
        let mut params = json!({});
        if let Some((_, meta)) = &meta {
            params["_meta"] = meta.clone();
        }
        if let Some(cursor) = &cursor {
            params["cursor"] = json!(cursor);
        }
        let list = talk.ask(page, "tools/list", &params)?;
        tools += list["tools"].as_array().map_or(0, Vec::len);
        cursor = list["nextCursor"].as_str().map(str::to_owned);
        if cursor.is_none() {
            break;
        }
    }
    Ok(Proof { server, revision, tools, took: start.elapsed() })
}

/// A conversation on its pipes.
struct Talk<'e> {
    entry: &'e Entry,
    lines: Receiver<String>,
    input: Option<std::process::ChildStdin>,
    stderr: Receiver<String>,
    start: Instant,
}

impl Talk<'_> {
    fn tell(&mut self, message: &Value) {
        if let Some(input) = &mut self.input {
            // If it is gone, its silence will tell.
            let _ = input.write_all(format!("{message}\n").as_bytes()).and_then(|()| input.flush());
        }
    }

    fn ask(&mut self, id: u64, method: &'static str, params: &Value) -> Result<Value, ProofError> {
        self.tell(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        let command = self.entry.command.clone();
        loop {
            let left = PATIENCE.saturating_sub(self.start.elapsed());
            let Ok(line) = self.lines.recv_timeout(left) else {
                let stderr = self.stderr.recv_timeout(Duration::from_secs(1)).unwrap_or_default();
                return Err(ProofError::Silent { command, method, stderr });
            };
            let message: Value = match serde_json::from_str(&line) {
                Ok(message) => message,
                Err(_) => return Err(ProofError::Refused { command, method, answer: short(&line) }),
            };
            if message["id"] != json!(id) {
                continue;
            }
            return match message.get("result") {
                Some(result) => Ok(result.clone()),
                None => {
                    Err(ProofError::Refused { command, method, answer: short(&message["error"].to_string()) })
                }
            };
        }
    }
}

fn short(text: &str) -> String {
    text.chars().take(200).collect()
}

/// What it says, line by line; ends with it.
fn lines(child: &mut Child) -> Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    if let Some(output) = child.stdout.take() {
        thread::spawn(move || {
            for line in BufReader::new(output.take(MOST_BYTES)).lines() {
                let Ok(line) = line else { break };
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
    }
    receiver
}

/// What it complains about, whole, once it ends.
fn drain(child: &mut Child) -> Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    if let Some(output) = child.stderr.take() {
        thread::spawn(move || {
            let mut said = Vec::new();
            let _ = output.take(MOST_BYTES).read_to_end(&mut said);
            let _ = sender.send(String::from_utf8_lossy(&said).into_owned());
        });
    }
    receiver
}
