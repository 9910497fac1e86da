//! General conventions.

use std::fs;

use mcp::Version;
use mcp_testkit::Client;
use serde_json::json;

use crate::genie::{Folder, Way, command, each_way, genie};
use crate::pictures;

#[test]
fn stdio_transport() {
    let mut genie = genie();
    genie.client.result("tools/list", json!({}));
    let goodbye = genie.client.hang_up();
    assert_eq!((goodbye.code, goodbye.stderr.as_str(), goodbye.rest.len()), (Some(0), "", 0));
}

#[test]
fn messages_are_json_rpc_2_0() {
    let folder = Folder::new();
    let mut client = Client::process(&mut command(&folder.path("")));
    client.send(r#"{"jsonrpc":"2.0","id":"one","method":"tools/list"}"#);
    let text = client.receive_text();
    assert!(text.starts_with('{') && text.contains(r#""jsonrpc":"2.0""#), "{text}");
    assert!(text.contains(r#""id":"one""#), "{text}");
}

#[test]
fn initialization_handshake_comes_first() {
    for version in Version::ALL.into_iter().filter(|version| !version.is_modern()) {
        let folder = Folder::new();
        let mut client = Client::process(&mut command(&folder.path("")));
        let hello =
            client.result("initialize", json!({ "protocolVersion": version.as_str(), "capabilities": {} }));
        assert_eq!(hello["protocolVersion"], version.as_str());
        assert_eq!(hello["serverInfo"]["name"], "MetaTagGenie");
        assert!(hello["capabilities"]["tools"].is_object(), "{hello}");
    }
}

#[test]
fn success_is_a_json_rpc_result() {
    each_way(|genie| {
        let path = genie.folder.file("a.jpg", &pictures::jpeg());
        let object = genie.call(&json!({ "filePath": path, "metadata": { "tags": ["家庭"] } }));
        assert_eq!(object["success"], true);
    });
}

#[test]
fn failure_is_a_json_rpc_error_with_code_message_and_optional_data() {
    each_way(|genie| {
        let path = genie.folder.path("nothing.jpg");
        let error = genie.error(&json!({ "filePath": path, "metadata": {} }));
        assert!(
            error["code"].is_i64() && error["message"].is_string() && error["data"].is_object(),
            "{error}"
        );
    });
}

#[test]
fn error_data_may_carry_the_file_path_or_the_parameter() {
    each_way(|genie| {
        let text = genie.folder.file("a.jpg", b"a text");
        let error = genie.error(&json!({ "filePath": text, "metadata": {} }));
        assert_eq!(error["data"], json!({ "filePath": text }));
    });
}

/// Calls of one file take turns; those of others do not wait.
#[test]
fn calls_at_once_on_one_file_all_count() {
    let mut genie = crate::genie::Genie::new(Way::Bare);
    let path = genie.folder.file("a.jpg", &pictures::jpeg());
    let ids: Vec<_> = (0..20)
        .map(|number| {
            let metadata = json!({ "tags": [format!("tag {number}")] });
            let arguments = json!({ "filePath": path, "metadata": metadata, "overwrite": false });
            genie.client.start("writeImageMetadata", arguments)
        })
        .collect();
    for id in ids {
        assert_eq!(genie.client.response(&id)["result"]["success"], true);
    }
    assert_eq!(crate::exiftool::list(&path, "XMP-dc:Subject").len(), 20);
    let left: Vec<_> = fs::read_dir(genie.folder.path("")).expect("a folder").collect();
    assert_eq!(left.len(), 1, "{left:?}");
}
