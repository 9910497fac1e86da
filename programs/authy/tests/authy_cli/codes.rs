//! Exit codes, and errors as programs read them.

use serde_json::Value;

use crate::home::{Finished, Home, finish};

#[track_caller]
fn check(finished: Finished, code: &str, exit_code: i32) -> String {
    let error: Value = serde_json::from_str(&finished.complained(exit_code)).expect("JSON on stderr");
    let error = &error["error"];
    assert_eq!(
        (error["code"].as_str(), error["exit_code"].as_i64()),
        (Some(code), Some(i64::from(exit_code)))
    );
    error["message"].as_str().expect("a message").to_owned()
}

#[test]
fn every_kind_of_failure_has_its_code() {
    let home = Home::empty();
    check(home.run(&["list", "--json"]), "vault_not_initialized", 7);
    let home = Home::with(&[("a", "canary")]);
    assert_eq!(check(home.run(&["get", "b", "--json"]), "not_found", 3), "Secret not found: b");
    check(home.run(&["policy", "show", "p", "--json"]), "not_found", 3);
    check(home.run(&["grant", "revoke", "0011223344556677", "--json"]), "not_found", 3);
    check(home.run_with(&["store", "a", "--json"], "canary"), "already_exists", 5);
    check(home.run(&["init", "--generate-keyfile", "x", "--json"]), "already_exists", 5);
    check(finish(home.command(&["list", "--json"]).env_remove("AUTHY_KEYFILE"), ""), "auth_failed", 2);
    check(
        finish(home.command(&["list", "--json"]).env("AUTHY_KEYFILE", "nowhere"), ""),
        "invalid_keyfile",
        2,
    );
    let other = Home::new();
    let foreign = finish(home.command(&["list", "--json"]).env("AUTHY_KEYFILE", other.path("key")), "");
    check(foreign, "decryption_error", 2);
    check(home.run(&["serve", "--json"]), "error", 1);
}

#[test]
fn every_end_of_a_token_has_its_code() {
    let home = Home::with(&[("dev-a", "canary")]);
    check(home.run_as("nonsense", &["list", "--json"]), "invalid_token", 6);
    let token = home.token("dev", "dev-*", "list,use");
    check(home.run_as(&token, &["get", "dev-a", "--json"]), "run_only", 4);
    check(home.run_as(&token, &["get", "prod-a", "--json"]), "access_denied", 4);
    check(home.run_as(&token, &["remove", "dev-a", "--json"]), "token_read_only", 4);
    check(home.run_as(&token, &["policy", "create", "p", "--allow", "*", "--json"]), "token_read_only", 4);
    let once = home.run(&["grant", "create", "--policy", "dev", "--can", "reveal", "--uses", "1"]).said();
    home.run_as(once.trim(), &["get", "dev-a"]).said();
    check(home.run_as(once.trim(), &["get", "dev-a", "--json"]), "token_expired", 6);
    home.run(&["grant", "revoke-all"]).said();
    check(home.run_as(&token, &["list", "--json"]), "token_revoked", 6);
}

#[test]
fn a_wrong_command_line_is_2() {
    let home = Home::new();
    for arguments in
        [&["frobnicate"][..], &["store"], &["run", "--scope", "x"], &["rekey"], &["get", "-bad-"]]
    {
        home.run(arguments).complained(2);
    }
    assert!(home.run(&["--help"]).said().contains("authy grant create"));
    assert!(home.run(&["--version"]).said().starts_with("authy "));
}
