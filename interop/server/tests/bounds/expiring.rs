//! What nobody comes back for has an end, also while it is under way.

use std::io::BufRead;
use std::time::Instant;

use serde_json::{Value, json};

use crate::server::{PATIENCE, Server};

/// Everything that waits for a client waits for a second.
fn forgetful(name: &str) -> Server {
    Server::start(name, &["--lifetime", "1", "--patience", "2"])
}

#[test]
fn a_call_that_nobody_waits_for_does_not_keep_its_session() {
    let server = forgetful("sessions");
    let mut news = server.modern(
        &[],
        "subscriptions/listen",
        &json!({ "notifications": { "resourceSubscriptions": ["fixture://started", "fixture://dropped"] } }),
    );
    let mut wait_for = |uri: &str| {
        let began = Instant::now();
        let mut line = String::new();
        while !(line.contains("notifications/resources/updated") && line.contains(uri)) {
            assert!(began.elapsed() < PATIENCE, "nothing is said about {uri}");
            line.clear();
            news.rest.read_line(&mut line).expect("news");
        }
    };
    let session = server.open();
    let call = session.start(1, "never", &json!({}));
    wait_for("fixture://started");
    drop(call);
    // Being asked about is being used: nothing is asked until it is over.
    wait_for("fixture://dropped");
    let began = Instant::now();
    let ping = json!({ "jsonrpc": "2.0", "id": 2, "method": "ping" });
    while !session.post(&ping).head.starts_with("HTTP/1.1 404") {
        assert!(began.elapsed() < PATIENCE, "the session is still known");
    }
}

#[test]
fn a_question_that_nobody_answers_has_an_end() {
    let server = forgetful("questions");
    let session = server.open();
    let answer = session.call(1, "erase", &json!({ "what": "it" })).body();
    assert!(answer.contains("elicitation/create") && answer.contains("Nobody answered"), "{answer}");
}

#[test]
fn a_task_that_does_not_finish_expires() {
    let server = forgetful("tasks");
    let ask = |method: &str, params: Value| -> Value {
        let body = server.modern(&[], method, &params).body();
        serde_json::from_str(&body).unwrap_or_else(|error| panic!("{error}: {body}"))
    };
    for what in ["ask", "for ever"] {
        let made = ask("tools/call", json!({ "name": "job", "arguments": { "what": what } }));
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
}
