//! Two sides of a relay that offer different things: clients see what the one offers that serves them.

use std::sync::Arc;
use std::time::Duration;

use mcp::relay::{Options, local};
use mcp::{
    About, Changes, Cx, Features, Offers, Relay, Reply, Run, Server, Service, Stop, Tool, ToolEntry, Version,
};
use mcp_testkit::far::{Far, Listener, Place, Through};
use mcp_testkit::{Client, fixture};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::value::to_raw_value;
use serde_json::{Value, json};

use crate::text;

const ERAS: [Version; 2] = [Version::V2025_11_25, Version::MODERN];

#[derive(Deserialize, JsonSchema)]
struct Nothing {}

/// Both sides have this one.
struct Look;

impl Tool<&'static str> for Look {
    type In = Nothing;
    type Out = String;
    const ABOUT: About = About::new("look", "Look", "Says who looks.").read_only();
    const RUN: Run = Run::Inline;

    async fn call(&self, who: &&'static str, _: &Cx, _: Nothing) -> Result<String, Stop> {
        Ok((*who).to_owned())
    }
}

/// Only the far side has this one.
struct Undo;

impl Tool<&'static str> for Undo {
    type In = Nothing;
    type Out = String;
    const ABOUT: About = About::new("undo", "Undo", "Takes back what was done last.");
    const RUN: Run = Run::Inline;

    async fn call(&self, _: &&'static str, _: &Cx, _: Nothing) -> Result<String, Stop> {
        Ok("undone".to_owned())
    }
}

fn app() -> Server<&'static str> {
    Server::new("app", "1", "app").tool(Look).tool(Undo)
}

/// Says nothing about changing lists: that they change is the relay's doing.
fn alone() -> Server<&'static str> {
    Server::new("app", "1", "alone").tool(Look)
}

fn relay(place: &Place, options: Options) -> Relay {
    Relay::new(app().surface(), local(place.socket()), options.fallback(Arc::new(alone())))
}

fn tools(client: &mut Client) -> Vec<String> {
    let listed = client.result("tools/list", json!({}));
    let names = listed["tools"].as_array().expect("tools").iter();
    names.map(|tool| tool["name"].as_str().expect("a name").to_owned()).collect()
}

#[test]
fn the_very_first_list_is_of_the_side_that_is_there() {
    for version in ERAS {
        let place = Place::new();
        let mut client = Client::memory(relay(&place, Options::default())).speaking(version);
        assert_eq!(tools(&mut client), ["look"]);
        assert!(client.hang_up().rest.is_empty(), "nobody was shown anything else before");
        let _far = Far::start(Arc::new(app()), &place.socket());
        let mut client = Client::memory(relay(&place, Options::default())).speaking(version);
        assert_eq!(tools(&mut client), ["look", "undo"]);
    }
}

#[test]
fn a_far_side_that_hangs_does_not_hold_up_the_first_list() {
    let place = Place::new();
    // It is there, and nobody accepts.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let _entered = runtime.enter();
    let _listener = Listener::bind(&place.socket()).expect("a socket");
    let mut client = Client::memory(relay(&place, Options::default())).speaking(Version::V2025_11_25);
    assert_eq!(tools(&mut client), ["look", "undo"]);
}

#[test]
fn a_tool_that_only_the_far_side_has_comes_and_goes_with_it_and_clients_are_told() {
    for version in ERAS {
        let place = Place::new();
        let options = Options::default().probing(Duration::from_millis(10));
        let mut client = Client::memory(relay(&place, options)).speaking(version);
        if version.is_modern() {
            client.start("subscriptions/listen", json!({ "notifications": { "toolsListChanged": true } }));
            let said = client.notification("notifications/subscriptions/acknowledged");
            assert_eq!(said["params"]["notifications"], json!({ "toolsListChanged": true }));
        } else {
            let hello = json!({ "protocolVersion": version.as_str(), "capabilities": {}, "clientInfo": { "name": "a", "version": "1" } });
            let greeting = client.result("initialize", hello);
            assert_eq!(greeting["capabilities"]["tools"]["listChanged"], true, "{greeting}");
        }
        for _ in 0..2 {
            assert_eq!(tools(&mut client), ["look"]);
            assert_eq!(text(&client.call("look", json!({}))), "alone");
            let error = client.error("tools/call", json!({ "name": "undo" }));
            assert_eq!(error["code"], -32000, "it is known, and not there: {error}");
            assert_eq!(client.error("tools/call", json!({ "name": "nope" }))["code"], -32602);

            let far = Far::start(Arc::new(app()), &place.socket());
            client.notification("notifications/tools/list_changed");
            assert_eq!(tools(&mut client), ["look", "undo"]);
            assert_eq!(text(&client.call("undo", json!({}))), "undone");
            assert_eq!(text(&client.call("look", json!({}))), "app");

            drop(far);
            client.notification("notifications/tools/list_changed");
        }
    }
}

#[test]
fn what_only_one_side_has_is_declared_from_the_start() {
    for version in ERAS {
        let place = Place::new();
        let options = Options::default().fallback(Arc::new(alone())).probing(Duration::from_millis(10));
        let relay = Relay::new(fixture::server().surface(), local(place.socket()), options);
        let mut client = Client::memory(relay).speaking(version);
        if version.is_modern() {
            let wanted = json!({ "promptsListChanged": true, "resourceSubscriptions": ["fixture://readme"] });
            client.start("subscriptions/listen", json!({ "notifications": wanted }));
            let said = client.notification("notifications/subscriptions/acknowledged");
            assert_eq!(said["params"]["notifications"], wanted);
        }
        // Not there now, and not a method that does not exist either.
        assert_eq!(client.result("prompts/list", json!({}))["prompts"], json!([]));
        assert_eq!(client.result("resources/list", json!({}))["resources"], json!([]));
        let describe = json!({ "name": "describe", "arguments": { "page": "6" } });
        assert_eq!(client.error("prompts/get", describe.clone())["code"], -32000);
        let _far = Far::start(Arc::new(fixture::server()), &place.socket());
        client.notification("notifications/prompts/list_changed");
        assert_ne!(client.result("prompts/list", json!({}))["prompts"], json!([]));
        assert!(client.result("prompts/get", describe)["messages"].is_array());
    }
}

#[test]
fn what_is_to_be_done_first_on_a_connection_is_done_before_any_call() {
    for version in ERAS {
        let place = Place::new();
        let options = Options::default().preparing(|far| async move {
            let call =
                far.call("tools/call", &json!({ "name": "set", "arguments": { "value": "handed over" } }));
            let answer = call.expect("sent").finish(|_| {}).await.expect("answered");
            assert!(answer.result().is_ok_and(|text| text.contains("complete")));
        });
        let kept = Arc::new(std::sync::Mutex::new(String::new()));
        let server = Server::new("keeping", "1", kept).tool(Set).tool(Get);
        let relay = Relay::new(server.surface(), local(place.socket()), options);
        let _far = Far::start(Arc::new(server), &place.socket());
        let mut client = Client::memory(relay).speaking(version);
        assert_eq!(text(&client.call("get", json!({}))), "handed over");
    }
}

type Kept = Arc<std::sync::Mutex<String>>;

struct Set;
struct Get;

#[derive(Deserialize, JsonSchema)]
struct Text {
    value: String,
}

impl Tool<Kept> for Set {
    type In = Text;
    type Out = String;
    const ABOUT: About = About::new("set", "Set", "Keeps a text.");

    async fn call(&self, kept: &Kept, _: &Cx, input: Text) -> Result<String, Stop> {
        // Long enough for a call that does not wait to come first.
        tokio::time::sleep(Duration::from_millis(50)).await;
        *kept.lock().expect("no panic") = input.value;
        Ok("kept".to_owned())
    }
}

impl Tool<Kept> for Get {
    type In = Nothing;
    type Out = String;
    const ABOUT: About = About::new("get", "Get", "The text that is kept.").read_only();

    async fn call(&self, kept: &Kept, _: &Cx, _: Nothing) -> Result<String, Stop> {
        Ok(kept.lock().expect("no panic").clone())
    }
}

fn offer(offers: &Offers, name: &str) {
    let schema = json!({ "type": "object", "properties": { "text": { "type": "string" } } });
    let mut entry = ToolEntry::new(name, "Title", "Says a text.", to_raw_value(&schema).expect("JSON"));
    entry.hints.read_only = true;
    let own = name.to_owned();
    let call = move |_, _| std::future::ready(Ok(Reply::text(own.clone())));
    offers.tool(entry, call).expect("a new name");
}

#[test]
fn what_the_far_side_offers_only_at_run_time_is_listed_through_the_relay() {
    for version in ERAS {
        let offers = Offers::new(Changes::default());
        let server: Arc<dyn Service> = Arc::new(
            Server::new("changing", "1", "changing")
                .features(Features { resource_updates: true, ..Features::default() })
                .tool(Look)
                .offering(offers.clone()),
        );
        // One before the relay connects, and more than a page of them.
        for number in 0..150 {
            offer(&offers, &format!("early-{number}"));
        }
        let mut direct = Client::shared(Arc::clone(&server), mcp::stdio::Limits::default()).speaking(version);
        let place = Place::new();
        let built_in = Server::new("changing", "1", "changing")
            .features(Features { resource_updates: true, ..Features::default() })
            .tool(Look)
            .offering(Offers::new(Changes::default()))
            .surface();
        let far = Far::start(Arc::clone(&server), &place.socket());
        let mut relayed =
            Client::memory(Relay::new(built_in, local(place.socket()), Options::default())).speaking(version);
        if version.is_modern() {
            relayed.start("subscriptions/listen", json!({ "notifications": { "toolsListChanged": true } }));
            relayed.notification("notifications/subscriptions/acknowledged");
        }
        // The first call connects, and then clients are told that there is more than was built in.
        assert_eq!(text(&relayed.call("early-7", json!({}))), "early-7");
        relayed.notification("notifications/tools/list_changed");
        let list = |client: &mut Client, cursor: Option<&Value>| match cursor {
            None => client.result("tools/list", json!({})),
            Some(cursor) => client.result("tools/list", json!({ "cursor": cursor })),
        };
        let (here, there) = (list(&mut direct, None), list(&mut relayed, None));
        assert_eq!(there, here);
        let cursor = here["nextCursor"].clone();
        assert_eq!(list(&mut relayed, Some(&cursor)), list(&mut direct, Some(&cursor)));

        offer(&offers, "late");
        relayed.notification("notifications/tools/list_changed");
        let listed = list(&mut relayed, Some(&cursor));
        assert_eq!(listed["tools"].as_array().and_then(|tools| tools.last()).expect("tools")["name"], "late");
        assert_eq!(text(&relayed.call("late", json!({}))), "late");
        assert!(offers.remove_tool("late"));
        relayed.notification("notifications/tools/list_changed");
        assert_eq!(list(&mut relayed, Some(&cursor)), list(&mut direct, Some(&cursor)));
        drop(far);
    }
}

#[test]
fn a_relay_behind_a_relay_shows_what_comes_and_goes() {
    let offers = Offers::new(Changes::default());
    let server = Arc::new(Server::new("changing", "1", "changing").tool(Look).offering(offers.clone()));
    let mut client =
        Client::memory(Through::relay(Arc::new(Through::relay(server)))).speaking(Version::V2025_11_25);
    assert_eq!(text(&client.call("look", json!({}))), "changing");
    offer(&offers, "late");
    client.notification("notifications/tools/list_changed");
    assert_eq!(tools(&mut client), ["look", "late"]);
}
