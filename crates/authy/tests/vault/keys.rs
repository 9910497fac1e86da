//! Ways to unlock: right ones, wrong ones, and changing them.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};

use authy::{Credential, Identity, NewSlot, RecoveryCode, Vault};
use zeroize::Zeroizing;

use crate::folder::{Folder, Owned, get, names, refused};

fn passphrase(text: &str) -> Zeroizing<String> {
    Zeroizing::new(text.to_owned())
}

#[test]
fn every_kind_of_slot_opens_the_same_vault_and_survives_a_new_vault_key() {
    let owned = Owned::with(&["a"]);
    let code = RecoveryCode::random().expect("random");
    owned.session.add_slot(&NewSlot::Passphrase(passphrase("correct horse"))).expect("added");
    owned.session.add_slot(&NewSlot::Recovery(code.clone())).expect("added");
    let ways = [
        Credential::Keyfile(owned.folder.path("key")),
        Credential::Passphrase(passphrase("correct horse")),
        Credential::Recovery(RecoveryCode::parse(&code.reveal()).expect("a code")),
    ];
    let open = owned.again();
    for _ in 0..2 {
        for way in &ways {
            let session = owned.vault.unlock(way).expect("unlocked");
            assert_eq!(get(&session, "a").expect("there"), "value of a");
        }
        owned.session.rotate_vault_key().expect("rotated");
        assert_eq!(get(&open, "a").expect("an open session goes on"), "value of a");
    }
    assert!(owned.session.verify_audit().expect("read").broken.is_none());
}

#[test]
fn wrong_credentials_are_told_from_a_damaged_vault() {
    let owned = Owned::with(&["a"]);
    owned.session.add_slot(&NewSlot::Passphrase(passphrase("right"))).expect("added");
    let other = owned.folder.path("other");
    Identity::random().expect("random").write(&other).expect("a keyfile");
    for (credential, words) in [
        (Credential::Keyfile(other), "Decryption error: no matching keys found"),
        (
            Credential::Passphrase(passphrase("wrong")),
            "Decryption error: the passphrase does not open this vault",
        ),
        (
            Credential::Recovery(RecoveryCode::random().expect("random")),
            "Decryption error: the recovery code does not open this vault",
        ),
    ] {
        let words_found = refused(owned.vault.unlock(&credential));
        assert!(words_found.starts_with(words), "{words_found}");
    }
}

#[test]
fn a_passphrase_is_changed_by_adding_one_and_removing_the_other() {
    let owned = Owned::with(&["a"]);
    let old = owned.session.add_slot(&NewSlot::Passphrase(passphrase("old"))).expect("added");
    let by_old = owned.vault.unlock(&Credential::Passphrase(passphrase("old"))).expect("unlocked");
    owned.session.add_slot(&NewSlot::Passphrase(passphrase("new"))).expect("added");
    owned.session.remove_slot(old.id).expect("removed");
    assert!(owned.vault.unlock(&Credential::Passphrase(passphrase("old"))).is_err());
    assert!(owned.vault.unlock(&Credential::Passphrase(passphrase("new"))).is_ok());
    assert!(refused(get(&by_old, "a")).starts_with("there is no key slot"), "its session ends with it");
}

#[test]
fn the_last_slot_stays() {
    let owned = Owned::new();
    let only = owned.session.slots().expect("slots").remove(0).id;
    assert!(refused(owned.session.remove_slot(only)).contains("the only one left"));
}

/// The rule of ssh: a key that others can read is no key.
#[test]
fn loose_keyfiles_are_refused() {
    let owned = Owned::new();
    let key = owned.folder.path("key");
    for mode in [0o640, 0o604, 0o666, 0o610] {
        fs::set_permissions(&key, Permissions::from_mode(mode)).expect("a mode");
        let words = refused(owned.vault.unlock(&Credential::Keyfile(key.clone())));
        assert!(words.contains("can be read by others") && words.contains("chmod 600"), "{words}");
    }
    fs::set_permissions(&key, Permissions::from_mode(0o600)).expect("a mode");
    let link = owned.folder.path("link");
    symlink(&key, &link).expect("a link");
    assert!(owned.vault.unlock(&Credential::Keyfile(link)).is_ok(), "a link to a good one is good");
}

#[test]
fn what_is_no_keyfile_is_named_so() {
    let owned = Owned::new();
    let bad = owned.folder.path("bad");
    fs::write(&bad, "hello").expect("written");
    fs::set_permissions(&bad, Permissions::from_mode(0o600)).expect("a mode");
    assert!(refused(owned.vault.unlock(&Credential::Keyfile(bad))).contains("has no age identity"));
    let missing = owned.folder.path("missing");
    assert!(refused(owned.vault.unlock(&Credential::Keyfile(missing))).contains("cannot read keyfile"));
    assert!(
        refused(owned.vault.unlock(&Credential::Keyfile("/dev/null".into()))).contains("has no age identity")
    );
    assert!(
        refused(Identity::random().expect("random").write(&owned.folder.path("key")))
            .contains("never overwritten")
    );
}

#[test]
fn a_linked_home_is_refused() {
    let folder = Folder::new();
    let owned = Owned::with(&["a"]);
    let link = folder.path("link");
    symlink(owned.vault.folder(), &link).expect("a link");
    let words = refused(Vault::at(&link).unlock(&Credential::Keyfile(owned.folder.path("key"))));
    assert!(words.contains("is a symbolic link"), "{words}");
    assert_eq!(names(&owned.session), ["a"]);
}

/// Who writes to the file could add a slot of their own and wait for the next vault key.
#[test]
fn a_slot_the_owner_did_not_add_gets_no_new_vault_key() {
    let owned = Owned::with(&["a"]);
    let other = Owned::new();
    let raw = rusqlite::Connection::open(owned.vault.file()).expect("the database");
    let file = other.vault.file();
    raw.execute("ATTACH ? AS other", [file.to_str().expect("text")]).expect("attached");
    raw.execute(
        "INSERT INTO slot SELECT 77, kind, stretching, public, sealed, created, code FROM other.slot",
        [],
    )
    .expect("added");
    owned.session.rotate_vault_key().expect("rotated");
    let slots: i64 = raw.query_row("SELECT count(*) FROM main.slot", [], |row| row.get(0)).expect("a number");
    assert_eq!(slots, 1, "only those the owner knows");
    let theirs = Credential::Keyfile(other.folder.path("key"));
    assert!(owned.vault.unlock(&theirs).is_err());
    assert_eq!(get(&owned.again(), "a").expect("there"), "value of a");
}
