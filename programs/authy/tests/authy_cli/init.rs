//! `authy init`, and the ways to unlock.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::home::{Home, finish, mode};

#[test]
fn a_keyfile_opens_the_vault_and_only_its_owner_can_read_both() {
    let home = Home::new();
    assert_eq!(mode(&home.path("key")), 0o600);
    assert_eq!(mode(&home.path("vault")), 0o700);
    assert_eq!(mode(&home.path("vault/vault.db")), 0o600);
    home.run_with(&["store", "a"], "canary\n").said();
    assert_eq!(home.run(&["get", "a"]).said(), "canary\n");
}

#[test]
fn a_passphrase_from_the_environment_or_a_descriptor() {
    let home = Home::empty();
    let with = |arguments: &[&str], input: &str| {
        finish(home.command(arguments).env("AUTHY_PASSPHRASE", "correct horse"), input)
    };
    with(&["init", "--passphrase"], "").said();
    with(&["store", "a"], "canary").said();
    home.run_with(&["get", "a", "--passphrase-fd", "0"], "correct horse\n").said();
    let wrong = home.run_with(&["get", "a", "--passphrase-fd", "0"], "wrong\n").complained(2);
    assert_eq!(wrong, "error: Decryption error: the passphrase does not open this vault\n");
    let closed = home.run(&["get", "a", "--passphrase-fd", "77"]).complained(1);
    assert!(closed.contains("file descriptor 77"), "{closed}");
    let nothing = home.run(&["list"]).complained(2);
    assert_eq!(nothing, "error: No credentials configured. Set AUTHY_KEYFILE or AUTHY_PASSPHRASE.\n");
}

#[test]
fn the_recovery_code_is_printed_once_and_opens_the_vault() {
    let home = Home::empty();
    let said = home.run(&["init", "--generate-keyfile", &home.text("key"), "--json"]).json();
    let code = said["recovery_code"].as_str().expect("a code").to_owned();
    home.run_with(&["store", "a"], "canary").said();
    let recover =
        |code: &str| finish(home.command(&["get", "a", "--recovery"]).env_remove("AUTHY_KEYFILE"), code);
    assert_eq!(recover(&code).said(), "canary\n");
    assert_eq!(recover(&code.to_lowercase()).said(), "canary\n");
    assert!(recover("00000-00000").complained(2).contains("recovery code"));
}

#[test]
fn a_vault_that_is_there_is_left_alone() {
    let home = Home::new();
    let before = fs::read(home.path("vault/vault.db")).expect("a vault");
    let refused = home.run(&["init", "--generate-keyfile", &home.text("other")]).complained(5);
    assert!(refused.contains("already"), "{refused}");
    assert!(!home.path("other").exists());
    assert_eq!(fs::read(home.path("vault/vault.db")).expect("a vault"), before);
}

#[test]
fn a_keyfile_that_is_there_is_not_overwritten() {
    let home = Home::empty();
    let path = home.file("mine", "something");
    home.run(&["init", "--generate-keyfile", &path]).complained(2);
    assert_eq!(fs::read_to_string(&path).expect("there"), "something");
    assert!(!home.path("vault/vault.db").exists());
}

#[test]
fn a_keyfile_that_others_can_read_is_refused() {
    let home = Home::new();
    fs::set_permissions(home.path("key"), fs::Permissions::from_mode(0o644)).expect("opened to others");
    let refused = home.run(&["list"]).complained(2);
    assert!(refused.contains("chmod 600"), "{refused}");
}

#[test]
fn without_a_terminal_nobody_is_asked() {
    let home = Home::empty();
    let refused = home.run(&["init"]).complained(2);
    assert!(refused.contains("--generate-keyfile"), "{refused}");
    assert!(!home.path("vault/vault.db").exists());
    let empty =
        finish(home.command(&["init", "--passphrase-fd", "0"]).env("AUTHY_NON_INTERACTIVE", "1"), "\n");
    assert!(empty.complained(2).contains("the passphrase is empty"));
}

/// A vault whose anchor cannot be written opens with nothing.
#[test]
fn a_vault_that_cannot_be_finished_is_not_left_behind() {
    let home = Home::empty();
    let blocked = home.file("blocked", "");
    let mut init = home.command(&["init", "--generate-keyfile", &home.text("key")]);
    finish(init.env("AUTHY_ANCHOR", format!("{blocked}/anchors")), "").complained(1);
    assert!(!home.path("vault/vault.db").exists() && !home.path("key").exists());
    home.run(&["init", "--generate-keyfile", &home.text("key")]).said();
}

#[test]
fn an_anchor_in_a_folder_that_depends_on_where_one_is_is_refused() {
    let home = Home::new();
    let finished = finish(home.command(&["list"]).env("AUTHY_ANCHOR", "anchors"), "");
    assert!(finished.complained(1).contains("AUTHY_ANCHOR is not an absolute path"));
}
