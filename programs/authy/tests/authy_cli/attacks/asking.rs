//! Requests for a yes that somebody made up, exchanged or split.

use super::{keep, put_back, raw, refused};
use crate::home::{Finished, Home};

fn first_id(home: &Home) -> String {
    let waiting = home.run(&["approve", "--json"]).json();
    waiting["approvals"][0]["id"].as_str().expect("an id").to_owned()
}

/// Enough requests, or one with the highest number there is, would keep everybody from asking.
#[test]
fn made_up_requests_keep_nobody_from_asking() {
    for planted in [
        "WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 300)
         INSERT INTO approval (writer, subject, entry, expires)
         SELECT id, randomblob(32), zeroblob(104), 99999999999999 FROM c, holder",
        "INSERT INTO approval (id, writer, subject, entry, expires)
         VALUES (9223372036854775807, zeroblob(8), zeroblob(32), zeroblob(64), 99999999999999)",
        "INSERT INTO sqlite_sequence VALUES ('approval', 9223372036854775807)",
    ] {
        let home = Home::with(&[("a", "canary")]);
        home.run(&["set", "a", "--approve"]).said();
        let token = home.token("all", "*", "list,reveal");
        raw(&home).execute(planted, []).expect("planted");
        refused(&home.run_as(&token, &["get", "a"]), "authy approve");
        home.run(&["approve", &first_id(&home)]).said();
        assert_eq!(home.run_as(&token, &["get", "a"]).said(), "canary\n", "{planted}");
    }
}

/// A call is approved as a whole: asking secret by secret, each yes would have to be waited for in turn.
#[test]
fn two_secrets_of_one_call_need_one_yes_which_is_for_this_call() {
    let home = Home::with(&[("a", "canary-value-a"), ("b", "canary-value-b"), ("c", "canary-value-c")]);
    for name in ["a", "b", "c"] {
        home.run(&["set", name, "--approve", "--command", "printenv *"]).said();
    }
    let token = home.token("all", "*", "list,use");
    let run = |secrets: &[&str], argument: &str| -> Finished {
        let mut arguments = vec!["run"];
        for name in secrets {
            arguments.extend(["--secret", name]);
        }
        arguments.extend(["--", "printenv", argument]);
        home.run_as(&token, &arguments)
    };
    refused(&run(&["a", "b"], "A"), "`a`, `b` needs a person's yes");
    let waiting = home.run(&["approve", "--json"]).json();
    assert_eq!(waiting["approvals"].as_array().map(Vec::len), Some(1), "{waiting}");
    assert_eq!(waiting["approvals"][0]["secret"], "a, b", "{waiting}");
    home.run(&["approve", &first_id(&home)]).said();
    refused(&run(&["a"], "A"), "yes each time");
    refused(&run(&["a", "c"], "A"), "yes each time");
    refused(&run(&["a", "b"], "B"), "yes each time");
    assert_eq!(run(&["a", "b"], "A").said(), "[secret:a]\n");
    refused(&run(&["a", "b"], "A"), "yes each time");
    home.run(&["audit", "verify"]).said();
}

/// Who held a grant still knows how to ask, and the person would be asked for somebody who is not there any more.
#[test]
fn a_revoked_grant_asks_for_nothing() {
    let home = Home::with(&[("a", "canary")]);
    home.run(&["set", "a", "--approve"]).said();
    let token = home.token("all", "*", "list,reveal");
    refused(&home.run_as(&token, &["get", "a"]), "authy approve");
    keep(&home, &["approval"]);
    home.run(&["grant", "revoke-all"]).said();
    put_back(&home, &["approval"]);
    assert_eq!(home.run(&["approve", "--json"]).json()["approvals"], serde_json::json!([]));
}
