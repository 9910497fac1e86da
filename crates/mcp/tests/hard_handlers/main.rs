//! The seam under load: every awkward kind of handler, in both eras, over the same pipe code clients use.
#![allow(clippy::expect_used)]

mod asking;
mod combined;
mod content;
mod failing;
mod far_side;
mod listing;
mod lying;
mod offers;
mod relay;
mod running;
mod showing;
mod subscriptions;
mod tasks;

use std::sync::Arc;

use mcp::{Service, Version};
use mcp_testkit::Client;
use mcp_testkit::far::Through;
use serde_json::{Value, json};

/// Runs a test against a fresh server once for each era, and the same through a relay.
fn in_both_eras<S: Service>(server: impl Fn() -> S, test: impl Fn(Client, Version)) {
    for version in [Version::V2025_11_25, Version::MODERN] {
        test(client(server(), version), version);
        test(client(Through::relay(Arc::new(server())), version), version);
    }
}

/// The service itself, and the same service behind a relay.
fn with_and_without_a_relay(service: Arc<dyn Service>) -> [Arc<dyn Service>; 2] {
    [Arc::clone(&service), Arc::new(Through::relay(service))]
}

/// A client that can be asked anything.
fn client(server: impl Service, version: Version) -> Client {
    let capabilities = json!({ "elicitation": { "form": {}, "url": {} }, "sampling": {}, "roots": {} });
    Client::memory(server).capable(capabilities).speaking(version)
}

fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text in {result}"))
}
