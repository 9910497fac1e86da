//! `deskmate call`.

use serde_json::Value;

use crate::binary::{command, deskmate, finish};

#[test]
fn a_tool_without_arguments_answers_in_text() {
    let text = deskmate(&["call", "deskmate_info"]).said();
    assert!(text.starts_with("Deskmate ") && text.contains("\nMCP revisions: 2026-07-28"), "{text}");
}

#[test]
fn arguments_come_from_the_command_line_or_from_stdin() {
    // Other programs fill and empty the disk while we look.
    let steady =
        |text: String| text.lines().filter(|line| !line.starts_with("- disk")).collect::<Vec<_>>().join("\n");
    let expected = steady(deskmate(&["call", "deskmate_info"]).said());
    assert_eq!(steady(deskmate(&["call", "deskmate_info", "{}"]).said()), expected);
    assert_eq!(steady(finish(&mut command(&["call", "deskmate_info", "-"]), "{\n}\n").said()), expected);
}

#[test]
fn programs_get_the_whole_result() {
    let result: Value =
        serde_json::from_str(&deskmate(&["call", "deskmate_info", "--json"]).said()).expect("JSON");
    assert_eq!(result["structuredContent"]["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(result["content"][0]["type"], "text");
}

#[test]
fn a_tool_that_fails_says_so_on_stderr() {
    let message = deskmate(&["call", "deskmate_info", r#"{"verbose": true}"#]).complained(1);
    assert_eq!(message, "error: Unknown argument `verbose` (it takes none)\n");
}

#[test]
fn a_failure_as_json_is_still_a_failure() {
    let failed = deskmate(&["call", "deskmate_info", r#"{"verbose": true}"#, "--json"]);
    assert_eq!(failed.code, Some(1));
    assert_eq!(failed.stderr, "error: Unknown argument `verbose` (it takes none)\n");
    let result: Value = serde_json::from_str(&failed.stdout).expect("JSON");
    assert_eq!(result["isError"], true);
}

#[test]
fn an_unknown_tool_is_a_wrong_command_line() {
    let message = deskmate(&["call", "deskmate"]).complained(2);
    assert_eq!(
        message,
        "error: there is no tool `deskmate`; perhaps `deskmate_info` is meant; `deskmate tools --all` lists what there is\n"
    );
}

#[test]
fn bad_json_is_shown_with_its_mistake() {
    let message = deskmate(&["call", "deskmate_info", "{verbose: true}"]).complained(2);
    assert_eq!(
        message,
        "error: the arguments are not JSON: key must be a string at line 1 column 2\n  {verbose: true}\n   ^\n"
    );
    let message = deskmate(&["call", "deskmate_info", "[]"]).complained(2);
    assert!(message.ends_with("not an array\n"), "{message}");
    let message = finish(&mut command(&["call", "deskmate_info", "-"]), "{\n  \"a\":\n").complained(2);
    assert!(message.ends_with(" at line 2 column 6\n    \"a\":\n       ^\n"), "{message}");
    let message = finish(&mut command(&["call", "deskmate_info", "-"]), "\n").complained(2);
    assert!(message.starts_with("error: the arguments are empty"), "{message}");
}
