//! `deskmate serve`, through a real socket.

use std::path::Path;
use std::process::Command;

use mcp_testkit::Folder;
use serde_json::json;

use crate::binary::deskmate;
use crate::http::{DISCOVER, Serving, as_nobody, discover, initialize};

#[test]
fn every_server_has_an_endpoint_and_all_of_them_have_one_together() {
    let serving = Serving::start(&[]);
    for (path, name) in [
        ("/mcp", "deskmate"),
        ("/mcp/info/mcp", "info"),
        ("/mcp/MetaTagGenie/mcp", "MetaTagGenie"),
        ("/mcp/authy/mcp", "authy"),
        ("/mcp/zai-mcp-server/mcp", "zai-mcp-server"),
    ] {
        let answer = serving.post(path, &DISCOVER, &discover());
        assert_eq!(answer.code, 200, "{path}: {answer:?}");
        assert_eq!(answer.json()["result"]["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], name);
    }
    assert_eq!(serving.stop(), 0);
}

#[test]
fn a_session_is_opened_used_and_ended() {
    let serving = Serving::start(&["--only", "info", "--read-only"]);
    let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize",
                        "params": { "protocolVersion": "2024-11-05", "capabilities": {} } });
    let answer = serving.post("/mcp/info/mcp", &[], &hello);
    assert_eq!((answer.code, &answer.json()["result"]["protocolVersion"]), (200, &json!("2024-11-05")));
    let session = [("Mcp-Session-Id", answer.header("mcp-session-id").expect("a session"))];
    let call =
        json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": { "name": "deskmate_info" } });
    let called = serving.post("/mcp/info/mcp", &session, &call);
    assert_eq!(called.code, 200, "{called:?}");
    let text = called.json()["result"]["content"][0]["text"].as_str().map(str::to_owned);
    assert!(text.is_some_and(|text| text.contains("Deskmate")), "{called:?}");
    assert_eq!(serving.send("DELETE", "/mcp/info/mcp", &session, "").code, 200);
    assert_eq!(serving.post("/mcp/info/mcp", &session, &call).code, 404);
}

#[test]
fn other_names_and_origins_are_refused() {
    let serving = Serving::start(&[]);
    for stranger in [("Host", "evil.example.com"), ("Origin", "http://evil.example.com")] {
        assert_eq!(serving.send("GET", "/", &[stranger], "").code, 403);
        let headers: Vec<_> = DISCOVER.iter().copied().chain([stranger]).collect();
        let answer = serving.post("/mcp", &headers, &discover());
        assert_eq!((answer.code, answer.json()), (403, json!(null)), "{stranger:?}");
    }
}

#[test]
fn the_fotos_application_is_for_programs_of_this_user_and_not_for_those_with_a_token() {
    let folder = Folder::new();
    let (runtime, token) = (folder.path("run"), "a-s3cret-of-some-length");
    // Nobody is at the socket: whoever relays says so, and whoever does not lists what is here.
    let variables = [("FOTOS_MODE", Path::new("bridge")), ("XDG_RUNTIME_DIR", runtime.as_path())];
    let bearer = format!("Bearer {token}");
    for (arguments, headers, is_relayed) in
        [(vec![], vec![], true), (vec!["--token", token], vec![("Authorization", bearer.as_str())], false)]
    {
        let serving = Serving::with(&arguments, &variables);
        let opened = serving.post("/mcp/fotos/mcp", &headers, &initialize());
        let session = opened.header("mcp-session-id").expect("a session");
        let headers: Vec<_> = headers.into_iter().chain([("Mcp-Session-Id", session)]).collect();
        let call = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call",
                           "params": { "name": "list_screenshots", "arguments": {} } });
        let answer = serving.post("/mcp/fotos/mcp", &headers, &call).json();
        if is_relayed {
            assert_eq!(answer["error"]["code"], -32000, "{answer}");
        } else {
            assert_eq!(answer["result"]["structuredContent"]["total"], 0, "{answer}");
        }
    }
}

#[test]
fn another_users_process_is_refused() {
    let serving = Serving::start(&[]);
    let script = format!(
        "exec 3<>/dev/tcp/127.0.0.1/{} && printf 'GET / HTTP/1.0\\r\\nHost: localhost\\r\\n\\r\\n' >&3 && cat <&3",
        serving.address.port()
    );
    let ask_as = |user: &[&str]| {
        let words: Vec<&str> = user.iter().copied().chain(["bash", "-c", &script]).collect();
        let output = Command::new(words[0]).args(&words[1..]).output().expect("the command starts");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let us = ask_as(&["env"]);
    assert!(us.starts_with("HTTP/1.0 200"), "the same request must be answered to ourselves: {us}");
    assert_eq!(ask_as(as_nobody()), "", "another user must not get a byte");
}

#[test]
fn a_token_once_given_is_required() {
    let serving = Serving::start(&["--token", "a-s3cret-of-some-length"]);
    let refused = serving.post("/mcp", &DISCOVER, &discover());
    assert_eq!((refused.code, refused.header("www-authenticate")), (401, Some("Bearer")));
    let with: Vec<_> =
        DISCOVER.into_iter().chain([("Authorization", "Bearer a-s3cret-of-some-length")]).collect();
    assert_eq!(serving.post("/mcp", &with, &discover()).code, 200);
}

#[test]
fn other_machines_are_not_served_without_a_token() {
    let message = deskmate(&["serve", "--host", "0.0.0.0", "--port", "0"]).complained(2);
    assert!(message.contains("a token is needed") && message.contains("--token"), "{message}");
    let serving = Serving::start(&["--host", "0.0.0.0", "--token", "a-s3cret-of-some-length"]);
    let local = std::net::SocketAddr::from(([127, 0, 0, 1], serving.address.port()));
    let host = local.to_string();
    let headers: Vec<_> = DISCOVER.into_iter().chain([("Host", host.as_str())]).collect();
    assert_eq!(serving.post("/mcp", &headers, &discover()).code, 401);
}

#[test]
fn a_port_in_use_is_said_with_what_to_do() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("an address").port().to_string();
    let message = deskmate(&["serve", "--port", &port]).complained(1);
    assert!(message.contains(&port) && message.contains("in use") && message.contains("--port"), "{message}");
}

/// The address in a line that says so, and the rest of it.
fn announced(arguments: &[&str]) -> (Serving, String) {
    let mut command = crate::binary::command(&["serve", "--port", "0", "--read-only"]);
    Serving::announced(command.args(arguments).env_remove("DESKMATE_TOKEN"))
}

#[test]
fn the_link_that_is_printed_lets_one_browser_in() {
    let (serving, said) = announced(&["--token", "a-s3cret-of-some-length"]);
    let link = said.split("Open ").nth(1).and_then(|rest| rest.split(' ').next()).expect("a link");
    let path = link.strip_prefix(&format!("http://{}", serving.address)).expect("this server's");
    assert_eq!(serving.send("GET", "/", &[], "").code, 401, "nobody comes in without it");
    let opened = serving.send("GET", path, &[], "");
    assert_eq!((opened.code, opened.header("location")), (303, Some("/")));
    let cookie = opened.header("set-cookie").and_then(|cookie| cookie.split(';').next()).expect("a cookie");
    assert_eq!(serving.send("GET", "/", &[("Cookie", cookie)], "").code, 200);
    assert_eq!(serving.send("GET", path, &[], "").header("set-cookie"), None, "it worked once");
}

#[test]
fn addresses_that_are_printed_can_be_opened() {
    let (serving, said) = announced(&["--host", "0.0.0.0", "--token", "a-s3cret-of-some-length"]);
    assert!(said.contains("http://127.0.0.1:") && !said.contains("0.0.0.0"), "{said}");
    for url in said.split("http://").skip(1) {
        let address = url.split('/').next().expect("an address");
        std::net::TcpStream::connect(address).unwrap_or_else(|error| panic!("{address}: {error}"));
    }
    assert_eq!(serving.stop(), 0);
}

#[test]
fn a_token_that_can_be_guessed_is_refused() {
    let message = deskmate(&["serve", "--port", "0", "--token", "s3cret"]).complained(2);
    assert!(message.contains("at least 16") && message.contains("6 characters"), "{message}");
}
