//! The Fotos application without its window: the example `host` of the crate `fotos`, which a test steers as the person would.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use mcp::Version;
use mcp_testkit::{Client, Folder, program};
use serde_json::{Value, json};

use crate::display::Display;
use crate::fotos::{Fotos, command};

/// Both eras, by the newest revision of each.
pub(crate) const ERAS: [Version; 2] = [Version::MODERN, Version::NEWEST_LEGACY];

/// A person's session: where the socket is, and where files are kept.
pub(crate) struct Session {
    pub(crate) folder: Folder,
}

impl Session {
    pub(crate) fn new() -> Session {
        Session { folder: Folder::new() }
    }

    pub(crate) fn runtime(&self) -> PathBuf {
        self.folder.path("run")
    }

    pub(crate) fn socket_folder(&self) -> PathBuf {
        self.runtime().join("app/io.github.charly.fotos")
    }

    pub(crate) fn socket(&self) -> PathBuf {
        self.socket_folder().join("fotos.sock")
    }

    /// Where the application keeps its files.
    pub(crate) fn home(&self) -> PathBuf {
        self.folder.path("home/fotos")
    }

    /// `fotos-mcp` in this session. It has no display: what it captures, the application captures.
    pub(crate) fn fotos_command(&self) -> Command {
        let mut command = command();
        command.env("XDG_RUNTIME_DIR", self.runtime()).env("DESKMATE_HOME", self.folder.path("home"));
        command
    }

    pub(crate) fn fotos(&self, era: Version) -> Fotos {
        Fotos { client: Client::process(&mut self.fotos_command()).speaking(era) }
    }

    /// One that needs the application.
    pub(crate) fn bridged(&self, era: Version) -> Fotos {
        let mut command = self.fotos_command();
        Fotos { client: Client::process(command.args(["--mode", "bridge"])).speaking(era) }
    }

    /// The application, still to be started.
    pub(crate) fn application_command(&self, display: &Display) -> Command {
        std::fs::create_dir_all(self.runtime()).expect("a folder");
        let mut like = self.fotos_command();
        like.env("DISPLAY", &display.name);
        let mut command = Command::new(program("examples/host"));
        for (name, value) in like.get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        command
    }

    pub(crate) fn application(&self, display: &Display) -> Application {
        Application::start(&mut self.application_command(display))
    }
}

pub(crate) struct Application {
    child: Child,
    orders: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Application {
    #[track_caller]
    pub(crate) fn start(command: &mut Command) -> Application {
        Application::try_start(command)
            .unwrap_or_else(|said| panic!("the application does not start: {said}"))
    }

    /// What it says when it does not start.
    pub(crate) fn try_start(command: &mut Command) -> Result<Application, String> {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("cannot start {command:?}: {error}"));
        let orders = child.stdin.take();
        let mut answers = BufReader::new(child.stdout.take().expect("piped"));
        let mut line = String::new();
        answers.read_line(&mut line).expect("stdout");
        if line.trim() == "ready" {
            return Ok(Application { child, orders, answers });
        }
        let mut said = String::new();
        child.stderr.take().expect("piped").read_to_string(&mut said).expect("stderr");
        child.wait().expect("it ended");
        Err(said)
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// What becomes of something the person does.
    #[track_caller]
    pub(crate) fn order(&mut self, order: Value) -> Value {
        let answer = self.try_order(order);
        assert!(answer.get("error").is_none(), "{answer}");
        answer
    }

    #[track_caller]
    pub(crate) fn try_order(&mut self, order: Value) -> Value {
        let orders = self.orders.as_mut().expect("open");
        writeln!(orders, "{order}").expect("it reads");
        let mut line = String::new();
        self.answers.read_line(&mut line).expect("it answers");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{order}: {error}: {line}"))
    }

    /// The names of its screenshots, the newest first.
    pub(crate) fn ids(&mut self) -> Vec<String> {
        let shots = self.order(json!("shots"));
        let shots = shots.as_array().expect("a list");
        shots.iter().map(|shot| shot["screenshot_id"].as_str().expect("an id").to_owned()).collect()
    }

    /// What agents did, the newest first: the tool and what became of it.
    pub(crate) fn activity(&mut self) -> Vec<(String, String)> {
        let calls = self.order(json!("activity"));
        let calls = calls.as_array().expect("a list");
        let text = |value: &Value| value.as_str().expect("text").to_owned();
        calls.iter().map(|call| (text(&call["tool"]), text(&call["outcome"]))).collect()
    }

    /// Ends it as the person does.
    pub(crate) fn close(mut self) {
        drop(self.orders.take());
        assert!(self.child.wait().expect("it ends").success());
    }

    /// Ends it as a crash does.
    pub(crate) fn kill(mut self) {
        self.child.kill().expect("killed");
        self.child.wait().expect("it ended");
    }
}

impl Drop for Application {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
