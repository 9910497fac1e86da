//! `deskmate stdio`, from its first message to its end.

use mcp::Version;
use mcp_testkit::Client;
use serde_json::{Value, json};

use crate::binary::{client, command, deskmate, finish};

/// Hangs up and checks that nothing was said that nobody asked for.
#[track_caller]
fn goodbye(client: Client) {
    let goodbye = client.hang_up();
    assert_eq!((goodbye.code, goodbye.stderr.as_str()), (Some(0), ""));
    assert!(goodbye.rest.is_empty(), "{:?}", goodbye.rest);
}

fn tool_names(list: &Value) -> Vec<&str> {
    list["tools"]
        .as_array()
        .expect("tools")
        .iter()
        .map(|tool| tool["name"].as_str().expect("a name"))
        .collect()
}

#[test]
fn all_servers_together_introduce_themselves_as_deskmate() {
    let mut client = client(&["stdio"]);
    let hello = client.result("initialize", json!({ "protocolVersion": "2025-11-25", "capabilities": {} }));
    assert_eq!(hello["serverInfo"]["name"], "deskmate");
    assert_eq!(hello["serverInfo"]["version"], env!("CARGO_PKG_VERSION"));
    assert!(hello["serverInfo"]["description"].is_string(), "{hello}");
    let instructions = hello["instructions"].as_str().expect("instructions");
    assert!(instructions.contains("\n- info: "), "{instructions}");
    goodbye(client);
}

#[test]
fn one_server_introduces_itself_in_every_handshake_revision() {
    for version in Version::ALL.into_iter().filter(|version| !version.is_modern()) {
        let mut client = client(&["stdio", "info"]);
        let hello =
            client.result("initialize", json!({ "protocolVersion": version.as_str(), "capabilities": {} }));
        assert_eq!(hello["protocolVersion"], version.as_str());
        assert_eq!(hello["serverInfo"]["name"], "info");
        goodbye(client);
    }
}

#[test]
fn all_answer_discover_without_a_handshake() {
    for (arguments, name, tools) in [
        (
            &["stdio"][..],
            "deskmate",
            &[
                "deskmate_info",
                "writeImageMetadata",
                "list_secrets",
                "store_secret",
                "run_with_secrets",
                "http_request",
            ][..],
        ),
        (&["stdio", "info"][..], "info", &["deskmate_info"]),
        (
            &["stdio", "MetaTagGenie"][..],
            "MetaTagGenie",
            &[
                "writeImageMetadata",
                "readImageMetadata",
                "previewImageMetadata",
                "batchWriteImageMetadata",
                "removeImageTags",
                "undoImageMetadata",
            ],
        ),
    ] {
        let mut client = client(arguments).speaking(Version::MODERN);
        let found = client.result("server/discover", json!({}));
        assert_eq!(found["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], name);
        assert_eq!(found["supportedVersions"], json!(Version::ALL.map(Version::as_str)));
        let list = client.result("tools/list", json!({}));
        assert_eq!(tool_names(&list)[..tools.len()], *tools);
        goodbye(client);
    }
}

#[test]
fn a_tool_is_called_in_both_eras() {
    for version in [Version::NEWEST_LEGACY, Version::MODERN] {
        for arguments in [&["stdio"][..], &["stdio", "info"], &["stdio", "--read-only"], &["stdio", "--all"]]
        {
            let mut client = client(arguments).speaking(version);
            let result = client.call("deskmate_info", json!({}));
            assert_eq!(result["structuredContent"]["servers"][0]["name"], "info", "{result}");
            let text = result["content"][0]["text"].as_str().expect("text");
            assert!(text.starts_with("Deskmate "), "{text}");
            goodbye(client);
        }
    }
}

#[test]
fn a_wrong_argument_is_named() {
    let mut client = client(&["stdio"]).speaking(Version::MODERN);
    let result = client.call("deskmate_info", json!({ "verbose": true }));
    assert_eq!(result["isError"], true);
    assert_eq!(result["content"][0]["text"], "Unknown argument `verbose` (it takes none)");
    goodbye(client);
}

#[test]
fn a_server_that_does_not_exist_is_refused_before_the_first_message() {
    let message = deskmate(&["stdio", "info,nowhere"]).complained(2);
    assert_eq!(
        message,
        "error: there is no server `nowhere`; name one of these, or none to get all: info, MetaTagGenie, authy, recipe-vault, fotos, zai-mcp-server\n"
    );
}

#[test]
fn a_mode_of_fotos_that_does_not_exist_is_refused_before_the_first_message() {
    for arguments in [&["stdio"][..], &["stdio", "fotos"], &["serve", "--port", "0"]] {
        let message = finish(command(arguments).env("FOTOS_MODE", "brigde"), "").complained(2);
        assert_eq!(
            message,
            "error: `FOTOS_MODE` is wrong: there is no mode `brigde`; choose one of auto, bridge and standalone\n"
        );
    }
    // It is nothing to the others.
    assert_eq!(finish(command(&["stdio", "info"]).env("FOTOS_MODE", "brigde"), "").code, Some(0));
}

#[test]
fn no_input_is_no_error() {
    goodbye(client(&["stdio"]));
}
