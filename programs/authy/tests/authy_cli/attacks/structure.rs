//! What somebody does to the structure of the database, below its rows: one command makes it whole again.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, chown};

use super::{anchor, copy, raw, refused, restore};
use crate::home::{Home, mode};

/// Changes what SQLite keeps about its tables, in a way that even it may not understand afterwards.
fn change_schema(home: &Home, sql: &str) {
    let raw = raw(home);
    let version: i64 = raw.query_row("PRAGMA schema_version", [], |row| row.get(0)).expect("a number");
    let all = format!("PRAGMA writable_schema = ON; {sql}; PRAGMA schema_version = {};", version + 1);
    raw.execute_batch(&all).expect("changed");
}

/// Repairs the vault, and checks that everything is there and can be changed.
#[track_caller]
fn is_cured(home: &Home, token: &str, what: &str) {
    // What one left that was killed goes, too.
    home.file("vault/rows.new-1", "");
    let repaired = home.run(&["remove", "--damaged", "--json"]);
    assert_eq!(repaired.code, Some(0), "{what}: {}", repaired.stderr);
    let left = fs::read_dir(home.path("vault")).expect("a folder").flatten();
    let left: Vec<_> = left.filter(|entry| entry.file_name().to_string_lossy().starts_with("rows")).collect();
    assert!(left.is_empty(), "{what}: {left:?}");
    let repaired = repaired.json();
    assert_eq!((&repaired["damaged"], &repaired["missing"]), (&0.into(), &0.into()), "{what}: {repaired}");
    assert_eq!(repaired["grants"], 0, "{what}: {repaired}");
    assert_eq!(home.run(&["list"]).said(), "a\nb\n", "{what}");
    assert_eq!(home.run(&["get", "a"]).said(), "canary new\n", "{what}");
    assert_eq!(home.run(&["get", "a", "--version", "1"]).said(), "canary old\n", "{what}");
    assert_eq!(home.run_as(token, &["get", "b"]).said(), "canary b\n", "{what}");
    home.run_with(&["store", "c"], "canary c").said();
    home.run(&["remove", "a", "--for-good"]).said();
    home.run(&["rekey", "--rotate-vault-key"]).said();
    home.run(&["audit", "verify"]).said();
    home.run(&["doctor"]).said();
}

fn vault() -> (Home, String) {
    let home = Home::with(&[("a", "canary old"), ("b", "canary b")]);
    home.run_with(&["store", "a", "--force"], "canary new").said();
    let token = home.token("all", "*", "list,reveal");
    (home, token)
}

#[test]
fn an_index_that_was_pointed_at_another_page_is_made_anew() {
    for (index, page_of) in [
        ("sqlite_autoindex_record_1", "history"),
        ("sqlite_autoindex_record_1", "sqlite_autoindex_holder_1"),
        ("sqlite_autoindex_holder_1", "record"),
        ("sqlite_autoindex_history_1", "share_record"),
        ("sqlite_autoindex_chain_1", "audit"),
        ("share_record", "vault"),
    ] {
        let (home, token) = vault();
        let page = format!("(SELECT rootpage FROM sqlite_schema WHERE name = '{page_of}')");
        change_schema(&home, &format!("UPDATE sqlite_schema SET rootpage = {page} WHERE name = '{index}'"));
        is_cured(&home, &token, &format!("{index} at {page_of}"));
    }
}

#[test]
fn tables_that_are_described_as_something_else_are_described_anew() {
    for planted in [
        "UPDATE sqlite_schema SET sql = 'no statement at all' WHERE name = 'record'",
        "UPDATE sqlite_schema SET sql = replace(sql, 'UNIQUE', '') WHERE name = 'record'",
        "DELETE FROM sqlite_schema WHERE name = 'sqlite_autoindex_record_1'",
        "DELETE FROM sqlite_schema WHERE type = 'index'",
        "INSERT INTO sqlite_schema SELECT 'table', 'theirs', 'theirs', rootpage, 'CREATE TABLE theirs (x)' FROM sqlite_schema
            WHERE name = 'record'",
        "UPDATE sqlite_schema SET name = 'RECORD' WHERE name = 'record'",
    ] {
        let (home, token) = vault();
        change_schema(&home, planted);
        is_cured(&home, &token, planted);
    }
}

/// The number of the format is nothing that a key protects, and the tables tell better.
#[test]
fn a_number_of_another_format_is_put_right() {
    for planted in [
        "PRAGMA user_version = 99",
        "PRAGMA user_version = 1",
        "PRAGMA user_version = 0",
        "PRAGMA user_version = -7",
        "PRAGMA application_id = 7",
        "PRAGMA user_version = 99; CREATE TRIGGER t BEFORE INSERT ON audit BEGIN SELECT raise(ignore); END",
    ] {
        let (home, token) = vault();
        raw(&home).execute_batch(planted).expect("planted");
        refused(&home.run(&["get", "a"]), "authy remove --damaged");
        is_cured(&home, &token, planted);
    }
    // Without a key nothing more is done, and what grants have is still theirs.
    let (home, token) = vault();
    raw(&home).execute_batch("PRAGMA user_version = 99").expect("planted");
    refused(&home.run_as("authy_v2.none", &["remove", "--damaged"]), "error");
    assert_eq!(home.run_as(&token, &["get", "b"]).said(), "canary b\n");
    // Tables that this program does not know may well be those of a later one, which it must not throw away.
    let (home, _) = vault();
    raw(&home).execute_batch("PRAGMA user_version = 99; CREATE TABLE later (x)").expect("planted");
    refused(&home.run(&["remove", "--damaged"]), "use a newer `authy`");
    let there: i64 = raw(&home).query_row("SELECT count(*) FROM later", [], |row| row.get(0)).expect("there");
    assert_eq!(there, 0);
}

/// What is on the other pages is saved.
#[test]
fn a_page_that_was_overwritten_costs_what_was_on_it() {
    let home = Home::new();
    let value = format!("canary {}", "x".repeat(3000));
    for number in 0..12 {
        home.run_with(&["store", &format!("s{number:02}")], &value).said();
    }
    copy(&home, "old.db");
    // The page with the value of the fifth.
    let (value_of_one, size): (Vec<u8>, usize) = {
        let raw = raw(&home);
        let value =
            raw.query_row("SELECT value FROM record WHERE id = 5", [], |row| row.get(0)).expect("a value");
        (value, raw.query_row("PRAGMA page_size", [], |row| row.get(0)).expect("a size"))
    };
    for beside in ["vault/vault.db-wal", "vault/vault.db-shm"] {
        let _ = fs::remove_file(home.path(beside));
    }
    let mut file = fs::read(home.path("vault/vault.db")).expect("the file");
    let found = file.windows(64).position(|bytes| bytes == &value_of_one[..64]).expect("it is in the file");
    let page = found / size * size;
    file[page..page + size].fill(0xff);
    fs::write(home.path("vault/vault.db"), file).expect("overwritten");
    refused(&home.run(&["list"]), "authy remove --damaged");
    let repaired = home.run(&["remove", "--damaged", "--json"]).json();
    let missing = repaired["missing"].as_u64().expect("a number");
    assert!((1..=3).contains(&missing), "{repaired}");
    let left = home.run(&["list"]).said().lines().count() as u64;
    assert_eq!(left + missing, 12);
    assert_eq!(home.run(&["get", "s00"]).said().trim_end(), value);
    assert_eq!(home.run(&["get", "s11"]).said().trim_end(), value);
    home.run_with(&["store", "again"], "canary").said();
    home.run(&["doctor"]).said();
    let log = home.run(&["audit", "show", "-n", "0"]).said();
    assert!(log.contains("repair"), "{log}");
}

/// Somebody else could take the anchor away, or put an old one there.
#[test]
fn an_anchor_that_others_can_replace_is_not_believed() {
    let home = Home::with(&[("a", "canary")]);
    let file = anchor(&home);
    let folder = file.parent().expect("a folder").to_owned();
    let set = |path: &std::path::Path, mode: u32| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("changed");
    };
    let own = mode(&folder);
    for open in [0o777, 0o722, 0o1777] {
        set(&folder, open);
        for command in [&["get", "a"][..], &["list"], &["trust"]] {
            refused(&home.run(command), "others can change");
        }
        refused(&home.run_with(&["store", "b"], "canary b"), "others can change");
        set(&folder, own);
    }
    set(&file, 0o666);
    refused(&home.run(&["get", "a"]), "others can change");
    set(&file, 0o600);
    // That others see that there is one tells them nothing.
    set(&folder, 0o755);
    assert_eq!(home.run(&["get", "a"]).said(), "canary\n");
    set(&folder, own);
    // Only root can give a folder away.
    if chown(&folder, Some(65534), None).is_ok() {
        refused(&home.run(&["get", "a"]), "others can change");
        refused(&home.run(&["trust"]), "others can change");
        chown(&folder, Some(0), None).expect("ours again");
    }
    assert_eq!(home.run(&["get", "a"]).said(), "canary\n");
    assert_eq!(home.run(&["list"]).said(), "a\n");
}

/// Gives a table a root under which its first page is met more than a hundred thousand times.
fn lead_in_circles(home: &Home, table: &str) {
    let raw = raw(home);
    let number = |sql: &str| raw.query_row(sql, [], |row| row.get::<_, u32>(0)).expect("a number") as usize;
    let root = number(&format!("SELECT rootpage FROM sqlite_schema WHERE name = '{table}'"));
    let size = number("PRAGMA page_size");
    let holder: Vec<u8> = raw.query_row("SELECT id FROM holder", [], |row| row.get(0)).expect("a grant");
    drop(raw);
    copy(home, "flat.db");
    let mut file = fs::read(home.path("flat.db")).expect("the file");
    let first = file[(root - 1) * size..root * size].to_vec();
    // Tables without row numbers have a row beside each page that is below; others have a number there.
    let (kind, levels, beside) = match first[0] {
        10 => (2, 3, [&[46, 5, 28, 76, 1, 12][..], &holder, &[7; 32], &[1]].concat()),
        _ => (5, 2, vec![0x7f]),
    };
    let interior = |below: u32| {
        let cell = [&below.to_be_bytes(), beside.as_slice()].concat();
        let count = (size - 12) / (cell.len() + 2);
        let start = size - count * cell.len();
        let bytes = |number: usize| u16::try_from(number).expect("it fits").to_be_bytes();
        let mut page = [&[kind, 0, 0][..], &bytes(count), &bytes(start), &[0], &below.to_be_bytes()].concat();
        page.extend((0..count).flat_map(|at| bytes(start + at * cell.len())));
        page.resize(start, 0);
        page.extend(cell.repeat(count));
        page
    };
    let pages = |file: &[u8]| u32::try_from(file.len() / size).expect("a number");
    file.extend(&first);
    for _ in 1..levels {
        file.extend(interior(pages(&file)));
    }
    let above = interior(pages(&file));
    file[(root - 1) * size..root * size].copy_from_slice(&above);
    let count = pages(&file);
    file[28..32].copy_from_slice(&count.to_be_bytes());
    fs::write(home.path("circles.db"), file).expect("written");
    restore(home, "circles.db");
}

/// The same rows would be read again and again until the memory is full.
#[test]
fn pages_that_lead_in_circles_are_left() {
    for (table, command) in [
        ("record", &["list"][..]),
        ("holder", &["grant", "list"]),
        ("audit", &["audit", "show", "-n", "0"]),
        ("share", &["list"]),
    ] {
        let (home, token) = vault();
        lead_in_circles(&home, table);
        let said = if table == "share" { home.run_as(&token, command) } else { home.run(command) };
        refused(&said, "lead in circles");
        home.run(&["remove", "--damaged"]).said();
        home.run_with(&["store", "d"], "canary d").said();
        assert_eq!(home.run(&["get", "a"]).said(), "canary new\n", "{table}");
        assert_eq!(home.run_as(&token, &["get", "d"]).said(), "canary d\n", "{table}");
    }
}
