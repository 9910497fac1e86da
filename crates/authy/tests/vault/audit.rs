//! The audit log: what it says, and that nobody changes it unseen.

use authy::{Actor, Broken, NewSecret, Operation, Outcome, Overwrite, SecretValue};
use rusqlite::Connection;

use crate::folder::{Owned, get, name, refused};

fn broken(owned: &Owned) -> Option<Broken> {
    owned.session.verify_audit().expect("the log can be read").broken
}

fn raw(owned: &Owned) -> Connection {
    Connection::open(owned.vault.file()).expect("the database")
}

/// A vault whose log has ten entries or so.
fn busy() -> Owned {
    let owned = Owned::with(&["a", "b", "c"]);
    for secret in ["a", "b", "c", "a"] {
        get(&owned.session, secret).expect("there");
    }
    assert_eq!(broken(&owned), None);
    owned
}

#[test]
fn every_operation_is_an_entry_refused_ones_too() {
    let owned = Owned::with(&["a"]);
    owned.policy("none", &["x"], &[]);
    let grant = owned.grant("none", "list,use");
    let agent = owned.held(&grant).with_actor("a test");
    let _ = get(&owned.session, "missing");
    let _ = get(&agent, "a");
    let entries = owned.session.audit_entries(None).expect("the log");
    let said: Vec<_> =
        entries.iter().map(|each| (each.operation, each.target.as_deref(), each.outcome)).collect();
    let id = grant.info.id.to_string();
    assert_eq!(
        said,
        [
            (Operation::Init, None, Outcome::Done),
            (Operation::Store, Some("a"), Outcome::Done),
            (Operation::PolicyCreate, Some("none"), Outcome::Done),
            (Operation::GrantCreate, Some(id.as_str()), Outcome::Done),
            (Operation::Get, Some("missing"), Outcome::Failed),
            (Operation::Get, Some("a"), Outcome::Denied),
        ]
    );
    let last = entries.last().expect("an entry");
    assert_eq!((&last.actor, last.via.as_deref()), (&Actor::Grant(grant.info.id), Some("a test")));
    assert_eq!(entries.iter().map(|each| each.seq).collect::<Vec<_>>(), (1..=6).collect::<Vec<_>>());
}

#[test]
fn the_export_is_a_line_of_json_an_entry() {
    let owned = busy();
    let mut lines = Vec::new();
    let count = owned.session.export_audit(&mut lines).expect("exported");
    let text = String::from_utf8(lines).expect("text");
    assert_eq!(text.lines().count() as u64, count);
    let first: serde_json::Value = serde_json::from_str(text.lines().next().expect("a line")).expect("JSON");
    assert_eq!((&first["seq"], &first["operation"]), (&1.into(), &"init".into()));
}

#[test]
fn a_cut_tail_is_found() {
    let owned = busy();
    raw(&owned).execute("DELETE FROM audit WHERE seq > 5", []).expect("cut");
    assert_eq!(broken(&owned), Some(Broken { seq: 6, reason: "the end of the log was cut off" }));
}

#[test]
fn an_emptied_log_is_found() {
    let owned = busy();
    raw(&owned).execute_batch("DELETE FROM audit; DELETE FROM chain").expect("emptied");
    assert_eq!(broken(&owned), Some(Broken { seq: 1, reason: "the end of the log was cut off" }));
    let owned = busy();
    raw(&owned).execute("DELETE FROM audit", []).expect("emptied");
    assert_eq!(broken(&owned), Some(Broken { seq: 1, reason: "the end of the log was cut off" }));
}

#[test]
fn an_edited_a_missing_and_a_moved_entry_are_found_and_named() {
    for (sql, seq, reason) in [
        (
            "UPDATE audit SET entry = zeroblob(60) WHERE seq = 4",
            4,
            "the entry was changed or is in the wrong place",
        ),
        (
            "UPDATE audit SET writer = x'0102030405060708' WHERE seq = 3",
            3,
            "the entry was changed or is in the wrong place",
        ),
        ("DELETE FROM audit WHERE seq = 2", 2, "the entry is missing"),
        (
            "UPDATE audit SET seq = -1 WHERE seq = 4; UPDATE audit SET seq = 4 WHERE seq = 5;
             UPDATE audit SET seq = 5 WHERE seq = -1;",
            4,
            "the entry was changed or is in the wrong place",
        ),
        (
            "INSERT INTO audit SELECT 100, writer, entry, mac FROM audit WHERE seq = 1",
            9,
            "the entry is missing",
        ),
        ("UPDATE chain SET state = zeroblob(100)", 9, "the place of a writer was changed"),
        ("UPDATE chain SET position = position - 1", 9, "the place of a writer was changed"),
    ] {
        let owned = busy();
        raw(&owned).execute_batch(sql).expect("changed");
        assert_eq!(broken(&owned), Some(Broken { seq, reason }), "{sql}");
    }
}

#[test]
fn a_writers_place_put_back_is_found_when_anything_follows() {
    let owned = busy();
    let raw = raw(&owned);
    raw.execute_batch("CREATE TABLE kept AS SELECT * FROM chain").expect("kept");
    get(&owned.session, "a").expect("there");
    get(&owned.session, "b").expect("there");
    raw.execute_batch(
        "UPDATE chain SET (position, state) = (SELECT position, state FROM kept); DROP TABLE kept",
    )
    .expect("put back");
    assert_eq!(broken(&owned).map(|found| found.reason), Some("the place of a writer was put back"));
}

#[test]
fn a_log_cut_back_to_before_the_owners_last_change_is_found_even_with_every_place_put_back() {
    let owned = busy();
    let raw = raw(&owned);
    raw.execute_batch("CREATE TABLE kept AS SELECT * FROM chain").expect("kept");
    get(&owned.session, "a").expect("there");
    owned.store("d", "x");
    raw.execute_batch(
        "DELETE FROM audit WHERE seq > 8;
         UPDATE chain SET (position, state) = (SELECT position, state FROM kept); DROP TABLE kept",
    )
    .expect("put back");
    assert_eq!(broken(&owned), Some(Broken { seq: 9, reason: "the end of the log was cut off" }));
}

#[test]
fn what_cannot_be_logged_is_not_done() {
    let owned = busy();
    raw(&owned)
        .execute_batch("CREATE TRIGGER no BEFORE INSERT ON audit BEGIN SELECT RAISE(ABORT, 'no'); END")
        .expect("a trigger");
    let words = refused(get(&owned.session, "a"));
    assert!(words.contains("no program of ours makes"), "{words}");
    assert!(owned.session.remove(&name("a")).is_err());
    raw(&owned).execute_batch("DROP TRIGGER no").expect("dropped");
    assert_eq!(get(&owned.session, "a").expect("still there"), "value of a");
    // No entry can have a higher number.
    raw(&owned)
        .execute_batch("INSERT INTO audit VALUES (9223372036854775807, x'', x'', zeroblob(32))")
        .expect("planted");
    let words = refused(get(&owned.session, "a"));
    assert!(words.contains("authy audit mend"), "{words}");
    assert!(owned.session.remove(&name("a")).is_err());
    raw(&owned).execute_batch("DELETE FROM audit WHERE seq = 9223372036854775807").expect("deleted");
    assert_eq!(get(&owned.session, "a").expect("still there"), "value of a");
    raw(&owned).execute_batch("DROP TABLE audit").expect("dropped");
    assert!(get(&owned.session, "a").is_err());
}

#[test]
fn the_log_survives_new_keys_and_names_nothing_in_clear() {
    let owned = busy();
    owned.policy("all", &["*"], &[]);
    let grant = owned.grant("all", "list,reveal");
    get(&owned.held(&grant), "a").expect("there");
    owned.session.rotate_vault_key().expect("rotated");
    owned.session.revoke_grant(grant.info.id).expect("revoked");
    owned.session.rotate_vault_key().expect("rotated");
    get(&owned.again(), "a").expect("there");
    assert_eq!(broken(&owned), None);
    let entries = owned.session.audit_entries(None).expect("all of it reads");
    assert!(entries.iter().any(|each| each.actor == Actor::Grant(grant.info.id)));
}

#[test]
fn a_log_that_cannot_be_written_to_can_be_mended_and_says_so() {
    for sql in ["UPDATE chain SET state = zeroblob(72)", "DELETE FROM chain"] {
        let owned = busy();
        raw(&owned).execute(sql, []).expect("damaged");
        assert!(refused(get(&owned.session, "a")).contains("authy audit mend"), "fails closed");
        owned.session.mend_audit().expect("mended");
        assert_eq!(get(&owned.session, "a").expect("there"), "value of a");
        assert_eq!(broken(&owned), None);
        let entries = owned.session.audit_entries(None).expect("the log");
        assert!(entries.iter().any(|each| each.operation == Operation::AuditMend));
    }
}

#[test]
fn what_was_lost_is_known_after_mending_and_the_rest_is_still_vouched_for() {
    let owned = busy();
    owned.policy("all", &["*"], &[]);
    let agent = owned.held(&owned.grant("all", "list,reveal"));
    raw(&owned).execute("UPDATE audit SET entry = zeroblob(60) WHERE seq = 4", []).expect("damaged");
    let mut lines = Vec::new();
    owned.session.export_audit(&mut lines).expect("damaged entries are lines, too");
    assert!(String::from_utf8(lines).expect("text").contains(r#"{"seq":4,"damaged":true}"#));
    let report = owned.session.mend_audit().expect("mended");
    assert_eq!(report.broken.map(|found| found.seq), Some(4));
    get(&agent, "a").expect("grants go on");
    let report = owned.session.verify_audit().expect("read");
    assert_eq!((report.broken, report.known.len()), (None, 1));
    raw(&owned).execute("DELETE FROM audit WHERE seq = (SELECT max(seq) FROM audit)", []).expect("cut");
    assert!(broken(&owned).is_some(), "what comes after is checked as ever");
}

#[test]
fn sessions_take_turns_and_entries_that_were_undone_are_not_built_upon() {
    let owned = busy();
    let other = owned.again();
    let new = |at: &str| NewSecret {
        name: name(at),
        value: SecretValue::new("x").expect("short"),
        attributes: None,
    };
    for _ in 0..3 {
        get(&owned.session, "a").expect("there");
        get(&other, "b").expect("there");
        get(&other, "c").expect("there");
        // The first is stored and logged; then all of it is undone.
        let clash = [new("new"), new("a")];
        refused(owned.session.store_many(&clash, Overwrite::Refuse));
    }
    assert_eq!(broken(&owned), None);
}
