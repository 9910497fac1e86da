//! Slow and greedy clients: memory stays bounded, and nobody else notices.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::http::{DISCOVER, JSON, Serving, as_nobody, discover, initialize};

/// What a server that is attacked in all these ways may hold at its worst.
const BOUND: u64 = 100 * 1024 * 1024;

/// The call of a client that behaves; it must never fail.
fn well_behaved(serving: &Serving, when: &str) {
    let answer = serving.post("/mcp", &DISCOVER, &discover());
    assert_eq!(answer.code, 200, "{when}: {answer:?}");
}

/// One POST on a connection that is kept; the status line.
fn ask_again(stream: &mut BufReader<TcpStream>, request: &str) -> String {
    stream.get_mut().write_all(request.as_bytes()).expect("the request is sent");
    let (mut status, mut length) = (String::new(), 0);
    stream.read_line(&mut status).expect("a status line");
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).expect("a header");
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length: ") {
            length = value.trim().parse().expect("a length");
        }
        if line == "\r\n" {
            break;
        }
    }
    std::io::copy(&mut stream.by_ref().take(length), &mut std::io::sink()).expect("a body");
    status
}

#[test]
fn ten_thousand_abandoned_sessions_leave_memory_bounded() {
    let serving = Serving::start(&[]);
    let request = serving.request("POST", "/mcp", &JSON, &initialize().to_string());
    let mut stream = BufReader::new(serving.connect());
    for number in 0..10_000 {
        let status = ask_again(&mut stream, &request);
        assert!(status.starts_with("HTTP/1.1 200"), "session {number}: {status}");
    }
    well_behaved(&serving, "after 10,000 sessions");
    let peak = serving.peak_memory();
    assert!(peak < BOUND, "{peak} bytes");
}

#[test]
fn sessions_keep_little_of_what_clients_say_about_themselves() {
    let serving = Serving::start(&[]);
    let mut message = initialize();
    message["params"]["clientInfo"] = json!({ "name": "x".repeat(1_000_000), "version": "1" });
    let request = serving.request("POST", "/mcp", &JSON, &message.to_string());
    let mut stream = BufReader::new(serving.connect());
    for number in 0..200 {
        let status = ask_again(&mut stream, &request);
        assert!(status.starts_with("HTTP/1.1 200"), "session {number}: {status}");
    }
    let peak = serving.peak_memory();
    assert!(peak < BOUND, "{peak} bytes");
}

/// Each within the limit of a body, all together far beyond what may be held.
#[test]
fn large_bodies_that_do_not_end_take_no_more_memory_than_there_is_room_for() {
    const MOST: u64 = 350 * 1024 * 1024;
    let serving = Serving::start(&[]);
    let promise =
        serving.request("POST", "/mcp", &JSON, "").replace("Content-Length: 0", "Content-Length: 60000000");
    let part = vec![b'x'; 2_000_000];
    let unfinished: Vec<TcpStream> = (0..300)
        .map(|_| {
            let mut stream = serving.connect();
            stream.set_write_timeout(Some(Duration::from_secs(5))).expect("a limit");
            // Those for which there is no room are closed in the middle.
            let _ = stream.write_all(promise.as_bytes()).and_then(|()| stream.write_all(&part));
            stream
        })
        .collect();
    well_behaved(&serving, "with large bodies under way");
    let peak = serving.peak_memory();
    assert!(peak < MOST, "{peak} bytes");
    drop(unfinished);
    // There is room again as soon as they are gone.
    let mut message = discover();
    message["params"]["more"] = Value::from("x".repeat(1_000_000));
    let began = Instant::now();
    while serving.post("/mcp", &DISCOVER, &message).code != 200 {
        assert!(began.elapsed() < Duration::from_secs(60), "there is no room");
    }
}

#[test]
fn half_open_trickling_and_unread_connections_starve_nobody() {
    let serving = Serving::start(&[]);
    well_behaved(&serving, "at first");

    // More than there are places for: connected, and silent.
    let silent: Vec<TcpStream> = (0..600).map(|_| serving.connect()).collect();
    well_behaved(&serving, "with silent connections");
    drop(silent);

    // A head that promises a body, and a byte of it.
    let promise =
        serving.request("POST", "/mcp", &JSON, "").replace("Content-Length: 0", "Content-Length: 1000000");
    let trickling: Vec<TcpStream> = (0..600)
        .map(|_| {
            let mut stream = serving.connect();
            // Those that had to make room are closed already.
            let _ = stream.write_all(promise.as_bytes()).and_then(|()| stream.write_all(b"{"));
            stream
        })
        .collect();
    well_behaved(&serving, "with trickling bodies");
    drop(trickling);

    // Requests without end, and nobody reads the answers.
    let headers: Vec<_> = JSON.into_iter().chain(DISCOVER).collect();
    let request = serving.request("POST", "/mcp", &headers, &discover().to_string()).repeat(200);
    let unread: Vec<TcpStream> = (0..100)
        .map(|_| {
            let mut stream = serving.connect();
            stream.set_nonblocking(true).expect("a socket that does not wait");
            while stream.write(request.as_bytes()).is_ok() {}
            stream
        })
        .collect();
    well_behaved(&serving, "with unread answers");
    drop(unread);

    let peak = serving.peak_memory();
    assert!(peak < BOUND, "{peak} bytes");
    assert_eq!(serving.stop(), 0);
}

/// Another user connects and closes as fast as it can. What that costs us is a question to the kernel about one socket, not
/// a look through all there are; so nobody else waits.
#[test]
fn another_user_that_connects_and_closes_costs_next_to_nothing() {
    const CONNECTIONS: u64 = 500;
    let serving = Serving::start(&[]);
    well_behaved(&serving, "at first");
    let before = serving.bytes_read();
    let script = format!(
        "for i in $(seq {CONNECTIONS}); do exec 3<>/dev/tcp/127.0.0.1/{} && exec 3>&-; done",
        serving.address.port()
    );
    let words = [as_nobody(), &["bash", "-c", &script]].concat();
    let mut flood = Command::new(words[0]).args(&words[1..]).spawn().expect("the flood starts");
    while flood.try_wait().expect("the flood can be waited for").is_none() {
        well_behaved(&serving, "in the flood");
    }
    assert!(flood.wait().expect("an end").success());
    well_behaved(&serving, "after the flood");
    // A table of sockets has some hundred bytes for each of them, and there are hundreds by now.
    let read = serving.bytes_read() - before;
    assert!(read < CONNECTIONS * 1_000, "{read} bytes were read for {CONNECTIONS} connections");
    assert_eq!(serving.stop(), 0);
}
