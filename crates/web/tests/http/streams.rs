//! The stream of one request in a session, which a client can lose and come back for.

use mcp::Version;
use serde_json::json;

use crate::host::Host;
use crate::raw::Request;
use crate::speaking::{Session, text};

fn counting(steps: u32) -> serde_json::Value {
    json!({ "name": "count", "arguments": { "steps": steps }, "_meta": { "progressToken": 1 } })
}

#[test]
fn a_lost_stream_is_replayed_from_where_it_was_lost_and_no_other() {
    let host = Host::start();
    for version in [Version::V2025_03_26, Version::V2025_11_25] {
        let session = Session::open(&host, version);
        let _standing = session.own(Request::get()).send(host.door);
        let mut stream = session.request(1, "tools/call", counting(4)).send(host.door);
        let first = std::iter::from_fn(|| stream.event()).find(|event| event.data.as_deref() != Some(""));
        let first = first.expect("an event");
        assert_eq!(first.json()["params"]["progress"], 1);
        drop(stream);

        session.call(2, "touch", json!({})).send(host.door);
        let other = session.request(3, "tools/call", counting(1)).send(host.door);
        drop(other);

        let last_event = first.id.expect("an id");
        for round in 1..=2 {
            let request = session.own(Request::get().header("last-event-id", &last_event));
            let mut again = request.send(host.door);
            for step in 2..=4 {
                assert_eq!(again.message()["params"]["progress"], step, "{version}, round {round}");
            }
            let answer = again.message();
            assert_eq!((&answer["id"], text(&answer)), (&json!(1), "counted to 4"));
            assert_eq!(again.event(), None);
        }
    }
}

#[test]
fn what_is_lost_can_only_be_had_by_its_own_session() {
    let host = Host::start();
    let session = Session::open(&host, Version::V2025_06_18);
    let mut stream = session.request(1, "tools/call", counting(1)).send(host.door);
    let id = stream.event().and_then(|event| event.id).expect("an id");
    let stranger = Session::open(&host, Version::V2025_06_18);
    let mut other = stranger.own(Request::get().header("last-event-id", &id)).send(host.door);
    stranger.call(1, "touch", json!({})).send(host.door);
    assert_eq!(other.message()["method"], "notifications/tools/list_changed");
}

#[test]
fn several_streams_are_open_at_once() {
    let host = Host::start();
    let session = Session::open(&host, Version::V2025_11_25);
    let mut streams: Vec<_> =
        (1..=4).map(|id| session.request(id, "tools/call", counting(2)).send(host.door)).collect();
    for (at, stream) in streams.iter_mut().enumerate() {
        for step in 1..=2 {
            assert_eq!(stream.message()["params"]["progress"], step);
        }
        assert_eq!(stream.message()["id"], at + 1);
    }
}
