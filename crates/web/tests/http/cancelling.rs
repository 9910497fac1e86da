//! Giving up: by hanging up in the modern era, in so many words in a session.

use std::sync::atomic::Ordering;

use mcp::Version;
use serde_json::json;

use crate::host::Host;
use crate::raw::Connection;
use crate::speaking::{Session, modern, modern_call, notification};

#[test]
fn hanging_up_cancels_a_modern_call_but_not_one_of_a_session() {
    let host = Host::start();
    let news = host.listen();
    let dropped = || host.state.dropped.load(Ordering::SeqCst);
    let session = Session::open(&host, Version::V2025_11_25);
    let legacy = session.call(1, "never", json!({})).start(host.door);
    news.wait_for("fixture://started");
    drop(legacy);
    let modern = modern_call(1, "never", json!({})).start(host.door);
    news.wait_for("fixture://started");
    drop(modern);
    news.wait_for("fixture://dropped");
    assert_eq!(dropped(), 1);

    let cancelled = notification("notifications/cancelled", json!({ "requestId": 1 }));
    assert_eq!(session.post(cancelled).status, 202);
    news.wait_for("fixture://dropped");
    assert_eq!(dropped(), 2);
}

/// `nc -N` and the like close their side when they have said everything, and wait for the answer.
#[cfg(target_os = "linux")]
#[test]
fn a_client_that_only_closed_its_side_is_answered() {
    let host = Host::start();
    let session = Session::open(&host, Version::V2025_11_25);
    for (tool, arguments, length) in [
        ("echo", json!({ "text": "x" }), 1),
        // More than the sockets hold.
        ("picture", json!({ "bytes": 20_000_000 }), 20_000_000),
        // Long enough to be looked after several times.
        ("sleep", json!({ "ms": 400 }), 1),
    ] {
        for call in [modern_call(1, tool, arguments.clone()), session.call(1, tool, arguments.clone())] {
            let call = call.start(host.door);
            call.close_side();
            let mut response = call.response();
            assert_eq!(response.status, 200, "{tool}");
            assert!(response.json()["result"]["content"].to_string().len() > length, "{tool}");
            assert!(response.ends(), "{tool}");
        }
    }
    let progress = json!({ "progressToken": 7 });
    let count = json!({ "name": "count", "arguments": { "steps": 8 }, "_meta": progress });
    let call = modern(1, "tools/call", count).start(host.door);
    call.close_side();
    let mut response = call.response();
    while response.message().get("result").is_none() {}
    assert!(response.ends());
}

#[cfg(target_os = "linux")]
#[test]
fn a_client_that_closed_its_side_and_then_goes_has_hung_up() {
    let host = Host::start();
    let news = host.listen();
    let call = modern_call(1, "never", json!({})).start(host.door);
    news.wait_for("fixture://started");
    call.close_side();
    // Another one meanwhile: the first is still there.
    assert_eq!(modern_call(1, "sleep", json!({ "ms": 300 })).send(host.door).status, 200);
    assert_eq!(host.state.dropped.load(Ordering::SeqCst), 0);
    drop(call);
    news.wait_for("fixture://dropped");
}

/// There is no more of it, and it is told so.
#[test]
fn a_client_that_closed_its_side_in_the_middle_of_a_body_is_told_so() {
    let host = Host::start();
    let mut connection = Connection::open(host.door);
    let bytes = connection.bytes_of(&modern_call(1, "echo", json!({ "text": "x" })));
    connection.write_bytes(&bytes[..bytes.len() - 5]);
    connection.close_side();
    assert_eq!(connection.response().status, 400);
}

#[test]
fn a_cancelled_call_is_never_answered_and_others_go_on() {
    let host = Host::start();
    let news = host.listen();
    let session = Session::open(&host, Version::V2025_11_25);
    let call = session.call("c", "never", json!({})).start(host.door);
    news.wait_for("fixture://started");
    for id in ["nobody", "c", "c"] {
        let cancelled = notification("notifications/cancelled", json!({ "requestId": id }));
        assert_eq!(session.post(cancelled).status, 202);
    }
    let mut response = call.response();
    assert_eq!((response.status, response.event()), (200, None));
    assert!(session.is_known());
}

#[test]
fn a_client_that_takes_no_events_learns_of_the_end_by_an_empty_answer() {
    let host = Host::start();
    let news = host.listen();
    let session = Session::open(&host, Version::V2025_11_25);
    let call = session.call(1, "never", json!({})).header("accept", "application/json").start(host.door);
    news.wait_for("fixture://started");
    session.post(notification("notifications/cancelled", json!({ "requestId": 1 })));
    assert_eq!(call.response().status, 204);
}

#[test]
fn a_cancellation_of_another_session_is_nothing_to_this_one() {
    let host = Host::start();
    let news = host.listen();
    let [one, other] = [(); 2].map(|()| Session::open(&host, Version::V2025_11_25));
    let _call = one.call(1, "never", json!({})).start(host.door);
    news.wait_for("fixture://started");
    other.post(notification("notifications/cancelled", json!({ "requestId": 1 })));
    assert_eq!(host.state.dropped.load(Ordering::SeqCst), 0);
}
