//! Lines that are not JSON, or only just.

use serde_json::{Value, json};

use crate::{echo, fault, fault_in_words, in_both_eras, request, text};

#[test]
fn plain_text_and_malformed_json_are_parse_errors_every_time() {
    in_both_eras(|client, _| {
        for line in [
            "hello",
            "Content-Length: 17",
            "{",
            "{]",
            "{'jsonrpc':'2.0'}",
            "{\"jsonrpc\":\"2.0\",}",
            "[1,",
            "nul",
            "\u{0}",
        ] {
            for _ in 0..3 {
                assert_eq!(fault(client, line), (Value::Null, -32700), "{line}");
            }
        }
    });
}

#[test]
fn json_that_is_no_object_is_an_invalid_request() {
    in_both_eras(|client, _| {
        for line in ["42", "null", "true", "\"text\"", "-1.5e3"] {
            assert_eq!(fault(client, line), (Value::Null, -32600), "{line}");
        }
    });
}

#[test]
fn a_broken_request_is_answered_with_its_id() {
    in_both_eras(|client, version| {
        let whole = request(version, "7", "tools/call", echo("x"));
        let cut = &whole[..whole.len() - 3];
        assert_eq!(fault(client, cut), (json!(7), -32700));
        assert_eq!(fault(client, format!("{whole}}}")), (json!(7), -32700));
        assert_eq!(fault(client, format!("{whole} trailing")), (json!(7), -32700));
        assert_eq!(fault(client, format!("{whole}{whole}")), (json!(7), -32700));
    });
}

#[test]
fn an_id_in_a_line_that_is_no_object_is_not_the_id_of_a_request() {
    in_both_eras(|client, _| {
        for line in [r#"INFO {"id":7,"method":"ping"}"#, r#"["id":7,"#, r#""id":7,"#] {
            assert_eq!(fault(client, line), (Value::Null, -32700), "{line}");
        }
    });
}

#[test]
fn invalid_utf8_inside_a_request_is_a_parse_error_with_the_id() {
    in_both_eras(|client, version| {
        for id in ["12", "\"abc\""] {
            let line = request(version, id, "tools/call", echo("@"));
            let broken: Vec<u8> = line.bytes().map(|byte| if byte == b'@' { 0xff } else { byte }).collect();
            let (answered, code, message) = fault_in_words(client, broken);
            assert_eq!((answered.to_string().as_str(), code), (id, -32700));
            assert!(message.contains("UTF-8"), "{message}");
        }
        assert_eq!(
            fault(client, b"{\"jsonrpc\":\"2.0\",\"id\":\"\xff\",\"method\":\"ping\"}"),
            (Value::Null, -32700)
        );
        assert_eq!(fault(client, b"\xc3\x28"), (Value::Null, -32700));
    });
}

#[test]
fn nesting_too_deep_is_a_parse_error_with_the_id() {
    in_both_eras(|client, version| {
        for depth in [1_000, 100_000] {
            for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
                let deep = format!("{}1{}", open.repeat(depth), close.repeat(depth));
                let line = request(version, "9", "tools/call", echo("@")).replace("\"@\"", &deep);
                assert_eq!(fault(client, &line), (json!(9), -32700), "{depth} times {open}");
                // Never closed: deep all the same.
                assert_eq!(fault(client, &line[..line.len() / 2]), (json!(9), -32700));
            }
        }
        assert_eq!(fault(client, "[".repeat(100_000)), (Value::Null, -32700));
    });
}

#[test]
fn nesting_as_deep_as_allowed_is_served() {
    in_both_eras(|client, version| {
        // The object of the request, `params` and `arguments` are three of the 128 levels.
        let deep = format!("{}1{}", "[".repeat(125), "]".repeat(125));
        let line = request(
            version,
            "9",
            "tools/call",
            json!({ "name": "add", "arguments": { "a": 1, "b": 2, "c": "@" } }),
        );
        client.send(&line.replace("\"@\"", &deep));
        let answer = client.receive();
        assert!(text(&answer["result"]).starts_with("Unknown argument `c`"), "{answer}");
        assert_eq!(fault(client, line.replace("\"@\"", &format!("[{deep}]"))), (json!(9), -32700));
    });
}

#[test]
fn brackets_inside_strings_are_no_nesting() {
    in_both_eras(|client, _| {
        let brackets = "[{\"".repeat(1_000);
        assert_eq!(text(&client.call("echo", json!({ "text": brackets }))), brackets);
    });
}

#[test]
fn blank_lines_carriage_returns_and_a_byte_order_mark_do_no_harm() {
    in_both_eras(|client, version| {
        client.send("");
        client.send("\r");
        client.send(" \t \r");
        client.send("\u{feff}");
        let line = request(version, "1", "tools/call", echo("a\r\nb"));
        for around in [format!("{line}\r"), format!("  {line}  "), format!("\u{feff}{line}")] {
            client.send(&around);
            let answer = client.receive();
            assert_eq!((&answer["id"], text(&answer["result"])), (&json!(1), "a\r\nb"));
        }
    });
}

#[test]
fn the_last_line_needs_no_newline() {
    in_both_eras(|_, version| {
        let mut client = crate::fixture(version);
        let line = request(version, "1", "tools/call", echo("last"));
        client.input().write_all(line.as_bytes()).expect("the server reads");
        let goodbye = client.hang_up();
        assert_eq!(text(&goodbye.rest[0]["result"]), "last");
        assert_eq!((goodbye.rest.len(), goodbye.code), (1, Some(0)));
    });
}
