//! Starts what was written, the way a client does, and talks to it.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::client::Era;
use crate::entry::Entry;
use crate::place::System;

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
    /// It would not be our program alone. Nothing was started.
    #[error(
        "the entry sets `{variable}`, which loads other code into the program it starts; remove that from the entry"
    )]
    Loads {
        /// The variable.
        variable: String,
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

/// Variables that clients on Windows hand on: without some of them, programs find neither their files nor the network.
const HANDED_ON: [&str; 8] =
    ["APPDATA", "LOCALAPPDATA", "PATH", "PROGRAMDATA", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "TMP"];

/// The environment of an entry that is tried: as little as a client may give it.
fn surroundings(
    system: System,
    home: &Path,
    variable: impl Fn(&str) -> Option<OsString>,
) -> Vec<(&'static str, OsString)> {
    if system != System::Windows {
        return vec![("HOME", home.into()), ("PATH", "/usr/bin:/bin".into())];
    }
    let handed_on = HANDED_ON.into_iter().filter_map(|name| Some((name, variable(name)?)));
    handed_on.chain([("USERPROFILE", home.into())]).collect()
}

/// Starts the entry with nothing in its environment but a home and a search path, and asks for its tools.
pub fn prove(entry: &Entry, era: Era, home: &Path) -> Result<Proof, ProofError> {
    if let Some((variable, _)) = entry.variables.iter().find(|(name, _)| loads(name)) {
        return Err(ProofError::Loads { variable: variable.clone() });
    }
    let start = Instant::now();
    let mut child = Command::new(&entry.command)
        .args(&entry.arguments)
        .env_clear()
        .envs(surroundings(System::this(), home, |name| std::env::var_os(name)))
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

/// Whether a variable has the loader take further code into a program. The file may be of a project that somebody else wrote.
fn loads(variable: &str) -> bool {
    let name = variable.to_ascii_uppercase();
    name.starts_with("LD_")
        || name.starts_with("DYLD_")
        || ["GCONV_PATH", "GLIBC_TUNABLES", "LOCPATH", "OPENSSL_CONF", "OPENSSL_MODULES"]
            .contains(&name.as_str())
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

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::path::Path;

    use super::surroundings;
    use crate::place::System;

    #[test]
    fn an_entry_is_tried_with_little_around_it() {
        let variables = |system| {
            let of_this_person = |name: &str| Some(OsString::from(format!("the {name} of this person")));
            let found = surroundings(system, Path::new("/u"), of_this_person);
            let shown = |(name, value): (&str, OsString)| format!("{name}={}", value.to_string_lossy());
            found.into_iter().map(shown).collect::<Vec<_>>()
        };
        assert_eq!(variables(System::Linux), ["HOME=/u", "PATH=/usr/bin:/bin"]);
        let windows = variables(System::Windows);
        assert!(windows.contains(&"SYSTEMROOT=the SYSTEMROOT of this person".to_owned()), "{windows:?}");
        assert!(windows.contains(&"USERPROFILE=/u".to_owned()), "{windows:?}");
        assert!(!windows.iter().any(|variable| variable.starts_with("HOME=")), "{windows:?}");
    }
}
