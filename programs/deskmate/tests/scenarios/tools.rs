//! `deskmate tools`.

use serde_json::Value;

use crate::binary::{command, deskmate};

#[test]
fn people_get_a_table() {
    let table = deskmate(&["tools"]).said();
    // The widths are those of the longest names.
    let lines: Vec<String> =
        table.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    assert_eq!(lines[0], "TOOL SERVER MAY WHAT IT DOES");
    assert_eq!(lines[1], "deskmate_info info read What Deskmate offers here");
    assert_eq!(lines[2], "writeImageMetadata MetaTagGenie change Write photo metadata (写入图片元数据)");
    let columns = table.lines().map(|line| line.find("MetaTagGenie").or_else(|| line.find("SERVER")));
    let columns: Vec<usize> = columns.flatten().collect();
    assert!(columns.len() > 1 && columns.iter().all(|column| *column == columns[0]), "{table}");
}

#[test]
fn a_server_can_be_named_and_tools_that_change_things_left_out() {
    let info = deskmate(&["tools", "info"]).said();
    assert_eq!(info.lines().count(), 2, "{info}");
    let reading = deskmate(&["tools", "--read-only", "--all"]).said();
    assert!(reading.contains("list_recipes") && !reading.contains(" change "), "{reading}");
}

#[test]
fn programs_get_what_clients_see() {
    let list: Value = serde_json::from_str(&deskmate(&["tools", "--json"]).said()).expect("JSON");
    let tool = &list["tools"][0];
    assert_eq!(tool["name"], "deskmate_info");
    assert_eq!(tool["annotations"]["readOnlyHint"], true);
    assert_eq!(tool["inputSchema"]["type"], "object");
    assert_eq!(tool.get("outputSchema"), None, "models read it with every request");
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
    assert!(
        message.contains("`nowhere`")
            && message.ends_with(": info, MetaTagGenie, authy, recipe-vault, fotos, zai-mcp-server\n"),
        "{message}"
    );
}
