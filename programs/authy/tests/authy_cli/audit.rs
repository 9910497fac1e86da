//! `authy audit`.

use serde_json::Value;

use crate::home::Home;

#[test]
fn the_log_tells_who_did_what() {
    let home = Home::with(&[("dev-a", "canary")]);
    let token = home.token("dev", "dev-*", "list,use");
    home.run_as(&token, &["get", "dev-a"]).complained(4);
    let shown = home.run(&["audit", "show", "-n", "0", "--json"]).json();
    let entries = shown["entries"].as_array().expect("entries");
    let find = |operation: &str, outcome: &str| {
        entries.iter().find(|entry| entry["operation"] == operation && entry["outcome"] == outcome)
    };
    assert!(find("init", "done").is_some() && find("store", "done").is_some(), "{shown}");
    let denied = find("get", "denied").expect("the attempt");
    assert_eq!(denied["secret"], "dev-a");
    assert!(denied["actor"].as_str().is_some_and(|actor| actor.starts_with("grant ")), "{denied}");
    let newest = home.run(&["audit", "show", "-n", "1", "--json"]).json();
    assert_eq!(newest["shown"], 1);
    assert!(home.run(&["audit", "show"]).said().starts_with("ENTRY"));
    assert!(home.run(&["audit", "verify"]).said().starts_with("the audit log is whole: "));
    let exported = home.run(&["audit", "export"]).said();
    assert!(exported.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()));
    assert!(!exported.contains("canary"));
}
