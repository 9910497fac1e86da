//! Several processes on one vault, and processes that die.

use std::thread;

use mcp_testkit::Client;
use serde_json::json;

use crate::vault::{Home, said};

/// A number from the environment: `./dev torture` sets more.
fn rounds(variable: &str, short: usize) -> usize {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(short)
}

/// Stores so many secrets from each of so many processes at once, and checks that all are there.
fn stores_at_once(processes: usize, each: usize) {
    let home = Home::new();
    let servers: Vec<Client> = (0..processes).map(|_| home.owners_server()).collect();
    thread::scope(|scope| {
        for (process, mut server) in servers.into_iter().enumerate() {
            scope.spawn(move || {
                for number in 0..each {
                    let name = format!("p{process}-n{number}");
                    let value = format!("value of {name}");
                    assert_eq!(
                        said(&mut server, "store_secret", json!({ "name": name, "value": value })),
                        format!("Stored secret '{name}'")
                    );
                }
            });
        }
    });
    let client = home.client();
    assert_eq!(client.list(None).expect("it opens").len(), processes * each, "none is lost");
    for process in 0..processes {
        let name = format!("p{process}-n{}", each - 1);
        let value = client.get_or_err(&name).expect("there");
        assert_eq!(value.as_text(), Ok(format!("value of {name}").as_str()));
    }
    let (entries, whole) = client.verify_audit_chain().expect("the log reads");
    assert!(whole && entries > (processes * each) as u64, "{entries} entries");
    home.vault().check().expect("the file is whole");
}

#[test]
fn two_processes_lose_nothing() {
    for _ in 0..rounds("AUTHY_CONCURRENT_ROUNDS", 2) {
        stores_at_once(2, 200);
    }
}

#[test]
fn eight_processes_lose_nothing() {
    for _ in 0..rounds("AUTHY_CONCURRENT_ROUNDS", 2) {
        stores_at_once(8, 200);
    }
}

#[test]
fn what_was_acknowledged_survives_a_killed_process() {
    let home = Home::new();
    let mut acknowledged = 0;
    for round in 0..rounds("AUTHY_KILL_ROUNDS", 10) {
        let mut server = home.owners_server();
        let pid = server.pid().expect("a process");
        for number in 0..=(round % 7) {
            let name = format!("r{round}-{number}");
            said(&mut server, "store_secret", json!({ "name": name, "value": name }));
            acknowledged += 1;
        }
        // One is under way when it dies: it is there or it is not, and nothing else is touched.
        server.start(
            "tools/call",
            json!({ "name": "store_secret", "arguments": { "name": format!("late-{round}"), "value": "x" } }),
        );
        kill(pid);
        drop(server);
        let client = home.client();
        let names = client.list(None).expect("it opens");
        assert_eq!(names.iter().filter(|name| name.starts_with('r')).count(), acknowledged, "round {round}");
        assert!(client.verify_audit_chain().expect("the log reads").1, "round {round}");
    }
    home.vault().check().expect("the file is whole");
}

fn kill(pid: u32) {
    let killed = std::process::Command::new("kill").args(["-9", &pid.to_string()]).status();
    assert!(killed.expect("kill runs").success());
}
