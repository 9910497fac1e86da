//! Requests under way: ids used twice, cancelled, and very many.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::{error_of, fixture, in_both_eras, request, text};

#[test]
fn an_id_in_flight_cannot_be_used_again() {
    in_both_eras(|client, version| {
        let hold = json!({ "name": "hold", "arguments": {} });
        client.send(&request(version, "\"x\"", "tools/call", hold.clone()));
        for (method, params) in
            [("tools/call", hold.clone()), ("tools/list", json!({})), ("no/such", json!({}))]
        {
            client.send(&request(version, "\"x\"", method, params));
            let (id, code, message) = error_of(&client.receive());
            assert_eq!((id, code), (json!("x"), -32600));
            assert!(message.contains("\"x\""), "{message}");
        }
        client.call("release", json!({}));
        assert_eq!(text(&client.response(&json!("x"))["result"]), "released");
        // Answered: now it is free.
        client.send(&request(version, "\"x\"", "tools/call", hold));
        assert_eq!(text(&client.response(&json!("x"))["result"]), "released");
    });
}

#[test]
fn a_number_and_a_string_are_different_ids() {
    in_both_eras(|client, version| {
        for id in ["70", "\"70\""] {
            client.send(&request(version, id, "tools/call", json!({ "name": "hold", "arguments": {} })));
        }
        client.call("release", json!({}));
        for id in [json!(70), json!("70")] {
            assert_eq!(text(&client.response(&id)["result"]), "released");
        }
    });
}

#[test]
fn five_thousand_calls_in_flight_are_answered_once_each() {
    const CALLS: usize = 5_000;
    in_both_eras(|client, _| {
        let ids: BTreeSet<u64> = (0..CALLS)
            .map(|_| client.start("tools/call", json!({ "name": "hold", "arguments": {} })))
            .map(|id| id.as_u64().expect("a number"))
            .collect();
        // All of them are under way, and something else is served meanwhile.
        assert_eq!(text(&client.call("echo", json!({ "text": "meanwhile" }))), "meanwhile");
        client.call("release", json!({}));
        let answered: BTreeSet<u64> = (0..CALLS)
            .map(|_| client.receive())
            .inspect(|answer| assert_eq!(text(&answer["result"]), "released"))
            .filter_map(|answer| answer["id"].as_u64())
            .collect();
        assert!(answered == ids);
    });
}

#[test]
fn a_cancelled_call_is_never_answered_and_its_id_is_free_again() {
    in_both_eras(|client, version| {
        let never = json!({ "name": "never", "arguments": {} });
        for _ in 0..3 {
            client.send(&request(version, "\"n\"", "tools/call", never.clone()));
            client
                .notify("notifications/cancelled", json!({ "requestId": "n", "reason": "changed my mind" }));
        }
        client.send(&request(version, "\"n\"", "tools/call", crate::echo("now")));
        assert_eq!(text(&client.receive()["result"]), "now");
        // Of another type, of one answered already, of nothing.
        for id in [json!(1), json!("n"), json!(null), json!({}), json!(1.5)] {
            client.notify("notifications/cancelled", json!({ "requestId": id }));
        }
    });
}

#[test]
fn a_call_that_breaks_down_is_answered_and_the_next_one_served() {
    for version in [mcp::Version::V2025_11_25, mcp::Version::MODERN] {
        let mut client = fixture(version);
        for tool in ["panic", "panic_later", "panic"] {
            let error = client.error("tools/call", json!({ "name": tool, "arguments": {} }));
            assert_eq!(error["code"], -32603);
        }
        assert_eq!(text(&client.call("echo", json!({ "text": "unshaken" }))), "unshaken");
        let goodbye = client.hang_up();
        assert_eq!((goodbye.rest, goodbye.code), (Vec::<Value>::new(), Some(0)));
        assert!(goodbye.stderr.contains("a tool that panics later"), "{}", goodbye.stderr);
    }
}

/// Work on a thread goes on; what it says about itself must not.
#[test]
fn a_cancelled_call_says_nothing_more() {
    let mut client = fixture(mcp::Version::V2025_11_25);
    client.result("resources/subscribe", json!({ "uri": "fixture://stubborn" }));
    let params = json!({ "name": "stubborn", "arguments": {}, "_meta": { "progressToken": "t" } });
    let id = client.start("tools/call", params);
    client.notification("notifications/progress");
    client.notify("notifications/cancelled", json!({ "requestId": id }));
    client.call("release", json!({}));
    let next = client.receive();
    assert_eq!(
        (&next["method"], &next["params"]["uri"]),
        (&json!("notifications/resources/updated"), &json!("fixture://stubborn"))
    );
    crate::assert_alive_and_quiet(client);
}

/// Nothing but a handler is expected to panic; a request whose serving does is answered all the same.
#[test]
fn a_panic_outside_the_handler_is_answered_and_the_process_serves_on() {
    let mut client = mcp_testkit::Client::process(crate::command().arg("breaking"));
    let ping = |id: u32| format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
    for id in 1..=6 {
        client.send(&ping(id));
        let answer = client.response(&json!(id));
        if id % 2 == 1 {
            assert_eq!(answer["result"], json!({}), "{id}");
        } else {
            assert_eq!(error_of(&answer).1, -32603, "{id}");
        }
    }
    let goodbye = client.hang_up();
    assert_eq!((goodbye.rest, goodbye.code), (Vec::<Value>::new(), Some(0)));
}
