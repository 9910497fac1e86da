//! Requests whose parameters do not fit.

use mcp::Version;
use serde_json::{Value, json};

use crate::{fixture, in_both_eras, in_era, request, text};

/// Checks the message of a request that is refused with -32602.
fn check(method: &str, params: &Value, expected: &str) {
    in_both_eras(|client, _| {
        let error = client.error(method, params.clone());
        assert_eq!(error["code"], -32602, "{params}: {error}");
        assert!(error["message"].as_str().is_some_and(|message| message.contains(expected)), "{error}");
    });
}

#[test]
fn a_call_without_a_tool_name_is_told_which_field_is_missing() {
    check("tools/call", &json!({ "arguments": {} }), "`params.name` is missing");
    check("tools/call", &json!({}), "`params.name` is missing");
    check("tools/call", &json!({ "name": null }), "`params.name` is missing");
}

#[test]
fn a_tool_name_that_is_no_string_is_refused() {
    check("tools/call", &json!({ "name": 5 }), "`params.name` must be a string, not a number");
    check("tools/call", &json!({ "name": ["echo"] }), "`params.name` must be a string, not an array");
}

#[test]
fn arguments_that_are_no_object_are_refused() {
    for (arguments, kind) in [(json!("text"), "a string"), (json!([1]), "an array"), (json!(5), "a number")] {
        let params = json!({ "name": "echo", "arguments": arguments });
        check("tools/call", &params, &format!("`params.arguments` must be an object, not {kind}"));
    }
}

#[test]
fn an_unknown_tool_is_named() {
    check("tools/call", &json!({ "name": "ecko", "arguments": {} }), "Unknown tool: ecko");
}

#[test]
fn a_missing_argument_is_named_with_what_it_is() {
    in_both_eras(|client, _| {
        for params in [
            json!({ "name": "echo", "arguments": {} }),
            json!({ "name": "echo" }),
            json!({ "name": "echo", "arguments": null }),
        ] {
            let result = client.result("tools/call", params);
            assert_eq!(result["isError"], true);
            let message = text(&result);
            assert!(message.contains("`text`") && message.contains("string"), "{message}");
        }
    });
}

#[test]
fn an_argument_of_the_wrong_type_is_named_with_what_was_expected_and_what_came() {
    in_both_eras(|client, _| {
        let result = client.call("echo", json!({ "text": 7 }));
        assert_eq!(result["isError"], true);
        assert_eq!(text(&result), "Argument `text`: expected a string, got integer `7`");
        let result = client.call("add", json!({ "a": 1, "b": "two" }));
        assert_eq!(text(&result), "Argument `b`: expected an integer, got string \"two\"");
        let result = client.call("add", json!({ "a": 1, "b": 2.5 }));
        assert!(text(&result).starts_with("Argument `b`: expected an integer"), "{result}");
        let result = client.call("add", json!({ "a": 1, "b": 3_000_000_000_u64 }));
        assert!(text(&result).starts_with("Argument `b`: expected a smaller whole number"), "{result}");
    });
}

#[test]
fn a_wrong_argument_is_not_repeated_at_length() {
    in_both_eras(|client, _| {
        let result = client.call("add", json!({ "a": 1, "b": "\u{e4}\"".repeat(100_000) }));
        let message = text(&result);
        assert!(message.starts_with("Argument `b`: expected an integer, got string"), "{message}");
        assert!(message.len() < 700, "{} bytes", message.len());
    });
}

#[test]
fn an_unknown_argument_is_named() {
    in_both_eras(|client, _| {
        let result = client.call("echo", json!({ "text": "x", "texd": "y" }));
        assert_eq!(result["isError"], true);
        assert!(text(&result).contains("`texd`"), "{result}");
    });
}

#[test]
fn a_bare_method_takes_its_arguments_from_params_beside_meta() {
    in_both_eras(|client, _| {
        let meta = json!({ "_meta": { "progressToken": 1 } });
        assert_eq!(client.result("tallyUp", meta)["effects"], 1);
        let sum = client.result("addNumbers", json!({ "a": 1, "b": 2, "_meta": {} }));
        assert_eq!(sum["sum"], 3);
    });
}

#[test]
fn meta_that_is_no_object_is_refused() {
    for version in [Version::V2024_11_05, Version::V2025_11_25] {
        let mut client = fixture(version);
        for (meta, kind) in [(json!("x"), "a string"), (json!([]), "an array"), (json!(7), "a number")] {
            for method in ["tools/list", "ping", "tools/call", "no/such"] {
                let error = client.error(method, json!({ "name": "echo", "_meta": meta }));
                assert_eq!(error["code"], -32602, "{method}");
                assert_eq!(error["message"], format!("`params._meta` must be an object, not {kind}"));
            }
        }
    }
}

#[test]
fn an_unknown_cursor_is_refused_and_an_empty_one_is_the_start() {
    for list in ["tools/list", "resources/list", "resources/templates/list", "prompts/list"] {
        check(list, &json!({ "cursor": "nowhere" }), "Unknown cursor `nowhere`");
        check(list, &json!({ "cursor": "page-99" }), "Unknown cursor");
        check(list, &json!({ "cursor": 5 }), "`params.cursor` must be a string");
        in_both_eras(|client, _| {
            assert_eq!(client.result(list, json!({ "cursor": "" })), client.result(list, json!({})));
        });
    }
}

#[test]
fn an_unknown_log_level_is_refused() {
    let mut client = fixture(Version::V2025_11_25);
    for level in [json!({ "level": "loud" }), json!({ "level": 5 }), json!({})] {
        assert_eq!(client.error("logging/setLevel", level)["code"], -32602);
    }
    let mut client = fixture(Version::MODERN);
    for level in [json!("loud"), json!(5), json!({})] {
        let params = json!({ "_meta": { "io.modelcontextprotocol/logLevel": level } });
        assert_eq!(client.error("tools/list", params)["code"], -32602, "{level}");
    }
}

#[test]
fn half_a_character_is_named_as_what_it_is() {
    let mut client = fixture(Version::V2025_11_25);
    for (line, code) in [
        (r#"{"jsonrpc":"2.0","id":1,"method":"\ud800"}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"\ud800"}}"#, -32602),
    ] {
        client.send(line);
        let error = client.receive()["error"].take();
        assert_eq!(error["code"], code);
        assert!(error["message"].as_str().is_some_and(|text| text.contains("half a character")), "{error}");
    }
    client.send(
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"\ud800"}}}"#,
    );
    let answer = client.receive();
    assert!(text(&answer["result"]).starts_with("Argument `text`: it has an escape"), "{answer}");
}

#[test]
fn an_id_under_way_is_not_repeated_at_length() {
    in_both_eras(|client, version| {
        let id = "y".repeat(10_000);
        let call = in_era(version, json!({ "name": "hold", "arguments": {} }));
        for _ in 0..2 {
            client.send_json(&json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": call }));
        }
        let refused = client.receive();
        let message = refused["error"]["message"].as_str().expect("a message");
        assert!(message.contains("under way") && message.len() < 300, "{message}");
        client.call("release", json!({}));
        client.response(&json!(id));
    });
}

#[test]
fn what_is_watched_has_an_address_of_some_length() {
    let uri = "x".repeat(5_000);
    let mut client = fixture(Version::V2025_11_25);
    assert_eq!(client.error("resources/subscribe", json!({ "uri": uri }))["code"], -32602);
    let mut refused = 0;
    for number in 0..100 {
        let answer =
            client.request("resources/subscribe", json!({ "uri": format!("{number}{}", &uri[..4_000]) }));
        refused += usize::from(answer.get("error").is_some());
    }
    assert!((50..80).contains(&refused), "{refused} of 100 were refused");
    let mut client = fixture(Version::MODERN);
    let params = json!({ "notifications": { "resourceSubscriptions": [uri] } });
    assert_eq!(client.error("subscriptions/listen", params)["code"], -32602);
}

#[test]
fn listening_needs_a_filter() {
    let mut client = fixture(Version::MODERN);
    for params in [
        json!({}),
        json!({ "notifications": null }),
        json!({ "notifications": [] }),
        json!({ "notifications": "all" }),
        json!({ "notifications": { "toolsListChanged": "yes" } }),
        json!({ "notifications": { "resourceSubscriptions": "fixture://readme" } }),
    ] {
        assert_eq!(client.error("subscriptions/listen", params.clone())["code"], -32602, "{params}");
    }
    crate::assert_alive_and_quiet(client);
}

#[test]
fn resources_and_prompts_that_do_not_exist_are_named() {
    for (version, code) in [(Version::V2025_11_25, -32002), (Version::MODERN, -32602)] {
        let mut client = fixture(version);
        for uri in ["fixture://nothing", "fixture://pages/13", "", "\u{0}", "file:///etc/passwd"] {
            let error = client.error("resources/read", json!({ "uri": uri }));
            assert_eq!((&error["code"], &error["data"]["uri"]), (&json!(code), &json!(uri)), "{error}");
        }
    }
    check("resources/read", &json!({}), "`params.uri` is missing");
    check("prompts/get", &json!({ "name": "nothing" }), "Unknown prompt: nothing");
    check("prompts/get", &json!({ "name": "describe" }), "`page`");
    check("prompts/get", &json!({ "name": "describe", "arguments": { "page": 5 } }), "`page`");
    let null = json!({ "name": "describe", "arguments": { "page": null } });
    check("prompts/get", &null, "Missing argument `page`");
}

#[test]
fn a_completion_that_does_not_say_of_what_is_refused() {
    let argument = json!({ "name": "tone", "value": "p" });
    for (params, expected) in [
        (json!({}), "`params.ref` is missing"),
        (json!({ "ref": { "type": "ref/prompt", "name": "describe" } }), "`params.argument` is missing"),
        (json!({ "ref": { "type": "ref/tool", "name": "echo" }, "argument": argument }), "`ref/prompt`"),
        (
            json!({ "ref": { "type": "ref/prompt", "name": "nothing" }, "argument": argument }),
            "Unknown prompt",
        ),
        (
            json!({ "ref": { "type": "ref/resource", "uri": "a://b" }, "argument": argument }),
            "Unknown resource",
        ),
        (json!({ "ref": [], "argument": argument }), "`params.ref` must be an object"),
    ] {
        check("completion/complete", &params, expected);
    }
}

#[test]
fn a_progress_token_that_is_no_token_is_ignored() {
    in_both_eras(|client, version| {
        for token in [json!({}), json!([1]), json!(true), json!(null), json!(1.5), json!(1e99)] {
            let call =
                json!({ "name": "count", "arguments": { "steps": 1 }, "_meta": { "progressToken": token } });
            let id = client.start("tools/call", in_era(version, call));
            assert_eq!(client.receive()["id"], id, "{token}");
        }
    });
}

#[test]
fn an_argument_that_is_given_twice_is_refused_and_named() {
    in_both_eras(|client, version| {
        for arguments in
            [r#""text":"a","text":"b""#, r#""text":"a","t\u0065xt":"a""#, r#""text":null,"text":"b""#]
        {
            let line = request(version, "7", "tools/call", crate::echo("@"));
            client.send_bytes(line.replace(r#""text":"@""#, arguments).as_bytes());
            let answer = client.receive();
            assert_eq!(answer["result"]["isError"], true, "{arguments}: {answer}");
            let words = text(&answer["result"]);
            assert!(words.contains("`text`"), "{arguments}: {words}");
        }
    });
}

#[test]
fn half_a_character_is_named_so() {
    in_both_eras(|client, version| {
        for (arguments, expected) in [
            (r#""text":"\ud800""#, "Argument `text`: it has an escape such as `\\ud800`"),
            (r#""text":"a","more":"\ud800""#, "Unknown argument `more`"),
        ] {
            let line = request(version, "7", "tools/call", crate::echo("@"));
            client.send_bytes(line.replace(r#""text":"@""#, arguments).as_bytes());
            let answer = client.receive();
            let words = text(&answer["result"]);
            assert!(words.contains(expected), "{arguments}: {words}");
        }
    });
}

/// With `_meta` beside them, too.
#[test]
fn an_argument_that_a_bare_method_is_given_twice_is_refused_and_named() {
    in_both_eras(|client, version| {
        for meta in [json!({}), json!({ "progressToken": 1 })] {
            let line = request(version, "7", "addNumbers", json!({ "a": 1, "b": 2, "_meta": meta }));
            client.send_bytes(line.replace(r#""b":2"#, r#""b":2,"b":3"#).as_bytes());
            let answer = client.receive();
            assert!(answer.to_string().contains("`b` is given twice"), "{answer}");
        }
    });
}
