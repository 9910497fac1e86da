//! A relay and the server behind it as processes of their own.
#![allow(clippy::expect_used)]

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::FileExt;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use mcp::{Service, Version};
use mcp_testkit::far::Place;
use mcp_testkit::{Client, fixture};
use serde_json::{Value, json};

/// The fixture on a socket; killed when dropped.
struct Host(Child);

impl Host {
    fn start(socket: &Path) -> Host {
        let _ = std::fs::remove_file(socket);
        let child = Command::new(env!("CARGO_BIN_EXE_mcp-fixture"))
            .arg("socket")
            .arg(socket)
            .stdin(Stdio::null())
            .spawn()
            .expect("the fixture starts");
        Host(child)
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn relay(socket: &Path) -> Client {
    Client::process(Command::new(env!("CARGO_BIN_EXE_mcp-fixture")).arg("relay").arg(socket))
}

/// Calls until the server behind the relay is up.
fn until_there(client: &mut Client) {
    let echo = json!({ "name": "echo", "arguments": { "text": "x" } });
    while client.request("tools/call", echo.clone()).get("error").is_some() {}
}

#[test]
fn a_server_that_is_killed_in_mid_call_and_started_again() {
    for version in [Version::V2024_11_05, Version::MODERN] {
        let place = Place::new();
        let mut client = relay(&place.socket()).speaking(version);
        for _ in 0..2 {
            let host = Host::start(&place.socket());
            until_there(&mut client);
            let progress = json!({ "progressToken": "t" });
            let call = json!({ "name": "count", "arguments": { "steps": 100_000 }, "_meta": progress });
            let id = client.start("tools/call", call);
            client.notification("notifications/progress");
            drop(host);
            let answer = client.response(&id);
            assert_eq!(answer["error"]["code"], -32000, "{answer}");
        }
        let goodbye = client.hang_up();
        assert_eq!(goodbye.code, Some(0), "{}", goodbye.stderr);
    }
}

#[test]
fn a_picture_does_not_stay_in_the_memory_of_the_relay() {
    let place = Place::new();
    let _host = Host::start(&place.socket());
    let mut client = relay(&place.socket()).speaking(Version::MODERN);
    until_there(&mut client);
    let mut picture = client.call("picture", json!({ "bytes": 3_000_000 }));
    let data = picture["content"][1]["data"].take();
    let data = data.as_str().expect("base64");
    // Somewhere in the middle, where nothing else is the same.
    let needle = data.get(2_000_000..2_000_048).expect("long enough").as_bytes();
    client.call("echo", json!({ "text": "done" }));
    let pid = client.pid().expect("a process");
    assert_eq!(occurrences(pid, needle), 0, "the picture is still there");
    // The search itself works: what is under way is found.
    client.start("tools/call", json!({ "name": "never", "arguments": { "text": data.get(..200_000) } }));
    client.call("echo", json!({ "text": "done" }));
    assert!(occurrences(pid, data.get(100_000..100_048).expect("long enough").as_bytes()) > 0);
    client.hang_up();
}

/// A far side that answers these methods with these results, and every list that is not among them with an empty one.
fn answering(socket: &Path, results: Vec<(&'static str, String)>) {
    let listener = UnixListener::bind(socket).expect("a socket");
    let greeting = json!({ "_meta": {
        "io.modelcontextprotocol/serverInfo": { "name": "fixture", "version": "1.2.3" },
        "surfaceHash": fixture::server().surface().hash(),
        "offersMore": true,
    } });
    std::thread::spawn(move || {
        let (stream, _) = listener.accept().expect("the relay");
        for line in BufReader::new(&stream).lines() {
            let message: Value = serde_json::from_str(&line.expect("a line")).expect("JSON");
            let method = message["method"].as_str().expect("a method");
            let known = results.iter().find(|(known, _)| *known == method).map(|(_, result)| result.clone());
            let result = match method {
                "server/discover" => greeting.to_string(),
                "subscriptions/listen" => continue,
                _ => known.unwrap_or_else(|| json!({ "entries": [] }).to_string()),
            };
            let answer = format!("{{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":{result}}}\n", message["id"]);
            (&stream).write_all(answer.as_bytes()).expect("the relay reads");
        }
    });
}

/// What a far side says may be of many small parts; what it costs is its length.
#[test]
fn many_small_parts_of_a_result_cost_no_more_than_its_line() {
    const MANY: usize = 1_000_000;
    let nothing = || "{\"content\":[]}".to_owned();
    let members = (0..MANY).map(|number| format!("\"{number}\":0,")).collect::<Vec<_>>().concat();
    for results in [
        vec![("tools/call", format!("{{\"content\":[{}1]}}", "1,".repeat(5 * MANY)))],
        vec![("tools/call", format!("{{\"content\":[],\"_meta\":{{{members}\"last\":0}}}}"))],
        vec![
            ("tools/call", nothing()),
            ("prompts/list", {
                let prompts = (0..MANY).map(|number| format!("{{\"name\":\"{number}\"}},"));
                format!("{{\"prompts\":[{}{{\"name\":\"b\"}}]}}", prompts.collect::<String>())
            }),
        ],
        vec![
            ("tools/call", nothing()),
            ("prompts/list", {
                let arguments = "{\"name\":\"a\"},".repeat(70_000);
                let prompt = |name: usize| {
                    format!("{{\"name\":\"{name}\",\"arguments\":[{arguments}{{\"name\":\"b\"}}]}}")
                };
                format!("{{\"prompts\":[{}]}}", (0..15).map(prompt).collect::<Vec<_>>().join(","))
            }),
        ],
    ] {
        let place = Place::new();
        answering(&place.socket(), results);
        let mut client = relay(&place.socket()).speaking(Version::V2024_11_05);
        let answer = client.request("tools/call", json!({ "name": "echo", "arguments": { "text": "x" } }));
        assert!(answer.get("result").is_some(), "{}", answer["error"]);
        let peak = client.memory_use().peak;
        assert!(peak < 80_000_000, "{peak} bytes");
        client.hang_up();
    }
}

/// Nor does what is no result, but a request for input.
#[test]
fn a_request_for_input_of_many_small_parts_is_refused() {
    let place = Place::new();
    let params = format!("{{\"requestedSchema\":{{\"a\":[{}1]}},\"message\":\"\"}}", "1,".repeat(5_000_000));
    let requests = format!("{{\"a\":{{\"method\":\"elicitation/create\",\"params\":{params}}}}}");
    let result = format!("{{\"resultType\":\"input_required\",\"inputRequests\":{requests}}}");
    answering(&place.socket(), vec![("tools/call", result)]);
    let mut client = relay(&place.socket()).capable(json!({ "elicitation": {} })).speaking(Version::MODERN);
    let error = client.error("tools/call", json!({ "name": "echo", "arguments": { "text": "x" } }));
    let words = error["message"].as_str().unwrap_or_default();
    assert!(words.contains("its request for input is longer than 262 kB"), "{error}");
    let peak = client.memory_use().peak;
    assert!(peak < 80_000_000, "{peak} bytes");
    client.hang_up();
}

/// How often these bytes stand in the memory of a process.
fn occurrences(pid: u32, needle: &[u8]) -> usize {
    let maps = std::fs::read_to_string(format!("/proc/{pid}/maps")).expect("maps");
    let memory = File::open(format!("/proc/{pid}/mem")).expect("memory");
    let mut found = 0;
    for line in maps.lines().filter(|line| line.contains(" rw")) {
        let range = line.split_once(' ').and_then(|(range, _)| range.split_once('-')).expect("a range");
        let [start, end] = [range.0, range.1].map(|text| u64::from_str_radix(text, 16).expect("an address"));
        let mut bytes = vec![0; usize::try_from(end - start).expect("fits")];
        // Some ranges are there and cannot be read.
        if memory.read_exact_at(&mut bytes, start).is_ok() {
            found += bytes.windows(needle.len()).filter(|window| *window == needle).count();
        }
    }
    found
}
