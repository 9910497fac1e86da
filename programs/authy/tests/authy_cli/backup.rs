//! `authy backup` and `authy restore`.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

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

/// It is the vault as it was, revoked grants too: the person is told.
#[test]
fn a_backup_from_before_a_grant_was_revoked_says_that_it_is_good_again() {
    let home = Home::with(&[("a", "canary")]);
    home.run(&["backup", &home.text("without.db")]).said();
    let token = home.token("all", "*", "list,reveal");
    home.run(&["backup", &home.text("with.db")]).said();
    home.run(&["grant", "revoke-all"]).said();
    for (file, words) in [("without.db", None), ("with.db", Some("1 grants are good"))] {
        let restored = home.run(&["restore", "--force", &home.text(file)]);
        assert_eq!(restored.code, Some(0), "{}", restored.stderr);
        assert_eq!(restored.stderr.contains("grants"), words.is_some(), "{}", restored.stderr);
        assert!(restored.stderr.contains(words.unwrap_or_default()), "{}", restored.stderr);
    }
    assert_eq!(home.run_as(&token, &["get", "a"]).said(), "canary\n");
}

#[test]
fn a_backup_makes_a_vault_where_there_is_none() {
    let home = Home::with(&[("a", "canary")]);
    let backup = home.text("vault.bak");
    home.run(&["backup", &backup]).said();
    fs::remove_dir_all(home.path("vault")).expect("removed");
    home.run(&["backup", &home.text("other")]).complained(7);
    home.run(&["restore", &backup]).said();
    assert_eq!(home.run(&["get", "a"]).said(), "canary\n");
    let nonsense = home.file("nonsense", "this is no vault");
    assert_ne!(home.run(&["restore", &nonsense, "--force"]).code, Some(0));
    assert_eq!(home.run(&["get", "a"]).said(), "canary\n");
}

/// The log that SQLite keeps beside a database is left there; beside another database it would be taken for that one's.
#[test]
fn what_a_lost_vault_left_beside_it_does_not_get_into_the_next() {
    let home = Home::with(&[("a", "canary one")]);
    home.run(&["backup", &home.text("backup")]).said();
    let lose = || {
        home.run_with(&["store", "--force", "a"], "canary two").said();
        home.run(&["get", "a"]).said();
        assert!(home.path("vault/vault.db-wal").exists(), "it is left");
        fs::remove_file(home.path("vault/vault.db")).expect("lost");
    };
    lose();
    home.run(&["restore", &home.text("backup")]).said();
    assert_eq!(home.run(&["get", "a"]).said(), "canary one\n");
    lose();
    fs::remove_file(home.path("key")).expect("lost");
    home.run(&["init", "--generate-keyfile", &home.text("key")]).said();
    home.run_with(&["store", "b"], "canary three").said();
    assert_eq!(home.run(&["list"]).said(), "b\n");
}

/// A backup from before the keys were changed, or one that somebody exchanged, must not cost the vault there is.
#[test]
fn a_backup_that_the_key_does_not_open_takes_nobodys_place() {
    let home = Home::with(&[("a", "canary one")]);
    home.run(&["backup", &home.text("backup")]).said();
    let token = home.token("all", "*", "list");
    assert_ne!(home.run_as(&token, &["restore", "--force", &home.text("backup")]).code, Some(0));
    home.run(&["rekey", "--compromised", "--generate-keyfile", &home.text("new")]).said();
    fs::rename(home.path("new"), home.path("key")).expect("the new one");
    home.run_with(&["store", "--force", "a"], "canary two").said();
    home.run(&["restore", "--force", &home.text("backup")]).complained(2);
    assert_eq!(home.run(&["get", "a"]).said(), "canary two\n");
}

/// The message about a damaged file says that a backup helps.
#[test]
fn a_backup_takes_the_place_of_whatever_somebody_made_of_the_vault() {
    let home = Home::with(&[("a", "canary")]);
    home.run(&["backup", &home.text("copy")]).said();
    let file = home.path("vault/vault.db");
    let whole = fs::read(&file).expect("a vault");
    let pipe = |path: &Path| {
        assert!(Command::new("mkfifo").arg(path).status().expect("mkfifo").success());
    };
    let damages: [&dyn Fn(); 6] = [
        &|| fs::write(&file, "no database").expect("written"),
        &|| fs::write(&file, &whole[..5000]).expect("cut off"),
        &|| fs::remove_file(&file).and_then(|()| symlink("/nowhere", &file)).expect("a link"),
        &|| {
            fs::remove_file(&file).expect("removed");
            pipe(&file);
        },
        &|| pipe(&home.path("vault/vault.db-journal")),
        &|| {
            let _ = fs::remove_file(home.path("vault/vault.db-wal"));
            pipe(&home.path("vault/vault.db-wal"));
        },
    ];
    for (number, damage) in damages.iter().enumerate() {
        damage();
        assert_ne!(home.run(&["get", "a"]).code, Some(0), "{number}");
        assert_ne!(home.run(&["upgrade"]).code, Some(0), "{number}");
        home.run(&["restore", &home.text("copy"), "--force"]).said();
        assert_eq!(home.run(&["get", "a"]).said(), "canary\n", "{number}");
    }
    let left = fs::read_dir(home.path("vault")).expect("a folder").flatten();
    let left: Vec<String> = left.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    assert!(left.iter().all(|name| name.starts_with("vault.db")), "{left:?}");
}
