//! A server behind two endpoints, its own and that of all servers, is one server.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use crate::http::{Serving, initialize};

const TOGETHER: &str = "/mcp";
const ALONE: &str = "/mcp/fotos/mcp";

/// An X server without a screen, until dropped.
struct Display {
    process: Child,
    name: String,
}

impl Display {
    fn start() -> Display {
        let mut process = Command::new("Xvfb")
            .args(["-displayfd", "1", "-screen", "0", "64x48x24", "-nolisten", "tcp", "-noreset"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("Xvfb starts; `./dev test packages` installs it");
        let mut line = String::new();
        let stdout = process.stdout.take().expect("stdout is piped");
        BufReader::new(stdout).read_line(&mut line).expect("Xvfb says its number");
        Display { process, name: format!(":{}", line.trim()) }
    }

    fn serving(&self) -> Serving {
        let variables = [("DISPLAY", self.name.as_str()), ("FOTOS_CAPTURE", "auto"), ("FOTOS_NOTIFY", "off")];
        let nothing = ["WAYLAND_DISPLAY", "XDG_SESSION_TYPE", "DBUS_SESSION_BUS_ADDRESS", "FOTOS_EXCLUDE"];
        let all = variables.into_iter().chain(nothing.map(|name| (name, "")));
        let all: Vec<(&str, &Path)> = all.map(|(name, value)| (name, Path::new(value))).collect();
        Serving::with(&[], &all)
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A session at one of the endpoints.
struct Session<'a> {
    serving: &'a Serving,
    path: &'static str,
    id: String,
}

impl Session<'_> {
    fn open<'a>(serving: &'a Serving, path: &'static str) -> Session<'a> {
        let answer = serving.post(path, &[], &initialize());
        let id = answer.header("mcp-session-id").expect("a session").to_owned();
        let session = Session { serving, path, id };
        session.post(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        session
    }

    fn post(&self, message: &Value) -> String {
        self.serving.post(self.path, &[("Mcp-Session-Id", &self.id)], message).body
    }

    /// Takes a picture of the screen; its id.
    fn take(&self) -> String {
        let call = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call",
                           "params": { "name": "take_screenshot", "arguments": { "mode": "fullscreen" } } });
        let answer = self.post(&call);
        let id = answer.split("screenshot_id\\\":").nth(1).and_then(|rest| rest.split("\\\"").nth(1));
        id.unwrap_or_else(|| panic!("no screenshot: {answer}")).to_owned()
    }

    /// What the list of screenshots says.
    fn recent(&self) -> String {
        self.post(&json!({ "jsonrpc": "2.0", "id": 3, "method": "resources/read",
                           "params": { "uri": "screenshots://recent" } }))
    }

    /// What the server tells by itself, from now on.
    fn listen(&self) -> BufReader<TcpStream> {
        let headers = [("Accept", "text/event-stream"), ("Mcp-Session-Id", self.id.as_str())];
        let mut stream = self.serving.connect();
        let request = self.serving.request("GET", self.path, &headers, "");
        stream.write_all(request.as_bytes()).expect("the request is sent");
        let mut reader = BufReader::new(stream);
        let mut line = String::new();
        while line != "\r\n" {
            line.clear();
            assert_ne!(reader.read_line(&mut line).expect("a header"), 0, "the stream ended");
        }
        reader
    }
}

/// Reads up to the news that there is another list of resources. What keeps the stream alive comes when nothing else does, so
/// after a few of those nothing will.
fn hear_of_the_list(stream: &mut BufReader<TcpStream>, path: &str) {
    let (mut line, mut comments) = (String::new(), 0);
    while !line.contains("notifications/resources/list_changed") {
        line.clear();
        assert_ne!(stream.read_line(&mut line).expect("a line"), 0, "{path}: the stream ended");
        comments += u32::from(line.starts_with(':'));
        assert!(comments < 3, "{path} tells nothing");
    }
}

#[test]
fn a_screenshot_taken_at_one_endpoint_is_there_at_the_other() {
    let display = Display::start();
    let serving = display.serving();
    let (together, alone) = (Session::open(&serving, TOGETHER), Session::open(&serving, ALONE));
    for (taker, other) in [(&together, &alone), (&alone, &together)] {
        let id = taker.take();
        let recent = other.recent();
        assert!(recent.contains(&id), "{id}, taken at {}, is not at {}: {recent}", taker.path, other.path);
    }
}

#[test]
fn a_change_at_one_endpoint_is_told_at_both() {
    let display = Display::start();
    let serving = display.serving();
    let (together, alone) = (Session::open(&serving, TOGETHER), Session::open(&serving, ALONE));
    let (mut first, mut second) = (together.listen(), alone.listen());
    for taker in [&together, &alone] {
        taker.take();
        hear_of_the_list(&mut first, TOGETHER);
        hear_of_the_list(&mut second, ALONE);
    }
}
