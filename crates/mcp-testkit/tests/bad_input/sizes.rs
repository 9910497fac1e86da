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

/// The buffer of a long line is larger than the line may be: what fits into it is not for that reason allowed.
#[test]
fn a_line_just_over_the_limit_is_refused() {
    in_both_eras(|client, version| {
        let line = request(version, "9", "tools/call", crate::echo("@"));
        let (head, tail) = line.split_once('@').expect("the place to fill");
        send_long(client, head, 32, tail);
        let (answered, code, message) = error_of(&client.receive());
        assert_eq!((answered, code), (json!(9), -32600));
        assert!(message.contains("over 32 MB"), "{message}");
    });
}

/// Sends `open`, `element` so many times with commas between them, and `close`.
fn send_many(client: &mut Client, open: &str, element: &str, count: usize, close: &str) {
    let many = vec![element; count].join(",");
    client.send(&format!("{open}{many}{close}"));
}

/// The dearest ways to spend bytes: each of these is one line of a few megabytes.
#[test]
fn many_small_values_cost_no_more_than_their_line() {
    let batches = |client: &mut Client| {
        for count in [1_000_000, 90_000, 1_001] {
            send_many(client, "[", "1", count, "]");
            let (id, code, message) = error_of(&client.receive());
            assert_eq!((id, code), (Value::Null, -32600), "{count}: {message}");
        }
    };
    in_both_eras(|client, version| {
        batches(client);
        let call = |arguments: &str| {
            let line = request(version, "3", "tools/call", json!({ "name": "plot", "arguments": "@" }));
            line.replace("\"@\"", arguments)
        };
        let line = call(r#"{"points":[@]}"#);
        let (head, tail) = line.split_once('@').expect("the place to fill");
        send_many(client, head, "{}", 1_000_000, tail);
        let (id, code, message) = error_of(&client.receive());
        assert_eq!((id, code), (json!(3), -32600), "{message}");
        assert!(message.contains("values"), "{message}");
        assert_peak_below(client, 40, "a million small values");
    });
    let mut client = crate::fixture(mcp::Version::V2025_03_26);
    batches(&mut client);
    assert_peak_below(&client, 40, "batches of many small values");
}

/// A long name is not compared with every argument there is, letter by letter, nor sent back.
#[test]
fn what_is_wrong_is_echoed_in_part() {
    in_both_eras(|client, version| {
        let long = "n".repeat(4_000_000);
        for arguments in [json!({ &long: 1 }), json!({ "text": 1, &long: 1 }), json!({ "text": [&long] })] {
            let params = json!({ "name": "echo", "arguments": arguments });
            client.send(&request(version, "5", "tools/call", params));
            let answer = client.receive();
            let words = text(&answer["result"]);
            assert!(words.len() < 1_000, "{} bytes", words.len());
        }
        let params = json!({ "name": &long, "arguments": {} });
        client.send(&request(version, "6", "tools/call", params));
        assert!(error_of(&client.receive()).2.len() < 1_000);
        client.send(&request(version, "7", &long, json!({})));
        assert!(error_of(&client.receive()).2.len() < 1_000);
    });
}
