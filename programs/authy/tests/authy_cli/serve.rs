//! `authy serve`.

use mcp_testkit::Client;
use serde_json::json;

use crate::home::Home;

#[test]
fn without_mcp_it_says_what_is_missing() {
    assert_eq!(Home::new().run(&["serve"]).complained(1), "authy serve requires --mcp\n");
}

#[test]
fn an_agent_lists_and_uses_and_does_not_see() {
    let home = Home::with(&[("dev-a", "canary"), ("prod-a", "canary")]);
    let token = home.token("dev", "dev-*", "list,use");
    home.run(&["set", "dev-a", "--command", "printenv *"]).said();
    let mut command = home.command(&["serve", "--mcp"]);
    let mut client = Client::process(command.env_remove("AUTHY_KEYFILE").env("AUTHY_TOKEN", token));
    let mut call = |tool: &str, arguments| client.call(tool, arguments);
    assert_eq!(call("list_secrets", json!({}))["content"][0]["text"], "[\"dev-a\"]");
    let refused = call("get_secret", json!({"name": "dev-a"}));
    assert_eq!(refused["isError"], true);
    let used =
        call("run_with_secrets", json!({"command": ["printenv", "DEV_A"], "secrets": [{"name": "dev-a"}]}));
    let text = used["content"][0]["text"].as_str().expect("text");
    assert!(text.contains("[secret:dev-a]") && !text.contains("canary"), "{text}");
}
