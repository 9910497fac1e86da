//! What clients may cost: everything they leave behind has a bound and an end.

use std::time::{Duration, Instant};

use mcp::Version;
use mcp::http::Policy;
use serde_json::{Value, json};
use web::Limits;

use crate::host::{Host, PATIENCE};
use crate::raw::{Connection, Request};
use crate::speaking::{Session, capable_modern, message, modern, modern_call, notification, text};

#[test]
fn calls_under_way_are_counted_for_a_session_and_for_all() {
    let policy = Policy { in_flight: 3, session_in_flight: 2, ..Policy::default() };
    let host = Host::with(policy);
    let news = host.listen();
    let [one, other] = [(); 2].map(|()| Session::open(&host, Version::V2025_11_25));
    // Nobody stays connected: the calls go on all the same.
    for (session, id) in [(&one, 1), (&one, 2), (&other, 1)] {
        let call = session.call(id, "never", json!({})).start(host.door);
        news.wait_for("fixture://started");
        drop(call);
    }
    for session in [&one, &other] {
        let error = session.call(9, "never", json!({})).send(host.door).json()["error"].take();
        assert!(error["message"].as_str().is_some_and(|text| text.contains("Too many")), "{error}");
    }
    assert_eq!(one.own(Request::of_method("DELETE")).send(host.door).status, 200);
    assert_eq!(text(&other.call(10, "echo", json!({ "text": "room" })).send(host.door).json()), "room");
}

/// Whether the server still knows the session; asked until it does not, or for ever.
fn wait_until_forgotten(session: &Session) {
    let began = Instant::now();
    while session.is_known() {
        assert!(began.elapsed() < PATIENCE, "it is still known");
    }
}

#[test]
fn a_call_that_nobody_waits_for_does_not_keep_its_session() {
    let host = Host::with(Policy { session_time: Duration::from_millis(300), ..Policy::default() });
    let news = host.listen();
    let session = Session::open(&host, Version::V2025_11_25);
    let call = session.call(1, "never", json!({})).start(host.door);
    news.wait_for("fixture://started");
    drop(call);
    // Being asked about is being used: nothing is asked until it is over.
    news.wait_for("fixture://dropped");
    wait_until_forgotten(&session);
}

#[test]
fn a_question_that_nobody_answers_has_an_end() {
    let host = Host::with(Policy { response_time: Duration::from_millis(50), ..Policy::default() });
    let session = Session::capable(&host, Version::V2025_11_25, json!({ "elicitation": {} }));
    let mut stream = session.call(1, "erase", json!({ "what": "it" })).send(host.door);
    assert_eq!(stream.message()["method"], "elicitation/create");
    let answer = stream.message();
    let words = answer["error"]["message"].as_str().unwrap_or_default();
    assert!(words.starts_with("Nobody answered"), "{answer}");
}

#[test]
fn a_task_that_does_not_finish_expires() {
    let host = Host::with(Policy { task_time: Duration::from_millis(200), ..Policy::default() });
    let capabilities = json!({ "elicitation": {}, "extensions": { "io.modelcontextprotocol/tasks": {} } });
    let ask = |method: &str, params: Value| {
        capable_modern(capabilities.clone(), 1, method, params).send(host.door).json()
    };
    // It waits for an answer of the person.
    let made = ask("tools/call", json!({ "name": "job", "arguments": { "what": "ask" } }));
    let task = made["result"]["taskId"].as_str().unwrap_or_else(|| panic!("no task: {made}")).to_owned();
    let began = Instant::now();
    loop {
        let answer = ask("tasks/get", json!({ "taskId": task }));
        if answer["error"]["message"].as_str().is_some_and(|text| text.contains("Unknown task")) {
            break;
        }
        assert!(began.elapsed() < PATIENCE, "it is still there: {answer}");
    }
}

#[test]
fn an_answer_that_is_kept_keeps_to_its_budget() {
    let host = Host::with(Policy { replay: 3_000_000, ..Policy::default() });
    let kept = |session: &Session, bytes: usize| {
        let params = json!({ "name": "develop", "arguments": { "bytes": bytes },
                             "_meta": { "progressToken": 1 } });
        let mut stream = session.request(1, "tools/call", params).send(host.door);
        let mut last = None;
        while let Some(event) = stream.event() {
            last = event.id.or(last);
        }
        last.expect("an event to go on from")
    };
    let sessions: Vec<(Session, usize)> = [100_000, 2_000_000, 600_000, 600_000, 600_000, 600_000, 600_000]
        .into_iter()
        .map(|bytes| (Session::open(&host, Version::V2025_11_25), bytes))
        .collect();
    let waiting: Vec<String> = sessions.iter().map(|(session, bytes)| kept(session, *bytes)).collect();
    sessions[0].0.call(2, "release", json!({})).send(host.door);
    for (session, _) in &sessions {
        // Its id is in use as long as it is under way.
        let again = session.call(1, "echo", json!({ "text": "done" }));
        let began = Instant::now();
        while again.clone().send(host.door).json().get("error").is_some() {
            assert!(began.elapsed() < PATIENCE, "it is still under way");
        }
    }
    let mut held = 0;
    for ((session, bytes), last) in sessions.iter().zip(&waiting) {
        let mut rest = session.own(Request::get().header("last-event-id", last)).send(host.door);
        let answer = rest.message();
        if answer.get("result").is_some() {
            held += bytes;
        } else {
            let words = answer["error"]["message"].as_str().unwrap_or_default();
            assert!(words.contains("call again"), "{answer}");
        }
    }
    // All of them are 5,100,000 bytes, a third more in base64. One may just be on its way to whoever comes back.
    assert!((100_000..=4_400_000).contains(&held), "{held} bytes were kept");
}

#[test]
fn large_bodies_share_the_room_there_is_for_them() {
    let host = Host::with(Policy { bodies: 1_000_000, ..Policy::default() });
    let large = || modern_call(1, "echo", json!({ "text": "x".repeat(900_000) }));
    let start = || {
        let mut unfinished = Connection::open(host.door);
        let bytes = unfinished.bytes_of(&large());
        unfinished.write_bytes(&bytes[..bytes.len() - 10]);
        (unfinished, bytes)
    };
    // Asked until the other one has arrived. If the two arrive at the same time, it may be the other one that is refused.
    let (mut unfinished, mut bytes) = start();
    let began = Instant::now();
    loop {
        assert!(began.elapsed() < PATIENCE, "nothing is held");
        let status = large().send(host.door).status;
        let small = modern_call(1, "echo", json!({ "text": "x" })).send(host.door).status;
        assert_eq!(small, 200, "a small one");
        if unfinished.is_answered() {
            (unfinished, bytes) = start();
        } else if status != 200 {
            assert_eq!(status, 503);
            break;
        }
    }
    unfinished.write_bytes(&bytes[bytes.len() - 10..]);
    assert_eq!(unfinished.response().status, 200, "the first goes on");
    let began = Instant::now();
    while large().send(host.door).status != 200 {
        assert!(began.elapsed() < PATIENCE, "there is no room");
    }
}

/// What a call was sent with is held until it is answered, whether or not anybody waits for the answer.
#[test]
fn the_body_of_a_call_under_way_takes_room_until_it_is_answered() {
    let host = Host::with(Policy { bodies: 1_000_000, ..Policy::default() });
    let news = host.listen();
    let session = Session::open(&host, Version::V2025_11_25);
    let large = |id, tool| {
        let text = "x".repeat(900_000);
        session.request(id, "tools/call", json!({ "name": tool, "arguments": {}, "_meta": { "more": text } }))
    };
    let call = large(1, "never").start(host.door);
    news.wait_for("fixture://started");
    drop(call);
    assert_eq!(large(2, "release").send(host.door).status, 503);
    session.post(notification("notifications/cancelled", json!({ "requestId": 1 })));
    let began = Instant::now();
    while large(3, "release").send(host.door).status != 200 {
        assert!(began.elapsed() < PATIENCE, "there is no room");
    }
}

/// Those of a batch, too.
#[test]
fn the_body_of_a_batch_under_way_takes_room_until_it_is_answered() {
    let host = Host::with(Policy { bodies: 1_000_000, ..Policy::default() });
    let news = host.listen();
    let session = Session::open(&host, Version::V2025_03_26);
    let large = |id, tool| {
        let text = "x".repeat(900_000);
        let params = json!({ "name": tool, "arguments": {}, "_meta": { "more": text } });
        session.own(Request::post(format!("[{}]", message(id, "tools/call", params))))
    };
    let call = large(1, "never").start(host.door);
    news.wait_for("fixture://started");
    drop(call);
    // Whether the server has noticed that nobody waits any more cannot be seen; it must not matter.
    for _ in 0..20 {
        assert_eq!(large(2, "release").send(host.door).status, 503);
    }
    session.post(notification("notifications/cancelled", json!({ "requestId": 1 })));
    let began = Instant::now();
    while large(3, "release").send(host.door).status != 200 {
        assert!(began.elapsed() < PATIENCE, "there is no room");
    }
}

/// What a subscription watches is held as long as it is open.
#[test]
fn the_addresses_of_a_subscription_take_room_until_it_ends() {
    let host = Host::with(Policy { bodies: 1_000_000, ..Policy::default() });
    let uris: Vec<String> = (0..230).map(|at| format!("fixture://{at}/{}", "x".repeat(3_900))).collect();
    let listen = || {
        let filter = json!({ "notifications": { "resourceSubscriptions": uris } });
        modern(1, "subscriptions/listen", filter).send(host.door)
    };
    let open = listen();
    assert_eq!(open.status, 200);
    assert_eq!(listen().status, 503);
    drop(open);
    let began = Instant::now();
    while listen().status != 200 {
        assert!(began.elapsed() < PATIENCE, "there is no room");
    }
}

#[test]
fn the_same_header_twice_is_a_mismatch() {
    let host = Host::start();
    for name in ["mcp-name", "mcp-method", "mcp-protocol-version"] {
        let call = modern_call(1, "echo", json!({ "text": "x" }));
        let response = call.another_header(name, "something/else").send(host.door);
        assert_eq!(response.status, 400, "{name}");
    }
}

/// Four times as long as a connection may keep us waiting, and never silent for that long.
#[test]
fn a_body_that_arrives_steadily_is_read_to_its_end() {
    let limits = Limits { patience: Duration::from_secs(2), ..Limits::default() };
    let policy = Policy { body_time: Duration::from_secs(2), ..Policy::default() };
    let host = Host::limited(policy, limits);
    let body = modern_call(1, "echo", json!({ "text": "x".repeat(400) }));
    let mut connection = Connection::open(host.door);
    let bytes = connection.bytes_of(&body);
    let (head, rest) = bytes.split_at(bytes.len() - 400);
    connection.write_bytes(head);
    for piece in rest.chunks(5) {
        std::thread::sleep(Duration::from_millis(100));
        connection.write_bytes(piece);
    }
    assert_eq!(connection.response().status, 200);
}

/// A connection that once did not read its answer is idle when it has; the longest idle one makes room.
#[test]
fn a_connection_that_stalled_once_makes_room_like_any_other() {
    let host = Host::limited(Policy::default(), Limits { connections: 2, ..Limits::default() });
    let echo = || modern_call(1, "echo", json!({ "text": "x" }));
    let mut stalled = modern_call(1, "picture", json!({ "bytes": 40_000_000 })).start(host.door).response();
    assert!(stalled.text().len() > 40_000_000);
    let stalled = stalled.into_connection();
    let mut fresh = echo().send(host.door);
    fresh.text();
    let mut fresh = fresh.into_connection();
    let newcomer = echo().send(host.door);
    assert_eq!(newcomer.status, 200);
    fresh.write(&echo());
    assert_eq!(fresh.response().status, 200, "the one used last stays");
    assert!(stalled.closes_on(&echo()), "the one that was idle longest went");
}
