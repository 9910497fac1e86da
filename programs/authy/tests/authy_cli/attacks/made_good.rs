//! What somebody put back or took away, and the owner's own next operation: it must not make that good.

use super::{keep, put_back, raw, refused};
use crate::home::Home;

/// The head names the end of the log. A change signs a new head, and that must not name the end that somebody made.
#[test]
fn a_log_that_was_cut_off_is_found_out_whatever_the_owner_did_since() {
    for next in [&["policy", "create", "p", "--allow", "*"][..], &["rekey", "--rotate-vault-key"]] {
        let home = Home::with(&[("a", "canary")]);
        keep(&home, &["chain", "audit"]);
        home.run(&["get", "a"]).said();
        home.run_with(&["store", "b"], "canary b").said();
        put_back(&home, &["chain", "audit"]);
        home.run(next).said();
        assert!(home.run(&["audit", "verify"]).complained(1).contains("is broken at entry 3"), "{next:?}");
        // Nor when it has become as long as it was.
        for _ in 0..4 {
            home.run(&["get", "a"]).said();
        }
        home.run_with(&["store", "c"], "canary c").said();
        assert!(home.run(&["audit", "verify"]).complained(1).contains("is broken at entry 3"), "{next:?}");
        home.run(&["audit", "mend"]).said();
        home.run_with(&["store", "d"], "canary d").said();
        home.run(&["audit", "verify"]).said();
    }
}

/// New keys begin a new part of the log, and every writer with it.
#[test]
fn a_number_of_uses_that_was_put_back_is_not_taken_over_with_new_keys() {
    for next in [&["rekey", "--rotate-vault-key"], &["audit", "mend"]] {
        let home = Home::with(&[("a", "canary")]);
        home.run(&["policy", "create", "all", "--allow", "*"]).said();
        let issued =
            home.run(&["grant", "create", "--policy", "all", "--can", "list,reveal", "--uses", "1"]).said();
        let token = issued.trim();
        keep(&home, &["chain", "audit"]);
        assert_eq!(home.run_as(token, &["get", "a"]).said(), "canary\n");
        put_back(&home, &["chain", "audit"]);
        home.run(next).said();
        refused(&home.run_as(token, &["get", "a"]), "used up");
    }
}

#[test]
fn a_yes_that_was_used_is_not_forgotten_when_the_log_is_mended() {
    let home = Home::with(&[("a", "canary")]);
    home.run(&["set", "a", "--approve"]).said();
    let token = home.token("all", "*", "list,use,reveal");
    let ask_and_approve = || {
        refused(&home.run_as(&token, &["get", "a"]), "authy approve");
        let waiting = home.run(&["approve", "--json"]).json();
        home.run(&["approve", waiting["approvals"][0]["id"].as_str().expect("an id")]).said();
    };
    ask_and_approve();
    keep(&home, &["approval", "chain", "audit"]);
    assert_eq!(home.run_as(&token, &["get", "a"]).said(), "canary\n");
    for damage in [None, Some("UPDATE chain SET state = x'00'")] {
        put_back(&home, &["approval", "chain", "audit"]);
        if let Some(damage) = damage {
            raw(&home).execute_batch(damage).expect("damaged");
        }
        home.run(&["audit", "mend"]).said();
        put_back(&home, &["approval"]);
        refused(&home.run_as(&token, &["get", "a"]), "authy approve");
    }
    // A new one is good.
    raw(&home).execute_batch("DELETE FROM approval").expect("deleted");
    ask_and_approve();
    assert_eq!(home.run_as(&token, &["get", "a"]).said(), "canary\n");
}
