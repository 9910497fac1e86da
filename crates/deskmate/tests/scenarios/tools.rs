//! `deskmate tools`.

use serde_json::Value;

use crate::binary::{command, deskmate};

#[test]
fn people_get_a_table() {
    let table = deskmate(&["tools"]).said();
    let lines: Vec<&str> = table.lines().collect();
    let columns = |line: &str| {
        line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(columns(lines[0]), ["TOOL", "SERVER", "MAY", "WHAT IT DOES"]);
    assert_eq!(columns(lines[1]), ["deskmate_info", "info", "read", "What Deskmate offers here"]);
    assert_eq!(
        columns(lines[2]),
        ["writeImageMetadata", "MetaTagGenie", "change", "Write photo metadata (写入图片元数据)"]
    );
}

#[test]
fn a_server_can_be_named_and_tools_that_change_things_left_out() {
    let info = deskmate(&["tools", "info"]).said();
    assert_eq!(info.lines().count(), 2, "{info}");
    let harmless = deskmate(&["tools", "--read-only", "--all"]).said();
    let tools: Vec<&str> = harmless.lines().skip(1).filter_map(|line| line.split(' ').next()).collect();
    let pictures = ["readImageMetadata", "previewImageMetadata"];
    let secrets = ["get_secret", "list_secrets", "test_policy", "secret_info", "get_totp", "scan_for_leaks"];
    assert_eq!(tools, [&["deskmate_info"][..], &pictures, &secrets].concat());
}

#[test]
fn programs_get_what_clients_see() {
    let list: Value = serde_json::from_str(&deskmate(&["tools", "--json"]).said()).expect("JSON");
    let tool = &list["tools"][0];
    assert_eq!(tool["name"], "deskmate_info");
    assert_eq!(tool["annotations"]["readOnlyHint"], true);
    assert_eq!(tool["inputSchema"]["type"], "object");
    assert_eq!(tool["outputSchema"]["type"], "object");
}

/// As in `deskmate tools | head -0`.
#[test]
fn a_reader_who_has_enough_is_no_error() {
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let output = command(&["tools"]).stdout(writer).output().expect("deskmate ends");
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
}

#[test]
fn an_unknown_server_is_refused_with_the_names_there_are() {
    let message = deskmate(&["tools", "nowhere"]).complained(2);
    assert!(message.contains("`nowhere`") && message.ends_with(": info, MetaTagGenie, authy\n"), "{message}");
}
