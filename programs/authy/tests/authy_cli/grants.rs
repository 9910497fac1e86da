//! `authy grant`, and what the holder of a token cannot do.

use serde_json::json;

use crate::home::Home;

#[test]
fn a_grant_is_made_listed_and_revoked() {
    let home = Home::with(&[("dev-a", "canary")]);
    home.run(&["policy", "create", "dev", "--allow", "dev-*"]).said();
    let issued =
        home.run(&["grant", "create", "--policy", "dev", "--label", "bot", "--uses", "3", "--json"]).json();
    assert!(issued["token"].as_str().is_some_and(|token| token.starts_with("authy_v2.")));
    assert_eq!((&issued["capabilities"], &issued["scope"]), (&json!("list,use"), &json!("dev")));
    let id = issued["id"].as_str().expect("an id");
    let listed = home.run(&["grant", "list", "--json"]).json();
    assert_eq!((&listed["grants"][0]["id"], &listed["grants"][0]["status"]), (&json!(id), &json!("active")));
    assert!(listed["grants"][0].get("token").is_none());
    home.run(&["grant", "revoke", id]).said();
    assert!(home.run(&["grant", "list"]).said().contains("revoked"));
}

#[test]
fn the_words_of_the_first_authy_still_work() {
    let home = Home::with(&[("dev-a", "canary")]);
    home.run(&["policy", "create", "dev", "--allow", "dev-*"]).said();
    let token = home.run(&["session", "create", "--scope", "dev", "--ttl", "30m", "--run-only"]).said();
    assert_eq!(home.run_as(token.trim(), &["list"]).said(), "dev-a\n");
    assert_eq!(home.run(&["session", "revoke-all"]).said(), "Revoked 1 grants\n");
}

#[test]
fn a_token_cannot_widen_its_scope() {
    let home = Home::with(&[("dev-a", "canary dev"), ("prod-a", "canary prod")]);
    home.run(&["policy", "create", "all", "--allow", "*"]).said();
    let token = home.token("dev", "dev-*", "list,use,reveal");
    assert_eq!(home.run_as(&token, &["get", "dev-a"]).said(), "canary dev\n");
    assert_eq!(home.run_as(&token, &["list"]).said(), "dev-a\n");
    for attack in [
        &["get", "prod-a"][..],
        &["get", "prod-a", "--scope", "all"],
        &["list", "--scope", "all"],
        &["run", "--scope", "all", "--", "env"],
        &["env", "--scope", "all"],
        &["export", "--scope", "all"],
        &["policy", "update", "dev", "--allow", "*"],
        &["grant", "create", "--policy", "all"],
        &["audit", "show"],
        &["rekey", "--rotate-vault-key"],
    ] {
        let refused = home.run_as(&token, attack);
        assert!(!refused.stdout.contains("canary"), "{attack:?}");
        refused.complained(4);
    }
}

#[test]
fn who_may_use_but_not_see_sees_nothing() {
    let home = Home::with(&[("dev-a", "canary")]);
    let token = home.token("dev", "dev-*", "list,use");
    let template = home.file("template", "x=<authy:dev-a>");
    for attack in [
        &["get", "dev-a"][..],
        &["get", "dev-a", "-o", "stolen"],
        &["env"],
        &["env", "--format", "json"],
        &["export", "--format", "json"],
        &["resolve", &template],
        &["resolve", &template, "-o", "stolen"],
        &["run", "--", "printenv"],
        &["run", "--", "sh", "-c", "printenv dev_a | rev"],
    ] {
        let refused = home.run_as(&token, attack);
        refused.complained(4);
        assert!(!home.path("stolen").exists(), "{attack:?}");
    }
}
