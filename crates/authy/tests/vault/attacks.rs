//! The attacks that worked on the original, which must not work here.

use authy::{Credential, Error};

use crate::folder::{Owned, get, name, names, refused};

/// A token needs no master key, and none is in what its holder has: with the token alone the rest of the vault does not open
/// by any call.
#[test]
fn a_token_is_no_master_key() {
    let owned = Owned::with(&["dev-a", "prod-a"]);
    owned.policy("dev", &["dev-*"], &[]);
    owned.policy("everything", &["*"], &[]);
    let agent = owned.held(&owned.grant("dev", "list,use,reveal,store,remove"));
    assert_eq!(get(&agent, "dev-a").expect("in scope"), "value of dev-a");
    assert!(refused(get(&agent, "prod-a")).starts_with("Access denied"));
    let wider = authy::PolicyName::new("everything").expect("a name");
    assert!(refused(agent.list(Some(&wider))).contains("its own policy only"));
    let preload = authy::NewSecret {
        name: name("LD_PRELOAD"),
        value: authy::SecretValue::new("/tmp/evil.so").expect("short"),
        attributes: None,
    };
    assert!(matches!(agent.store(&preload, authy::Overwrite::NewVersion), Err(Error::OutsideScope(_))));
}

/// What a holder could do with the file itself: rows of other grants and records do not open with its keys.
#[test]
fn rows_of_others_do_not_open_with_a_grants_keys() {
    let owned = Owned::with(&["dev-a", "prod-a"]);
    owned.policy("dev", &["dev-*"], &[]);
    owned.policy("prod", &["prod-*"], &[]);
    let dev = owned.grant("dev", "list,reveal");
    let _prod = owned.grant("prod", "list,reveal");
    let raw = rusqlite::Connection::open(owned.vault.file()).expect("the database");
    // Its own share is pointed at the other record.
    raw.execute("UPDATE share SET record = 2 WHERE record = 1", []).expect("changed");
    let agent = owned.held(&dev);
    assert!(matches!(get(&agent, "dev-a"), Err(Error::Damaged { .. })));
    raw.execute("UPDATE share SET record = 1 WHERE holder = ?", [hex(&dev.info.id.to_string())])
        .expect("changed");
    assert_eq!(get(&agent, "dev-a").expect("as it was"), "value of dev-a");
    // The other grant's sealed key is given to it.
    raw.execute(
        "UPDATE share SET key = (SELECT key FROM share WHERE holder != ?1) WHERE holder = ?1",
        [hex(&dev.info.id.to_string())],
    )
    .expect("changed");
    assert!(matches!(get(&agent, "dev-a"), Err(Error::Damaged { .. })));
    // It is made a grant of the other policy.
    raw.execute(
        "UPDATE holder SET bundle = (SELECT bundle FROM holder WHERE id != ?1), revision = 1 WHERE id = ?1",
        [hex(&dev.info.id.to_string())],
    )
    .expect("changed");
    assert!(owned.vault.unlock(&Credential::Token(dev.token.clone())).is_err());
}

/// A token of another grant, or a changed one, opens nothing.
#[test]
fn a_token_that_was_not_issued_opens_nothing() {
    let (owned, other) = (Owned::with(&["a"]), Owned::with(&["a"]));
    for each in [&owned, &other] {
        each.policy("all", &["*"], &[]);
    }
    let foreign = other.grant("all", "list,reveal");
    assert!(owned.vault.unlock(&Credential::Token(foreign.token)).is_err());
    assert_eq!(names(&owned.session), ["a"]);
}

/// A revoked grant's key material, kept from before, does not open what the record holds now.
#[test]
fn revoking_changes_the_keys_themselves() {
    let owned = Owned::with(&["a"]);
    owned.policy("all", &["*"], &[]);
    let grant = owned.grant("all", "list,reveal");
    let agent = owned.held(&grant);
    assert!(get(&agent, "a").is_ok());
    let raw = rusqlite::Connection::open(owned.vault.file()).expect("the database");
    raw.execute_batch(
        "CREATE TABLE kept_share AS SELECT * FROM share; CREATE TABLE kept AS SELECT * FROM holder",
    )
    .expect("kept");
    owned.session.revoke_grant(grant.info.id).expect("revoked");
    raw.execute_batch(
        "INSERT INTO share SELECT * FROM kept_share; DELETE FROM holder; INSERT INTO holder SELECT * FROM kept;
         DROP TABLE kept; DROP TABLE kept_share;",
    )
    .expect("put back");
    // The keys it has are those of before: neither the record nor the head of the log opens.
    assert!(matches!(get(&agent, "a"), Err(Error::Damaged { .. })));
}

fn hex(text: &str) -> Vec<u8> {
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).expect("hex")).collect()
}
