//! The standing stream of a session: news, as long as the client likes.

use mcp::Version;
use serde_json::json;

use crate::host::Host;
use crate::raw::{Request, Response};
use crate::speaking::{Session, text};

fn touch(session: &Session) {
    assert_eq!(text(&session.call(9, "touch", json!({})).send(session.door).json()), "told");
}

fn method(stream: &mut Response) -> String {
    stream.message()["method"].as_str().expect("a method").to_owned()
}

#[test]
fn it_tells_what_changed_and_only_what_the_session_watches() {
    let host = Host::start();
    for version in [Version::V2025_03_26, Version::V2025_11_25] {
        let session = Session::open(&host, version);
        let mut stream = session.own(Request::get()).send(host.door);
        assert_eq!((stream.status, stream.is_stream()), (200, true));
        touch(&session);
        assert_eq!(method(&mut stream), "notifications/tools/list_changed");
        let uri = json!({ "uri": "fixture://readme" });
        let watch = session.request(1, "resources/subscribe", uri.clone()).send(host.door).json();
        assert_eq!(watch["result"], json!({}));
        touch(&session);
        let update = stream.message();
        assert_eq!((&update["method"], &update["params"]), (&json!("notifications/resources/updated"), &uri));
        assert_eq!(method(&mut stream), "notifications/tools/list_changed");
        session.request(2, "resources/unsubscribe", uri).send(host.door);
        touch(&session);
        assert_eq!(method(&mut stream), "notifications/tools/list_changed");
    }
}

#[test]
fn it_is_primed_where_the_revision_knows_that() {
    let host = Host::start();
    let session = Session::open(&host, Version::V2025_11_25);
    let mut stream = session.own(Request::get()).send(host.door);
    let primer = stream.event().expect("an event");
    assert!(primer.id.is_some() && primer.data.as_deref() == Some(""), "{primer:?}");
    let older = Session::open(&host, Version::V2025_06_18);
    let mut stream = older.own(Request::get()).send(host.door);
    touch(&older);
    assert_eq!(stream.event().expect("an event").json()["method"], "notifications/tools/list_changed");
}

#[test]
fn a_second_one_ends_the_first() {
    let host = Host::start();
    let session = Session::open(&host, Version::V2025_06_18);
    let mut first = session.own(Request::get()).send(host.door);
    let mut second = session.own(Request::get()).send(host.door);
    assert_eq!(first.event(), None);
    touch(&session);
    assert_eq!(method(&mut second), "notifications/tools/list_changed");
}

#[test]
fn a_client_that_comes_back_hears_what_it_missed_and_ends_its_old_connection() {
    let host = Host::start();
    let session = Session::open(&host, Version::V2025_11_25);
    let mut old = session.own(Request::get()).send(host.door);
    let primer = old.event().and_then(|event| event.id).expect("something to come back from");
    touch(&session);
    let mut new = session.own(Request::get().header("last-event-id", &primer)).send(host.door);
    assert_eq!(method(&mut new), "notifications/tools/list_changed");
    while old.event().is_some() {}
    touch(&session);
    assert_eq!(method(&mut new), "notifications/tools/list_changed");
}

#[test]
fn an_event_that_is_not_known_any_more_starts_a_new_stream() {
    let host = Host::start();
    let session = Session::open(&host, Version::V2025_06_18);
    for id in ["77/3", "1", "x/y", "-1/0"] {
        let mut stream = session.own(Request::get().header("last-event-id", id)).send(host.door);
        touch(&session);
        assert_eq!(method(&mut stream), "notifications/tools/list_changed", "{id}");
    }
}

#[test]
fn it_ends_when_the_server_does() {
    let host = Host::start();
    let session = Session::open(&host, Version::V2025_06_18);
    let mut stream = session.own(Request::get()).send(host.door);
    host.stop();
    assert_eq!(stream.event(), None);
}
