//! The far side of a relay that is not there, goes away in the middle, comes back, is slow, or is another one.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use mcp::relay::{Options, Trouble, local};
use mcp::stdio::Limits;
use mcp::{
    About, Change, Cx, Elicited, Fail, Features, Relay, Run, Server, Service, Stop, Tool, Version, client,
};
use mcp_testkit::far::{Far, Place};
use mcp_testkit::{Client, fixture};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::text;

const ERAS: [Version; 2] = [Version::V2025_11_25, Version::MODERN];

/// A relay to the fixture at this place.
fn relay(place: &Place, options: Options) -> Relay {
    Relay::new(fixture::server().surface(), local(place.socket()), options)
}

fn echo(client: &mut Client) -> Value {
    client.request("tools/call", json!({ "name": "echo", "arguments": { "text": "hello" } }))
}

/// What stands in while nobody is there.
fn stand_in() -> Server<()> {
    let features = Features { list_changes: true, ..Features::default() };
    Server::new("stand-in", "1", ()).features(features).tool(StandIn)
}

struct StandIn;

#[derive(Deserialize, JsonSchema)]
struct Text {
    text: String,
}

#[derive(Deserialize, JsonSchema)]
struct Reason {
    reason: String,
}

impl Tool<()> for StandIn {
    type In = Text;
    type Out = String;
    const ABOUT: About =
        About::new("echo", "Echo", "Repeats a text in its own words, and asks where it must.");
    const RUN: Run = Run::Async;

    async fn call(&self, (): &(), cx: &Cx, input: Text) -> Result<String, Stop> {
        if input.text == "ask" {
            let Elicited::Accepted(reason) = cx.elicit::<Reason>("why", "Why?")? else {
                return Err("no".into());
            };
            return Ok(format!("standing in: {}", reason.reason));
        }
        Ok(format!("standing in: {}", input.text))
    }
}

/// Hears when a call of the fixture starts, and when one is dropped.
fn listening(server: &Server<fixture::State>) -> (Receiver<String>, mcp::Listening) {
    let (told, heard) = channel();
    let listening = server.state().changes.listen(move |change| {
        if let Change::Resource(uri) = change {
            let _ = told.send(uri.clone());
        }
    });
    (heard, listening)
}

#[test]
fn nobody_there_is_an_answer_that_says_what_to_do() {
    for version in ERAS {
        let place = Place::new();
        let mut client = Client::memory(relay(&place, Options::default())).speaking(version);
        let error = echo(&mut client)["error"].take();
        assert_eq!(
            (error["code"].as_i64(), error["message"].as_str()),
            (Some(-32000), Some("The server behind this one is not running; start it and try again"))
        );
        let _far = Far::start(Arc::new(fixture::server()), &place.socket());
        assert_eq!(text(&echo(&mut client)["result"]), "hello");
    }
}

#[test]
fn the_words_for_trouble_are_the_owners() {
    let place = Place::new();
    let options = Options::default().explaining(|trouble| match trouble {
        Trouble::Absent => Fail::rpc(-32000, "Start the app"),
        other => Fail::rpc(-32603, other.to_string()),
    });
    let mut client = Client::memory(relay(&place, options)).speaking(Version::MODERN);
    assert_eq!(echo(&mut client)["error"], json!({ "code": -32000, "message": "Start the app" }));
}

#[test]
fn a_stand_in_serves_the_calls_that_come_while_nobody_is_there() {
    for version in ERAS {
        let place = Place::new();
        let options = Options::default().fallback(Arc::new(stand_in()));
        let mut client = Client::memory(relay(&place, options)).speaking(version);
        for _ in 0..2 {
            assert_eq!(text(&echo(&mut client)["result"]), "standing in: hello");
            let far = Far::start(Arc::new(fixture::server()), &place.socket());
            assert_eq!(text(&echo(&mut client)["result"]), "hello");
            drop(far);
            // The connection may be found broken by this very call: then it is answered with an error, once.
            let answer = echo(&mut client);
            assert!(
                answer.get("error").is_some() || text(&answer["result"]) == "standing in: hello",
                "{answer}"
            );
        }
        assert_eq!(text(&echo(&mut client)["result"]), "standing in: hello");
    }
}

#[test]
fn what_is_offered_changes_when_the_far_side_comes_and_goes_and_clients_are_told() {
    let names = |client: &mut Client| -> Vec<Value> {
        let listed = client.result("tools/list", json!({}));
        listed["tools"].as_array().expect("tools").iter().map(|tool| tool["name"].clone()).collect()
    };
    for version in ERAS {
        let place = Place::new();
        let options = Options::default().fallback(Arc::new(stand_in())).probing(Duration::from_millis(10));
        let mut client = Client::memory(relay(&place, options)).speaking(version);
        if version.is_modern() {
            client.start("subscriptions/listen", json!({ "notifications": { "toolsListChanged": true } }));
            client.notification("notifications/subscriptions/acknowledged");
        }
        // Before anybody looked, the relay offers what it was built with.
        let until = |client: &mut Client, count: usize| {
            while names(client).len() != count {
                client.notification("notifications/tools/list_changed");
            }
        };
        until(&mut client, 1);
        let far = Far::start(Arc::new(fixture::server()), &place.socket());
        until(&mut client, fixture::server().surface().tools().len());
        drop(far);
        until(&mut client, 1);
        assert_eq!(names(&mut client), ["echo"]);
    }
}

#[test]
fn another_server_is_an_answer_and_no_reason_to_fall_back() {
    let others: [Arc<dyn Service>; 2] = [
        Arc::new(Server::new("fixture", "2.0.0", ())),
        // The same version, with something else to offer.
        Arc::new(Server::new("fixture", "1.2.3", ())),
    ];
    for version in ERAS {
        for other in &others {
            let place = Place::new();
            let far = Far::start(Arc::clone(other), &place.socket());
            let options = Options::default().fallback(Arc::new(stand_in()));
            let mut client = Client::memory(relay(&place, options)).speaking(version);
            let error = echo(&mut client)["error"].take();
            assert_eq!(error["code"], -32000);
            assert!(error["message"].as_str().is_some_and(|text| text.contains("update both")), "{error}");
            drop(far);
            assert_eq!(text(&echo(&mut client)["result"]), "standing in: hello");
        }
    }
}

#[test]
fn a_far_side_that_goes_away_in_mid_call_is_an_error_and_the_call_is_never_repeated() {
    for version in ERAS {
        let place = Place::new();
        let server = Arc::new(fixture::server());
        let (heard, _listening) = listening(&server);
        let far = Far::start(Arc::clone(&server) as Arc<dyn Service>, &place.socket());
        let options = Options::default().fallback(Arc::new(stand_in()));
        let mut client = Client::memory(relay(&place, options)).speaking(version);
        let id = client.start("tools/call", json!({ "name": "never", "arguments": {} }));
        assert_eq!(heard.recv().as_deref(), Ok("fixture://started"));
        drop(far);
        let error = client.response(&id)["error"].take();
        assert_eq!(error["code"], -32000);
        assert!(
            error["message"].as_str().is_some_and(|text| text.contains("may have taken effect")),
            "{error}"
        );
        let _far = Far::start(Arc::clone(&server) as Arc<dyn Service>, &place.socket());
        assert_eq!(text(&echo(&mut client)["result"]), "hello");
        let started = heard.try_iter().filter(|uri| uri == "fixture://started").count();
        assert_eq!(started, 0, "the call was sent again");
    }
}

#[test]
fn what_a_client_watches_is_watched_at_a_far_side_that_comes_back() {
    for version in ERAS {
        let place = Place::new();
        let far = Far::start(Arc::new(fixture::server()), &place.socket());
        let mut client = Client::memory(relay(&place, Options::default())).speaking(version);
        if version.is_modern() {
            let filter = json!({ "notifications": { "resourceSubscriptions": ["fixture://readme"] } });
            client.start("subscriptions/listen", filter);
            client.notification("notifications/subscriptions/acknowledged");
        } else {
            client.result("resources/subscribe", json!({ "uri": "fixture://readme" }));
        }
        client.call("touch", json!({}));
        client.notification("notifications/resources/updated");
        drop(far);
        let _far = Far::start(Arc::new(fixture::server()), &place.socket());
        while echo(&mut client).get("error").is_some() {}
        // It may have changed while nobody told.
        client.notification("notifications/resources/updated");
        client.call("touch", json!({}));
        client.notification("notifications/resources/updated");
    }
}

#[test]
fn a_far_side_that_says_nothing_is_given_up_and_told_so() {
    for version in ERAS {
        let place = Place::new();
        let server = Arc::new(fixture::server());
        let (heard, _listening) = listening(&server);
        let _far = Far::start(Arc::clone(&server) as Arc<dyn Service>, &place.socket());
        let limits = client::Limits { silence: Duration::from_secs(2), ..client::Limits::default() };
        let mut client = Client::memory(relay(&place, Options::default().limits(limits))).speaking(version);
        let error = client.error("tools/call", json!({ "name": "never", "arguments": {} }));
        assert!(
            error["message"].as_str().is_some_and(|text| text.starts_with("No answer within")),
            "{error}"
        );
        assert_eq!(heard.iter().take(2).collect::<Vec<_>>(), ["fixture://started", "fixture://dropped"]);
        assert_eq!(server.state().dropped.load(Ordering::SeqCst), 1);
        // Progress is no silence: a hundred steps take longer than may be silent.
        let count =
            json!({ "name": "count", "arguments": { "steps": 100 }, "_meta": { "progressToken": 1 } });
        assert_eq!(text(&client.result("tools/call", count)), "counted to 100");
        assert_eq!(text(&echo(&mut client)["result"]), "hello");
    }
}

#[test]
fn a_slow_far_side_holds_up_only_the_call_that_is_slow() {
    for version in ERAS {
        let place = Place::new();
        let _far = Far::start(Arc::new(fixture::server()), &place.socket());
        let mut client = Client::memory(relay(&place, Options::default())).speaking(version);
        let held = client.start("tools/call", json!({ "name": "hold", "arguments": {} }));
        assert_eq!(text(&echo(&mut client)["result"]), "hello");
        client.call("release", json!({}));
        assert_eq!(text(&client.response(&held)["result"]), "released");
    }
}

#[test]
fn what_was_asked_at_one_side_is_not_answered_at_the_other() {
    let accept = json!({ "why": { "action": "accept", "content": { "reason": "dust" } } });
    let connect = |place: &Place| {
        let options = Options::default().fallback(Arc::new(stand_in()));
        Client::shared(Arc::new(relay(place, options)), Limits::default())
            .capable(json!({ "elicitation": {} }))
            .speaking(Version::MODERN)
    };
    // Asked by the far side, which is gone when the answer comes.
    let place = Place::new();
    let far = Far::start(Arc::new(fixture::server()), &place.socket());
    let mut client = connect(&place);
    let mut call = json!({ "name": "erase", "arguments": { "what": "x" } });
    let asked = client.result("tools/call", call.clone());
    drop(far);
    call["requestState"] = asked["requestState"].clone();
    call["inputResponses"] = accept.clone();
    assert_eq!(client.error("tools/call", call)["code"], -32000);

    // Asked by the one that stands in; the far side is there when the answer comes.
    let place = Place::new();
    let mut client = connect(&place);
    let mut call = json!({ "name": "echo", "arguments": { "text": "ask" } });
    let asked = client.result("tools/call", call.clone());
    let _far = Far::start(Arc::new(fixture::server()), &place.socket());
    call["requestState"] = asked["requestState"].clone();
    call["inputResponses"] = accept;
    assert_eq!(text(&client.result("tools/call", call)), "standing in: dust");
    assert_eq!(text(&echo(&mut client)["result"]), "hello");
}
