//! The programs that are installed beside this one: each is one server by itself.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// The lean program of a server.
#[derive(Debug)]
pub struct Lean {
    /// The server in it.
    pub server: &'static str,
    /// What it is called.
    pub program: &'static str,
    /// What makes it serve MCP on stdin and stdout, with all tools.
    pub arguments: &'static [&'static str],
}

/// One for each server but `info`, which is about Deskmate itself.
pub const ALL: &[Lean] = &[
    Lean { server: fotos::NAME, program: "fotos-mcp", arguments: &[] },
    Lean { server: "MetaTagGenie", program: "metatag-genie", arguments: &[] },
    Lean { server: "authy", program: "authy", arguments: &["serve", "--mcp"] },
    Lean { server: vision::NAME, program: "vision-mcp", arguments: &[] },
    Lean { server: "recipe-vault", program: "recipe-vault", arguments: &[] },
];

/// Each answers within milliseconds.
const PATIENCE: Duration = Duration::from_secs(5);

impl Lean {
    /// Where it is, if it lies beside this program.
    pub fn path_beside(&self, program: &Path) -> PathBuf {
        program.with_file_name(format!("{}{}", self.program, std::env::consts::EXE_SUFFIX))
    }

    /// Where it is, if it lies beside this program and is of the same release.
    pub fn beside(&self, program: &Path) -> Option<PathBuf> {
        let path = self.path_beside(program);
        (version(&path)? == env!("CARGO_PKG_VERSION")).then_some(path)
    }
}

/// What a program says its version is; nothing where there is no such program.
pub fn version(program: &Path) -> Option<String> {
    if !program.is_file() {
        return None;
    }
    let mut child = Command::new(program)
        .arg("--version")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let mut stdout = child.stdout.take()?;
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut said = Vec::new();
        let _ = stdout.by_ref().take(4_096).read_to_end(&mut said);
        let _ = sender.send(said);
    });
    let said = receiver.recv_timeout(PATIENCE).unwrap_or_default();
    let _ = child.kill();
    let _ = child.wait();
    let said = String::from_utf8_lossy(&said).into_owned();
    Some(said.split_whitespace().nth(1).unwrap_or("of an unknown version").to_owned())
}
