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

/// What a search of a process's memory found.
#[derive(Debug, PartialEq, Eq)]
enum Searched {
    /// So often the text is in the memory the process can write to, of which so many bytes were read.
    Read { copies: usize, bytes: usize },
    /// The system lets this user not look.
    Refused,
}

fn search_memory(process: &str, needle: &str) -> Searched {
    let memory = match File::open(format!("/proc/{process}/mem")) {
        Err(error) if error.kind() == ErrorKind::PermissionDenied => return Searched::Refused,
        opened => opened.expect("the memory of a running process"),
    };
    let maps = fs::read_to_string(format!("/proc/{process}/maps")).expect("its map");
    let (mut copies, mut bytes) = (0, 0);
    for line in maps.lines().filter(|line| line.contains(" rw")) {
        let (from, to) = line.split(' ').next().and_then(|range| range.split_once('-')).expect("a range");
        let number = |text: &str| u64::from_str_radix(text, 16).expect("hexadecimal");
        let (from, to) = (number(from), number(to));
        let mut range = zeroize::Zeroizing::new(vec![0; usize::try_from(to - from).expect("it fits")]);
        if memory.read_exact_at(&mut range, from).is_ok() {
            // What was just read is part of this process's own memory, too, and does not count.
            let start = range.as_ptr().addr() as u64;
            let own = if process == "self" { start..start + range.len() as u64 } else { 0..0 };
            let found =
                range.windows(needle.len()).enumerate().filter(|(_, window)| *window == needle.as_bytes());
            copies += found.filter(|(at, _)| !own.contains(&(from + *at as u64))).count();
            bytes += range.len();
        }
    }
    Searched::Read { copies, bytes }
}

/// Root can look; for everybody else that it cannot be looked at is the point.
#[test]
fn no_value_stays_in_memory_after_it_was_used() {
    const MARK: &str = "canary-e05b6c77a1-in-memory";
    let home = Home::new();
    let mut owner = home.owners_server();
    let pid = owner.pid().expect("a process").to_string();
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
    match search_memory(&pid, MARK) {
        Searched::Read { copies, bytes } => {
            assert!(bytes > 100_000, "only {bytes} bytes could be read");
            assert_eq!(copies, 0);
            let control = search_memory(&pid, "plain-name");
            assert!(
                matches!(control, Searched::Read { copies: 1.., .. }),
                "names are remembered: {control:?}"
            );
        }
        Searched::Refused => assert!(!rustix::process::geteuid().is_root(), "root may look"),
    }
}

/// Any user may look into their own process: the library leaves nothing there by itself, without an allocator that wipes.
#[test]
fn the_library_leaves_no_value_in_memory() {
    // Put together only here, so that the program itself does not hold it.
    let parts = ["canary", "51f0a7", "of the library"];
    let home = Home::new();
    let client = home.client();
    {
        let value = zeroize::Zeroizing::new(parts.join("-"));
        client.store("name-51f0a7", &value, false).expect("stored");
        let read = client.get_or_err("name-51f0a7").expect("there");
        assert_eq!(read.as_text(), Ok(value.as_str()));
    }
    client.list(None).expect("names");
    let needle = parts.join("-");
    let Searched::Read { copies, bytes } = search_memory("self", &needle) else {
        panic!("a process may look at itself")
    };
    // The needle itself is one.
    assert_eq!(copies, 1, "in {bytes} bytes");
}

/// The keys are kept out of the swap space where the user may lock memory at all.
#[test]
fn keys_are_locked_in_memory() {
    let home = Home::new();
    let mut owner = home.owners_server();
    said(&mut owner, "list_secrets", json!({}));
    let pid = owner.pid().expect("a process");
    let file = |name: &str| fs::read_to_string(format!("/proc/{pid}/{name}")).expect("it runs");
    let (status, limits) = (file("status"), file("limits"));
    let locked = status.lines().find_map(|line| line.strip_prefix("VmLck:")).expect("a line");
    let kib: u64 = locked.trim().trim_end_matches(" kB").trim().parse().expect("a number");
    let allowed = limits.lines().find(|line| line.starts_with("Max locked memory")).expect("a line");
    assert!(kib > 0 || allowed.split_whitespace().nth(3) == Some("0"), "{locked}; {allowed}");
}

/// What others of this user can see of a process without looking into its memory.
fn on_show(process: &str) -> Vec<u8> {
    ["environ", "cmdline"]
        .iter()
        .flat_map(|file| match fs::read(format!("/proc/{process}/{file}")) {
            // It is closed to everybody but root: nothing is on show.
            Err(error) if error.kind() == ErrorKind::PermissionDenied => Vec::new(),
            read => read.expect("it runs"),
        })
        .collect()
}

#[test]
fn no_value_is_in_the_environment_or_arguments_of_the_server_nor_in_those_of_a_command() {
    const MARK: &str = "canary-30c9be41f2";
    let home = Home::new();
    let owner = home.client();
    owner.store("canary", MARK, false).expect("stored");
    let name = authy::SecretName::new("canary").expect("a name");
    let attributes = authy::Attributes { commands: vec!["sh -c *".into()], ..Default::default() };
    owner.session().expect("a session").set_attributes(&name, &attributes).expect("set");
    let token = home.token("*", "list,use");
    let mut agent = home.server(&[("AUTHY_TOKEN", &token)]);
    let seen = home.path().join("seen");
    // The command gets the value on its stdin, shows that it has it by its length, and writes down what is to be seen of
    // itself and of the server. What it prints about them would be scrubbed.
    let script = format!(
        "cat /proc/$$/environ /proc/$$/cmdline > {0}; cat /proc/$PPID/environ /proc/$PPID/cmdline >> {0}; wc -c",
        seen.display()
    );
    let arguments = json!({ "command": ["sh", "-c", script], "stdin_secret": "canary" });
    let answer = agent.call("run_with_secrets", arguments);
    let text = answer["content"][0]["text"].as_str().expect("text").to_owned();
    assert!(text.contains(&MARK.len().to_string()), "{text}");
    let mut shown = fs::read(&seen).expect("the command wrote it");
    assert!(shown.windows(4).any(|window| window == b"PATH"), "the command has an environment");
    let pid = agent.pid().expect("a process").to_string();
    shown.extend(on_show(&pid));
    shown.extend(text.as_bytes());
    shown.extend(agent.hang_up().stderr.as_bytes());
    for needle in [MARK.to_owned(), MARK.chars().rev().collect()] {
        assert!(!shown.windows(needle.len()).any(|window| window == needle.as_bytes()));
    }
    let command = shown.split(|byte| *byte == 0).any(|part| part.starts_with(b"AUTHY_TOKEN="));
    // Only the server has the token, and only root can see it there.
    assert!(!command || rustix::process::geteuid().is_root());
}

#[test]
fn a_value_in_a_file_is_found_by_an_agent_that_may_not_see_it() {
    let home = Home::new();
    home.client().store("db", "correct-horse-battery", false).expect("stored");
    let token = home.token("*", "list,use,scan");
    let folder = home.path().join("project");
    fs::create_dir(&folder).expect("a folder");
    fs::write(folder.join("config.txt"), "first line\nurl = correct-horse-battery\n").expect("a file");
    fs::write(folder.join("encoded.txt"), "Y29ycmVjdC1ob3JzZS1iYXR0ZXJ5\n").expect("a file");
    fs::write(folder.join("token.txt"), format!("{token}\n")).expect("a file");
    fs::write(folder.join("fine.txt"), "nothing here\n").expect("a file");
    let roots = folder.to_str().expect("text");
    let mut agent = home.server(&[("AUTHY_TOKEN", &token), ("DESKMATE_ROOTS", roots)]);
    let found = said(&mut agent, "scan_for_leaks", json!({ "paths": [folder] }));
    assert!(found.starts_with("3 leaks found in 4 files"), "{found}");
    for place in ["config.txt: 1", "encoded.txt: 1", "token.txt: 1"] {
        assert!(found.contains(place), "{place} in {found}");
    }
    assert!(!found.contains("correct-horse") && !found.contains(&token), "{found}");
    let mut owner =
        home.server(&[("AUTHY_KEYFILE", home.keyfile().to_str().expect("text")), ("DESKMATE_ROOTS", roots)]);
    let found = said(&mut owner, "scan_for_leaks", json!({ "paths": [folder] }));
    for place in ["config.txt:2: `db`", "encoded.txt:1: `db`", "token.txt:1: an access token of authy"] {
        assert!(found.contains(place), "{place} in {found}");
    }
}

/// Who may ask whether a value is in a file of their own can guess it.
#[test]
fn values_cannot_be_guessed_by_looking_for_leaks() {
    let home = Home::new();
    let owner = home.client();
    for (name, value) in [("pin", "4711"), ("short", "hunter2"), ("hidden", "correct-horse-battery")] {
        owner.store(name, value, false).expect("stored");
    }
    let hidden = authy::SecretName::new("hidden").expect("a name");
    let never = authy::Attributes { never_reveal: true, ..Default::default() };
    owner.session().expect("a session").set_attributes(&hidden, &never).expect("set");
    let folder = home.path().join("guesses");
    fs::create_dir(&folder).expect("a folder");
    fs::write(folder.join("all"), "4711\nhunter2\ncorrect-horse-battery\n").expect("a file");
    let roots = folder.to_str().expect("text");
    let usual = home.token("*", "list,use");
    let mut agent = home.server(&[("AUTHY_TOKEN", &usual), ("DESKMATE_ROOTS", roots)]);
    let words = failed(&mut agent, "scan_for_leaks", json!({ "paths": [folder] }));
    assert!(words.contains("lacks the capability `scan`"), "{words}");
    let allowed = home.token("*", "list,scan");
    let mut agent = home.server(&[("AUTHY_TOKEN", &allowed), ("DESKMATE_ROOTS", roots)]);
    let found = said(&mut agent, "scan_for_leaks", json!({ "paths": [folder] }));
    assert!(found.starts_with("Nothing found") && found.contains("hidden, pin, short"), "{found}");
    // Nor line by line.
    let lines = "user = ada\npin = 4712\nkey = 8f14e45fceea167a5a36dedd4bea2543\n";
    owner.store("lines", lines, false).expect("stored");
    let guesses = (4000..5000).map(|pin| format!("pin = {pin}")).collect::<Vec<_>>().join("\n");
    fs::write(folder.join("more"), guesses).expect("a file");
    let found = said(&mut agent, "scan_for_leaks", json!({ "paths": [folder] }));
    assert!(found.starts_with("Nothing found"), "{found}");
    fs::write(folder.join("more"), "key = 8f14e45fceea167a5a36dedd4bea2543").expect("a file");
    let found = said(&mut agent, "scan_for_leaks", json!({ "paths": [folder] }));
    assert!(found.starts_with("1 leak found"), "{found}");
}

/// SQLite reads the schema anew when somebody changed it, and so works by their triggers.
#[test]
fn a_trigger_that_is_planted_while_the_server_runs_keeps_nothing_out_of_the_log() {
    let home = Home::new();
    let mut owner = home.owners_server();
    said(&mut owner, "store_secret", json!({ "name": "a", "value": "canary" }));
    assert_eq!(said(&mut owner, "get_secret", json!({ "name": "a" })), "canary");
    rusqlite::Connection::open(home.vault().file())
        .expect("the database")
        .execute_batch("CREATE TRIGGER t BEFORE INSERT ON audit BEGIN SELECT raise(ignore); END;")
        .expect("planted");
    for tool in ["get_secret", "secret_info"] {
        let words = failed(&mut owner, tool, json!({ "name": "a" }));
        assert!(words.contains("no program of ours makes"), "{words}");
    }
}
