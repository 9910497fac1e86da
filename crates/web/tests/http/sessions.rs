//! Sessions: opened by a handshake, needed afterwards, ended by either side.

use std::time::Duration;

use mcp::Version;
use mcp::http::Policy;
use serde_json::{Value, json};

use crate::host::Host;
use crate::raw::Request;
use crate::speaking::{Session, initialize, message, text};

#[test]
fn a_request_without_a_session_is_400_and_with_an_unknown_one_404() {
    let host = Host::start();
    let ping = Request::post(message(1, "ping", json!({})));
    let mut without = ping.clone().send(host.door);
    assert_eq!(without.status, 400);
    assert!(without.json()["error"]["message"].as_str().is_some_and(|text| text.contains("initialize")));
    for unknown in
        [ping.header("mcp-session-id", "nobody"), Request::get().header("mcp-session-id", "nobody")]
    {
        let mut response = unknown.send(host.door);
        assert_eq!((response.status, response.json().get("id")), (404, None));
    }
}

#[test]
fn a_version_that_is_none_is_400_even_in_a_session() {
    let host = Host::start();
    let session = Session::open(&host, Version::V2025_06_18);
    let ping = session.request(1, "ping", json!({}));
    assert_eq!(ping.clone().header("mcp-protocol-version", "1999-01-01").send(host.door).status, 400);
    assert_eq!(ping.without("mcp-protocol-version").send(host.door).status, 200);
}

#[test]
fn a_session_ends_by_delete_once() {
    let host = Host::start();
    let session = Session::open(&host, Version::V2025_03_26);
    assert!(session.is_known());
    let delete = session.own(Request::of_method("DELETE"));
    assert_eq!(delete.clone().send(host.door).status, 200);
    assert!(!session.is_known());
    assert_eq!(delete.send(host.door).status, 404);
}

#[test]
fn ending_a_session_stops_what_it_had_under_way() {
    let host = Host::start();
    let news = host.listen();
    let session = Session::open(&host, Version::V2025_11_25);
    let mut standing = session.own(Request::get()).send(host.door);
    let call = session.call(1, "never", json!({})).start(host.door);
    news.wait_for("fixture://started");
    assert_eq!(session.own(Request::of_method("DELETE")).send(host.door).status, 200);
    news.wait_for("fixture://dropped");
    assert_eq!(call.response().text(), "");
    while standing.event().is_some() {}
}

#[test]
fn a_handshake_that_fails_opens_no_session() {
    let host = Host::start();
    let mut response = initialize(Version::V2025_11_25, json!("many")).send(host.door);
    assert_eq!(response.json()["error"]["code"], -32602);
    assert_eq!(response.header("mcp-session-id"), None);
}

#[test]
fn an_id_is_random_visible_and_new_each_time() {
    let host = Host::start();
    let [one, other] = [(); 2].map(|()| Session::open(&host, Version::V2025_11_25).id);
    assert_ne!(one, other);
    assert!(one.len() >= 32 && one.bytes().all(|byte| byte.is_ascii_graphic()), "{one}");
}

#[test]
fn a_session_is_nothing_to_somebody_else() {
    let host = Host::start();
    let mut session = Session::open(&host, Version::V2025_11_25);
    session.door = host.other_door;
    assert!(!session.is_known());
    assert_eq!(session.own(Request::get()).send(host.other_door).status, 404);
    assert_eq!(session.own(Request::of_method("DELETE")).send(host.other_door).status, 404);
    session.door = host.door;
    assert!(session.is_known());
}

#[test]
fn beyond_the_limit_the_one_longest_unused_is_forgotten() {
    let host = Host::with(Policy { sessions: 3, ..Policy::default() });
    let [first, second, third] = [(); 3].map(|()| Session::open(&host, Version::V2025_11_25));
    assert!(first.is_known());
    let fourth = Session::open(&host, Version::V2025_11_25);
    assert_eq!([&first, &second, &third, &fourth].map(Session::is_known), [true, false, true, true]);
}

#[test]
fn a_session_in_use_outlives_one_that_was_used_later() {
    let host = Host::with(Policy { sessions: 2, ..Policy::default() });
    let listening = Session::open(&host, Version::V2025_11_25);
    let _standing = listening.own(Request::get()).send(host.door);
    let idle = Session::open(&host, Version::V2025_11_25);
    assert!(idle.is_known());
    let newcomer = Session::open(&host, Version::V2025_11_25);
    assert_eq!([&listening, &idle, &newcomer].map(Session::is_known), [true, false, true]);
}

#[test]
fn a_session_that_expired_stays_so() {
    let host = Host::with(Policy { session_time: Duration::ZERO, ..Policy::default() });
    let session = Session::open(&host, Version::V2025_11_25);
    assert_eq!([session.is_known(), session.is_known()], [false, false]);
}

#[test]
fn an_id_that_is_under_way_is_refused_until_it_is_answered() {
    let host = Host::start();
    let session = Session::open(&host, Version::V2025_11_25);
    let params = json!({ "name": "job", "arguments": { "what": "ask" } });
    let held = Session::capable(&host, Version::V2025_11_25, json!({ "elicitation": {} }));
    let mut waiting = held.request(1, "tools/call", params).send(host.door);
    let question: Value = waiting.message();
    let again = held.call(1, "echo", json!({ "text": "x" }));
    assert_eq!(again.clone().send(host.door).json()["error"]["code"], -32600);
    assert_eq!(
        text(&session.call(1, "echo", json!({ "text": "other session" })).send(host.door).json()),
        "other session"
    );
    held.post(
        json!({ "jsonrpc": "2.0", "id": question["id"], "result": { "action": "decline" } }).to_string(),
    );
    waiting.message();
    assert_eq!(text(&again.send(host.door).json()), "x");
}
