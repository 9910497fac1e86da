//! A conversation with `fotos-mcp`, written down, so that two ways to start it can be compared.

use std::process::Command;

use mcp::Version;
use mcp_testkit::Client;
use serde_json::{Value, json};

/// What it says about itself and what it offers, in both eras; how it takes a line that is no JSON; a picture of the screen; and
/// how it ends. What differs from run to run is left out.
#[track_caller]
pub(crate) fn of(mut command: impl FnMut() -> Command) -> Vec<(String, Value)> {
    let mut lines = Vec::new();
    let asked = json!({
        "protocolVersion": Version::NEWEST_LEGACY.as_str(), "capabilities": {}, "clientInfo": { "name": "test", "version": "1" },
    });
    lines.push(("initialize".to_owned(), Client::process(&mut command()).result("initialize", asked)));
    for version in [Version::NEWEST_LEGACY, Version::MODERN] {
        let mut client = Client::process(&mut command()).speaking(version);
        for method in ["tools/list", "resources/list", "prompts/list"] {
            lines.push((format!("{method} {}", version.as_str()), client.result(method, json!({}))));
        }
        client.send("{not json");
        let refused = client.receive_where(|message| message["error"].is_object());
        lines.push(("not JSON".to_owned(), refused["error"]["code"].clone()));
        lines.push(("a picture".to_owned(), picture(&mut client)));
        let goodbye = client.hang_up();
        lines.push(("the end".to_owned(), json!({ "code": goodbye.code, "rest": goodbye.rest })));
    }
    lines
}

/// The screen as PNG, in base64.
#[track_caller]
pub(crate) fn picture(client: &mut Client) -> Value {
    let result = client.call("take_screenshot", json!({}));
    assert_ne!(result["isError"], true, "{result}");
    let content = result["content"].as_array().expect("content");
    let image = content.iter().find(|block| block["type"] == "image").expect("an image");
    assert!(image["data"].as_str().is_some_and(|data| data.len() > 1_000), "{image}");
    image["data"].clone()
}

/// Compares two, line by line, without printing pictures.
#[track_caller]
pub(crate) fn are_the_same(one: &[(String, Value)], other: &[(String, Value)]) {
    assert_eq!(one.len(), other.len());
    for ((name, one), (_, other)) in one.iter().zip(other) {
        let shortened = |value: &Value| value.to_string().chars().take(2_000).collect::<String>();
        assert!(one == other, "{name}:\n{}\n{}", shortened(one), shortened(other));
    }
}
