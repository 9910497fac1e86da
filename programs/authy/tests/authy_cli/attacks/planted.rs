//! What somebody puts into the files who knows SQLite and the file system: it neither works for them nor keeps anybody waiting.

use std::fs;
use std::path::PathBuf;

use super::{anchor, raw, refused};
use crate::home::{Home, finish};

/// A trigger could keep every entry out of the log, and the log would still be whole.
#[test]
fn a_trigger_keeps_nothing_out_of_the_log() {
    let home = Home::with(&[("a", "canary")]);
    let token = home.token("all", "*", "list,reveal");
    raw(&home)
        .execute_batch(
            "CREATE TRIGGER t1 BEFORE INSERT ON audit BEGIN SELECT raise(ignore); END;
             CREATE TRIGGER t2 BEFORE UPDATE ON chain BEGIN SELECT raise(ignore); END;
             CREATE TRIGGER t3 BEFORE INSERT ON chain BEGIN SELECT raise(ignore); END;",
        )
        .expect("planted");
    refused(&home.run(&["get", "a"]), "no program of ours makes");
    refused(&home.run_as(&token, &["get", "a"]), "no program of ours makes");
    refused(&home.run(&["restore", "--force", &home.text("vault/vault.db")]), "no program of ours makes");
    let repaired = home.run(&["remove", "--damaged", "--json"]).json();
    assert_eq!((&repaired["added"], &repaired["damaged"]), (&3.into(), &0.into()), "{repaired}");
    assert_eq!(home.run_as(&token, &["get", "a"]).said(), "canary\n");
    let log = home.run(&["audit", "show", "-n", "0"]).said();
    assert!(log.lines().any(|line| line.contains("grant") && line.contains(" get ")), "{log}");
    home.run(&["audit", "verify"]).said();
}

/// It would be asked for its rows for ever.
#[test]
fn a_view_in_the_place_of_a_table_is_not_asked() {
    let home = Home::with(&[("a", "canary")]);
    raw(&home)
        .execute_batch(
            "ALTER TABLE slot RENAME TO other;
             CREATE VIEW slot AS WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c)
                SELECT x AS id, 'keyfile' AS kind, NULL AS stretching, zeroblob(32) AS public, x'' AS sealed,
                       0 AS created, zeroblob(32) AS code FROM c WHERE x < 0;",
        )
        .expect("planted");
    refused(&home.run(&["get", "a"]), "no program of ours makes");
    // A table that is not as it was made, such as one where a name can be twice.
    let home = Home::with(&[("a", "canary")]);
    raw(&home)
        .execute_batch(
            "CREATE TABLE kept AS SELECT * FROM record; DROP TABLE record; ALTER TABLE kept RENAME TO record;",
        )
        .expect("planted");
    refused(&home.run(&["get", "a"]), "no program of ours makes");
}

/// A row in it that refers to one of ours would keep that one from being changed.
#[test]
fn a_table_that_somebody_added_holds_no_row_of_ours_fast() {
    let home = Home::with(&[("a", "canary")]);
    raw(&home)
        .execute_batch(
            "CREATE TABLE theirs (n REFERENCES node (number), c REFERENCES chain (writer), r REFERENCES record (id));
             INSERT INTO theirs SELECT number, NULL, NULL FROM node UNION ALL SELECT NULL, writer, NULL FROM chain
                UNION ALL SELECT NULL, NULL, id FROM record;",
        )
        .expect("planted");
    assert_eq!(home.run(&["get", "a"]).said(), "canary\n");
    home.run_with(&["store", "b"], "canary b").said();
    home.run(&["remove", "a", "--for-good"]).said();
    home.run(&["rekey", "--rotate-vault-key"]).said();
    assert_eq!(home.run(&["list"]).said(), "b\n");
}

#[test]
fn a_row_that_is_too_large_is_not_read() {
    let home = Home::with(&[("a", "canary a"), ("b", "canary b")]);
    raw(&home).execute("UPDATE record SET value = zeroblob(16000000) WHERE id = 1", []).expect("planted");
    refused(&home.run(&["get", "a"]), "larger than any");
    assert_eq!(home.run(&["get", "b"]).said(), "canary b\n");
}

#[test]
fn pipes_and_links_beside_the_files_neither_keep_anybody_waiting_nor_lead_elsewhere() {
    let pipe = |path: PathBuf| {
        let _ = fs::remove_file(&path);
        let made = std::process::Command::new("mkfifo").arg(&path).status().expect("mkfifo");
        assert!(made.success());
    };
    for end in ["journal", "wal", "shm"] {
        let home = Home::with(&[("a", "canary")]);
        pipe(home.path(&format!("vault/vault.db-{end}")));
        refused(&home.run(&["get", "a"]), "it is not a file");
    }
    let home = Home::with(&[("a", "canary")]);
    pipe(anchor(&home).with_extension("new"));
    home.run_with(&["store", "b"], "canary b").said();
    let precious = home.file("precious", "precious");
    std::os::unix::fs::symlink(&precious, anchor(&home).with_extension("new")).expect("a link");
    home.run_with(&["store", "c"], "canary c").said();
    assert_eq!(fs::read_to_string(&precious).expect("there"), "precious");
    pipe(anchor(&home).with_extension("lock"));
    refused(&home.run_with(&["store", "d"], "canary d"), ".lock");
}

/// `authy restore NAME` is about the trash, whatever lies in the folder it is typed in.
#[test]
fn a_file_with_the_name_of_a_secret_is_not_restored_by_mistake() {
    let home = Home::with(&[("stripe", "canary")]);
    home.run(&["backup", &home.text("stripe")]).said();
    home.run_with(&["store", "later"], "canary later").said();
    home.run(&["rm", "stripe"]).said();
    home.run(&["restore", "stripe"]).said();
    assert_eq!(home.run(&["list"]).said(), "later\nstripe\n");
}

/// Rows under the name of a grant that it did not write are nothing to it.
#[test]
fn entries_that_a_grant_did_not_write_do_not_get_in_its_way() {
    let home = Home::with(&[("a", "canary a"), ("b", "canary b")]);
    let token = home.token("all", "*", "list,reveal,store");
    raw(&home)
        .execute_batch(
            "INSERT INTO pending (holder, number, lookup, sealed, own, code)
                SELECT holder, 9223372036854775807 - record, lookup, x'00', x'00', zeroblob(32) FROM share;
             INSERT INTO pending (holder, number, lookup, sealed, own, code)
                SELECT holder, 100 + record, lookup, x'00', x'', zeroblob(32) FROM share;",
        )
        .expect("planted");
    assert_eq!(home.run_as(&token, &["list"]).said(), "a\nb\n");
    assert_eq!(home.run_as(&token, &["get", "a"]).said(), "canary a\n");
    let mut store = home.command(&["store", "c"]);
    finish(store.env_remove("AUTHY_KEYFILE").env("AUTHY_TOKEN", &token), "canary c").said();
    assert_eq!(home.run_as(&token, &["get", "c"]).said(), "canary c\n");
    assert_eq!(home.run(&["get", "c"]).said(), "canary c\n", "and the owner takes it over");
}

/// Each is within bounds, and all together would fill the memory.
#[test]
fn many_large_rows_are_not_read_all_at_once() {
    let home = Home::with(&[("a", "canary")]);
    let token = home.token("all", "*", "list,reveal,store");
    home.run(&["set", "a", "--approve"]).said();
    raw(&home)
        .execute_batch(
            "CREATE TABLE n AS WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 400) SELECT x FROM c;
             INSERT INTO pending (holder, number, lookup, sealed, own, code)
                SELECT id, x, zeroblob(32), zeroblob(260000), zeroblob(260000), zeroblob(32) FROM n, holder;
             INSERT INTO approval (writer, subject, entry, expires)
                SELECT id, zeroblob(32), zeroblob(260000), 99999999999999 FROM n, holder;
             DROP TABLE n;",
        )
        .expect("planted");
    // With less memory than the rows take.
    let bounded = |arguments: &[&str], token: &str| {
        let mut command = std::process::Command::new("sh");
        command
            .args(["-c", "ulimit -v 180000; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_authy")])
            .args(arguments);
        command.env_clear().env("HOME", home.path("")).env("AUTHY_HOME", home.path("vault"));
        command.env("AUTHY_NON_INTERACTIVE", "1").env("AUTHY_TOKEN", token);
        if token.is_empty() {
            command.env("AUTHY_KEYFILE", home.path("key"));
        }
        finish(&mut command, "")
    };
    assert_eq!(bounded(&["list"], &token).said(), "a\n");
    refused(&bounded(&["get", "a"], &token), "authy approve");
    assert_eq!(bounded(&["approve", "--json"], "").json()["approvals"].as_array().map(Vec::len), Some(1));
    assert_eq!(bounded(&["list"], "").said(), "a\n");
}
