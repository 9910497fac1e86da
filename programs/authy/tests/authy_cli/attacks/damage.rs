//! Rows that somebody added, changed or took away: nothing is given out, and the owner can go on.

use std::fs;
use std::path::PathBuf;

use super::{anchor, keep, put_back, raw, refused};
use crate::home::{Home, finish};

#[test]
fn slots_that_somebody_added_neither_stop_the_machine_nor_hide_the_real_one() {
    let home = Home::empty();
    home.run_with(&["init", "--passphrase-fd", "0"], "correct horse battery").said();
    home.run_with(&["store", "a", "--exact"], "canary").complained(2);
    let add = |first: i64, memory: u32| {
        let raw = raw(&home);
        for id in first..first + 60 {
            let stretching = format!(
                r#"{{"salt":[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0],"memory_kib":{memory},"passes":8,"lanes":4}}"#
            );
            raw.execute(
                "INSERT INTO slot VALUES (?, 'passphrase', ?, zeroblob(32), zeroblob(80), 0, zeroblob(32))",
                rusqlite::params![id, stretching.as_bytes()],
            )
            .expect("added");
        }
    };
    let list = || home.run_with(&["list", "--passphrase-fd", "0"], "correct horse battery");
    // Four gibibytes each: refused before anything is stretched. Those behind the real one are not even looked at, nor those
    // before the first number there can be.
    add(100, 4 * 1024 * 1024);
    assert_eq!(list().code, Some(0));
    add(-100, 4 * 1024 * 1024);
    assert_eq!(list().code, Some(0));
}

/// One row is not the end of a vault: it is no hindrance, or what the message names takes it away.
#[test]
fn no_row_that_somebody_puts_in_is_the_end_of_a_vault() {
    for planted in [
        "INSERT INTO lineage VALUES (9000000000000000, randomblob(32))",
        "INSERT INTO succession (number, old, new, certificate) VALUES (-1, x'00', x'00', x'00')",
        "INSERT INTO slot VALUES (-5, 'keyfile', NULL, x'00', x'', 0, x'')",
        "INSERT INTO slot VALUES (9, 'keyfile', NULL, x'00', x'', 0, x'')",
        "INSERT INTO audit VALUES (1000, x'', x'', x'00')",
        "INSERT INTO audit SELECT max(seq) + 1, x'', x'', x'00' FROM audit",
    ] {
        let home = Home::with(&[("a", "canary")]);
        raw(&home).execute(planted, []).expect(planted);
        assert_eq!(home.run(&["get", "a"]).said(), "canary\n", "{planted}");
        home.run_with(&["store", "b"], "canary b").said();
        home.run(&["audit", "verify"]).said();
    }
    for (planted, repair) in [
        ("INSERT INTO audit VALUES (9223372036854775807, x'', x'', zeroblob(32))", ["audit", "mend"]),
        // The last number after which the log still goes on, for one entry.
        ("INSERT INTO audit VALUES (4611686018427387903, x'', x'', zeroblob(32))", ["audit", "mend"]),
        ("UPDATE chain SET position = -1", ["audit", "mend"]),
        (
            "INSERT INTO record VALUES (9223372036854775807, randomblob(32), 1, 1, x'', x'', x'', zeroblob(32), x'')",
            ["remove", "--damaged"],
        ),
        (
            "INSERT INTO holder VALUES (x'00', -1, x'', x'', x'', x'', x'', 7, -1, -1, -1)",
            ["remove", "--damaged"],
        ),
    ] {
        let home = Home::with(&[("a", "canary")]);
        raw(&home).execute(planted, []).expect(planted);
        home.run(&repair).said();
        assert_eq!(home.run(&["get", "a"]).said(), "canary\n", "{planted}");
        home.run_with(&["store", "b"], "canary b").said();
        home.token("all", "*", "list");
        home.run(&["audit", "verify"]).said();
    }
}

#[test]
fn rows_that_somebody_made_up_block_nothing() {
    let home = Home::with(&[("a", "canary")]);
    let token = home.token("all", "*", "list,reveal,store,use");
    home.run(&["set", "a", "--approve"]).said();
    refused(&home.run_as(&token, &["get", "a"]), "authy approve");
    raw(&home)
        .execute_batch(
            "INSERT INTO pending (holder, number, lookup, sealed, own, code) VALUES (x'00', -1, x'', x'', x'', x'');
             INSERT INTO pending (holder, number, lookup, sealed, own, code)
                VALUES (zeroblob(8), 1, zeroblob(32), x'00', x'', zeroblob(32));
             INSERT INTO approval (writer, subject, entry, expires) VALUES (x'01', x'', x'', 99999999999999);
             INSERT INTO approval (writer, subject, entry, expires)
                VALUES (zeroblob(8), zeroblob(32), zeroblob(64), 99999999999999);",
        )
        .expect("made up");
    assert_eq!(home.run(&["list"]).said(), "a\n");
    let waiting = home.run(&["approve", "--json"]).json();
    assert_eq!(waiting["approvals"].as_array().map(Vec::len), Some(1), "{waiting}");
    // What waited under keys that are gone is asked for again.
    home.run(&["rekey", "--rotate-vault-key"]).said();
    assert_eq!(home.run(&["approve", "--json"]).json()["approvals"], serde_json::json!([]));
    refused(&home.run_as(&token, &["get", "a"]), "authy approve");
    assert_eq!(home.run(&["approve", "--json"]).json()["approvals"].as_array().map(Vec::len), Some(1));
}

#[test]
fn a_pipe_in_the_place_of_a_file_keeps_nobody_waiting() {
    let home = Home::with(&[("a", "canary")]);
    let pipe = |path: PathBuf| {
        fs::remove_file(&path).expect("removed");
        let made = std::process::Command::new("mkfifo").arg(&path).status().expect("mkfifo");
        assert!(made.success());
    };
    pipe(anchor(&home));
    refused(&home.run(&["get", "a"]), "error");
    pipe(home.path("vault/vault.db"));
    refused(&home.run(&["get", "a"]), "not a vault");
}

#[test]
fn a_damaged_tree_is_made_anew_and_names_whose_rows_are_gone_can_be_stored_again() {
    let home = Home::with(&[("a", "canary a"), ("b", "canary b")]);
    let token = home.token("all", "*", "list,reveal");
    raw(&home).execute_batch("DELETE FROM record WHERE id = 2").expect("damaged");
    refused(&home.run_with(&["store", "b"], "canary again"), "damaged");
    home.run(&["remove", "--damaged"]).said();
    home.run_with(&["store", "b"], "canary again").said();
    assert_eq!(home.run_as(&token, &["get", "b"]).said(), "canary again\n");
    raw(&home).execute_batch("UPDATE node SET body = zeroblob(64) WHERE number = 0").expect("damaged");
    refused(&home.run(&["get", "a"]), "damaged");
    let repaired = home.run(&["remove", "--damaged", "--json"]).json();
    assert_eq!(repaired["unchecked"], serde_json::json!(["a", "b"]), "{repaired}");
    refused(&home.run(&["get", "a"]), "authy approve");
    home.run(&["set", "a", "--reveal", "--no-approve"]).said();
    assert_eq!(home.run(&["get", "a"]).said(), "canary a\n");
    home.run_with(&["store", "c"], "canary c").said();
    assert_eq!(home.run(&["list"]).said(), "a\nb\nc\n");
    home.run(&["audit", "verify"]).said();
}

/// The leaves that what is done changes.
fn leaves_changed_by(home: &Home, change: impl FnOnce()) -> Vec<i64> {
    let leaves = || -> Vec<(i64, Vec<u8>)> {
        let raw = raw(home);
        let mut all = raw.prepare("SELECT number, body FROM node WHERE number >= 1000").expect("a tree");
        let rows = all.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).expect("leaves");
        rows.collect::<Result<_, _>>().expect("leaves")
    };
    let before = leaves();
    change();
    leaves().into_iter().filter(|leaf| !before.contains(leaf)).map(|(number, _)| number).collect()
}

/// Where its leaf is damaged, an old row looks as good as the newest one.
#[test]
fn a_repair_neither_takes_marks_away_nor_gives_grants_what_was_removed() {
    let home =
        Home::with(&[("hidden", "canary"), ("asked", "canary"), ("gone", "canary"), ("fine", "canary")]);
    keep(&home, &["record"]);
    let leaves = leaves_changed_by(&home, || {
        home.run(&["set", "hidden", "--never-reveal"]).said();
        home.run(&["set", "asked", "--approve"]).said();
        home.run(&["remove", "gone", "--for-good"]).said();
    });
    let token = home.token("all", "*", "list,use,reveal");
    put_back(&home, &["record"]);
    for leaf in leaves {
        raw(&home).execute("UPDATE node SET body = zeroblob(64) WHERE number = ?", [leaf]).expect("damaged");
    }
    refused(&home.run_as(&token, &["get", "hidden"]), "damaged");
    let repaired = home.run(&["remove", "--damaged", "--json"]).json();
    assert_eq!(repaired["unchecked"], serde_json::json!(["hidden", "asked", "gone"]), "{repaired}");
    assert_eq!(repaired["grants"], 0, "{repaired}");
    assert_eq!(home.run_as(&token, &["get", "fine"]).said(), "canary\n");
    for name in ["hidden", "asked", "gone"] {
        refused(&home.run_as(&token, &["get", name]), "authy approve");
        // A person says what is as it should be.
        home.run(&["set", name, "--no-approve"]).said();
        refused(&home.run_as(&token, &["get", name]), "never revealed");
        home.run(&["set", name, "--reveal"]).said();
        assert_eq!(home.run_as(&token, &["get", name]).said(), "canary\n");
    }
}

#[test]
fn the_log_is_exported_past_an_entry_that_is_damaged() {
    let home = Home::with(&[("a", "canary a"), ("b", "canary b")]);
    raw(&home).execute_batch("UPDATE audit SET entry = zeroblob(104) WHERE seq = 2").expect("damaged");
    let lines = home.run(&["audit", "export"]).said();
    let entries: Vec<serde_json::Value> =
        lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert!(entries.len() >= 3, "{lines}");
    assert_eq!(entries[1], serde_json::json!({ "seq": 2, "damaged": true }));
    assert_eq!(entries[2]["operation"], "store");
    assert!(home.run(&["audit", "show", "-n", "0"]).said().contains("damaged"));
    assert!(home.run(&["audit", "verify"]).complained(1).contains("entry 2"));
}

/// Only a few passphrase slots are tried, because each takes long: the real one is among them.
#[test]
fn slots_in_front_of_the_real_one_do_not_hide_it() {
    let home = Home::empty();
    home.run_with(&["init", "--passphrase-fd", "0"], "correct horse battery").said();
    for _ in 0..3 {
        let code =
            home.run_with(&["rekey", "--new-recovery-code", "--passphrase-fd", "0"], "correct horse battery");
        assert_eq!(code.code, Some(0), "{}", code.stderr);
    }
    let key = home.text("key");
    home.run_with(&["rekey", "--generate-keyfile", &key, "--passphrase-fd", "0"], "correct horse battery")
        .said();
    home.run_with(&["rekey", "--to-passphrase", "--new-passphrase-fd", "0"], "battery horse correct").said();
    fs::remove_file(&key).expect("removed");
    let real: i64 = raw(&home)
        .query_row("SELECT id FROM slot WHERE kind = 'passphrase'", [], |row| row.get(0))
        .expect("one");
    assert!(real > 4, "{real}");
    raw(&home)
        .execute_batch(
            "DELETE FROM slot WHERE kind <> 'passphrase';
             WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 4)
             INSERT INTO slot SELECT x, kind, stretching, randomblob(32), sealed, created, code FROM c, slot
                WHERE kind = 'passphrase' AND id > 4;",
        )
        .expect("planted");
    let list = home.run_with(&["list", "--passphrase-fd", "0"], "battery horse correct");
    assert_eq!(list.code, Some(0), "{}", list.stderr);
}

/// Changes what SQLite keeps about its tables.
fn change_schema(home: &Home, sql: &str) {
    let raw = raw(home);
    let version: i64 = raw.query_row("PRAGMA schema_version", [], |row| row.get(0)).expect("a number");
    let all = format!("PRAGMA writable_schema = ON; {sql}; PRAGMA schema_version = {};", version + 1);
    raw.execute_batch(&all).expect("changed");
}

/// Makes a grant seem to be there twice, and another not at all: their number stays what it was.
fn hide_a_grant(home: &Home, hidden: &[u8], double: &[u8]) {
    let index: i64 = raw(home)
        .query_row("SELECT rootpage FROM sqlite_schema WHERE name = 'sqlite_autoindex_holder_1'", [], |row| {
            row.get(0)
        })
        .expect("an index");
    change_schema(
        home,
        "DELETE FROM sqlite_schema WHERE name = 'sqlite_autoindex_holder_1';
         UPDATE sqlite_schema SET sql = replace(sql, 'id BLOB PRIMARY KEY', 'id BLOB') WHERE name = 'holder'",
    );
    let open = raw(home);
    open.execute("DELETE FROM holder WHERE id = ?", [hidden]).expect("hidden");
    open.execute("INSERT INTO holder SELECT * FROM holder WHERE id = ?", [double]).expect("doubled");
    drop(open);
    change_schema(
        home,
        &format!(
            "INSERT INTO sqlite_schema VALUES ('index', 'sqlite_autoindex_holder_1', 'holder', {index}, NULL);
             UPDATE sqlite_schema SET sql = replace(sql, 'id BLOB,', 'id BLOB PRIMARY KEY,') WHERE name = 'holder'"
        ),
    );
}

#[test]
fn a_grant_cannot_be_hidden_behind_another_while_all_are_revoked() {
    let home = Home::with(&[("a", "canary")]);
    home.token("one", "*", "list");
    home.token("two", "*", "list,reveal");
    let ids: Vec<Vec<u8>> = {
        let raw = raw(&home);
        let mut all = raw.prepare("SELECT id FROM holder ORDER BY rowid").expect("a table");
        all.query_map([], |row| row.get(0)).expect("rows").flatten().collect()
    };
    hide_a_grant(&home, &ids[1], &ids[0]);
    refused(&home.run(&["grant", "revoke-all"]), "grants are missing or were added");
    refused(&home.run(&["grant", "list"]), "grants are missing or were added");
    // A repair leaves the one that is there twice once, and says that one is gone.
    assert_eq!(home.run(&["remove", "--damaged", "--json"]).json()["grants"], 1);
    assert_eq!(home.run(&["grant", "list", "--json"]).json()["grants"].as_array().map(Vec::len), Some(1));
    home.run(&["grant", "revoke-all"]).said();
    home.run(&["audit", "verify"]).said();
    home.run(&["doctor"]).said();
}

/// Numbers that are used up or taken, so that a grant would have none to store under.
#[test]
fn rows_that_somebody_made_up_keep_no_grant_from_storing() {
    for planted in [
        "INSERT INTO pending (holder, number, lookup, sealed, own, code) SELECT id, 1, x'', x'', x'', x'' FROM holder",
        "INSERT INTO pending VALUES (9223372036854775807, x'00', 1, x'', x'', x'', x'')",
        "INSERT INTO sqlite_sequence VALUES ('pending', 9223372036854775807)",
    ] {
        let home = Home::with(&[("a", "canary")]);
        let token = home.token("all", "*", "list,reveal,store");
        raw(&home).execute_batch(planted).expect(planted);
        for name in ["b", "c"] {
            let mut store = home.command(&["store", name]);
            finish(store.env_remove("AUTHY_KEYFILE").env("AUTHY_TOKEN", &token), "canary of the grant")
                .said();
        }
        assert_eq!(home.run(&["list"]).said(), "a\nb\nc\n", "{planted}");
        home.run(&["audit", "verify"]).said();
    }
}

/// Neither a share of nobody, nor one that the owner did not make.
#[test]
fn shares_that_somebody_made_up_get_in_nobodys_way() {
    let home = Home::with(&[("a", "canary a"), ("b", "canary b")]);
    let token = home.token("all", "*", "list,reveal");
    raw(&home)
        .execute_batch(
            "INSERT INTO share SELECT holder, randomblob(32), record, key FROM share;
             INSERT INTO share SELECT holder, x'00', record, key FROM share LIMIT 1;
             INSERT INTO share SELECT x'00', x'00', id, x'' FROM record WHERE id = 1;",
        )
        .expect("made up");
    assert_eq!(home.run_as(&token, &["list"]).said(), "a\nb\n");
    assert_eq!(home.run_as(&token, &["get", "a"]).said(), "canary a\n");
    home.run(&["remove", "a"]).said();
    assert_eq!(home.run_as(&token, &["list"]).said(), "b\n");
    home.run(&["grant", "revoke-all"]).said();
    home.run(&["doctor"]).said();
}
