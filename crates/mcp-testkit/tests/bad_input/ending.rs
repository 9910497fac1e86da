//! How a process ends: with its input, at a signal, or with its output.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Duration;

use mcp::Version;
use mcp::stdio::Limits;
use mcp_testkit::{Client, Goodbye};
use serde_json::json;

use crate::{command, echo, fixture, in_both_eras, request, stranger, text};

const CALLS: u64 = 20;

/// Starts calls that take a while and waits until all of them are under way.
fn start_calls(client: &mut Client) -> BTreeSet<u64> {
    let ids: Vec<_> = (0..CALLS)
        .map(|_| client.start("tools/call", json!({ "name": "sleep", "arguments": { "ms": 300 } })))
        .collect();
    // Requests are taken in order: once this one is answered, the others have started.
    client.call("echo", json!({ "text": "under way" }));
    ids.iter().filter_map(serde_json::Value::as_u64).collect()
}

fn assert_all_answered(goodbye: &Goodbye, ids: &BTreeSet<u64>) {
    let answered: Vec<u64> = goodbye.rest.iter().filter_map(|answer| answer["id"].as_u64()).collect();
    assert!(goodbye.rest.iter().all(|answer| text(&answer["result"]) == "slept"), "{goodbye:?}");
    assert_eq!((answered.len(), &answered.into_iter().collect()), (ids.len(), ids));
    assert_eq!((goodbye.code, goodbye.stderr.as_str()), (Some(0), ""));
}

#[test]
fn calls_under_way_are_answered_when_the_input_ends() {
    in_both_eras(|_, version| {
        let mut client = fixture(version);
        let ids = start_calls(&mut client);
        assert_all_answered(&client.hang_up(), &ids);
    });
}

#[test]
fn a_process_whose_input_ends_at_once_ends_well_and_says_nothing() {
    let goodbye = stranger().hang_up();
    assert!(goodbye.rest.is_empty());
    assert_eq!((goodbye.code, goodbye.stderr.as_str()), (Some(0), ""));
}

#[test]
fn calls_under_way_are_answered_when_the_process_is_told_to_stop() {
    for signal in ["-TERM", "-INT"] {
        in_both_eras(|_, version| {
            let mut client = fixture(version);
            let ids = start_calls(&mut client);
            kill(signal, client.pid().expect("a process"));
            assert_all_answered(&client.wait(), &ids);
        });
    }
}

#[test]
fn an_idle_process_told_to_stop_ends_well() {
    let mut client = fixture(Version::MODERN);
    client.call("echo", json!({ "text": "ready" }));
    kill("-TERM", client.pid().expect("a process"));
    let goodbye = client.wait();
    assert!(goodbye.rest.is_empty());
    assert_eq!((goodbye.code, goodbye.stderr.as_str()), (Some(0), ""));
}

/// The client is there but does not read: the drain has a bound all the same.
#[test]
fn a_client_that_does_not_read_cannot_keep_a_server_from_ending() {
    let (mut ours, theirs) = UnixStream::pair().expect("a socket pair");
    let reading = theirs.try_clone().expect("a second handle");
    let limits = Limits { drain: Duration::from_millis(10), ..Limits::default() };
    let (ended, end) = channel();
    std::thread::spawn(move || {
        ended.send(mcp::stdio::run_shared(Arc::new(mcp_testkit::fixture::server()), reading, theirs, limits))
    });
    for id in ["1", "2", "3"] {
        let picture = json!({ "name": "picture", "arguments": { "bytes": 8_000_000 } });
        let line = request(Version::MODERN, id, "tools/call", picture);
        ours.write_all(line.as_bytes()).and_then(|()| ours.write_all(b"\n")).expect("the server reads");
    }
    ours.shutdown(Shutdown::Write).expect("the input can be ended");
    end.recv_timeout(Duration::from_secs(60)).expect("the server ends").expect("the server ends well");
    drop(ours);
}

fn kill(signal: &str, pid: u32) {
    let status = Command::new("kill").args([signal, &pid.to_string()]).status().expect("`kill` can be run");
    assert!(status.success());
}

#[test]
fn a_process_nobody_listens_to_ends() {
    for (first, params) in [
        ("an answer at once", echo("anybody?")),
        ("an answer later", json!({ "name": "sleep", "arguments": { "ms": 1 } })),
    ] {
        let mut child = command()
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the fixture starts");
        drop(child.stdout.take());
        let mut input = child.stdin.take().expect("stdin is piped");
        let line = request(Version::MODERN, "1", "tools/call", params);
        input.write_all(line.as_bytes()).and_then(|()| input.write_all(b"\n")).expect("the server reads");
        // The input stays open: it is the output alone that ends the process.
        let (ended, end) = channel();
        std::thread::spawn(move || ended.send(child.wait_with_output()));
        let output = end.recv_timeout(Duration::from_secs(60)).unwrap_or_else(|_| panic!("{first}: runs on"));
        let output = output.expect("the child can be waited for");
        assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]), "{first}");
        drop(input);
    }
}

/// What is under way is answered with an error in the end; these answers are more than a pipe holds, and nobody reads them.
#[test]
fn a_process_told_to_stop_ends_though_its_client_does_not_read() {
    let mut child = command()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the fixture starts");
    let mut input = child.stdin.take().expect("stdin is piped");
    let mut output = BufReader::new(child.stdout.take().expect("stdout is piped"));
    let calls = (0..9_000).map(|number| (format!("\"{number:0>200}\""), json!({ "name": "hold" })));
    for (id, params) in calls.chain([("1".to_owned(), echo("under way"))]) {
        let line = request(Version::MODERN, &id, "tools/call", params);
        input.write_all(line.as_bytes()).and_then(|()| input.write_all(b"\n")).expect("the server reads");
    }
    let mut line = String::new();
    output.read_line(&mut line).expect("the server answers");
    assert!(line.contains("under way"), "{line}");
    kill("-TERM", child.id());
    let (ended, end) = channel();
    std::thread::spawn(move || ended.send(child.wait()));
    let status = end.recv_timeout(Duration::from_secs(60)).expect("the process ends");
    assert_eq!(status.expect("the child can be waited for").code(), Some(0));
    drop((input, output));
}
