//! Good and bad lines in every order: each id is answered exactly once.

use std::collections::BTreeMap;

use mcp::Version;
use serde_json::{Value, json};

use crate::{echo, fixture, in_era, request};

/// A small generator of repeatable numbers (`SplitMix64`).
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % end
    }
}

/// A line, and the id its one answer must have; `None` for a line that gets no answer.
fn line(random: &mut Random, version: Version, number: u64) -> (Vec<u8>, Option<String>) {
    let id = if random.below(2) == 0 { number.to_string() } else { format!("\"{number}\"") };
    let own = Some(id.clone());
    let nobody = Some("null".to_owned());
    let request = |method: &str, params: Value| request(version, &id, method, params).into_bytes();
    let call =
        |tool: &str, arguments: Value| request("tools/call", json!({ "name": tool, "arguments": arguments }));
    match random.below(20) {
        0 => (request("tools/call", echo("hello")), own),
        1 => (call("add", json!({ "a": 1, "b": 2 })), own),
        2 => (call("sleep", json!({ "ms": random.below(20) })), own),
        3 => (call("block", json!({ "ms": random.below(3) })), own),
        4 => (call("echo", json!({ "text": 5 })), own),
        5 => (call("fail_with_code", json!({})), own),
        6 => (request("tools/list", json!({ "cursor": "x" })), own),
        7 => (request("no/such", json!({})), own),
        8 => (request("resources/read", json!({ "uri": "fixture://pages/7" })), own),
        9 => (request("prompts/get", json!({ "name": "describe", "arguments": { "page": "2" } })), own),
        10 => (call("picture", json!({ "bytes": random.below(100_000) })), own),
        // Bad lines of which the id can be read.
        11 => (format!(r#"{{"jsonrpc":"2.0","id":{id},"method":7}}"#).into_bytes(), own),
        12 => (format!(r#"{{"id":{id},"method":"ping","#).into_bytes(), own),
        13 => {
            let mut broken = request("tools/call", echo("@"));
            broken.iter_mut().filter(|byte| **byte == b'@').for_each(|byte| *byte = 0xfe);
            (broken, own)
        }
        14 => (format!(r#"{{"id":{id},"x":{}"#, "[".repeat(500)).into_bytes(), own),
        // And of which it cannot.
        15 => (b"plain text".to_vec(), nobody),
        16 => (format!(r#"[{{"jsonrpc":"2.0","id":{id},"method":"ping"}}]"#).into_bytes(), nobody),
        17 => (format!(r#"{{"jsonrpc":"2.0","id":{number}.5,"method":"ping"}}"#).into_bytes(), nobody),
        // What gets no answer.
        18 => {
            let call =
                json!({ "jsonrpc": "2.0", "method": "tools/call", "params": in_era(version, echo("x")) });
            (call.to_string().into_bytes(), None)
        }
        _ => (format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#).into_bytes(), None),
    }
}

#[test]
fn every_id_is_answered_exactly_once_in_any_mix() {
    for version in [Version::V2025_11_25, Version::MODERN] {
        for seed in 1..=3 {
            let mut random = Random(seed);
            let mut client = fixture(version);
            let mut expected: BTreeMap<String, usize> = BTreeMap::new();
            for number in 1_000..3_000 {
                let (line, id) = line(&mut random, version, number);
                client.send_bytes(&line);
                if let Some(id) = id {
                    *expected.entry(id).or_default() += 1;
                }
            }
            let goodbye = client.hang_up();
            let mut answered: BTreeMap<String, usize> = BTreeMap::new();
            for answer in &goodbye.rest {
                *answered.entry(answer["id"].to_string()).or_default() += 1;
            }
            for (id, times) in &expected {
                assert_eq!(answered.get(id), Some(times), "id {id}, seed {seed}, {version}");
            }
            assert_eq!(answered.len(), expected.len(), "seed {seed}, {version}");
            assert_eq!((goodbye.code, goodbye.stderr.as_str()), (Some(0), ""));
        }
    }
}
