//! `authy rekey`: new keys, and old ones that no longer open.

use crate::home::{Home, finish};

#[test]
fn a_new_keyfile_replaces_the_old_one() {
    let home = Home::with(&[("a", "canary")]);
    let new = home.text("new.key");
    home.run(&["rekey", "--generate-keyfile", &new]).said();
    home.run(&["get", "a"]).complained(2);
    let by_new = |arguments: &[&str]| finish(home.command(arguments).env("AUTHY_KEYFILE", &new), "");
    assert_eq!(by_new(&["get", "a"]).said(), "canary\n");
    let slots = home.run(&["rekey", "--list", "--json"]).json();
    let kinds: Vec<&str> =
        slots["slots"].as_array().expect("slots").iter().filter_map(|slot| slot["kind"].as_str()).collect();
    assert_eq!(kinds.iter().filter(|kind| **kind == "keyfile").count(), 1);
    assert!(kinds.contains(&"recovery"), "{kinds:?}");
    by_new(&["audit", "verify"]).said();
}

#[test]
fn a_passphrase_can_be_added_and_the_vault_key_replaced() {
    let home = Home::with(&[("a", "canary")]);
    let token = home.token("all", "*", "list,reveal");
    let mut add = home.command(&["rekey", "--to-passphrase", "--new-passphrase-fd", "0", "--add"]);
    finish(&mut add, "correct horse\n").said();
    home.run(&["rekey", "--rotate-vault-key"]).said();
    assert_eq!(home.run(&["get", "a"]).said(), "canary\n");
    assert_eq!(home.run_as(&token, &["get", "a"]).said(), "canary\n");
    let by_passphrase = home.run_with(&["get", "a", "--passphrase-fd", "0"], "correct horse");
    assert_eq!(by_passphrase.said(), "canary\n");
}

#[test]
fn a_new_recovery_code_ends_the_old_one_and_slots_can_be_removed() {
    let home = Home::with(&[("a", "canary")]);
    let code = home.run(&["rekey", "--new-recovery-code"]).said();
    let mut recover = home.command(&["get", "a", "--recovery"]);
    assert_eq!(finish(&mut recover, &code).said(), "canary\n");
    let slots = home.run(&["rekey", "--list", "--json"]).json()["slots"].clone();
    let slots = slots.as_array().expect("slots");
    assert_eq!(slots.len(), 2);
    let recovery = slots.iter().find(|slot| slot["kind"] == "recovery").expect("one").clone();
    home.run(&["rekey", "--remove-slot", &recovery["id"].to_string()]).said();
    finish(&mut home.command(&["get", "a", "--recovery"]), &code).complained(2);
    let keyfile = slots.iter().find(|slot| slot["kind"] == "keyfile").expect("one")["id"].to_string();
    assert!(home.run(&["rekey", "--remove-slot", &keyfile]).complained(1).contains("the only one left"));
    home.run(&["rekey", "--remove-slot", "77"]).complained(3);
}
