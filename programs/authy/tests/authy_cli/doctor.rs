//! `authy doctor`.

use crate::home::{Home, finish};

#[test]
fn a_healthy_vault_and_what_is_said_about_it() {
    let home = Home::with(&[("a", "canary")]);
    let report = home.run(&["doctor", "--json"]).json();
    let checks = report["checks"].as_array().expect("checks");
    assert!(checks.iter().all(|check| check["status"] == "ok"), "{report}");
    let said = home.run(&["doctor"]).said();
    for part in ["is whole", "only you can read it", "keyfile, recovery", "AUTHY_KEYFILE", "whole, "] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert!(!said.contains("canary"));
}

#[test]
fn what_is_wrong_comes_with_a_remedy() {
    let empty = Home::empty();
    let finished = empty.run(&["doctor"]);
    assert_eq!(finished.code, Some(1));
    assert!(finished.stdout.contains("authy init"), "{}", finished.stdout);
    let home = Home::new();
    let wrong = finish(home.command(&["doctor"]).env("AUTHY_KEYFILE", "nowhere"), "");
    assert_eq!(wrong.code, Some(1));
    assert!(wrong.stdout.contains("cannot read keyfile"), "{}", wrong.stdout);
    std::fs::write(home.path("vault/vault.db"), "nonsense").expect("written");
    assert_eq!(home.run(&["doctor"]).code, Some(1));
}

#[test]
fn a_token_sees_its_own_part() {
    let home = Home::with(&[("dev-a", "canary"), ("prod-a", "canary")]);
    let token = home.token("dev", "dev-*", "list,use");
    let said = home.run_as(&token, &["doctor"]).said();
    assert!(said.contains("list,use on `dev`") && said.contains("secrets      1"), "{said}");
}
