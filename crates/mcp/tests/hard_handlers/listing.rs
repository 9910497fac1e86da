//! A far side that offers more at run time, and whose lists never end, come late, weigh too much, or make no sense.

use std::io;
use std::time::Duration;

use mcp::relay::Options;
use mcp::{BoxFuture, Relay, Service, Stream, Version, client};
use mcp_testkit::{Client, fixture};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream};

/// How a far side lists its tools.
#[derive(Clone, Copy)]
struct Lists {
    /// Before each page.
    pause: Duration,
    /// How long the description of a tool is.
    length: usize,
    odd: Odd,
}

/// What is odd about the second page.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Odd {
    Nothing,
    /// The tool is that of the first one.
    Twice,
    /// The schema of the tool is a number.
    Schema,
    /// The schema of the tool says nothing of objects.
    Type,
    /// What else the tool has is of the wrong kind.
    Rest,
    /// The tool has a schema far longer than any there is.
    Weight,
}

/// One tool a page, and always one page more.
async fn list_without_end(stream: DuplexStream, lists: Lists) {
    let (reader, mut writer) = tokio::io::split(stream);
    let mut lines = BufReader::new(reader).lines();
    let surface = fixture::server().surface();
    let mut page = 0;
    while let Ok(Some(line)) = lines.next_line().await {
        let message: Value = serde_json::from_str(&line).expect("the relay sends JSON");
        let result = match message["method"].as_str() {
            Some("server/discover") => json!({ "_meta": {
                "io.modelcontextprotocol/serverInfo": { "name": "fixture", "version": "1.2.3" },
                "surfaceHash": surface.hash(), "offersMore": true } }),
            Some("tools/list") => {
                tokio::time::sleep(lists.pause).await;
                page += 1;
                let is_second = |odd: Odd| page == 2 && lists.odd == odd;
                let name = if is_second(Odd::Twice) { "tool_1".to_owned() } else { format!("tool_{page}") };
                let schema = match lists.odd {
                    Odd::Schema if page == 2 => json!(5),
                    Odd::Type if page == 2 => json!({ "properties": {} }),
                    Odd::Weight if page == 2 => json!({ "type": "object", "title": "x".repeat(1_000_000) }),
                    _ => json!({ "type": "object" }),
                };
                let more = (lists.odd == Odd::Nothing || page == 1).then_some("more");
                let mut tool =
                    json!({ "name": name, "description": "x".repeat(lists.length), "inputSchema": schema });
                if is_second(Odd::Rest) {
                    tool["_meta"] = json!(5);
                    tool["outputSchema"] = json!({ "type": "array" });
                }
                json!({ "nextCursor": more, "tools": [tool] })
            }
            Some("resources/list" | "resources/templates/list" | "prompts/list") => json!({ "entries": [] }),
            Some("tools/call") => json!({ "content": [] }),
            _ => continue,
        };
        let answer = json!({ "jsonrpc": "2.0", "id": message["id"], "result": result });
        if writer.write_all(format!("{answer}\n").as_bytes()).await.is_err() {
            return;
        }
    }
}

/// What a call is answered with, in both eras, while the far side lists like this.
fn failures(lists: Lists, limits: client::Limits) -> [String; 2] {
    [Version::V2025_11_25, Version::MODERN].map(|version| failure(lists, limits, version))
}

fn failure(lists: Lists, limits: client::Limits, version: Version) -> String {
    let mut client = client_of(lists, limits, version);
    let error = client.error("tools/call", json!({ "name": "echo", "arguments": { "text": "x" } }));
    error["message"].as_str().expect("a message").to_owned()
}

fn client_of(lists: Lists, limits: client::Limits, version: Version) -> Client {
    let connect = move || -> BoxFuture<io::Result<Stream>> {
        let (ours, theirs) = tokio::io::duplex(65_536);
        Box::pin(async move {
            tokio::spawn(list_without_end(theirs, lists));
            Ok(Stream::whole(ours))
        })
    };
    let relay = Relay::new(fixture::server().surface(), connect, Options::default().limits(limits));
    Client::memory(relay).speaking(version)
}

/// Each page is there in time, and together they would take a week.
#[test]
fn lists_that_trickle_without_end_are_an_answer_to_calls() {
    let lists = Lists { pause: Duration::from_millis(100), length: 1, odd: Odd::Nothing };
    let limits = client::Limits { greeting: Duration::from_secs(1), ..client::Limits::default() };
    for said in failures(lists, limits) {
        assert!(said.contains("no answer within 1 s"), "{said}");
    }
}

/// Each page is within the limit of a line, and together they would take all the memory there is.
#[test]
fn lists_that_weigh_more_than_a_line_may_are_an_answer_to_calls() {
    let lists = Lists { pause: Duration::ZERO, length: 300_000, odd: Odd::Nothing };
    for said in failures(lists, client::Limits { line: 1_000_000, ..client::Limits::default() }) {
        assert!(said.contains("longer than 1 MB"), "{said}");
    }
}

/// Two tools of one name, or a schema that is none: clients would refuse everything that is listed with them.
#[test]
fn lists_that_clients_could_not_read_are_an_answer_to_calls() {
    for (odd, words) in [
        (Odd::Twice, "its list has `tool_1` twice"),
        (Odd::Schema, "the schema of its tool `tool_2` is not that of an object"),
        (Odd::Type, "the schema of its tool `tool_2` is not that of an object"),
        (Odd::Weight, "an entry of its list is longer than 1 MB"),
    ] {
        for said in failures(Lists { pause: Duration::ZERO, length: 1, odd }, client::Limits::default()) {
            assert!(said.contains(words), "{said}");
        }
    }
}

/// What else a tool has that clients could not read is left out.
#[test]
fn what_clients_could_not_read_of_a_tool_is_not_listed() {
    for version in [Version::V2025_11_25, Version::MODERN] {
        let lists = Lists { pause: Duration::ZERO, length: 1, odd: Odd::Rest };
        let mut client = client_of(lists, client::Limits::default(), version);
        client.call("tool_1", json!({}));
        let tools = client.result("tools/list", json!({}))["tools"].take();
        assert_eq!(tools[1]["name"], "tool_2", "{tools}");
        assert!(tools[1].get("outputSchema").is_none() && tools[1].get("_meta").is_none(), "{tools}");
    }
}
