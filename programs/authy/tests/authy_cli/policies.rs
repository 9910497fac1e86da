//! `authy policy`.

use serde_json::json;

use crate::home::Home;

#[test]
fn a_policy_is_made_shown_changed_tested_and_removed() {
    let home = Home::with(&[("dev-a", "canary"), ("prod-a", "canary")]);
    home.run(&[
        "policy",
        "create",
        "dev",
        "--allow",
        "dev-*",
        "test-*",
        "--deny",
        "*-root",
        "--description",
        "d",
    ])
    .said();
    let shown = home.run(&["policy", "show", "dev", "--json"]).json();
    assert_eq!((&shown["allow"], &shown["deny"]), (&json!(["dev-*", "test-*"]), &json!(["*-root"])));
    assert_eq!(home.run(&["list", "--scope", "dev"]).said(), "dev-a\n");
    let test = |name: &str| home.run(&["policy", "test", "--scope", "dev", name]).said();
    assert_eq!(test("dev-x"), "allowed: scope 'dev' can read 'dev-x'\n");
    assert_eq!(test("dev-root"), "denied: scope 'dev' cannot read 'dev-root'\n");
    home.run(&["policy", "update", "dev", "--allow", "prod-*", "--run-only"]).said();
    assert_eq!(home.run(&["list", "--scope", "dev"]).said(), "prod-a\n");
    assert_eq!(home.run(&["policy", "show", "dev", "--json"]).json()["run_only"], true);
    let listed = home.run(&["policy", "list"]).said();
    assert!(listed.contains("prod-*") && listed.contains("run only"), "{listed}");
    home.run(&["policy", "create", "dev", "--allow", "x"]).complained(5);
    home.run(&["policy", "remove", "dev"]).said();
    home.run(&["policy", "remove", "dev"]).complained(3);
}

#[test]
fn a_scope_narrows_what_the_owner_sees() {
    let home = Home::with(&[("dev-a", "canary"), ("prod-a", "canary")]);
    home.run(&["policy", "create", "dev", "--allow", "dev-*"]).said();
    assert_eq!(home.run(&["get", "dev-a", "--scope", "dev"]).said(), "canary\n");
    let denied = home.run(&["get", "prod-a", "--scope", "dev"]).complained(4);
    assert!(denied.contains("scope `dev` does not cover `prod-a`"), "{denied}");
    home.run(&["policy", "update", "dev", "--run-only", "true"]).said();
    home.run(&["get", "dev-a", "--scope", "dev"]).complained(4);
    home.run(&["env", "--scope", "dev"]).complained(4);
}
