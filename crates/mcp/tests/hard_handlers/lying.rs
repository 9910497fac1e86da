//! A relay at the end of a stream that trickles, stops in the middle, or says what is not so.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use mcp::relay::Options;
use mcp::stdio::Limits;
use mcp::{BoxFuture, Caller, Relay, Service, Stream, Version, client};
use mcp_testkit::{Client, fixture};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream};

use crate::text;

/// A relay whose every connection is made by `far`, which gets its own end of the stream.
fn relay<T>(far: fn(DuplexStream) -> T, limits: client::Limits, room: usize) -> Relay
where
    T: Future<Output = ()> + Send + 'static,
{
    let connect = move || -> BoxFuture<io::Result<Stream>> {
        let (ours, theirs) = tokio::io::duplex(room);
        Box::pin(async move {
            tokio::spawn(far(theirs));
            Ok(Stream::whole(ours))
        })
    };
    Relay::new(fixture::server().surface(), connect, Options::default().limits(limits))
}

fn limits() -> client::Limits {
    client::Limits { line: 1_000_000, greeting: Duration::from_secs(30), ..client::Limits::default() }
}

/// For greetings that never come.
fn impatient() -> client::Limits {
    client::Limits { greeting: Duration::from_millis(300), ..limits() }
}

/// Answers the greeting as it should be, and what comes then with `script`: `$ID` stands for the id.
async fn greet_then(stream: DuplexStream, script: &'static [&'static str]) {
    let (reader, mut writer) = tokio::io::split(stream);
    let mut lines = BufReader::new(reader).lines();
    let mut script = script.iter();
    let surface = fixture::server().surface();
    while let Ok(Some(line)) = lines.next_line().await {
        let message: Value = serde_json::from_str(&line).expect("the relay sends JSON");
        let id = &message["id"];
        let answer = match message["method"].as_str() {
            Some("server/discover") => json!({ "jsonrpc": "2.0", "id": id, "result": { "_meta": {
                "io.modelcontextprotocol/serverInfo": { "name": "fixture", "version": "1.2.3" },
                "surfaceHash": surface.hash() } } })
            .to_string(),
            Some("subscriptions/listen") => continue,
            _ => match script.next() {
                Some(answer) => answer.replace("$ID", &id.to_string()),
                None => return,
            },
        };
        let ends = answer.ends_with('…');
        let answer = answer.trim_end_matches('…');
        let sent = writer.write_all(answer.as_bytes()).await;
        // Cut off in the middle.
        if ends || sent.is_err() || writer.write_all(b"\n").await.is_err() {
            return;
        }
    }
}

/// The error with which a call of `echo` ends, in either era.
fn failure<T>(far: fn(DuplexStream) -> T, limits: client::Limits, room: usize) -> String
where
    T: Future<Output = ()> + Send + 'static,
{
    let [legacy, modern] = [Version::V2024_11_05, Version::MODERN].map(|version| {
        let mut client = Client::memory(relay(far, limits, room)).speaking(version);
        client.error("tools/call", json!({ "name": "echo", "arguments": { "text": "x" } }))
    });
    assert_eq!(legacy, modern);
    assert_eq!(modern["code"], -32000, "{modern}");
    modern["message"].as_str().expect("a message").to_owned()
}

#[test]
fn a_stream_that_trickles_byte_by_byte_is_read_to_the_end() {
    let far = |stream| async {
        let served = mcp::stream::serve(
            Arc::new(fixture::server()),
            Stream::whole(stream),
            Caller::default(),
            Limits::default(),
        );
        served.await.expect("served");
    };
    for version in [Version::V2024_11_05, Version::MODERN] {
        let mut client = Client::memory(relay(far, client::Limits::default(), 1)).speaking(version);
        let result = client.call("echo", json!({ "text": "drop by drop" }));
        assert_eq!(text(&result), "drop by drop");
        let picture = client.call("picture", json!({ "bytes": 3_000 }));
        assert_eq!(picture["content"][1]["data"].as_str().map(str::len), Some(4_000));
    }
}

async fn silent(stream: DuplexStream) {
    let _open = stream;
    std::future::pending::<()>().await;
}

async fn garbage(mut stream: DuplexStream) {
    let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await;
    std::future::pending::<()>().await;
}

async fn endless(mut stream: DuplexStream) {
    while stream.write_all(&[b'x'; 4096]).await.is_ok() {}
}

async fn gone(stream: DuplexStream) {
    drop(stream);
}

#[test]
fn a_greeting_that_does_not_come_or_makes_no_sense_is_an_answer() {
    assert!(failure(silent, impatient(), 64).contains("did not greet"));
    assert!(failure(garbage, limits(), 64).contains("does not speak the protocol"));
    assert!(failure(endless, impatient(), 4096).contains("did not greet"));
    assert!(failure(gone, limits(), 64).contains("not running"));
}

#[test]
fn an_answer_that_makes_no_sense_is_an_error_and_the_next_call_connects_again() {
    macro_rules! script {
        ($($line:expr),*) => {
            failure(|stream| greet_then(stream, &[$($line),*]), limits(), 65_536)
        };
    }
    assert!(script!("{\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":7}").contains("no object"));
    assert!(script!("{\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{}}").contains("no `content`"));
    assert!(script!("{\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{\"content\":{}}}").contains("no `content`"));
    assert!(
        script!("{\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{\"resultType\":\"task\"}}")
            .contains("unknown type")
    );
    assert!(script!("not JSON").contains("does not speak the protocol"));
    assert!(script!("[{\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{}}]").contains("batch"));
    assert!(
        script!("{\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{\"content\":[…")
            .contains("may have taken effect")
    );
    assert!(
        script!("{\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{\"resultType\":\"input_required\",\"inputRequests\":{\"a\":{\"method\":\"rm\"}}}}")
            .contains("not known here")
    );
}

#[test]
fn answers_nobody_asked_for_are_ignored() {
    let far = |stream| {
        greet_then(
            stream,
            &[
                "{\"jsonrpc\":\"2.0\",\"id\":99999,\"result\":{}}\n{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"error\":{}}\n\
               {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":5,\"progress\":1}}\n\
               {\"jsonrpc\":\"2.0\",\"method\":\"notifications/nonsense\"}\n\n\
               {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n\
               {\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{\"content\":[],\"a\\\"b\":1}}",
            ],
        )
    };
    let mut client = Client::memory(relay(far, limits(), 65_536)).speaking(Version::V2024_11_05);
    assert_eq!(client.call("echo", json!({ "text": "x" })), json!({ "content": [] }));
}

#[test]
fn an_answer_over_the_limit_costs_its_call_and_nothing_else() {
    let far = |stream| async {
        let service: Arc<dyn Service> = Arc::new(fixture::server());
        let served = mcp::stream::serve(service, Stream::whole(stream), Caller::default(), Limits::default());
        served.await.expect("served");
    };
    let mut client = Client::memory(relay(far, limits(), 65_536)).speaking(Version::MODERN);
    let error = client.error("tools/call", json!({ "name": "picture", "arguments": { "bytes": 2_000_000 } }));
    assert!(error["message"].as_str().is_some_and(|text| text.contains("longer than 1 MB")), "{error}");
    let held = client.start("tools/call", json!({ "name": "hold", "arguments": {} }));
    client.error("tools/call", json!({ "name": "picture", "arguments": { "bytes": 2_000_000 } }));
    client.call("release", json!({}));
    assert_eq!(text(&client.response(&held)["result"]), "released", "the connection is the same");
}

/// Many small values, as of a page of text with the place of each word.
async fn answer_at_length(stream: DuplexStream) {
    let (reader, mut writer) = tokio::io::split(stream);
    let mut lines = BufReader::new(reader).lines();
    let surface = fixture::server().surface();
    while let Ok(Some(line)) = lines.next_line().await {
        let message: Value = serde_json::from_str(&line).expect("the relay sends JSON");
        let result = match message["method"].as_str() {
            Some("server/discover") => json!({ "_meta": {
                "io.modelcontextprotocol/serverInfo": { "name": "fixture", "version": "1.2.3" },
                "surfaceHash": surface.hash() } }),
            Some("tools/call") => {
                json!({ "content": [], "structuredContent": { "boxes": vec![1; 300_000] } })
            }
            _ => continue,
        };
        let answer = json!({ "jsonrpc": "2.0", "id": message["id"], "result": result });
        if writer.write_all(format!("{answer}\n").as_bytes()).await.is_err() {
            return;
        }
    }
}

#[test]
fn an_answer_may_have_any_number_of_values() {
    for version in [Version::V2025_11_25, Version::MODERN] {
        let relay = relay(answer_at_length, limits(), 65_536);
        let answer = Client::memory(relay).speaking(version).call("echo", json!({ "text": "x" }));
        let boxes = answer["structuredContent"]["boxes"].as_array().map(Vec::len);
        assert_eq!(boxes, Some(300_000), "{version}");
    }
}

#[test]
fn an_answer_that_makes_no_sense_costs_its_call_and_nothing_else() {
    let far = |stream| {
        greet_then(
            stream,
            &[
                // The first connects. The second is not answered yet when the third is, with nonsense.
                "{\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{\"content\":[]}}",
                "",
                "{\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{\"content\":[}}",
                "{\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{\"content\":[]}}",
            ],
        )
    };
    let mut client = Client::memory(relay(far, limits(), 65_536)).speaking(Version::MODERN);
    let echo = json!({ "name": "echo", "arguments": { "text": "x" } });
    client.result("tools/call", echo.clone());
    let first = client.start("tools/call", echo.clone());
    let error = client.error("tools/call", echo.clone());
    assert!(error["message"].as_str().is_some_and(|text| text.contains("does not speak")), "{error}");
    assert_eq!(client.result("tools/call", echo)["content"], json!([]), "on the same connection");
    client.notify("notifications/cancelled", json!({ "requestId": first }));
    assert!(client.hang_up().rest.is_empty());
}

/// Where a far side puts a text that is far too long to be repeated.
#[derive(Clone, Copy)]
enum Lie {
    Version,
    Greeting,
    Type,
    Method,
    Result,
}

async fn lie_at_length(stream: DuplexStream, lie: Lie) {
    let (reader, mut writer) = tokio::io::split(stream);
    let mut lines = BufReader::new(reader).lines();
    let long = "\u{416}".repeat(100_000);
    let version = if matches!(lie, Lie::Version) { &long } else { "1.2.3" };
    while let Ok(Some(line)) = lines.next_line().await {
        let message: Value = serde_json::from_str(&line).expect("the relay sends JSON");
        let result = match (message["method"].as_str(), lie) {
            (Some("server/discover"), Lie::Greeting) => json!({ "_meta": long }),
            (Some("server/discover"), _) => json!({ "_meta": {
                "io.modelcontextprotocol/serverInfo": { "name": "fixture", "version": version },
                "surfaceHash": fixture::server().surface().hash() } }),
            (Some("tools/call"), Lie::Type) => json!({ "resultType": long }),
            (Some("tools/call"), Lie::Method) => {
                json!({ "resultType": "input_required", "inputRequests": { "a": { "method": long } } })
            }
            (Some("tools/call"), Lie::Result) => {
                json!({ "resultType": "input_required", "inputRequests": long })
            }
            _ => continue,
        };
        let answer = json!({ "jsonrpc": "2.0", "id": message["id"], "result": result });
        if writer.write_all(format!("{answer}\n").as_bytes()).await.is_err() {
            return;
        }
    }
}

#[test]
fn little_of_a_lie_is_repeated() {
    macro_rules! told {
        ($lie:ident) => {
            failure(|stream| lie_at_length(stream, Lie::$lie), limits(), 65_536)
        };
    }
    for said in [told!(Version), told!(Greeting), told!(Type), told!(Method), told!(Result)] {
        let repeated = said.matches('\u{416}').count();
        assert!(repeated <= 200 && said.len() < 1_000, "{repeated} letters: {} bytes", said.len());
    }
}

/// Says something far too long about every call, and something short, and answers.
async fn comment_at_length(stream: DuplexStream) {
    let (reader, mut writer) = tokio::io::split(stream);
    let mut lines = BufReader::new(reader).lines();
    let surface = fixture::server().surface();
    while let Ok(Some(line)) = lines.next_line().await {
        let message: Value = serde_json::from_str(&line).expect("the relay sends JSON");
        let mut said = Vec::new();
        let result = match message["method"].as_str() {
            Some("server/discover") => json!({ "_meta": {
                "io.modelcontextprotocol/serverInfo": { "name": "fixture", "version": "1.2.3" },
                "surfaceHash": surface.hash() } }),
            Some("tools/call") => {
                for (done, words) in [(1, "x".repeat(300_000)), (2, "short".to_owned())] {
                    said.push(json!({ "jsonrpc": "2.0", "method": "notifications/progress", "params": {
                        "progressToken": message["id"], "progress": done, "message": words } }));
                }
                json!({ "content": [] })
            }
            _ => continue,
        };
        said.push(json!({ "jsonrpc": "2.0", "id": message["id"], "result": result }));
        for message in said {
            if writer.write_all(format!("{message}\n").as_bytes()).await.is_err() {
                return;
            }
        }
    }
}

/// Several may wait for a client that does not read.
#[test]
fn what_is_far_too_long_is_not_said_about_a_call() {
    for version in [Version::V2025_11_25, Version::MODERN] {
        let mut client = Client::memory(relay(comment_at_length, limits(), 65_536)).speaking(version);
        let progress = json!({ "progressToken": "t" });
        let call = json!({ "name": "echo", "arguments": { "text": "x" }, "_meta": progress });
        let id = client.start("tools/call", call);
        let first = client.notification("notifications/progress");
        assert_eq!(first["params"]["progress"], 2.0, "{version}");
        client.response(&id);
    }
}
