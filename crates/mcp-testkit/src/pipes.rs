//! Ways to reach a server: in this process, or as a child.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;

use mcp::Service;
use mcp::stdio::Limits;

/// The two ends of a connection, and what runs at the other side.
pub(crate) struct Pipes {
    /// `None` once hung up.
    pub(crate) to: Option<Box<dyn Write + Send>>,
    /// Every line the server writes; ends when it closes its side.
    pub(crate) from: Receiver<String>,
    pub(crate) peer: Peer,
}

pub(crate) enum Peer {
    Thread(JoinHandle<std::io::Result<()>>),
    Process(Box<Child>, JoinHandle<String>),
}

impl Pipes {
    pub(crate) fn memory(service: Arc<dyn Service>, limits: Limits) -> Pipes {
        let (reading, to) = std::io::pipe().expect("a pipe");
        let (from, writing) = std::io::pipe().expect("a pipe");
        let thread = std::thread::spawn(move || mcp::stdio::run_shared(service, reading, writing, limits));
        Pipes { to: Some(Box::new(to)), from: lines(from), peer: Peer::Thread(thread) }
    }

    pub(crate) fn process(command: &mut Command) -> Pipes {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("cannot start {command:?}: {error}"));
        let to = child.stdin.take().expect("stdin is piped");
        let from = lines(child.stdout.take().expect("stdout is piped"));
        let mut stderr = child.stderr.take().expect("stderr is piped");
        let errors = std::thread::spawn(move || {
            let mut text = String::new();
            let _ = stderr.read_to_string(&mut text);
            text
        });
        Pipes { to: Some(Box::new(to)), from, peer: Peer::Process(Box::new(child), errors) }
    }
}

fn lines(from: impl Read + Send + 'static) -> Receiver<String> {
    let (found, lines) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(from).lines() {
            let Ok(line) = line else { return };
            if found.send(line).is_err() {
                return;
            }
        }
    });
    lines
}
