//! The Streamable HTTP surface: sessions, their stream, and their end.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;

use mcp_testkit::Folder;
use models_stub::Stub;
use serde_json::{Value, json};

use crate::http::Serving;
use crate::png;

pub(crate) const PATH: &str = "/mcp/zai-mcp-server/mcp";

/// `deskmate serve` with a stub for a provider and a folder that may be used, and a session on it.
pub(crate) struct Session {
    pub(crate) serving: Serving,
    pub(crate) id: String,
    pub(crate) folder: Folder,
    pub(crate) stub: Stub,
}

impl Session {
    pub(crate) fn start() -> Session {
        let (folder, stub) = (Folder::new(), Stub::start().expect("a stub"));
        let variables = stub.variables();
        let mut paths: Vec<(&str, &Path)> =
            variables.iter().map(|(name, value)| (*name, Path::new(value.as_str()))).collect();
        paths.push(("DESKMATE_ROOTS", folder.as_path()));
        let serving = Serving::with(&[], &paths);
        let answer = serving.post(PATH, &[], &hello());
        let id = answer.header("mcp-session-id").expect("a session").to_owned();
        Session { serving, id, folder, stub }
    }

    pub(crate) fn post(&self, message: &Value) -> crate::http::Answer {
        self.serving.post(PATH, &[("Mcp-Session-Id", &self.id)], message)
    }
}

pub(crate) fn hello() -> Value {
    json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize",
            "params": { "protocolVersion": "2024-11-05", "capabilities": {} } })
}

fn list() -> Value {
    json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list" })
}

#[test]
fn post_initialize() {
    let session = Session::start();
    let answer = session.serving.post(PATH, &[], &hello());
    assert_eq!((answer.code, &answer.json()["result"]["protocolVersion"]), (200, &json!("2024-11-05")));
    let id = answer.header("mcp-session-id").expect("a session");
    assert!(!id.is_empty() && id != session.id);
}

#[test]
fn post_tools_list() {
    let answer = Session::start().post(&list());
    assert_eq!((answer.code, answer.json()["result"]["tools"].as_array().map(Vec::len)), (200, Some(8)));
}

#[test]
fn post_tools_call() {
    let session = Session::start();
    let source = session.folder.file("a.png", &png());
    let answer = session.post(&json!({ "jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {
        "name": "analyze_image", "arguments": { "image_source": source, "prompt": "Describe this image" } } }));
    assert_eq!(answer.code, 200, "{answer:?}");
    assert_eq!(answer.json()["result"]["content"][0]["text"], "The stub looked at it.");
    assert_eq!(session.stub.seen().len(), 1);
}

/// The status and type of the answer to a GET, and a reader of what follows.
fn get(session: &Session, id: &str) -> (String, String, BufReader<std::net::TcpStream>) {
    let headers = [("Accept", "text/event-stream"), ("Mcp-Session-Id", id)];
    let mut stream = session.serving.connect();
    stream.write_all(session.serving.request("GET", PATH, &headers, "").as_bytes()).expect("sent");
    let mut reader = BufReader::new(stream);
    let mut status = String::new();
    reader.read_line(&mut status).expect("a status");
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") && reader.read_line(&mut head).expect("a header") > 2 {}
    (status, head.to_ascii_lowercase(), reader)
}

#[test]
fn get_opens_an_sse_stream_for_an_existing_session() {
    let session = Session::start();
    let (status, head, _) = get(&session, &session.id);
    assert!(status.contains("200") && head.contains("text/event-stream"), "{status} {head}");
}

#[test]
fn the_sse_stream_is_kept_alive() {
    let session = Session::start();
    let (_, _, mut reader) = get(&session, &session.id);
    // A comment, which clients skip, comes when nothing else does.
    let mut line = String::new();
    while !line.starts_with(':') {
        line.clear();
        assert_ne!(reader.read_line(&mut line).expect("a line"), 0, "the stream ended");
    }
    assert_eq!(session.post(&list()).code, 200);
}

#[test]
fn get_without_an_existing_session_is_refused() {
    let session = Session::start();
    let (status, _, _) = get(&session, "nothing");
    assert!(status.contains("404"), "{status}");
    let answer = session.serving.send("GET", PATH, &[("Accept", "text/event-stream")], "");
    assert!((400..500).contains(&answer.code), "{answer:?}");
}

#[test]
fn delete_terminates_a_session() {
    let session = Session::start();
    let answer = session.serving.send("DELETE", PATH, &[("Mcp-Session-Id", &session.id)], "");
    assert!((200..300).contains(&answer.code), "{answer:?}");
}

#[test]
fn a_terminated_session_is_refused() {
    let session = Session::start();
    session.serving.send("DELETE", PATH, &[("Mcp-Session-Id", &session.id)], "");
    assert_eq!(session.post(&list()).code, 404);
}

#[test]
fn over_http_no_file_may_be_read_unless_its_folder_was_named() {
    let (folder, stub) = (Folder::new(), Stub::start().expect("a stub"));
    let variables = stub.variables();
    let mut paths: Vec<(&str, &Path)> =
        variables.iter().map(|(name, value)| (*name, Path::new(value.as_str()))).collect();
    paths.extend([("HOME", folder.as_path()), ("DESKMATE_ROOTS", Path::new(""))]);
    let serving = Serving::with(&[], &paths);
    let id = serving.post(PATH, &[], &hello()).header("mcp-session-id").expect("a session").to_owned();
    let source = folder.file("a.png", &png());
    let call = json!({ "jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {
        "name": "analyze_image", "arguments": { "image_source": source, "prompt": "?" } } });
    let answer = serving.post(PATH, &[("Mcp-Session-Id", &id)], &call).json();
    assert_eq!(answer["result"]["isError"], true);
    assert!(
        answer["result"]["content"][0]["text"].as_str().is_some_and(|text| text.contains("DESKMATE_ROOTS"))
    );
    assert!(stub.seen().is_empty());
}
