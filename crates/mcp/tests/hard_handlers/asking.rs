//! Asking the person: a result in the modern era, a request of ours in a session; one handler for both.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use mcp::Version;
use mcp::stdio::Limits;
use mcp_testkit::{Client, fixture};
use serde_json::{Value, json};

use crate::{client, in_both_eras, text, with_and_without_a_relay};

/// Calls a tool and answers whatever it asks, in the way of the client's era.
fn call_answering(client: &mut Client, version: Version, tool: &str, answers: &[Value]) -> Value {
    let arguments = if tool.starts_with("ask_") { json!({}) } else { json!({ "what": "the board" }) };
    let mut params = json!({ "name": tool, "arguments": arguments });
    let mut answers = answers.iter();
    if version.is_modern() {
        loop {
            let result = client.result("tools/call", params.clone());
            if result["resultType"] != "input_required" {
                return result;
            }
            let key =
                result["inputRequests"].as_object().and_then(|all| all.keys().next()).expect("a question");
            params["inputResponses"] = json!({ key: answers.next().expect("no more answers") });
            params["requestState"] = result["requestState"].clone();
        }
    }
    let id = client.start("tools/call", params);
    loop {
        let message = client.receive();
        if message["id"] == id && message.get("method").is_none() {
            return message["result"].clone();
        }
        let answer = answers.next().expect("no more answers");
        client.send_json(&json!({ "jsonrpc": "2.0", "id": message["id"], "result": answer }));
    }
}

/// A modern client that can be asked anything.
fn all_capable(service: Arc<dyn mcp::Service>) -> Client {
    let capabilities = json!({ "elicitation": {}, "sampling": {}, "roots": {} });
    Client::shared(service, Limits::default()).capable(capabilities).speaking(Version::MODERN)
}

fn accept(reason: &str) -> Value {
    json!({ "action": "accept", "content": { "reason": reason } })
}

#[test]
fn a_question_is_answered_and_the_effect_takes_place_once() {
    for version in [Version::V2025_06_18, Version::V2025_11_25, Version::MODERN] {
        let server = Arc::new(fixture::server());
        let state = Arc::clone(server.state());
        for (effects, service) in (1..).zip(with_and_without_a_relay(server)) {
            let mut client = Client::shared(service, Limits::default())
                .capable(json!({ "elicitation": {} }))
                .speaking(version);
            let result = call_answering(&mut client, version, "erase", &[accept("it is full")]);
            assert_eq!(text(&result), "erased the board: it is full", "{version}");
            assert_eq!(state.effects.load(Ordering::SeqCst), effects, "{version}");
        }
    }
}

#[test]
fn two_rounds_keep_the_first_answer_and_the_state() {
    in_both_eras(fixture::server, |mut client, version| {
        let result = call_answering(&mut client, version, "ask_twice", &[accept("one"), accept("two")]);
        assert_eq!(text(&result), "one and two (round two)");
    });
}

#[test]
fn an_answer_that_does_not_fit_is_asked_again() {
    in_both_eras(fixture::server, |mut client, version| {
        let useless = json!({ "action": "accept", "content": { "reason": 5 } });
        let result = call_answering(&mut client, version, "erase", &[useless, accept("sorry")]);
        assert_eq!(text(&result), "erased the board: sorry");
    });
}

#[test]
fn a_person_who_declines_stops_the_tool() {
    in_both_eras(fixture::server, |mut client, version| {
        let result = call_answering(&mut client, version, "erase", &[json!({ "action": "decline" })]);
        assert_eq!(
            (result["isError"].as_bool(), text(&result)),
            (Some(true), "Nothing was erased: the person said no")
        );
    });
}

#[test]
fn a_client_that_would_not_ask_counts_as_a_person_who_closed_the_form() {
    for service in with_and_without_a_relay(Arc::new(fixture::server())) {
        let mut client = Client::shared(service, Limits::default())
            .capable(json!({ "elicitation": {} }))
            .speaking(Version::V2025_11_25);
        let id = client.start("tools/call", json!({ "name": "erase", "arguments": { "what": "x" } }));
        let question = client.receive();
        let refused = json!({ "code": -1, "message": "User rejected the request" });
        client.send_json(&json!({ "jsonrpc": "2.0", "id": question["id"], "error": refused }));
        let result = client.response(&id)["result"].take();
        assert_eq!(
            (result["isError"].as_bool(), text(&result)),
            (Some(true), "Nothing was erased: the person said no")
        );
    }
}

#[test]
fn the_clients_model_can_be_asked() {
    in_both_eras(fixture::server, |mut client, version| {
        let answer =
            json!({ "role": "assistant", "content": { "type": "text", "text": "hello" }, "model": "m" });
        let result = call_answering(&mut client, version, "ask_model", &[answer]);
        assert_eq!(text(&result), "the model said: hello");
    });
}

#[test]
fn a_client_that_cannot_ask_is_told_what_is_missing() {
    for service in with_and_without_a_relay(Arc::new(fixture::server())) {
        let connect = || Client::shared(Arc::clone(&service), Limits::default());
        let mut client = connect().speaking(Version::MODERN);
        let error = client.error("tools/call", json!({ "name": "erase", "arguments": { "what": "x" } }));
        assert_eq!(error["code"], -32021);
        assert_eq!(error["data"], json!({ "requiredCapabilities": { "elicitation": { "form": {} } } }));

        let mut client = connect().speaking(Version::V2025_11_25);
        let result = client.call("erase", json!({ "what": "x" }));
        assert_eq!(result["isError"], true);
        assert!(text(&result).contains("did not declare `elicitation`"), "{result}");
    }
}

#[test]
fn a_changed_a_foreign_and_a_used_state_are_refused() {
    for service in with_and_without_a_relay(Arc::new(fixture::server())) {
        let mut client = all_capable(service);
        let params = json!({ "name": "erase", "arguments": { "what": "x" } });
        let asked = client.result("tools/call", params.clone());
        let retry = |state: &Value, what: &str| {
            json!({ "name": "erase", "arguments": { "what": what }, "requestState": state,
                "inputResponses": { "why": accept("a"), "unasked": 1 } })
        };
        let mut changed = asked["requestState"].as_str().expect("a state").to_owned();
        changed.replace_range(10..11, if &changed[10..11] == "A" { "B" } else { "A" });
        for params in
            [retry(&json!(changed), "x"), retry(&asked["requestState"], "y"), retry(&json!("junk"), "x")]
        {
            assert_eq!(client.error("tools/call", params)["code"], -32602);
        }
        let good = retry(&asked["requestState"], "x");
        assert_eq!(text(&client.result("tools/call", good.clone())), "erased x: a");
        assert_eq!(client.error("tools/call", good)["code"], -32602, "an approval is consumed once");
    }
}

#[test]
fn an_approval_that_nobody_asked_for_is_none() {
    for service in with_and_without_a_relay(Arc::new(fixture::server())) {
        let mut client = all_capable(service);
        let yes = json!({ "sure": { "action": "accept", "content": {} } });
        let mut params = json!({ "name": "shred", "arguments": { "what": "x" }, "inputResponses": yes });
        let asked = client.result("tools/call", params.clone());
        assert_eq!(asked["resultType"], "input_required");
        params["requestState"] = asked["requestState"].clone();
        assert_eq!(text(&client.result("tools/call", params.clone())), "shredded x");
        assert_eq!(client.error("tools/call", params)["code"], -32602, "and it counts once");
    }
}

#[test]
fn an_approval_is_asked_for_in_both_eras() {
    in_both_eras(fixture::server, |mut client, version| {
        let yes = json!({ "action": "accept", "content": {} });
        assert_eq!(text(&call_answering(&mut client, version, "shred", &[yes])), "shredded the board");
        let no = call_answering(&mut client, version, "shred", &[json!({ "action": "decline" })]);
        assert_eq!(no["isError"], true);
    });
}

#[test]
fn a_client_that_knows_the_question_may_answer_before_it_is_asked() {
    for service in with_and_without_a_relay(Arc::new(fixture::server())) {
        let mut client = all_capable(service);
        let mut params = json!({ "name": "erase", "arguments": { "what": "x" } });
        params["inputResponses"] = json!({ "why": accept("a"), "unasked": 1 });
        assert_eq!(text(&client.result("tools/call", params.clone())), "erased x: a");
        for useless in [json!({}), json!({ "why": 12345 }), json!({ "other": accept("a") }), Value::Null] {
            params["inputResponses"] = useless;
            assert_eq!(client.result("tools/call", params.clone())["resultType"], "input_required");
        }
        params["inputResponses"] = json!("yes");
        assert_eq!(client.error("tools/call", params)["code"], -32602);
    }
}

#[test]
fn an_answer_under_another_key_is_asked_for_again() {
    for service in with_and_without_a_relay(Arc::new(fixture::server())) {
        let mut client = all_capable(service);
        let mut params = json!({ "name": "erase", "arguments": { "what": "x" } });
        let asked = client.result("tools/call", params.clone());
        params["requestState"] = asked["requestState"].clone();
        params["inputResponses"] = json!({ "wrong": accept("a") });
        let again = client.result("tools/call", params);
        assert_eq!(again["resultType"], "input_required");
        assert!(again["inputRequests"].get("why").is_some(), "{again}");
    }
}

#[test]
fn a_client_that_hangs_up_instead_of_answering_leaves_nothing_waiting() {
    let mut client = client(fixture::server(), Version::V2025_11_25);
    let id = client.start("tools/call", json!({ "name": "erase", "arguments": { "what": "x" } }));
    assert_eq!(client.receive()["method"], "elicitation/create");
    let goodbye = client.hang_up();
    assert_eq!(goodbye.rest.len(), 1, "{goodbye:?}");
    assert_eq!(goodbye.rest[0]["id"], id);
}
