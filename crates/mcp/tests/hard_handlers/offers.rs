//! What is offered only while a server runs: tools, resources and prompts that come and go.

use std::sync::Arc;

use mcp::stdio::Limits;
use mcp::{
    Changes, Content, Features, Item, Messages, Offers, PromptEntry, Refused, Reply, ResourceEntry, Server,
    Service, Stop, ToolEntry, Version,
};
use mcp_testkit::{Client, fixture};
use serde::Deserialize;
use serde_json::value::to_raw_value;
use serde_json::{Value, json};

use crate::text;

fn offers() -> (Offers, Server<()>) {
    let offers = Offers::new(Changes::default());
    let features = Features { list_changes: true, ..Features::default() };
    (offers.clone(), Server::new("changing", "1", ()).features(features).offering(offers))
}

fn tool(name: &str) -> ToolEntry {
    let schema = json!({ "type": "object", "properties": { "text": { "type": "string" } } });
    ToolEntry::new(name, "Title", "Says a text.", to_raw_value(&schema).expect("JSON"))
}

fn add_tool(offers: &Offers, name: &str) -> Result<(), Refused> {
    #[derive(Deserialize)]
    struct Arguments {
        text: String,
    }
    let own = name.to_owned();
    offers.tool(tool(name), move |_, arguments| {
        let own = own.clone();
        async move {
            let Arguments { text } = serde_json::from_str(arguments.get())?;
            Ok(Reply::text(format!("{own}: {text}")))
        }
    })
}

fn resource(uri: &str, mime: &str) -> ResourceEntry {
    ResourceEntry {
        uri: uri.to_owned().into(),
        name: "name".into(),
        title: "Title".into(),
        description: "A file.".into(),
        mime: mime.to_owned().into(),
        completes: false,
        meta: None,
    }
}

#[test]
fn what_is_offered_at_run_time_is_listed_called_and_gone_again_and_clients_are_told() {
    for version in [Version::V2024_11_05, Version::MODERN] {
        let (offers, server) = offers();
        add_tool(&offers, "first").expect("a new name");
        let mut client = Client::memory(server).speaking(version);
        if version.is_modern() {
            client.start("subscriptions/listen", json!({ "notifications": { "toolsListChanged": true } }));
            client.notification("notifications/subscriptions/acknowledged");
        } else {
            // The session listens from the handshake on; a request that was answered came after it.
            client.result("ping", json!({}));
        }
        add_tool(&offers, "second").expect("a new name");
        client.notification("notifications/tools/list_changed");
        let listed = client.result("tools/list", json!({}));
        let names: Vec<&Value> =
            listed["tools"].as_array().expect("tools").iter().map(|tool| &tool["name"]).collect();
        assert_eq!(names, ["first", "second"]);
        assert_eq!(text(&client.call("second", json!({ "text": "hello" }))), "second: hello");
        let failed = client.call("second", json!({}));
        assert_eq!(failed["isError"], true, "`?` on an error of serde_json: {failed}");
        assert!(offers.remove_tool("second") && !offers.remove_tool("second"));
        client.notification("notifications/tools/list_changed");
        assert_eq!(client.error("tools/call", json!({ "name": "second" }))["code"], -32602);
    }
}

#[test]
fn resources_and_prompts_of_any_name_and_media_type() {
    for version in [Version::V2024_11_05, Version::MODERN] {
        let (offers, server) = offers();
        for number in 0..150 {
            let (uri, mime) = (format!("file:///{number}.bin"), format!("application/x-{number}"));
            let read = move |_, at: mcp::Address| {
                let mime = format!("application/x-{number}");
                async move { Ok(vec![Item::blob(at.uri, &mime, vec![0; 3])]) }
            };
            offers.resource(resource(&uri, &mime), read).expect("a new URI");
        }
        let prompt = PromptEntry {
            name: String::from("later").into(),
            title: "Later".into(),
            description: "A prompt.".into(),
            arguments: Vec::new(),
            completes: false,
        };
        let picture = |_, arguments: std::collections::BTreeMap<String, String>| async move {
            let mime = arguments.get("mime").cloned().unwrap_or_default();
            Ok(Messages::user(Content::image(vec![0; 3], mime)))
        };
        offers.prompt(prompt, picture).expect("a new name");
        let mut client = Client::memory(server).speaking(version);
        let first = client.result("resources/list", json!({}));
        let second = client.result("resources/list", json!({ "cursor": first["nextCursor"] }));
        assert_eq!(second["resources"][49]["mimeType"], "application/x-149");
        let read = client.result("resources/read", json!({ "uri": "file:///149.bin" }));
        assert_eq!(read["contents"][0]["mimeType"], "application/x-149");
        let got =
            client.result("prompts/get", json!({ "name": "later", "arguments": { "mime": "image/webp" } }));
        assert_eq!(got["messages"][0]["content"]["mimeType"], "image/webp");
        assert!(offers.remove_resource("file:///149.bin") && offers.remove_prompt("later"));
        let missing = client.error("resources/read", json!({ "uri": "file:///149.bin" }));
        assert_eq!(missing["code"], if version.is_modern() { -32602 } else { -32002 });
    }
}

#[test]
fn what_handlers_say_at_run_time_repeats_little_of_what_was_sent() {
    let (offers, server) = offers();
    let read = |_, at: mcp::Address| async move {
        Err::<Vec<Item>, Stop>(
            mcp::Fail::new(format!("nothing at {}, which is {:?}", at.uri, at.variable("name"))).into(),
        )
    };
    offers.resource(resource("file:///{name}", "text/plain"), read).expect("a new URI");
    let prompt = PromptEntry {
        name: "later".into(),
        title: "Later".into(),
        description: "A prompt.".into(),
        arguments: Vec::new(),
        completes: false,
    };
    let get = |_, arguments: std::collections::BTreeMap<String, String>| async move {
        Err::<Messages, Stop>(mcp::Fail::new(format!("what is {:?}?", arguments.values())).into())
    };
    offers.prompt(prompt, get).expect("a new name");
    let mut client = Client::memory(server).speaking(Version::MODERN);
    let long = "\u{416}".repeat(100_000);
    let encoded = "%D0%96".repeat(100_000);
    for (method, params) in [
        ("resources/read", json!({ "uri": format!("file:///{long}") })),
        ("resources/read", json!({ "uri": format!("file:///{encoded}") })),
        ("prompts/get", json!({ "name": "later", "arguments": { "what": long } })),
    ] {
        let error = client.error(method, params);
        let message = error["message"].as_str().expect("a message");
        assert!(message.chars().count() < 2_010, "{} bytes", message.len());
        assert!(message.matches('\u{416}').count() <= 400, "{message}");
    }
}

#[test]
fn a_name_that_is_there_already_is_refused() {
    let (offers, _server) = offers();
    add_tool(&offers, "once").expect("a new name");
    let refused = add_tool(&offers, "once").expect_err("a name twice");
    assert_eq!(
        refused.to_string(),
        "there is a tool `once` already; take another name, or remove that one first"
    );
    let offers = Offers::new(Changes::default());
    let server = fixture::server().offering(offers.clone());
    assert!(
        matches!(add_tool(&offers, "echo"), Err(Refused::Duplicate { kind: "tool", .. })),
        "a name built in"
    );
    assert_eq!(server.duplicate(), None);
}

#[test]
fn what_comes_and_goes_is_no_difference_between_two_builds() {
    let (offers, server) = offers();
    let (hash, surface) = (server.surface().hash().to_owned(), server.surface());
    add_tool(&offers, "later").expect("a new name");
    assert_eq!(server.surface().hash(), hash);
    assert!(!Arc::ptr_eq(&server.surface(), &surface));
    assert!(Arc::ptr_eq(&server.surface(), &server.surface()), "put together once");
    let mut client = Client::shared(Arc::new(server), Limits::default()).speaking(Version::MODERN);
    assert!(client.result("server/discover", json!({}))["_meta"].get("surfaceHash").is_none());
    let mut relay = client.capable(json!({ "extensions": { "relay": {} } }));
    assert_eq!(
        relay.result("server/discover", json!({}))["_meta"]["surfaceHash"],
        hash,
        "only a relay asks for it"
    );
}
