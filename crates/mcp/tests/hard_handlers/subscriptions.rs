//! News: on a subscription of its own in the modern era, to the session before.

use std::sync::Arc;

use mcp::Version;
use mcp::stdio::Limits;
use mcp_testkit::{Client, fixture};
use serde_json::json;

use crate::with_and_without_a_relay;

const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";

#[test]
fn a_modern_subscription_is_acknowledged_told_and_ended() {
    for service in with_and_without_a_relay(Arc::new(fixture::server())) {
        let mut client = Client::shared(service, Limits::default()).speaking(Version::MODERN);
        let id = client.start(
        "subscriptions/listen",
        json!({ "notifications": { "toolsListChanged": true, "resourceSubscriptions": ["fixture://readme"] } }),
    );
        let acknowledged = client.receive();
        assert_eq!(acknowledged["method"], "notifications/subscriptions/acknowledged");
        assert_eq!(
            acknowledged["params"],
            json!({ "notifications": { "toolsListChanged": true, "resourceSubscriptions": ["fixture://readme"] },
                "_meta": { SUBSCRIPTION: id } })
        );
        client.call("touch", json!({}));
        let updated = client.notification("notifications/resources/updated");
        assert_eq!(updated["params"], json!({ "uri": "fixture://readme", "_meta": { SUBSCRIPTION: id } }));
        let changed = client.notification("notifications/tools/list_changed");
        assert_eq!(changed["params"]["_meta"][SUBSCRIPTION], id);

        let goodbye = client.hang_up();
        assert_eq!(goodbye.rest[0]["method"], "notifications/cancelled");
        assert_eq!(goodbye.rest[0]["params"]["requestId"], id);
        assert_eq!(goodbye.rest[1]["id"], id);
        assert_eq!(goodbye.rest[1]["result"]["_meta"][SUBSCRIPTION], id);
    }
}

#[test]
fn a_subscription_hears_only_what_it_asked_for_and_nothing_once_cancelled() {
    for service in with_and_without_a_relay(Arc::new(fixture::server())) {
        let mut client = Client::shared(service, Limits::default()).speaking(Version::MODERN);
        let id =
            client.start("subscriptions/listen", json!({ "notifications": { "promptsListChanged": true } }));
        assert_eq!(client.receive()["params"]["notifications"], json!({ "promptsListChanged": true }));
        client.call("touch", json!({}));
        client.notify("notifications/cancelled", json!({ "requestId": id }));
        client.call("touch", json!({}));
        let goodbye = client.hang_up();
        assert!(goodbye.rest.is_empty(), "{:?}", goodbye.rest);
    }
}

#[test]
fn a_session_hears_of_lists_and_of_the_resources_it_watches() {
    for service in with_and_without_a_relay(Arc::new(fixture::server())) {
        let mut client = Client::shared(service, Limits::default()).speaking(Version::V2025_11_25);
        client.call("touch", json!({}));
        client.notification("notifications/tools/list_changed");
        client.result("resources/subscribe", json!({ "uri": "fixture://readme" }));
        client.call("touch", json!({}));
        let updated = client.notification("notifications/resources/updated");
        assert_eq!(updated["params"], json!({ "uri": "fixture://readme" }));
        client.notification("notifications/tools/list_changed");
        client.result("resources/unsubscribe", json!({ "uri": "fixture://readme" }));
        client.call("touch", json!({}));
        client.notification("notifications/tools/list_changed");
        assert!(client.hang_up().rest.is_empty());
    }
}

#[test]
fn what_the_handshake_had_is_gone_in_the_modern_era() {
    let mut client = Client::memory(fixture::server()).speaking(Version::MODERN);
    for method in [
        "initialize",
        "ping",
        "logging/setLevel",
        "resources/subscribe",
        "resources/unsubscribe",
        "tasks/list",
    ] {
        assert_eq!(client.error(method, json!({}))["code"], -32601, "{method}");
    }
    let mut client = Client::memory(fixture::server()).speaking(Version::V2025_11_25);
    for method in ["server/discover", "subscriptions/listen", "tasks/get"] {
        assert_eq!(client.error(method, json!({}))["code"], -32601, "{method}");
    }
}
