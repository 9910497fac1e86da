//! `authy backup` and `authy restore`.

use crate::home::{Home, mode};

#[test]
fn a_backup_brings_back_what_was_there() {
    let home = Home::with(&[("a", "canary 1")]);
    let backup = home.text("vault.bak");
    home.run(&["backup", &backup]).said();
    assert_eq!(mode(&home.path("vault.bak")), 0o600);
    home.run_with(&["rotate", "a"], "canary 2").said();
    home.run_with(&["store", "b"], "canary").said();
    let refused = home.run(&["restore", &backup]);
    assert_ne!(refused.code, Some(0));
    assert_eq!(home.run(&["get", "a"]).said(), "canary 2\n");
    home.run(&["restore", &backup, "--force"]).said();
    assert_eq!(home.run(&["list"]).said(), "a\n");
    assert_eq!(home.run(&["get", "a"]).said(), "canary 1\n");
    home.run(&["audit", "verify"]).said();
}

#[test]
fn a_backup_makes_a_vault_where_there_is_none() {
    let home = Home::with(&[("a", "canary")]);
    let backup = home.text("vault.bak");
    home.run(&["backup", &backup]).said();
    std::fs::remove_dir_all(home.path("vault")).expect("removed");
    home.run(&["backup", &home.text("other")]).complained(7);
    home.run(&["restore", &backup]).said();
    assert_eq!(home.run(&["get", "a"]).said(), "canary\n");
    let nonsense = home.file("nonsense", "this is no vault");
    assert_ne!(home.run(&["restore", &nonsense, "--force"]).code, Some(0));
    assert_eq!(home.run(&["get", "a"]).said(), "canary\n");
}
