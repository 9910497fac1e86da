//! Several servers as one, and one server with less to see.

use std::sync::Arc;

use mcp::{About, Combined, Cx, FailAs, Failures, Identity, Run, Selected, Server, Service, Stop, Tool};
use mcp_testkit::fixture;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::{in_both_eras, text};

struct Refuse;

#[derive(Deserialize, JsonSchema)]
struct Nothing {}

impl Tool<()> for Refuse {
    type In = Nothing;
    type Out = String;
    const ABOUT: About = About::new("refuse", "Refuse", "Refuses, in the style of another server.").core();
    const RUN: Run = Run::Inline;

    async fn call(&self, (): &(), _: &Cx, _: Nothing) -> Result<String, Stop> {
        Err("no".into())
    }
}

fn other() -> Server<()> {
    let rpc = Failures { tool: FailAs::Rpc(-32003), ..Failures::default() };
    Server::new("other", "1", ()).failures(rpc).tool(Refuse)
}

fn identity() -> Identity {
    Identity { name: "both".into(), title: None, version: "1".into(), description: None }
}

fn combined() -> Combined {
    Combined::new(identity(), None, vec![Arc::new(fixture::server()), Arc::new(other())]).expect("no clash")
}

#[test]
fn each_tool_fails_in_the_style_of_its_own_server() {
    in_both_eras(combined, |mut client, _| {
        assert_eq!(client.call("fail_tool", json!({}))["isError"], true);
        assert_eq!(client.error("tools/call", json!({ "name": "refuse" }))["code"], -32003);
        assert_eq!(client.error("tools/call", json!({ "name": "nope" }))["code"], -32602);
    });
}

#[test]
fn resources_prompts_completions_and_news_reach_their_server() {
    in_both_eras(combined, |mut client, version| {
        client.result("resources/read", json!({ "uri": "fixture://pages/3" }));
        client.result("prompts/get", json!({ "name": "describe", "arguments": { "page": "1" } }));
        if version.is_modern() {
            client.start("subscriptions/listen", json!({ "notifications": { "toolsListChanged": true } }));
            client.notification("notifications/subscriptions/acknowledged");
        }
        client.call("touch", json!({}));
        client.notification("notifications/tools/list_changed");
    });
}

#[test]
fn bare_methods_exist_on_their_own_server_only() {
    in_both_eras(combined, |mut client, _| {
        assert_eq!(client.error("addNumbers", json!({ "a": 1, "b": 2 }))["code"], -32601);
        assert_eq!(text(&client.call("add", json!({ "a": 1, "b": 2 }))), r#"{"sum":3}"#);
    });
}

#[test]
fn two_servers_with_the_same_tool_are_refused() {
    let clash =
        Combined::new(identity(), None, vec![Arc::new(other()), Arc::new(other())]).err().expect("a clash");
    assert_eq!(
        clash.to_string(),
        "the tool `refuse` is offered by both `other` and `other`; serve them separately"
    );
}

#[test]
fn tools_left_out_can_be_neither_seen_nor_called() {
    let core = || Selected::new(Arc::new(combined()) as Arc<dyn Service>, |tool| tool.core);
    in_both_eras(core, |mut client, _| {
        let listed = client.result("tools/list", json!({}));
        let names: Vec<_> =
            listed["tools"].as_array().expect("tools").iter().map(|tool| tool["name"].clone()).collect();
        assert_eq!(names, ["echo", "refuse"]);
        assert_eq!(client.error("tools/call", json!({ "name": "touch" }))["code"], -32602);
    });
    let read_only = || Selected::new(Arc::new(fixture::server()), |tool| tool.hints.read_only);
    in_both_eras(read_only, |mut client, _| {
        assert_eq!(client.error("tools/call", json!({ "name": "erase" }))["code"], -32602);
        assert_eq!(client.error("addNumbers", json!({ "a": 1, "b": 2 }))["code"], -32601);
    });
}
