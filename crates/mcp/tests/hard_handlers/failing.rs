//! Failures, in the style of their server.

use mcp::Version;
use mcp_testkit::{Client, fixture};
use serde_json::json;

use crate::{in_both_eras, text};

#[test]
fn a_failing_tool_is_an_is_error_result_by_default() {
    in_both_eras(fixture::server, |mut client, _| {
        let result = client.call("fail_tool", json!({}));
        assert_eq!(result["isError"], true);
        assert_eq!(text(&result), "No such file: `a.png`; give an absolute path");
    });
}

#[test]
fn a_failing_tool_is_an_rpc_error_where_the_server_says_so() {
    in_both_eras(fixture::server_failing_by_rpc, |mut client, _| {
        let error = client.error("tools/call", json!({ "name": "fail_tool", "arguments": {} }));
        assert_eq!(error["code"], -32050);
    });
}

#[test]
fn a_servers_own_code_message_and_data_go_out_unchanged() {
    in_both_eras(fixture::server, |mut client, _| {
        let error = client.error("tools/call", json!({ "name": "fail_with_code", "arguments": {} }));
        assert_eq!(
            error,
            json!({ "code": -32001, "message": "文件未找到: /a.jpg", "data": { "filePath": "/a.jpg" } })
        );
    });
}

#[test]
fn an_unknown_tool_is_said_in_the_servers_style() {
    in_both_eras(fixture::server, |mut client, _| {
        let error = client.error("tools/call", json!({ "name": "nope" }));
        assert_eq!(
            (error["code"].as_i64(), error["message"].as_str()),
            (Some(-32602), Some("Unknown tool: nope"))
        );
    });
    in_both_eras(fixture::server_failing_by_rpc, |mut client, _| {
        assert_eq!(client.error("tools/call", json!({ "name": "nope" }))["code"], -32601);
    });
}

#[test]
fn wrong_arguments_name_the_field_what_was_expected_and_what_came() {
    in_both_eras(fixture::server, |mut client, _| {
        let result = client.call("add", json!({ "a": 1, "b": "two" }));
        assert_eq!(result["isError"], true);
        assert_eq!(text(&result), "Argument `b`: expected an integer, got string \"two\"");
        let result = client.call("echo", json!({}));
        assert_eq!(text(&result), "Missing argument `text` (a string): The text to repeat.");
        let result = client.call("echo", json!({ "texd": "x" }));
        assert_eq!(text(&result), "Unknown argument `texd`; did you mean `text`? (accepted are `text`)");
    });
    in_both_eras(fixture::server_failing_by_rpc, |mut client, _| {
        let error = client.error("tools/call", json!({ "name": "add", "arguments": { "a": 1 } }));
        assert_eq!(error["code"], -32602);
        assert_eq!(error["message"], "Missing argument `b` (an integer): The second number.");
    });
}

#[test]
fn a_panic_is_an_error_answer_and_the_server_goes_on() {
    in_both_eras(fixture::server, |mut client, _| {
        for tool in ["panic", "panic_later"] {
            let error = client.error("tools/call", json!({ "name": tool, "arguments": {} }));
            assert_eq!(error["code"], -32603, "{tool}");
        }
        assert_eq!(text(&client.call("echo", json!({ "text": "still here" }))), "still here");
    });
}

/// A letter that no message has of itself.
const LETTER: &str = "\u{416}";

#[test]
fn of_what_was_sent_two_hundred_characters_come_back_whatever_was_requested() {
    let long = LETTER.repeat(100_000);
    let prompt = json!({ "type": "ref/prompt", "name": "describe" });
    let requests = [
        ("prompts/get", json!({ "name": long })),
        ("prompts/get", json!({ "name": "describe", "arguments": { "page": long } })),
        ("resources/read", json!({ "uri": format!("fixture://pages/{long}") })),
        (
            "completion/complete",
            json!({ "ref": { "type": long }, "argument": { "name": "a", "value": "b" } }),
        ),
        (
            "completion/complete",
            json!({ "ref": prompt, "argument": { "name": "tone", "value": { &long: 1 } } }),
        ),
        (
            "completion/complete",
            json!({ "ref": prompt, "argument": { "name": "tone", "value": "" }, "context": long }),
        ),
        ("tools/list", json!({ "cursor": long })),
        (long.as_str(), json!({})),
    ];
    in_both_eras(fixture::server, |mut client, _| {
        for (method, params) in &requests {
            let error = client.error(method, params.clone());
            let repeated = error["message"].as_str().map(|text| text.matches(LETTER).count());
            assert!(repeated.is_some_and(|count| count <= 200), "{repeated:?}: {method:.40}");
        }
    });
    let mut client = Client::memory(fixture::server()).speaking(Version::MODERN);
    let error =
        client.error("subscriptions/listen", json!({ "notifications": { "toolsListChanged": long } }));
    assert!(error.to_string().matches(LETTER).count() <= 200);
}

#[test]
fn a_missing_resource_has_the_code_of_its_era() {
    in_both_eras(fixture::server, |mut client, version| {
        for uri in ["fixture://pages/13", "fixture://nothing"] {
            let error = client.error("resources/read", json!({ "uri": uri }));
            assert_eq!(error["code"], if version.is_modern() { -32602 } else { -32002 });
            assert_eq!(error["data"], json!({ "uri": uri }));
        }
    });
}
