//! `authy approve` and `authy deny`.

use serde_json::json;

use crate::home::Home;

#[test]
fn a_use_waits_for_a_yes_which_is_good_once() {
    let home = Home::with(&[("dev-a", "canary")]);
    home.run(&["set", "dev-a", "--approve"]).said();
    let token = home.token("dev", "dev-*", "list,use,reveal");
    assert_eq!(home.run(&["approve"]).said(), "nothing waits for approval\n");
    let waits = home.run_as(&token, &["get", "dev-a"]).complained(4);
    assert!(waits.contains("authy approve"), "{waits}");
    let waiting = home.run(&["approve", "--json"]).json();
    assert_eq!(waiting["approvals"][0]["secret"], "dev-a");
    let id = waiting["approvals"][0]["id"].as_str().expect("an id").to_owned();
    home.run_as(&token, &["approve", &id]).complained(4);
    assert_eq!(home.run(&["approve", &id, "--json"]).json(), json!({"id": id, "approved": true}));
    assert_eq!(home.run_as(&token, &["get", "dev-a"]).said(), "canary\n");
    home.run_as(&token, &["get", "dev-a"]).complained(4);
    let id =
        home.run(&["approve", "--json"]).json()["approvals"][0]["id"].as_str().expect("an id").to_owned();
    home.run(&["deny", &id]).said();
    home.run_as(&token, &["get", "dev-a"]).complained(4);
    home.run(&["approve", "99999"]).complained(3);
}

/// To save what is left of a vault is to show it.
#[test]
fn what_wants_a_yes_is_not_shown_by_saving_it_without_one() {
    let home = Home::with(&[("a", "canary a"), ("b", "canary b"), ("c", "canary c")]);
    home.run(&["set", "a", "--approve"]).said();
    home.run(&["set", "b", "--never-reveal"]).said();
    let saved = home.run(&["export", "--salvage"]);
    assert!(saved.stderr.contains("2 secrets were left out"), "{}", saved.stderr);
    assert_eq!(saved.json(), json!({ "c": "canary c" }));
}
