//! What a client should not send, and what it should get for it: through a real process, in both eras.
//! The server answers every request once, whatever it looks like, and goes on.
#![allow(clippy::expect_used)]

mod arguments;
mod batches;
mod ending;
mod envelopes;
mod eras;
mod in_flight;
mod lines;
mod mixed;
mod notifications;
mod pipes;
mod sizes;

use std::process::Command;

use mcp::Version;
use mcp_testkit::Client;
use serde_json::{Value, json};

fn command() -> Command {
    Command::new(env!("CARGO_BIN_EXE_mcp-fixture"))
}

/// A process to which nothing was said yet.
fn stranger() -> Client {
    Client::process(&mut command())
}

/// A process that speaks `version`.
fn fixture(version: Version) -> Client {
    stranger().speaking(version)
}

/// Runs a test against a fresh process for each era. Afterwards the process must serve as before, have said
/// nothing that was not waited for, and end well.
fn in_both_eras(test: impl Fn(&mut Client, Version)) {
    for version in [Version::V2025_11_25, Version::MODERN] {
        let mut client = fixture(version);
        test(&mut client, version);
        assert_alive_and_quiet(client);
    }
}

fn assert_alive_and_quiet(mut client: Client) {
    assert_eq!(text(&client.call("echo", json!({ "text": "still here" }))), "still here");
    let goodbye = client.hang_up();
    assert!(goodbye.rest.is_empty(), "more came than expected: {:?}", goodbye.rest);
    assert_eq!((goodbye.code, goodbye.stderr.as_str()), (Some(0), ""));
}

/// A request as a line, with the id exactly as given.
fn request(version: Version, id: &str, method: &str, params: Value) -> String {
    let params = in_era(version, params);
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#)
}

/// Parameters as requests of this era carry them.
fn in_era(version: Version, mut params: Value) -> Value {
    if version.is_modern() {
        let meta = &mut params["_meta"];
        meta["io.modelcontextprotocol/protocolVersion"] = json!(version.as_str());
        meta["io.modelcontextprotocol/clientCapabilities"] = json!({});
    }
    params
}

fn echo(text: &str) -> Value {
    json!({ "name": "echo", "arguments": { "text": text } })
}

fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text in {result}"))
}

/// Sends a line and returns the id and the code of the error that comes back for it.
fn fault(client: &mut Client, line: impl AsRef<[u8]>) -> (Value, i64) {
    let (id, code, _) = fault_in_words(client, line);
    (id, code)
}

/// Like [`fault`], with the message.
fn fault_in_words(client: &mut Client, line: impl AsRef<[u8]>) -> (Value, i64, String) {
    client.send_bytes(line.as_ref());
    error_of(&client.receive())
}

/// The id, the code and the message of an error response.
fn error_of(answer: &Value) -> (Value, i64, String) {
    assert!(answer.get("result").is_none(), "not an error: {answer}");
    let code = answer["error"]["code"].as_i64().unwrap_or_else(|| panic!("no code in {answer}"));
    let message = answer["error"]["message"].as_str().unwrap_or_else(|| panic!("no message in {answer}"));
    (answer["id"].clone(), code, message.to_owned())
}
