//! What an agent must not be able to do through MCP, whatever it was started with.

use std::fs::{self, File};
use std::io::ErrorKind;
use std::os::unix::fs::FileExt;

use serde_json::json;

use crate::vault::{Home, failed, said};

/// The keyfile beside a token does not help: the token wins.
#[test]
fn a_token_is_all_the_server_goes_by_even_with_the_owners_keyfile_beside_it() {
    let home = Home::new();
    home.client().store("dev-a", "1", false).expect("stored");
    home.client().store("prod-a", "2", false).expect("stored");
    let token = home.token("dev-*", "list,use");
    let keyfile = home.keyfile();
    let mut agent =
        home.server(&[("AUTHY_TOKEN", &token), ("AUTHY_KEYFILE", keyfile.to_str().expect("text"))]);
    assert_eq!(said(&mut agent, "list_secrets", json!({})), r#"["dev-a"]"#);
    let words = failed(&mut agent, "get_secret", json!({ "name": "dev-a" }));
    assert!(words.starts_with("Run-only mode: ") && words.contains("run_with_secrets"), "{words}");
    assert!(failed(&mut agent, "get_secret", json!({ "name": "prod-a" })).starts_with("Access denied"));
    let preload = json!({ "name": "LD_PRELOAD", "value": "/tmp/x.so", "force": true });
    assert!(failed(&mut agent, "store_secret", preload).starts_with("Access denied"));
    assert!(
        failed(&mut agent, "remove_secret", json!({ "name": "dev-a" }))
            .contains("lacks the capability `remove`")
    );
    assert!(failed(&mut agent, "list_secrets", json!({ "scope": "p1" })).starts_with("Access denied"));
}

#[test]
fn a_token_alone_is_enough_and_a_revoked_one_is_not() {
    let home = Home::new();
    home.client().store("a", "1", false).expect("stored");
    let token = home.token("*", "list,reveal");
    let mut agent = home.server(&[("AUTHY_TOKEN", &token)]);
    assert_eq!(said(&mut agent, "get_secret", json!({ "name": "a" })), "1");
    home.client().session().expect("a session").revoke_all_grants().expect("revoked");
    assert!(failed(&mut agent, "get_secret", json!({ "name": "a" })).starts_with("Token revoked"));
    let mut again = home.server(&[("AUTHY_TOKEN", &token)]);
    assert!(failed(&mut again, "get_secret", json!({ "name": "a" })).starts_with("Token revoked"));
    let mut broken = home.server(&[("AUTHY_TOKEN", "authy_v1.abc")]);
    assert!(failed(&mut broken, "list_secrets", json!({})).starts_with("Invalid token: "));
}

#[test]
fn a_marked_value_shows_up_nowhere_but_in_the_answer() {
    const MARK: &str = "canary-7d1f0c52b9";
    let home = Home::new();
    let mut owner = home.owners_server();
    said(&mut owner, "store_secret", json!({ "name": "canary-name", "value": MARK }));
    assert_eq!(said(&mut owner, "get_secret", json!({ "name": "canary-name" })), MARK);
    failed(&mut owner, "store_secret", json!({ "name": "canary-name", "value": MARK }));
    let goodbye = owner.hang_up();
    assert!(!goodbye.stderr.contains(MARK), "stderr: {}", goodbye.stderr);
    let mut log = Vec::new();
    home.client().session().expect("a session").export_audit(&mut log).expect("exported");
    assert!(!String::from_utf8_lossy(&log).contains(MARK), "the audit log");
    for file in fs::read_dir(home.vault().folder()).expect("a folder").flatten() {
        let bytes = fs::read(file.path()).expect("a file");
        for needle in [MARK, "canary-name"] {
            let found = bytes.windows(needle.len()).any(|window| window == needle.as_bytes());
            assert!(!found, "`{needle}` in {}", file.path().display());
        }
    }
}

/// The process that holds keys can be looked into by no other of the same user, and dumps no core.
#[test]
fn the_server_keeps_its_memory_to_itself() {
    let home = Home::new();
    let mut owner = home.owners_server();
    said(&mut owner, "list_secrets", json!({}));
    let limits =
        fs::read_to_string(format!("/proc/{}/limits", owner.pid().expect("a process"))).expect("limits");
    let core = limits.lines().find(|line| line.starts_with("Max core file size")).expect("a line");
    assert_eq!(core.split_whitespace().filter(|word| *word == "0").count(), 2, "{core}");
}

/// How often a text is in the memory a process can write to; `None` where that cannot be read.
fn in_memory(pid: u32, needle: &str) -> Option<usize> {
    let memory = match File::open(format!("/proc/{pid}/mem")) {
        Err(error) if error.kind() == ErrorKind::PermissionDenied => return None,
        opened => opened.expect("the memory of a running process"),
    };
    let maps = fs::read_to_string(format!("/proc/{pid}/maps")).expect("its map");
    let mut found = 0;
    for line in maps.lines().filter(|line| line.contains(" rw")) {
        let (from, to) = line.split(' ').next().and_then(|range| range.split_once('-')).expect("a range");
        let number = |text: &str| u64::from_str_radix(text, 16).expect("hexadecimal");
        let (from, to) = (number(from), number(to));
        let mut bytes = vec![0; usize::try_from(to - from).expect("it fits")];
        if memory.read_exact_at(&mut bytes, from).is_ok() {
            found += bytes.windows(needle.len()).filter(|window| *window == needle.as_bytes()).count();
        }
    }
    Some(found)
}

/// Root can look; for everybody else that it cannot be looked at is the point.
#[test]
fn no_value_stays_in_memory_after_it_was_used() {
    const MARK: &str = "canary-e05b6c77a1-in-memory";
    let home = Home::new();
    let mut owner = home.owners_server();
    let pid = owner.pid().expect("a process");
    said(&mut owner, "store_secret", json!({ "name": "plain-name", "value": "another" }));
    said(&mut owner, "list_secrets", json!({}));
    said(&mut owner, "store_secret", json!({ "name": "a", "value": MARK }));
    said(
        &mut owner,
        "store_secret",
        json!({ "name": "a", "value": format!("{MARK}\n\"quoted\""), "force": true }),
    );
    assert!(said(&mut owner, "get_secret", json!({ "name": "a" })).starts_with(MARK));
    // Answered after the last buffers were used.
    owner.result("ping", json!({}));
    let found = in_memory(pid, MARK);
    assert!(matches!(found, None | Some(0)), "{found:?} copies");
    if found.is_some() {
        assert!(
            in_memory(pid, "plain-name").is_some_and(|count| count > 0),
            "the search works: names are remembered"
        );
    }
}
