//! A relay says what the server behind it says, in the words of each client's revision, and adds what it was told to add.

use std::sync::Arc;

use mcp::relay::{Options, local};
use mcp::stdio::Limits;
use mcp::{About, Cx, Json, Relay, Run, Server, Service, Stop, Tool, Version};
use mcp_testkit::far::{Far, Place, Through};
use mcp_testkit::{Client, fixture};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{in_both_eras, text};

/// Requests whose answers do not depend on when they are asked.
fn requests() -> Vec<(&'static str, Value)> {
    let call = |name: &str, arguments: Value| ("tools/call", json!({ "name": name, "arguments": arguments }));
    let complete = |reference: Value, argument: Value| {
        (
            "completion/complete",
            json!({ "ref": reference, "argument": argument, "context": { "arguments": {} } }),
        )
    };
    vec![
        ("tools/list", json!({})),
        ("resources/list", json!({})),
        ("resources/templates/list", json!({})),
        ("prompts/list", json!({})),
        call("echo", json!({ "text": "quote \" newline \n é \u{1F600}" })),
        call("echo", json!({ "texd": "x" })),
        call("add", json!({ "a": 1, "b": 2 })),
        call("everything", json!({})),
        call("picture", json!({ "bytes": 200_000 })),
        call("fail_tool", json!({})),
        call("fail_with_code", json!({})),
        call("panic_later", json!({})),
        call("nope", json!({})),
        ("addNumbers", json!({ "a": 2, "b": 3 })),
        ("addNumbers", json!({ "a": 2 })),
        ("subtractNumbers", json!({})),
        ("resources/read", json!({ "uri": "fixture://readme" })),
        ("resources/read", json!({ "uri": "fixture://pages/7" })),
        ("resources/read", json!({ "uri": "fixture://pages/13" })),
        ("resources/read", json!({ "uri": "fixture://nothing" })),
        ("prompts/get", json!({ "name": "describe", "arguments": { "page": "6" } })),
        ("prompts/get", json!({ "name": "describe" })),
        ("prompts/get", json!({ "name": "nope" })),
        complete(
            json!({ "type": "ref/prompt", "name": "describe" }),
            json!({ "name": "tone", "value": "p" }),
        ),
        complete(
            json!({ "type": "ref/resource", "uri": "fixture://pages/{number}" }),
            json!({ "name": "number", "value": "9" }),
        ),
        complete(json!({ "type": "ref/prompt", "name": "nope" }), json!({ "name": "tone", "value": "" })),
    ]
}

#[test]
fn in_every_revision_an_answer_through_a_relay_is_the_answer_without_it() {
    for version in Version::ALL {
        let server: Arc<dyn Service> = Arc::new(fixture::server());
        let mut direct = Client::shared(Arc::clone(&server), Limits::default()).speaking(version);
        let mut relayed = Client::memory(Through::relay(server)).speaking(version);
        for (method, params) in requests() {
            let expected = direct.request(method, params.clone());
            let answer = relayed.request(method, params.clone());
            assert_eq!(answer, expected, "{version}: {method} {params}");
            if !version.is_modern() {
                assert!(answer["result"].get("resultType").is_none(), "{version}: {answer}");
            }
        }
    }
}

#[test]
fn two_hundred_calls_at_once_all_come_back() {
    in_both_eras(fixture::server, |mut client, _| {
        let ids: Vec<Value> = (0..200)
            .map(|number| {
                let (name, arguments) = match number % 4 {
                    0 => ("sleep", json!({ "ms": number })),
                    1 => ("block", json!({ "ms": 1 })),
                    2 => ("picture", json!({ "bytes": 100_000 })),
                    _ => ("echo", json!({ "text": format!("number {number}") })),
                };
                client.start("tools/call", json!({ "name": name, "arguments": arguments }))
            })
            .collect();
        for (number, id) in ids.iter().enumerate().rev() {
            let expected = match number % 4 {
                0 => "slept".to_owned(),
                1 => "blocked".to_owned(),
                2 => "A picture of 100000 bytes".to_owned(),
                _ => format!("number {number}"),
            };
            assert_eq!(text(&client.response(id)["result"]), expected);
        }
        assert!(client.hang_up().rest.is_empty());
    });
}

/// Tells what reaches it besides its arguments.
struct Introduce;

#[derive(Deserialize, JsonSchema)]
struct Nothing {}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Limit {
    folder: String,
}

#[derive(Serialize, JsonSchema)]
struct Introduced {
    client: Option<String>,
    version: Option<String>,
    pid: Option<u32>,
    folder: Option<String>,
}

impl Tool<()> for Introduce {
    type In = Nothing;
    type Out = Json<Introduced>;
    const ABOUT: About = About::new("introduce", "Introduce", "Tells who calls and what for.").read_only();
    const RUN: Run = Run::Inline;

    async fn call(&self, (): &(), cx: &Cx, _: Nothing) -> Result<Json<Introduced>, Stop> {
        let limit: Option<Limit> = cx.meta("example.com/limit")?;
        let client = cx.client();
        Ok(Json(Introduced {
            client: client.as_ref().map(|client| client.name.clone()),
            version: client.map(|client| client.version),
            pid: cx.caller().pid,
            folder: limit.map(|limit| limit.folder),
        }))
    }
}

#[test]
fn the_far_side_learns_who_calls_and_what_the_relay_adds() {
    for version in Version::ALL {
        let server = || Server::new("introducing", "1", ()).tool(Introduce);
        let place = Place::new();
        let _far = Far::start(Arc::new(server()), &place.socket());
        let options = Options::default().with_meta("example.com/limit", |_, cx| {
            assert_eq!(cx.caller().principal, "stdio");
            serde_json::value::to_raw_value(&Limit { folder: "/home/ada".into() }).ok()
        });
        let relay = Relay::new(server().surface(), local(place.socket()), options);
        let mut client = Client::memory(relay).speaking(version);
        // What a client claims of itself does not get through.
        let meta = json!({ "example.com/limit": { "folder": "/" }, "example.com/other": 1 });
        let result = client.result("tools/call", json!({ "name": "introduce", "_meta": meta }));
        let said: Value = serde_json::from_str(text(&result)).expect("JSON");
        let expected =
            json!({ "client": "testkit", "version": "1", "pid": std::process::id(), "folder": "/home/ada" });
        assert_eq!(said, expected, "{version}");
    }
}

#[test]
fn meta_that_does_not_fit_is_an_error_and_not_nothing() {
    let mut client =
        Client::memory(Server::new("introducing", "1", ()).tool(Introduce)).speaking(Version::MODERN);
    let mut call = |limit: Value| {
        client.request("tools/call", json!({ "name": "introduce", "_meta": { "example.com/limit": limit } }))
    };
    assert_eq!(call(json!({ "folder": "/tmp" }))["result"]["structuredContent"]["folder"], "/tmp");
    assert_eq!(call(json!("everything"))["error"]["code"], -32602);
}
