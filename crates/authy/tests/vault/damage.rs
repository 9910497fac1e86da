//! A damaged file: a clear error, never a wrong value, never a secret that seems not to be there.

use std::fs;
use std::path::Path;

use authy::{Consent, Credential, Error, Session, Vault};

use crate::folder::{Folder, Owned, name};

const NAMES: [&str; 12] = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"];

/// A vault of a few dozen pages, as one file, and where its key is.
fn filled() -> (Folder, Vec<u8>) {
    let owned = Owned::new();
    for each in NAMES {
        owned.store(each, &format!("value of {each} {}", "x".repeat(3000)));
    }
    owned.store("a", "second");
    owned.store("a", &format!("value of a {}", "x".repeat(3000)));
    owned.policy("all", &["*"], &[]);
    let (folder, file) = owned.into_file();
    let bytes = fs::read(file).expect("the file");
    (folder, bytes)
}

fn unlock(folder: &Folder) -> Result<Session, Error> {
    Vault::at(folder.path("vault")).unlock(&Credential::Keyfile(folder.path("key")))
}

/// How many secrets can still be read. What is read must be right, and nothing may seem to be missing.
#[track_caller]
fn readable(folder: &Folder, what: &str) -> usize {
    let Ok(session) = unlock(folder) else { return 0 };
    let mut good = 0;
    for each in NAMES {
        match session.get(&name(each), Consent::Unasked) {
            Ok(value) => {
                let expected = format!("value of {each} {}", "x".repeat(3000));
                assert!(value.as_bytes() == expected.as_bytes(), "{what}: a wrong value of `{each}`");
                good += 1;
            }
            Err(Error::NotFound(_)) => panic!("{what}: `{each}` seems not to be there"),
            Err(_) => {}
        }
    }
    if let Ok(names) = session.list(None) {
        assert_eq!(names.len(), NAMES.len(), "{what}: the list is short");
    }
    good
}

fn write(folder: &Folder, bytes: &[u8]) {
    let file = folder.path("vault/vault.db");
    for beside in ["db-wal", "db-shm"] {
        let _ = fs::remove_file(file.with_extension(beside));
    }
    fs::write(file, bytes).expect("written");
}

#[test]
fn a_flipped_bit_in_any_page_gives_no_wrong_value_and_leaves_the_rest_readable() {
    let (folder, bytes) = filled();
    let pages = bytes.len() / 4096;
    let mut all_lost = 0;
    for page in 0..pages {
        for offset in [1, 9, 40, 700, 2048, 3500, 4000, 4090] {
            let mut flipped = bytes.clone();
            let at = page * 4096 + offset;
            flipped[at] ^= 1 << (offset % 8);
            write(&folder, &flipped);
            let good = readable(&folder, &format!("byte {at}"));
            all_lost += usize::from(good < NAMES.len() - 4);
        }
    }
    // The pages that everything hangs on are few: the schema, the vault's own row, the head of the log, roots of trees.
    assert!(all_lost <= pages * 8 / 3, "{all_lost} of {} flips lost more than a few secrets", pages * 8);
}

#[test]
fn a_truncated_file_gives_no_wrong_value() {
    let (folder, bytes) = filled();
    for length in (0..bytes.len()).step_by(2048 + 512) {
        write(&folder, &bytes[..length]);
        readable(&folder, &format!("{length} bytes"));
    }
}

#[test]
fn rows_that_were_deleted_or_put_back_are_noticed() {
    for (sql, lost) in [
        ("DELETE FROM record WHERE id = 3", true),
        ("UPDATE record SET lookup = zeroblob(32) WHERE id = 3", true),
        ("UPDATE record SET version = 7 WHERE id = 3", true),
        ("UPDATE record SET revision = 2 WHERE id = 3", true),
        ("UPDATE record SET meta = (SELECT meta FROM record WHERE id = 4) WHERE id = 3", true),
        ("UPDATE record SET value = (SELECT value FROM record WHERE id = 4) WHERE id = 3", true),
        ("UPDATE record SET key = (SELECT key FROM record WHERE id = 4) WHERE id = 3", true),
        ("DELETE FROM policy", false),
        ("DELETE FROM history", false),
        ("INSERT INTO policy SELECT zeroblob(32), revision, body FROM policy", false),
    ] {
        let (folder, bytes) = filled();
        write(&folder, &bytes);
        let raw = rusqlite::Connection::open(folder.path("vault/vault.db")).expect("the database");
        raw.execute_batch(sql).expect("changed");
        drop(raw);
        let session = unlock(&folder).expect("unlocked");
        match session.get(&name("c"), Consent::Unasked) {
            Ok(_) => assert!(!lost, "{sql}"),
            Err(Error::Damaged { .. }) => assert!(lost, "{sql}"),
            Err(other) => panic!("{sql}: {other}"),
        }
        // Others are read, and what is absent is known to be.
        assert!(session.get(&name("d"), Consent::Unasked).is_ok(), "{sql}");
        assert!(
            matches!(session.get(&name("no-such-name"), Consent::Unasked), Err(Error::NotFound(_))),
            "{sql}"
        );
        let value_alone = sql.contains("SET value");
        assert_eq!(session.list(None).is_ok(), !lost || value_alone, "{sql}");
        assert_eq!(session.policies().is_ok(), !sql.contains("policy"), "{sql}");
        let history = session.history(&name("a"));
        assert_eq!(history.is_ok(), !sql.contains("FROM history"), "{sql}");
    }
}

#[test]
fn a_node_or_a_head_of_another_time_is_noticed() {
    let (folder, bytes) = filled();
    write(&folder, &bytes);
    let session = unlock(&folder).expect("unlocked");
    let raw = rusqlite::Connection::open(folder.path("vault/vault.db")).expect("the database");
    raw.execute_batch(
        "CREATE TABLE kept_node AS SELECT * FROM node; CREATE TABLE kept_record AS SELECT * FROM record;
         CREATE TABLE kept_vault AS SELECT * FROM vault;",
    )
    .expect("kept");
    let new = authy::NewSecret {
        name: name("c"),
        value: authy::SecretValue::new("later").expect("short"),
        attributes: None,
    };
    session.store(&new, authy::Overwrite::NewVersion).expect("stored");
    let put_back = |table: &str| {
        raw.execute_batch(&format!("DELETE FROM {table}; INSERT INTO {table} SELECT * FROM kept_{table}"))
            .expect("put back");
    };
    put_back("record");
    assert!(matches!(session.get(&name("c"), Consent::Unasked), Err(Error::Damaged { .. })));
    put_back("node");
    assert!(matches!(
        unlock(&folder).and_then(|it| it.get(&name("c"), Consent::Unasked)),
        Err(Error::Damaged { .. })
    ));
    put_back("vault");
    let words = session.get(&name("c"), Consent::Unasked).expect_err("refused").to_string();
    assert!(words.contains("put back to an older state"), "{words}");
    assert!(matches!(unlock(&folder), Err(Error::Untrusted(_))));
}

#[test]
fn what_is_no_vault_or_a_later_one_is_named_so() {
    let (folder, bytes) = filled();
    write(
        &folder,
        b"this is not a database, and long enough to look at: it has more than a hundred bytes in all, as \
        SQLite wants to see before it says anything.",
    );
    let words = unlock(&folder).err().expect("refused").to_string();
    assert!(words.contains("is not a vault of authy"), "{words}");
    write(&folder, &bytes);
    let change = |sql: &str| {
        let raw = rusqlite::Connection::open(folder.path("vault/vault.db")).expect("the database");
        raw.execute_batch(sql).expect("changed");
    };
    change("PRAGMA user_version = 99; CREATE TABLE later (x)");
    let words = unlock(&folder).err().expect("refused").to_string();
    assert!(words.contains("format 99") && words.contains("use a newer `authy`"), "{words}");
    change("PRAGMA user_version = 1");
    let words = unlock(&folder).err().expect("refused").to_string();
    assert!(words.contains("authy upgrade"), "{words}");
    change("PRAGMA user_version = 2; PRAGMA application_id = 5");
    let words = unlock(&folder).err().expect("refused").to_string();
    assert!(words.contains("is not a vault of authy"), "{words}");
}

#[test]
fn nothing_of_a_secret_is_in_the_file() {
    let owned = Owned::new();
    owned.store("marked-name", "marked-value-1f9c");
    owned.policy("marked-policy", &["marked-pattern*"], &[]);
    let grant = owned.grant("marked-policy", "list,use");
    let token = grant.token.reveal();
    let (_folder, file) = owned.into_file();
    let bytes = fs::read(&file).expect("the file");
    let has = |needle: &str| bytes.windows(needle.len()).any(|window| window == needle.as_bytes());
    for needle in ["marked", "an agent", &token[..], &token[9..40]] {
        assert!(!has(needle), "`{needle}` is in {}", Path::display(&file));
    }
    assert!(has("CREATE TABLE"), "the search works");
}
