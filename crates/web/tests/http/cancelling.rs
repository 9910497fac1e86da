//! Giving up: by hanging up in the modern era, in so many words in a session.

use std::sync::atomic::Ordering;

use mcp::Version;
use serde_json::json;

use crate::host::Host;
use crate::speaking::{Session, modern_call, notification};

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
