//! Somebody who writes the person's files, and has old copies, old credentials and tokens: what they must not be able to do.

mod asking;
mod damage;
mod made_good;
mod marks;
mod planted;
mod structure;

use std::fs;
use std::path::PathBuf;

use rusqlite::Connection;

use crate::home::{Finished, Home, finish};

fn raw(home: &Home) -> Connection {
    Connection::open(home.path("vault/vault.db")).expect("the database")
}

/// Keeps a copy of a table, to be put back later.
fn keep(home: &Home, tables: &[&str]) {
    let raw = raw(home);
    for table in tables {
        raw.execute_batch(&format!("CREATE TABLE kept_{table} AS SELECT * FROM {table}")).expect("kept");
    }
}

/// Puts the rows that are not there any more back, or with `all` every row.
fn put_back(home: &Home, tables: &[&str]) {
    let raw = raw(home);
    for table in tables {
        raw.execute_batch(&format!("DELETE FROM {table}; INSERT INTO {table} SELECT * FROM kept_{table}"))
            .expect("put back");
    }
}

/// A copy of the whole vault.
fn copy(home: &Home, name: &str) -> PathBuf {
    // With what is in the log beside it.
    raw(home).query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).expect("taken in");
    fs::copy(home.path("vault/vault.db"), home.path(name)).expect("a copy");
    home.path(name)
}

fn restore(home: &Home, name: &str) {
    for beside in ["vault/vault.db-wal", "vault/vault.db-shm"] {
        let _ = fs::remove_file(home.path(beside));
    }
    fs::copy(home.path(name), home.path("vault/vault.db")).expect("put back");
}

/// The anchor of the vault.
fn anchor(home: &Home) -> PathBuf {
    let folder = home.path(".local/state/deskmate/authy");
    let mut files = fs::read_dir(folder).expect("a folder").flatten().map(|entry| entry.path());
    files.find(|path| path.extension().is_some_and(|end| end == "anchor")).expect("an anchor")
}

fn with_key(home: &Home, key: &str, arguments: &[&str]) -> Finished {
    finish(home.command(arguments).env("AUTHY_KEYFILE", home.path(key)), "")
}

#[track_caller]
fn refused(finished: &Finished, words: &str) {
    assert_ne!(finished.code, Some(0), "{}", finished.stdout);
    assert!(!finished.stdout.contains("canary"), "{}", finished.stdout);
    assert!(finished.stderr.contains(words), "{}", finished.stderr);
}

#[test]
fn the_old_slot_put_back_after_a_rekey_opens_nothing_and_is_given_no_new_key() {
    let home = Home::with(&[("a", "canary")]);
    keep(&home, &["slot"]);
    home.run(&["rekey", "--generate-keyfile", &home.text("new.key")]).said();
    raw(&home)
        .execute_batch(
            "INSERT OR REPLACE INTO slot SELECT * FROM kept_slot WHERE id NOT IN (SELECT id FROM slot)",
        )
        .expect("put back");
    refused(&home.run(&["get", "a"]), "does not prove");
    with_key(&home, "new.key", &["rekey", "--rotate-vault-key"]).said();
    refused(&home.run(&["get", "a"]), "error");
    let slots = with_key(&home, "new.key", &["rekey", "--list", "--json"]).json();
    let slots = slots["slots"].as_array().expect("slots").len();
    assert_eq!(slots, 2, "the new keyfile and the recovery code");
    assert_eq!(with_key(&home, "new.key", &["get", "a"]).said(), "canary\n");
}

#[test]
fn the_old_recovery_code_put_back_opens_nothing() {
    let home = Home::with(&[("a", "canary")]);
    let old = home.run(&["rekey", "--new-recovery-code"]).said();
    keep(&home, &["slot"]);
    home.run(&["rekey", "--new-recovery-code"]).said();
    raw(&home)
        .execute_batch(
            "INSERT OR REPLACE INTO slot SELECT * FROM kept_slot WHERE id NOT IN (SELECT id FROM slot)",
        )
        .expect("put back");
    refused(&finish(&mut home.command(&["get", "a", "--recovery"]), &old), "error");
    assert_eq!(home.run(&["get", "a"]).said(), "canary\n");
}

/// Everything of the old vault but what was stored since: the tree, the head and the slots of before with the rows of now.
#[test]
fn an_old_credential_with_an_old_copy_opens_nothing_stored_later() {
    let home = Home::with(&[("a", "canary old")]);
    copy(&home, "old.db");
    home.run(&["rekey", "--generate-keyfile", &home.text("new.key")]).said();
    finish(home.command(&["store", "a", "--force"]).env("AUTHY_KEYFILE", home.path("new.key")), "canary new")
        .said();
    finish(home.command(&["store", "b"]).env("AUTHY_KEYFILE", home.path("new.key")), "canary b").said();
    copy(&home, "new.db");
    // The attacker works at home, where they may trust what they like.
    let theirs = Home::empty();
    fs::create_dir(theirs.path("vault")).expect("a folder");
    std::os::unix::fs::chown(theirs.path("vault"), None, None).expect("ours");
    fs::copy(home.path("old.db"), theirs.path("vault/vault.db")).expect("a copy");
    fs::copy(home.path("key"), theirs.path("key")).expect("the old key");
    theirs.run(&["trust"]).said();
    assert_eq!(theirs.run(&["get", "a"]).said(), "canary old\n", "old values in old copies stay readable");
    // Rows of the new vault in the old one.
    let raw = raw(&theirs);
    raw.execute("ATTACH ? AS new", [home.text("new.db")]).expect("attached");
    raw.execute_batch(
        "DELETE FROM record; INSERT INTO record SELECT * FROM new.record;
         DELETE FROM node; INSERT INTO node SELECT * FROM new.node;",
    )
    .expect("mixed");
    for name in ["a", "b"] {
        refused(&theirs.run(&["get", name]), "error");
    }
    // The new vault with the old slots and the old root.
    raw.execute_batch(
        "DELETE FROM vault; INSERT INTO vault SELECT * FROM new.vault;
         UPDATE vault SET root = (SELECT root FROM vault);",
    )
    .expect("mixed");
    refused(&theirs.run(&["trust"]), "error");
}

#[test]
fn a_compromise_leaves_one_way_in_and_says_what_to_replace() {
    let home = Home::with(&[("prod/db", "canary"), ("stripe", "canary 2")]);
    let token = home.token("all", "*", "list,reveal");
    copy(&home, "old.db");
    let new = home.text("new.key");
    let done = home.run(&["rekey", "--compromised", "--generate-keyfile", &new, "--json"]).json();
    assert_eq!(done["rotate"], serde_json::json!(["prod/db", "stripe"]));
    assert_eq!(done["removed_slots"].as_array().map(Vec::len), Some(2), "keyfile and recovery code");
    assert_eq!(done["revoked_grants"].as_array().map(Vec::len), Some(1));
    refused(&home.run(&["get", "stripe"]), "error");
    refused(&home.run_as(&token, &["get", "stripe"]), "error");
    assert_eq!(with_key(&home, "new.key", &["get", "stripe"]).said(), "canary 2\n");
    assert_eq!(with_key(&home, "new.key", &["audit", "verify"]).code, Some(0));
    // The old file has no slot for the new key, even if this machine is made to forget.
    restore(&home, "old.db");
    fs::remove_file(anchor(&home)).expect("removed");
    refused(&with_key(&home, "new.key", &["trust"]), "no matching keys");
}

#[test]
fn one_old_row_put_back_neither_returns_an_old_value_nor_takes_rules_away() {
    let home = Home::with(&[("a", "canary old"), ("b", "canary b")]);
    keep(&home, &["record", "history"]);
    home.run_with(&["store", "a", "--force"], "canary new").said();
    home.run(&["set", "a", "--never-reveal", "--approve"]).said();
    let token = home.token("all", "*", "list,reveal,use");
    put_back(&home, &["record", "history"]);
    for finished in [home.run(&["get", "a"]), home.run_as(&token, &["get", "a"]), home.run(&["list"])] {
        refused(&finished, "damaged");
    }
    assert_eq!(home.run(&["get", "b"]).said(), "canary b\n", "others are read");
    refused(&home.run(&["get", "never-there"]), "Secret not found");
}

#[test]
fn an_old_vault_put_back_is_refused_until_somebody_says_that_it_is_meant() {
    let home = Home::with(&[("a", "canary old")]);
    let token = home.token("all", "*", "list,reveal");
    copy(&home, "old.db");
    let old_anchor = fs::read(anchor(&home)).expect("an anchor");
    home.run_with(&["store", "a", "--force"], "canary new").said();
    copy(&home, "new.db");
    restore(&home, "old.db");
    refused(&home.run(&["get", "a"]), "put back to an older state");
    refused(&home.run_as(&token, &["get", "a"]), "put back to an older state");
    // Without the anchor nothing is believed either, and one that was made up is none.
    let file = anchor(&home);
    let new_anchor = fs::read(&file).expect("an anchor");
    fs::remove_file(&file).expect("removed");
    refused(&home.run(&["get", "a"]), "authy trust");
    let mut forged = new_anchor.clone();
    forged[70] ^= 1;
    fs::write(&file, forged).expect("written");
    refused(&home.run(&["get", "a"]), "was changed");
    fs::write(&file, new_anchor).expect("written");
    refused(&home.run_as(&token, &["trust"]), "lacks the capability");
    home.run(&["trust"]).said();
    assert_eq!(home.run(&["get", "a"]).said(), "canary old\n");
    assert_eq!(home.run_as(&token, &["get", "a"]).said(), "canary old\n");
    // A version above both was made: now the newer of the two is refused.
    restore(&home, "new.db");
    refused(&home.run(&["get", "a"]), "put back to an older state");
    // What is said not to be noticed: vault and anchor of the same day.
    restore(&home, "old.db");
    fs::write(&file, old_anchor).expect("written");
    assert_eq!(home.run(&["get", "a"]).said(), "canary old\n");
}

#[test]
fn a_copy_that_was_changed_elsewhere_is_no_continuation() {
    let home = Home::with(&[("a", "canary")]);
    copy(&home, "old.db");
    let first = fs::read(anchor(&home)).expect("an anchor");
    home.run_with(&["store", "b"], "canary b").said();
    let here = fs::read(anchor(&home)).expect("an anchor");
    // The same vault on another machine, where nobody has seen `b`.
    restore(&home, "old.db");
    fs::write(anchor(&home), first).expect("written");
    for name in ["c", "d"] {
        home.run_with(&["store", name], "canary fork").said();
    }
    fs::write(anchor(&home), here).expect("written");
    refused(&home.run(&["get", "c"]), "does not continue");
}

#[test]
fn history_and_shares_cannot_be_taken_away_unseen() {
    let home = Home::with(&[("a", "canary 1")]);
    home.run_with(&["store", "a", "--force"], "canary 2").said();
    let token = home.token("all", "*", "list,reveal");
    raw(&home).execute("DELETE FROM history", []).expect("deleted");
    refused(&home.run(&["history", "a"]), "damaged");
    refused(&home.run(&["get", "a", "--version", "1"]), "damaged");
    raw(&home).execute("DELETE FROM share", []).expect("deleted");
    refused(&home.run_as(&token, &["list"]), "missing");
    refused(&home.run_as(&token, &["get", "a"]), "damaged");
}

#[test]
fn a_number_of_uses_put_back_is_refused() {
    let home = Home::with(&[("a", "canary")]);
    home.run(&["policy", "create", "all", "--allow", "*"]).said();
    let issued =
        home.run(&["grant", "create", "--policy", "all", "--can", "list,reveal", "--uses", "2"]).said();
    let token = issued.trim();
    keep(&home, &["chain", "audit"]);
    assert_eq!(home.run_as(token, &["get", "a"]).said(), "canary\n");
    put_back(&home, &["chain", "audit"]);
    refused(&home.run_as(token, &["get", "a"]), "cut off");
    // An anchor from before the grant knows nothing of its uses, so nothing is believed.
    let copied = Home::with(&[("a", "canary")]);
    let before = fs::read(anchor(&copied)).expect("an anchor");
    copied.run(&["policy", "create", "all", "--allow", "*"]).said();
    let issued =
        copied.run(&["grant", "create", "--policy", "all", "--can", "list,reveal", "--uses", "1"]).said();
    copy(&copied, "before.db");
    assert_eq!(copied.run_as(issued.trim(), &["get", "a"]).said(), "canary\n");
    refused(&copied.run_as(issued.trim(), &["get", "a"]), "used up");
    restore(&copied, "before.db");
    refused(&copied.run_as(issued.trim(), &["get", "a"]), "cut off");
    fs::write(anchor(&copied), before).expect("written");
    refused(&copied.run_as(issued.trim(), &["get", "a"]), "cut off");
}

#[test]
fn a_log_whose_end_was_cut_off_with_its_places_put_back_is_found_out_after_the_owners_next_change() {
    let home = Home::with(&[("a", "canary")]);
    keep(&home, &["chain", "audit"]);
    home.run(&["get", "a"]).said();
    home.run_with(&["store", "b"], "canary b").said();
    put_back(&home, &["chain", "audit"]);
    assert!(home.run(&["audit", "verify"]).complained(1).contains("cut off"));
}

#[test]
fn a_revoked_writer_changes_and_removes_nothing() {
    let home = Home::with(&[("prod/db", "canary"), ("dev/a", "canary a")]);
    let token = home.token("dev", "dev/*", "list,reveal,store,remove");
    // What it writes is pending until the owner comes by; this is what it could keep.
    finish(
        home.command(&["store", "dev/a", "--force"]).env_remove("AUTHY_KEYFILE").env("AUTHY_TOKEN", &token),
        "canary planted",
    )
    .said();
    keep(&home, &["holder", "share", "chain", "pending"]);
    let id =
        home.run(&["grant", "list", "--json"]).json()["grants"][0]["id"].as_str().expect("an id").to_owned();
    home.run(&["rollback", "dev/a", "1"]).said();
    home.run(&["grant", "revoke", &id]).said();
    put_back(&home, &["pending"]);
    assert_eq!(
        home.run(&["get", "dev/a"]).said(),
        "canary a\n",
        "what was taken over is not taken over again"
    );
    let entries = home.run(&["audit", "show", "-n", "0"]).said();
    assert!(entries.contains("dropped") && entries.contains("revoked"), "{entries}");
    assert_eq!(home.run(&["get", "prod/db"]).said(), "canary\n");
    put_back(&home, &["holder", "share", "chain"]);
    for arguments in [&["get", "dev/a"][..], &["remove", "dev/a"], &["list"]] {
        refused(&home.run_as(&token, arguments), "error");
    }
}

#[test]
fn a_yes_is_the_owners_for_one_call_and_once() {
    let home = Home::with(&[("a", "canary")]);
    home.run(&["set", "a", "--approve"]).said();
    let token = home.token("all", "*", "list,use,reveal");
    refused(&home.run_as(&token, &["get", "a"]), "authy approve");
    raw(&home).execute_batch("UPDATE approval SET decision = 1, signature = zeroblob(64)").expect("forged");
    refused(&home.run_as(&token, &["get", "a"]), "authy approve");
    let id =
        home.run(&["approve", "--json"]).json()["approvals"][0]["id"].as_str().expect("an id").to_owned();
    home.run(&["approve", &id]).said();
    keep(&home, &["approval", "chain", "audit"]);
    assert_eq!(home.run_as(&token, &["get", "a"]).said(), "canary\n");
    // The used yes is put back, and then everything that says it was used.
    put_back(&home, &["approval"]);
    refused(&home.run_as(&token, &["get", "a"]), "authy approve");
    put_back(&home, &["approval", "chain", "audit"]);
    refused(&home.run_as(&token, &["get", "a"]), "cut off");
    let log = home.run(&["audit", "show", "-n", "0"]).said();
    assert!(log.contains("approve"), "{log}");
}

#[test]
fn damage_is_repaired_and_what_was_lost_is_said() {
    let home = Home::with(&[("a", "canary a"), ("b", "canary b"), ("c", "canary c")]);
    raw(&home)
        .execute_batch("UPDATE record SET meta = zeroblob(100) WHERE id = 1; DELETE FROM record WHERE id = 2")
        .expect("damaged");
    let words = home.run(&["list"]).complained(2);
    assert!(words.contains("1 secrets of the vault are damaged and 1 are missing"), "{words}");
    assert_eq!(home.run(&["get", "c"]).said(), "canary c\n");
    assert_eq!(home.run(&["export", "--salvage"]).json(), serde_json::json!({ "c": "canary c" }));
    let lost = home.run(&["remove", "--damaged", "--json"]).json();
    assert_eq!((&lost["damaged"], &lost["missing"]), (&1.into(), &1.into()));
    assert_eq!(home.run(&["list"]).said(), "c\n");
    home.run_with(&["store", "a"], "canary again").said();
    home.token("all", "*", "list");
    home.run(&["rekey", "--rotate-vault-key"]).said();
    raw(&home).execute_batch("UPDATE chain SET state = zeroblob(80)").expect("damaged");
    assert!(home.run(&["get", "c"]).complained(1).contains("authy audit mend"));
    home.run(&["audit", "mend"]).said();
    assert_eq!(home.run(&["get", "c"]).said(), "canary c\n");
    home.run(&["audit", "verify"]).said();
    let log = home.run(&["audit", "show", "-n", "0"]).said();
    assert!(log.contains("repair") && log.contains("audit-mend"), "{log}");
}

#[test]
fn storing_again_with_a_tag_takes_no_rule_away() {
    let home = Home::with(&[("a", "canary")]);
    home.run(&["set", "a", "--never-reveal", "--approve", "--host", "api.example.com"]).said();
    home.run_with(&["store", "a", "--force", "--tag", "new"], "canary 2").said();
    let info = home.run(&["list", "--json"]).json()["secrets"][0].clone();
    assert_eq!((&info["never_reveal"], &info["approve_each_use"]), (&true.into(), &true.into()), "{info}");
    assert_eq!((&info["hosts"][0], &info["tags"][0]), (&"api.example.com".into(), &"new".into()), "{info}");
}

#[test]
fn a_passphrase_that_is_guessed_at_once_is_refused() {
    let home = Home::empty();
    let words = home.run_with(&["init", "--passphrase-fd", "0"], "x").complained(2);
    assert!(words.contains("fewer than 8 characters"), "{words}");
}

/// A thief of the disk learns sizes in steps of 64 bytes.
#[test]
fn lengths_tell_little() {
    let long = "n".repeat(40);
    let home = Home::with(&[("a", "canary"), (long.as_str(), "canary and a little more")]);
    home.run(&["policy", "create", "p", "--allow", "a*"]).said();
    home.run(&["set", "a", "--description", "x"]).said();
    // What encryption adds is 24 bytes before and 16 after.
    for (table, column) in [("record", "meta"), ("record", "value"), ("audit", "entry"), ("policy", "body")] {
        let raw = raw(&home);
        let odd: i64 = raw
            .query_row(
                &format!("SELECT count(*) FROM {table} WHERE (length({column}) - 40) % 64 <> 0"),
                [],
                |row| row.get(0),
            )
            .expect("a number");
        assert_eq!(odd, 0, "{table}.{column}");
        let different: i64 = raw
            .query_row(&format!("SELECT count(DISTINCT length({column})) FROM {table}"), [], |row| row.get(0))
            .expect("a number");
        assert!(different <= 4, "{table}.{column}: {different}");
    }
}

#[test]
fn what_is_in_the_trash_is_nobodys_but_the_owners() {
    let home = Home::with(&[("dev/a", "canary 1"), ("dev/b", "canary b")]);
    home.run_with(&["store", "dev/a", "--force"], "canary 2").said();
    home.run(&["set", "dev/a", "--never-reveal", "--host", "api.example.com"]).said();
    let token = home.token("dev", "dev/*", "list,reveal,remove");
    home.run(&["rm", "dev/a"]).said();
    home.run_as(&token, &["remove", "dev/b"]).said();
    for command in [&["trash"][..], &["restore", "dev/a"], &["trash", "--empty"]] {
        refused(&home.run_as(&token, command), "lacks the capability");
    }
    refused(&home.run_as(&token, &["get", "dev/b"]), "Secret not found");
    assert_eq!(home.run(&["list"]).said(), "");
    let trash = home.run(&["trash", "--json"]).json();
    assert_eq!(trash["trash"].as_array().map(Vec::len), Some(2), "{trash}");
    // Keys are renewed there, too; rules and versions come back with it.
    home.run(&["rekey", "--rotate-vault-key"]).said();
    home.run(&["restore", "dev/a"]).said();
    refused(&home.run(&["get", "dev/a"]), "never revealed");
    assert_eq!(
        home.run(&["history", "dev/a", "--json"]).json()["versions"].as_array().map(Vec::len),
        Some(2)
    );
    refused(&home.run(&["restore", "dev/a"]), "already exists");
    home.run_with(&["store", "dev/b"], "canary new").said();
    refused(&home.run(&["restore", "dev/b"]), "already exists");
    home.run(&["remove", "dev/b", "--for-good"]).said();
    refused(&home.run(&["restore", "dev/b"]), "not in the trash");
    // A row put back from the trash is no secret.
    home.run(&["rm", "dev/a"]).said();
    keep(&home, &["record", "history", "node"]);
    home.run(&["trash", "--empty"]).said();
    put_back(&home, &["record", "history"]);
    refused(&home.run(&["list"]), "damaged");
    home.run(&["remove", "--damaged"]).said();
    assert_eq!(home.run(&["trash", "--json"]).json()["trash"], serde_json::json!([]));
}

/// Acknowledged is kept: what a grant stored until its keys were renewed, or it was revoked.
#[test]
fn what_a_grant_stored_is_there_after_keys_were_renewed_and_it_was_revoked() {
    let home = Home::with(&[("dev/a", "canary")]);
    let token = home.token("dev", "dev/*", "list,reveal,store");
    let store = |name: &str| {
        let mut command = home.command(&["store", name]);
        finish(command.env_remove("AUTHY_KEYFILE").env("AUTHY_TOKEN", &token), "canary of the grant").said();
    };
    store("dev/b");
    home.run(&["rekey", "--rotate-vault-key"]).said();
    store("dev/c");
    home.run(&["grant", "revoke-all"]).said();
    assert_eq!(home.run(&["list"]).said(), "dev/a\ndev/b\ndev/c\n");
    home.run(&["audit", "verify"]).said();
}
