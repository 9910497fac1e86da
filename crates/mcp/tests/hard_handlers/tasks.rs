//! The tasks extension.

use std::sync::Arc;

use mcp::stdio::Limits;
use mcp::{Service, Version};
use mcp_testkit::{Client, fixture};
use serde_json::{Value, json};

use crate::{text, with_and_without_a_relay};

/// Clients that can poll, of the server itself and of a relay.
fn pollers() -> [Client; 2] {
    with_and_without_a_relay(Arc::new(fixture::server())).map(poller)
}

fn poller(service: Arc<dyn Service>) -> Client {
    Client::shared(service, Limits::default())
        .capable(json!({ "elicitation": {}, "extensions": { "io.modelcontextprotocol/tasks": {} } }))
        .speaking(Version::MODERN)
}

fn until(client: &mut Client, task: &Value, status: &str) -> Value {
    loop {
        let seen = client.result("tasks/get", json!({ "taskId": task["taskId"] }));
        if seen["status"] == status {
            return seen;
        }
        assert!(
            ["working", "input_required"].contains(&seen["status"].as_str().expect("a status")),
            "{seen}"
        );
        client.call("sleep", json!({ "ms": 2 }));
    }
}

#[test]
fn a_job_becomes_a_task_only_for_clients_that_can_poll() {
    for mut client in pollers() {
        let task = client.call("job", json!({ "what": "the dishes" }));
        assert_eq!((&task["resultType"], &task["status"]), (&json!("task"), &json!("working")));
        assert!(task["ttlMs"].is_u64() && task["pollIntervalMs"].is_u64());
        let done = until(&mut client, &task, "completed");
        assert_eq!(text(&done["result"]), "did the dishes");

        let mut plain = Client::memory(fixture::server()).speaking(Version::MODERN);
        assert_eq!(text(&plain.call("job", json!({ "what": "the dishes" }))), "did the dishes");
        assert_eq!(plain.error("tasks/get", json!({ "taskId": task["taskId"] }))["code"], -32021);
        let error = plain.error("tools/call", json!({ "name": "job_after_asking", "arguments": {} }));
        assert_eq!(error["code"], -32021);
    }
}

#[test]
fn a_task_asks_and_goes_on_with_the_answer() {
    for mut client in pollers() {
        let task = client.call("job", json!({ "what": "ask" }));
        let parked = until(&mut client, &task, "input_required");
        assert_eq!(parked["inputRequests"]["why"]["method"], "elicitation/create");
        let answer = json!({ "why": { "action": "accept", "content": { "reason": "dust" } }, "unasked": {} });
        client.result("tasks/update", json!({ "taskId": task["taskId"], "inputResponses": answer }));
        assert_eq!(text(&until(&mut client, &task, "completed")["result"]), "done because dust");
    }
}

#[test]
fn a_task_that_asks_first_is_a_task_only_afterwards() {
    for mut client in pollers() {
        let asked = client.call("job_after_asking", json!({}));
        assert_eq!(asked["resultType"], "input_required");
        assert!(asked.get("taskId").is_none());
        let task = client.result(
            "tools/call",
            json!({ "name": "job_after_asking", "arguments": {}, "requestState": asked["requestState"],
                "inputResponses": { "why": { "action": "accept", "content": { "reason": "rain" } } } }),
        );
        assert_eq!(task["resultType"], "task");
        assert!(task.get("requestState").is_none());
        assert_eq!(text(&until(&mut client, &task, "completed")["result"]), "done because rain");
    }
}

#[test]
fn a_task_can_be_cancelled_and_cancelled_again() {
    for mut client in pollers() {
        let task = client.call("job", json!({ "what": "for ever" }));
        for _ in 0..2 {
            let acknowledged = client.result("tasks/cancel", json!({ "taskId": task["taskId"] }));
            assert_eq!(acknowledged["resultType"], "complete");
        }
        until(&mut client, &task, "cancelled");
        assert_eq!(client.error("tasks/get", json!({ "taskId": "nobody" }))["code"], -32602);
    }
}

/// Where there are as many as are kept, the message says to cancel some; then that must help.
#[test]
fn tasks_that_were_cancelled_make_room_for_others() {
    let mut client = poller(Arc::new(fixture::server()));
    let mut last = Value::Null;
    for _ in 0..1_000 {
        last = client.call("job", json!({ "what": "for ever" }));
    }
    let refused = client.error("tools/call", json!({ "name": "job", "arguments": { "what": "for ever" } }));
    assert!(refused["message"].as_str().is_some_and(|text| text.contains("cancel some")), "{refused}");
    client.result("tasks/cancel", json!({ "taskId": last["taskId"] }));
    let task = client.call("job", json!({ "what": "the dishes" }));
    assert_eq!(text(&until(&mut client, &task, "completed")["result"]), "did the dishes");
}
