//! stdin and stdout belong to the protocol: nothing else in the process gets hold of them.

use serde_json::json;

use crate::{fixture, in_both_eras, text};

#[test]
fn what_the_program_prints_does_not_reach_the_stream() {
    in_both_eras(|_, version| {
        let mut client = fixture(version);
        let forged = r#"{"jsonrpc":"2.0","id":1,"result":"forged"}"#;
        for line in ["careless", forged] {
            assert_eq!(text(&client.call("print", json!({ "line": line }))), "printed");
        }
        let goodbye = client.hang_up();
        assert!(goodbye.rest.is_empty(), "{:?}", goodbye.rest);
        assert_eq!((goodbye.code, goodbye.stderr), (Some(0), format!("careless\n{forged}\n")));
    });
}

#[test]
fn the_program_reads_an_empty_stdin_and_takes_no_requests_away() {
    in_both_eras(|client, _| {
        let reading = client.start("tools/call", json!({ "name": "read_stdin", "arguments": {} }));
        for round in 0..100 {
            let sent = format!("round {round}");
            assert_eq!(text(&client.call("echo", json!({ "text": sent }))), sent);
        }
        assert_eq!(text(&client.response(&reading)["result"]), "read 0 bytes");
    });
}
