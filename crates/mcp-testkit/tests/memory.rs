//! What many calls leave behind: nothing that grows.
#![allow(clippy::expect_used)]

use std::process::Command;

use mcp::Version;
use mcp_testkit::Client;
use serde_json::{Value, json};

const MB: u64 = 1_000_000;

/// Calls of every kind, so many of each in flight at a time.
fn calls(client: &mut Client, rounds: usize) {
    const AT_ONCE: usize = 100;
    for _ in 0..rounds.div_ceil(AT_ONCE) {
        let ids: Vec<Value> = (0..AT_ONCE)
            .map(|number| match number % 5 {
                0 => client.start("tools/call", json!({ "name": "sleep", "arguments": { "ms": 0 } })),
                1 => client.start("tools/call", json!({ "name": "add", "arguments": { "a": number } })),
                2 => {
                    client.start("tools/call", json!({ "name": "picture", "arguments": { "bytes": 10_000 } }))
                }
                3 => client.start("resources/read", json!({ "uri": "fixture://pages/500" })),
                _ => client.start("tools/call", json!({ "name": "echo", "arguments": { "text": "hello" } })),
            })
            .collect();
        for id in ids {
            client.response(&id);
        }
    }
}

#[test]
fn ten_thousand_calls_leave_nothing_behind() {
    for version in [Version::V2025_11_25, Version::MODERN] {
        let mut client =
            Client::process(&mut Command::new(env!("CARGO_BIN_EXE_mcp-fixture"))).speaking(version);
        // Threads, pools and the allocator's own reserves are made by then.
        calls(&mut client, 2_000);
        let before = client.memory_use().resident;
        calls(&mut client, 10_000);
        let after = client.memory_use().resident;
        // 8.7 MB and 9.1 MB when measured.
        assert!(after < before + 4 * MB, "{version}: {before} bytes, then {after}");
        assert_eq!(client.hang_up().code, Some(0));
    }
}
