//! A grant and what the owner said about it or about a secret: neither is shaken off.

use super::{keep, put_back, raw, refused};
use crate::home::{Home, finish};

/// Whoever is not counted among the grants would keep what the owner takes away.
#[test]
fn a_grant_is_not_hidden_by_saying_that_it_was_taken_back() {
    let steps: [&[&str]; 3] = [
        &["grant", "revoke-all"],
        &["policy", "update", "all", "--deny", "prod/*"],
        &["policy", "remove", "all"],
    ];
    for step in steps {
        let home = Home::with(&[("prod/x", "canary")]);
        let token = home.token("all", "*", "list,reveal");
        raw(&home).execute_batch("UPDATE holder SET revoked = 1").expect("hidden");
        refused(&home.run(step), "grant");
        raw(&home).execute_batch("UPDATE holder SET revoked = 0").expect("shown");
        assert_eq!(home.run_as(&token, &["get", "prod/x"]).said(), "canary\n", "nothing was said to be done");
    }
}

/// What grants leave goes into the vault without marks, unless the owner's are put on again.
#[test]
fn grants_do_not_strip_a_secret_of_its_marks() {
    for (mark, refusal) in [("--never-reveal", "never revealed"), ("--approve", "authy approve")] {
        let home = Home::with(&[("shown", "canary"), ("used", "canary")]);
        for name in ["shown", "used"] {
            home.run(&["set", name, mark]).said();
        }
        let remover = home.token("removers", "*", "list,remove");
        let writer = home.token("writers", "*", "list,use,reveal,store");
        let both = home.token("both", "*", "list,use,reveal,store,remove");
        // One removes it, and another one stores what it has of it.
        home.run_as(&remover, &["remove", "shown"]).said();
        refused(&home.run_as(&writer, &["rollback", "shown", "1"]), "admin");
        // One removes it and stores another one, into which the owner then puts something.
        home.run_as(&both, &["remove", "used"]).said();
        let mut store = home.command(&["store", "used"]);
        finish(store.env_remove("AUTHY_KEYFILE").env("AUTHY_TOKEN", &both), "of the grant").said();
        home.run_with(&["store", "used", "--force"], "canary later").said();
        for token in [&both, &writer] {
            refused(&home.run_as(token, &["get", "used"]), refusal);
        }
    }
}

/// The anchor knows how far a grant with a number of uses came, whatever the file says about the grant meanwhile.
#[test]
fn a_number_of_uses_that_was_put_back_is_seen_by_a_look_at_the_log() {
    for hidden in [None, Some("UPDATE holder SET revoked = 1, entries = 9999"), Some("DELETE FROM holder")] {
        let home = Home::with(&[("a", "canary")]);
        home.run(&["policy", "create", "all", "--allow", "*"]).said();
        let issued =
            home.run(&["grant", "create", "--policy", "all", "--can", "list,reveal", "--uses", "1"]).said();
        keep(&home, &["holder", "chain", "audit"]);
        assert_eq!(home.run_as(issued.trim(), &["get", "a"]).said(), "canary\n");
        put_back(&home, &["chain", "audit"]);
        if let Some(hidden) = hidden {
            raw(&home).execute_batch(hidden).expect("hidden");
        }
        assert!(home.run(&["audit", "verify"]).complained(1).contains("is broken"), "{hidden:?}");
        put_back(&home, &["holder"]);
        refused(&home.run_as(issued.trim(), &["get", "a"]), "authy audit mend");
    }
}

/// What is said about a secret is lost with its row: by removing it once its value is damaged, or by damaging what is left of it in
/// the trash.
#[test]
fn grants_do_not_strip_a_secret_of_its_marks_by_damaging_it() {
    for (before, after) in [
        ("UPDATE record SET value = zeroblob(104)", ""),
        ("DELETE FROM history", ""),
        ("", "UPDATE record SET meta = zeroblob(104)"),
        ("", "DELETE FROM record"),
    ] {
        let home = Home::with(&[("a", "canary")]);
        home.run_with(&["store", "a", "--force"], "canary 2").said();
        home.run(&["set", "a", "--never-reveal"]).said();
        let token = home.token("all", "*", "list,use,reveal,store,remove");
        raw(&home).execute_batch(before).expect("damaged");
        home.run_as(&token, &["remove", "a"]).said();
        // The owner comes by.
        home.run(&["policy", "list"]).said();
        raw(&home).execute_batch(after).expect("damaged");
        let mut store = home.command(&["store", "a"]);
        let _ = finish(store.env_remove("AUTHY_KEYFILE").env("AUTHY_TOKEN", &token), "of the grant");
        let _ = home.run_with(&["store", "a", "--force"], "canary later");
        let got = home.run_as(&token, &["get", "a"]);
        assert_ne!(got.code, Some(0), "{before}{after}: {}", got.stdout);
    }
}
