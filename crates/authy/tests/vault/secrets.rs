//! Secrets stored, read, changed, and what is remembered of them.

use std::fs;
use std::os::unix::fs::MetadataExt;

use authy::{Attributes, Consent, Decision, NewSecret, Overwrite, Restore, SecretValue, Vault};

use crate::folder::{Folder, Owned, get, name, names, put, refused};

#[test]
fn a_secret_is_stored_read_listed_and_removed() {
    let owned = Owned::with(&["b", "a/1"]);
    assert_eq!(get(&owned.session, "b").expect("there"), "value of b");
    assert_eq!(names(&owned.session), ["a/1", "b"]);
    assert!(owned.session.remove(&name("b")).expect("removed"));
    assert!(!owned.session.remove(&name("b")).expect("not there"));
    assert_eq!(refused(get(&owned.session, "b")), "Secret not found: b");
    assert_eq!(names(&owned.again()), ["a/1"]);
}

#[test]
fn bytes_that_are_no_text_and_values_of_every_length_come_back() {
    let owned = Owned::new();
    for length in [0, 1, 51, 52, 53, 63, 64, 65, 4096, 65_536] {
        let value = SecretValue::new((0x80..0xfe).cycle().take(length).collect::<Vec<u8>>());
        let value = value.expect("not too long");
        let secret = NewSecret { name: name("x"), value: value.clone(), attributes: None };
        owned.session.store(&secret, Overwrite::NewVersion).expect("stored");
        assert!(owned.again().get(&name("x"), Consent::Unasked).expect("there") == value, "{length} bytes");
    }
}

#[test]
fn what_is_there_is_not_overwritten_unless_asked_and_then_keeps_its_history() {
    let owned = Owned::with(&["a"]);
    let again = put(&owned.session, "a", "second", Overwrite::Refuse);
    assert_eq!(refused(again), "Secret already exists: a (use --force to overwrite)");
    let first = owned.session.info(&name("a")).expect("there");
    assert_eq!(put(&owned.session, "a", "second", Overwrite::NewVersion).expect("stored"), 2);
    let second = owned.session.info(&name("a")).expect("there");
    assert_eq!((second.version, second.created), (2, first.created));
    let old = owned.session.get_version(&name("a"), 1, Consent::Unasked).expect("kept");
    assert_eq!(old.as_text(), Ok("value of a"));
}

#[test]
fn a_rollback_is_a_new_version() {
    let owned = Owned::with(&["a"]);
    owned.store("a", "second");
    assert_eq!(owned.session.rollback(&name("a"), 1).expect("kept"), 3);
    assert_eq!(get(&owned.session, "a").expect("there"), "value of a");
    let versions = owned.session.history(&name("a")).expect("a history");
    assert_eq!(versions.iter().map(|each| each.version).collect::<Vec<_>>(), [1, 2, 3]);
    assert!(refused(owned.session.rollback(&name("a"), 9)).starts_with("Version 9 of `a` is not kept"));
}

#[test]
fn ten_versions_are_kept() {
    let owned = Owned::new();
    (1..=15).for_each(|number| owned.store("a", &number.to_string()));
    let versions = owned.session.history(&name("a")).expect("a history");
    assert_eq!(versions.iter().map(|each| each.version).collect::<Vec<_>>(), (6..=15).collect::<Vec<_>>());
}

#[test]
fn another_session_sees_a_change_at_once() {
    let owned = Owned::with(&["a"]);
    let other = owned.again();
    assert_eq!(names(&other), ["a"]);
    owned.store("b", "x");
    assert_eq!(names(&other), ["a", "b"]);
    assert!(other.remove(&name("a")).expect("removed"));
    assert_eq!(names(&owned.session), ["b"]);
    assert_eq!(refused(get(&owned.session, "a")), "Secret not found: a");
}

#[test]
fn many_are_stored_at_once_or_none() {
    let owned = Owned::with(&["taken"]);
    let new = |at: &str| NewSecret {
        name: name(at),
        value: SecretValue::new("x").expect("short"),
        attributes: None,
    };
    let clash = [new("a"), new("taken"), new("b")];
    assert!(refused(owned.session.store_many(&clash, Overwrite::Refuse)).contains("taken"));
    assert_eq!(names(&owned.session), ["taken"]);
    owned.session.store_many(&clash, Overwrite::NewVersion).expect("stored");
    assert_eq!(names(&owned.session), ["a", "b", "taken"]);
    assert_eq!(owned.session.info(&name("taken")).expect("there").version, 2);
}

#[test]
fn a_secret_that_is_never_revealed_can_only_be_used() {
    let owned = Owned::with(&["a"]);
    owned.set("a", &Attributes { never_reveal: true, ..Attributes::default() });
    assert!(refused(get(&owned.session, "a")).starts_with("Run-only mode: `a` is never revealed"));
    let used = owned.session.use_value(&name("a"), "a test", Consent::Unasked).expect("used");
    assert_eq!(used.as_text(), Ok("value of a"));
}

#[test]
fn a_yes_is_good_for_one_use_and_a_no_for_none() {
    let owned = Owned::with(&["a"]);
    owned.set("a", &Attributes { approve_each_use: true, ..Attributes::default() });
    let use_it = || owned.session.use_value(&name("a"), "curl", Consent::Unasked);
    assert!(refused(use_it()).contains("needs a person's yes"));
    assert!(refused(use_it()).contains("needs a person's yes"));
    let waiting = owned.session.approvals().expect("a list");
    let [request] = waiting.as_slice() else { panic!("asked twice, one request: {waiting:?}") };
    assert_eq!((request.names().as_str(), request.purpose.as_str()), ("a", "curl"));
    owned.session.decide(request, Decision::Approve).expect("approved");
    assert!(use_it().is_ok());
    assert!(refused(use_it()).contains("needs a person's yes"));
    let request = owned.session.approvals().expect("a list").remove(0);
    owned.session.decide(&request, Decision::Deny).expect("denied");
    assert_eq!(refused(use_it()), "the use of `a` was denied by the owner of the vault");
    assert!(owned.session.use_value(&name("a"), "curl", Consent::Given).is_ok());
}

#[test]
fn only_this_user_can_read_the_files() {
    let owned = Owned::with(&["a"]);
    for file in [owned.vault.file(), crate::folder::wal(&owned.vault.file())] {
        assert_eq!(fs::metadata(&file).expect("there").mode() & 0o777, 0o600, "{}", file.display());
    }
    assert_eq!(fs::metadata(owned.vault.folder()).expect("there").mode() & 0o777, 0o700);
    let left: Vec<_> = fs::read_dir(owned.vault.folder()).expect("a folder").flatten().collect();
    assert_eq!(left.len(), 5, "nothing but the database, its logs, the anchor and its lock: {left:?}");
}

#[test]
fn a_backup_is_restored_under_open_sessions() {
    let owned = Owned::with(&["a"]);
    let copy = owned.folder.path("copy.db");
    owned.vault.backup(&copy).expect("a copy");
    assert_eq!(fs::metadata(&copy).expect("there").mode() & 0o777, 0o600);
    owned.store("a", "later");
    owned.store("b", "later");
    assert!(owned.vault.restore(&copy, Restore::IntoNothing).is_err());
    owned.vault.restore(&copy, Restore::Replacing).expect("restored");
    let key = authy::Credential::Keyfile(owned.folder.path("key"));
    assert!(refused(owned.vault.unlock(&key)).contains("put back to an older state"));
    owned.vault.trust(&key).expect("on purpose");
    assert_eq!(get(&owned.again(), "a").expect("there"), "value of a");
    assert_eq!(names(&owned.again()), ["a"]);
    let elsewhere = Vault::at(owned.folder.path("elsewhere"));
    elsewhere.restore(&copy, Restore::IntoNothing).expect("restored");
    assert!(refused(elsewhere.unlock(&key)).contains("does not know the vault"));
    assert_eq!(names(&elsewhere.trust(&key).expect("on purpose")), ["a"]);
    assert_eq!(names(&elsewhere.unlock(&key).expect("from now on")), ["a"]);
}

#[test]
fn a_vault_is_made_once_and_never_half() {
    let owned = Owned::new();
    let identity = authy::Identity::random().expect("random");
    let again = owned.vault.create(&[authy::NewSlot::Keyfile(identity)]);
    assert!(refused(again).starts_with("there is a vault at"));
    let empty = Vault::at(Folder::new().path("none"));
    let code = authy::RecoveryCode::random().expect("random");
    let locked = empty.unlock(&authy::Credential::Recovery(code));
    assert_eq!(refused(locked), "Vault not initialized. Run `authy init` first.");
}
