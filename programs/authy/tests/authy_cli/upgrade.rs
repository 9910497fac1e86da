//! A vault of the earlier format, made by the program of then: `tests/data/format-1.db`.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::home::{Home, finish};

/// A home with the old vault in it.
fn old() -> (Home, String) {
    let home = Home::empty();
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    fs::create_dir(home.path("vault")).expect("a folder");
    fs::set_permissions(home.path("vault"), Permissions::from_mode(0o700)).expect("a mode");
    for (from, to) in [("format-1.db", "vault/vault.db"), ("format-1.key", "key")] {
        fs::copy(data.join(from), home.path(to)).expect("a copy");
        fs::set_permissions(home.path(to), Permissions::from_mode(0o600)).expect("a mode");
    }
    let token = fs::read_to_string(data.join("format-1.token")).expect("a token");
    (home, token.trim().to_owned())
}

#[test]
fn an_old_vault_is_refused_until_it_is_upgraded_and_then_has_everything_it_had() {
    let (home, token) = old();
    assert!(home.run(&["get", "dev/db"]).complained(1).contains("authy upgrade"));
    assert!(home.run_as(&token, &["get", "dev/db"]).complained(1).contains("authy upgrade"));
    assert!(home.run_as(&token, &["upgrade"]).complained(4).contains("lacks the capability"));
    let done = home.run(&["upgrade", "--json"]).json();
    assert_eq!((&done["secrets"], &done["policies"]), (&3.into(), &1.into()), "{done}");
    assert!(done["grants"][0].as_str().expect("a grant").ends_with("on `dev` for bot"), "{done}");
    assert_eq!(home.run(&["get", "dev/db"]).said(), "second value\n");
    assert_eq!(home.run(&["get", "dev/db", "--version", "1"]).said(), "first value\n");
    assert_eq!(home.run(&["get", "dev/new"]).said(), "by grant\n", "what a grant had stored");
    assert!(home.run(&["get", "prod/api"]).complained(4).contains("prod/api"), "rules are kept");
    let code = done["recovery_code"].as_str().expect("a code").to_owned();
    assert_eq!(finish(&mut home.command(&["get", "dev/db", "--recovery"]), &code).said(), "second value\n");
    assert_ne!(home.run_as(&token, &["get", "dev/db"]).code, Some(0), "old tokens are issued again");
    home.run(&["audit", "verify"]).said();
    // What commands could do before stays until it is set again, and is warned about.
    let token = home.run(&["grant", "create", "--policy", "dev"]).said();
    assert_eq!(
        home.run_as(token.trim(), &["run", "--uppercase", "--", "printenv", "DEV_DB"]).said(),
        "[secret:dev/db]\n"
    );
    let doctor = home.run(&["doctor"]).said();
    assert!(doctor.contains("from before rules said what a command may do"), "{doctor}");
    assert!(home.run(&["upgrade"]).complained(1).contains("nothing to upgrade"));
    assert!(home.path("vault/vault-format-1.db").exists());
}

#[test]
fn the_old_format_in_the_place_of_a_new_vault_is_refused_for_good() {
    let (home, _) = old();
    fs::copy(home.path("vault/vault.db"), home.path("old.db")).expect("a copy");
    home.run(&["upgrade", "--json"]).said();
    fs::copy(home.path("old.db"), home.path("vault/vault.db")).expect("put back");
    home.run(&["get", "dev/db"]).complained(1);
    assert!(home.run(&["upgrade"]).complained(2).contains("earlier format"));
}

#[test]
fn an_old_vault_that_does_not_add_up_is_not_upgraded() {
    let (home, _) = old();
    let raw = rusqlite::Connection::open(home.path("vault/vault.db")).expect("the database");
    raw.execute("DELETE FROM record WHERE id = 1", []).expect("deleted");
    drop(raw);
    assert!(home.run(&["upgrade"]).complained(2).contains("missing or were put back"));
}
