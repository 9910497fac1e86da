//! Very long lines: served up to a limit, refused beyond it, and never kept.

use mcp_testkit::Client;
use serde_json::{Value, json};

use crate::{error_of, in_both_eras, request, text};

const MB: u64 = 1_000_000;

/// Sends `head`, then `filler` until so many bytes are out, then `tail`: without having them in memory.
fn send_long(client: &mut Client, head: &str, megabytes: u64, tail: &str) {
    let chunk = vec![b'x'; 1_000_000];
    let input = client.input();
    input.write_all(head.as_bytes()).expect("the server reads");
    for _ in 0..megabytes {
        input.write_all(&chunk).expect("the server reads");
    }
    input.write_all(tail.as_bytes()).and_then(|()| input.write_all(b"\n")).expect("the server reads");
}

fn assert_peak_below(client: &Client, megabytes: u64, what: &str) {
    let peak = client.memory_use().peak;
    assert!(peak < megabytes * MB, "{what}: {peak} bytes");
}

#[test]
fn ten_megabytes_are_echoed_whole() {
    in_both_eras(|client, _| {
        let long = "0123456\n\"".repeat(1_200_000);
        assert!(text(&client.call("echo", json!({ "text": long }))) == long);
        // 56 MB when measured, 34 MB for a text without escapes: the line, the text (twice while the escapes
        // are taken out), and the answer.
        assert_peak_below(client, 80, "10 MB echo");
    });
}

#[test]
fn a_line_of_200_megabytes_is_refused_with_its_id_and_not_kept() {
    in_both_eras(|client, version| {
        for id in ["\"long\"", "9"] {
            let line = request(version, id, "tools/call", crate::echo("@"));
            let (head, tail) = line.split_once('@').expect("the place to fill");
            send_long(client, head, 200, tail);
            let (answered, code, message) = error_of(&client.receive());
            assert_eq!((answered.to_string().as_str(), code), (id, -32600));
            assert!(message.contains("over 32 MB"), "{message}");
        }
        // 38 MB when measured: as much of the line as could still have been served.
        assert_peak_below(client, 100, "200 MB line");
    });
}

#[test]
fn a_garbage_line_of_200_megabytes_is_one_parse_error_and_not_kept() {
    in_both_eras(|client, _| {
        send_long(client, "garbage", 200, "end");
        let (id, code, _) = error_of(&client.receive());
        assert_eq!((id, code), (Value::Null, -32700));
        assert_peak_below(client, 100, "200 MB of garbage");
    });
}

#[test]
fn a_long_batch_is_an_invalid_request() {
    in_both_eras(|client, version| {
        let line = request(version, "1", "tools/call", crate::echo("@"));
        let (head, tail) = line.split_once('@').expect("the place to fill");
        send_long(client, &format!("[{head}"), 40, &format!("{tail}]"));
        let (id, code, _) = error_of(&client.receive());
        assert_eq!((id, code), (Value::Null, -32600));
    });
}

#[test]
fn an_endless_line_is_answered_when_the_input_ends() {
    let mut client = crate::fixture(mcp::Version::MODERN);
    let chunk = vec![b'['; 1_000_000];
    for _ in 0..40 {
        client.input().write_all(&chunk).expect("the server reads");
    }
    let goodbye = client.hang_up();
    assert_eq!((goodbye.rest.len(), goodbye.code), (1, Some(0)));
    assert_eq!(goodbye.rest[0]["id"], Value::Null);
}
