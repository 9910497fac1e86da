//! What clients leave behind at a server that is a process of its own, with the limits it has by default where nothing else is
//! said: `crates/web` tests the same beside the listener.
#![allow(clippy::expect_used)]

mod expiring;
mod server;

use std::io::{BufRead, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::server::{Answer, PATIENCE, Server, Session};

#[test]
fn a_session_has_a_thousand_calls_under_way_and_no_more() {
    let server = Server::start("calls", &[]);
    let [one, other] = [server.open(), server.open()];
    for id in 1..=1_000 {
        one.leave(id, 1);
    }
    let refused = one.call(1_001, "develop", &json!({ "bytes": 1 })).body();
    assert!(refused.contains("Too many requests are under way"), "{refused}");
    other.leave(1, 1);
}

#[test]
fn of_answers_that_nobody_waits_for_64_megabytes_are_kept() {
    const BYTES: usize = 700_000;
    let server = Server::start("answers", &[]);
    let sessions: Vec<Session<'_>> = (0..100).map(|_| server.open()).collect();
    let left: Vec<String> = sessions.iter().map(|session| session.leave(1, BYTES)).collect();
    server.open().call(1, "release", &json!({}));
    for session in &sessions {
        // Its id is in use as long as it is under way.
        let began = Instant::now();
        while session.call(1, "echo", &json!({ "text": "x" })).body().contains("under way") {
            assert!(began.elapsed() < PATIENCE, "it is still under way");
        }
    }
    let answers: Vec<String> =
        sessions.iter().zip(&left).map(|(session, event)| session.resume(event)).collect();
    let kept = answers.iter().filter(|answer| answer.len() > BYTES).count();
    let refused = answers.iter().filter(|answer| answer.contains("call again")).count();
    assert_eq!(kept + refused, sessions.len());
    // Each is a third longer in base64.
    assert!((30..=69).contains(&kept), "{kept} answers of {} bytes were kept", BYTES / 3 * 4);
}

#[test]
fn nothing_is_said_about_a_call_after_its_cancellation() {
    let server = Server::start("cancelling", &[]);
    let session = server.open();
    let mut call = session.call(1, "count", &json!({ "steps": 100_000 }));
    let mut line = String::new();
    while !line.contains("notifications/progress") {
        line.clear();
        call.rest.read_line(&mut line).expect("progress");
    }
    let cancelled =
        json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 1 } });
    assert!(session.post(&cancelled).head.starts_with("HTTP/1.1 202"));
    // To its end, which would come in half an hour.
    let rest = call.body();
    assert!(!rest.contains("\"result\"") && !rest.contains("\"error\""), "{rest}");
}

/// Four times as long as a client may keep the server waiting, and never silent for that long.
#[test]
fn a_body_that_arrives_steadily_is_read_to_its_end() {
    let server = Server::start("steady", &["--patience", "2"]);
    let session = server.open();
    let message = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call",
                          "params": { "name": "echo", "arguments": { "text": "x".repeat(400) } } });
    let body = message.to_string();
    let mut stream = server.connect();
    stream
        .write_all(server.head(&[("Mcp-Session-Id", &session.id)], body.len()).as_bytes())
        .expect("it reads");
    for piece in body.as_bytes().chunks(body.len() / 40) {
        std::thread::sleep(Duration::from_millis(200));
        stream.write_all(piece).expect("it reads");
    }
    let answer = Answer::of(stream);
    assert!(answer.head.starts_with("HTTP/1.1 200"), "{}", answer.head);
    assert!(answer.body().contains("xxx"));
}

#[test]
fn the_same_header_twice_is_a_mismatch() {
    let server = Server::start("headers", &[]);
    let params = json!({ "name": "echo", "arguments": { "text": "x" } });
    assert!(server.modern(&[], "tools/call", &params).head.starts_with("HTTP/1.1 200"));
    for name in ["Mcp-Name", "Mcp-Method", "Mcp-Protocol-Version"] {
        let answer = server.modern(&[(name, "something/else")], "tools/call", &params);
        assert!(answer.head.starts_with("HTTP/1.1 400"), "{name}: {}", answer.head);
    }
}

/// Somebody before us may have gone by the other of two lengths: what it takes for a part of the body must not be served as a
/// request of its own.
#[test]
fn a_request_with_two_lengths_is_the_last_on_its_connection() {
    let server = Server::start("lengths", &[]);
    let params = json!({ "name": "echo", "arguments": { "text": "x" } });
    let request = String::from_utf8(server.modern_bytes(&[], "tools/call", &params)).expect("text");
    let (head, body) = request.split_once("\r\n\r\n").expect("a head");
    let (line, headers) = head.split_once("\r\n").expect("a request line");
    let chunked = "Transfer-Encoding: chunked";
    for head in [format!("{line}\r\n{chunked}\r\n{headers}"), format!("{line}\r\n{headers}\r\n{chunked}")] {
        let mut stream = server.connect();
        let sent = format!("{head}\r\n\r\n{:x}\r\n{body}\r\n0\r\n\r\n{request}", body.len());
        stream.write_all(sent.as_bytes()).expect("it reads");
        let mut said = String::new();
        // What was not read may reset the connection.
        let _ = stream.read_to_string(&mut said);
        assert_eq!(said.matches("HTTP/1.1 ").count(), 1, "{said}");
    }
}

/// A connection that once did not read its answer is idle when it has; the longest idle one makes room.
#[test]
fn a_connection_that_stalled_once_makes_room_like_any_other() {
    const BYTES: usize = 40_000_000;
    let server = Server::start("stalled", &["--connections", "2"]);
    let call = |tool: &str, arguments: Value| {
        server.modern_bytes(&[], "tools/call", &json!({ "name": tool, "arguments": arguments }))
    };
    let (picture, echo) = (call("picture", json!({ "bytes": BYTES })), call("echo", json!({ "text": "x" })));
    // More than the sockets hold: the server waits until it is read.
    let (length, stalled) = ask(server.connect(), &picture);
    assert!(length > BYTES);
    let (_, fresh) = ask(server.connect(), &echo);
    let (_, _newcomer) = ask(server.connect(), &echo);
    let (_, _fresh) = ask(fresh, &echo);
    let mut rest = Vec::new();
    let gone = (&stalled).write_all(&echo).and_then(|()| (&stalled).read_to_end(&mut rest));
    assert!(gone.is_err() || rest.is_empty(), "the one that was idle longest is still served");
}

/// Nor does it stay for ever when it is idle.
#[test]
fn a_connection_that_stalled_once_is_closed_when_it_was_idle_for_long() {
    let server = Server::start("stalled-idle", &["--patience", "2"]);
    let picture = json!({ "name": "picture", "arguments": { "bytes": 40_000_000 } });
    let (_, mut stalled) = ask(server.connect(), &server.modern_bytes(&[], "tools/call", &picture));
    assert_eq!(stalled.read(&mut [0; 1]).expect("an end"), 0);
}

/// Sends a request on a connection that is kept: how long the answer was, and the connection.
fn ask(stream: TcpStream, request: &[u8]) -> (usize, TcpStream) {
    (&stream).write_all(request).expect("it reads");
    let mut answer = Answer::of(stream);
    let length = answer.header("content-length").and_then(|text| text.parse().ok()).expect("a length");
    let mut body = Vec::new();
    answer.rest.by_ref().take(length).read_to_end(&mut body).expect("a body");
    (body.len(), answer.rest.into_inner())
}
