//! A service that has nothing of its own and passes everything on to another process.

use std::sync::{Arc, Mutex};

use bytes::Bytes;
use mcp::{Changes, Cx, Fail, Handled, Outcome, Request, Service, Surface, Version, Wanted};
use mcp_testkit::{Client, fixture};
use serde_json::{Value, json};

use crate::{in_both_eras, text};

struct Relay {
    surface: Arc<Surface>,
    upstream: Arc<Mutex<Client>>,
    changes: Changes,
}

impl Relay {
    fn new() -> Relay {
        let server = fixture::server();
        let surface = server.surface();
        let upstream = Client::memory(server).speaking(Version::MODERN);
        Relay { surface, upstream: Arc::new(Mutex::new(upstream)), changes: Changes::default() }
    }
}

impl Service for Relay {
    fn surface(&self) -> Arc<Surface> {
        Arc::clone(&self.surface)
    }

    fn handle(&self, request: Request<'_>, _: Cx) -> Handled {
        let method = match request.ask {
            Wanted::Tool { .. } => "tools/call",
            Wanted::Resource { .. } => "resources/read",
            Wanted::Prompt { .. } => "prompts/get",
            Wanted::Completion(_) => "completion/complete",
            Wanted::Method { .. } => return Handled::Now(Outcome::Fail(Fail::rpc(-32601, "not relayed"))),
        };
        let mut params: Value =
            request.params().map_or(json!({}), |raw| serde_json::from_str(raw.get()).expect("JSON"));
        if let Some(params) = params.as_object_mut() {
            params.remove("_meta");
        }
        let upstream = Arc::clone(&self.upstream);
        Handled::Later(Box::pin(async move {
            let answer = tokio::task::spawn_blocking(move || {
                upstream.lock().expect("upstream").request(method, params)
            });
            let answer = answer.await.expect("upstream answers");
            if let Some(result) = answer.get("result") {
                return Outcome::Raw(Bytes::from(result.to_string()));
            }
            let code =
                i32::try_from(answer["error"]["code"].as_i64().expect("a code")).expect("a small code");
            Outcome::Fail(Fail::rpc(code, answer["error"]["message"].as_str().expect("a message")))
        }))
    }

    fn changes(&self) -> &Changes {
        &self.changes
    }
}

#[test]
fn a_relayed_result_arrives_as_it_was() {
    in_both_eras(Relay::new, |mut client, _| {
        assert_eq!(text(&client.call("echo", json!({ "text": "through" }))), "through");
        let picture = client.call("picture", json!({ "bytes": 1_000_000 }));
        assert_eq!(picture["content"][1]["data"].as_str().map(str::len), Some(1_333_336));
        assert_eq!(client.error("tools/call", json!({ "name": "fail_with_code" }))["code"], -32001);
        assert_eq!(client.call("fail_tool", json!({}))["isError"], true);
    });
}

#[test]
fn a_relayed_call_is_cancelled_like_any_other() {
    in_both_eras(Relay::new, |mut client, _| {
        let id = client.start("tools/call", json!({ "name": "sleep", "arguments": { "ms": 300 } }));
        client.notify("notifications/cancelled", json!({ "requestId": id }));
        assert_eq!(text(&client.call("echo", json!({ "text": "on" }))), "on");
        assert!(client.hang_up().rest.is_empty());
    });
}
