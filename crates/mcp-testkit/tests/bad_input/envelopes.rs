//! JSON objects that are no requests, and ids of every kind.

use serde_json::{Value, json};

use crate::{fault, fault_in_words, in_both_eras, request, text};

#[test]
fn a_missing_or_wrong_jsonrpc_is_an_invalid_request_with_the_id() {
    in_both_eras(|client, version| {
        let good = request(version, "\"a\"", "tools/list", json!({}));
        for wrong in ["", r#""jsonrpc":"1.0","#, r#""jsonrpc":2.0,"#, r#""jsonrpc":null,"#] {
            let line = good.replace(r#""jsonrpc":"2.0","#, wrong);
            let (id, code, message) = fault_in_words(client, &line);
            assert_eq!((id, code), (json!("a"), -32600), "{line}");
            assert!(message.contains("`jsonrpc` must be \"2.0\""), "{message}");
        }
    });
}

#[test]
fn params_that_are_no_object_are_an_invalid_request_with_the_id() {
    in_both_eras(|client, _| {
        for (params, kind) in
            [("[1,2]", "an array"), ("[]", "an array"), ("\"x\"", "a string"), ("7", "a number")]
        {
            let line = format!(r#"{{"jsonrpc":"2.0","id":3,"method":"tools/list","params":{params}}}"#);
            let (id, code, message) = fault_in_words(client, &line);
            assert_eq!((id, code), (json!(3), -32600), "{line}");
            assert!(message.contains(&format!("`params` must be an object, not {kind}")), "{message}");
        }
    });
}

#[test]
fn a_missing_or_wrong_method_is_an_invalid_request_with_the_id() {
    in_both_eras(|client, _| {
        for line in [
            r#"{"jsonrpc":"2.0","id":4}"#,
            r#"{"jsonrpc":"2.0","id":4,"method":7}"#,
            r#"{"jsonrpc":"2.0","id":4,"method":null,"params":{}}"#,
            r#"{"jsonrpc":"2.0","id":4,"method":["ping"]}"#,
        ] {
            let (id, code, message) = fault_in_words(client, line);
            assert_eq!((id, code), (json!(4), -32600), "{line}");
            assert!(message.contains("`method`"), "{message}");
        }
        assert_eq!(fault(client, "{}"), (Value::Null, -32600));
    });
}

#[test]
fn a_member_given_twice_is_an_invalid_request() {
    in_both_eras(|client, _| {
        let line = r#"{"jsonrpc":"2.0","id":3,"id":4,"method":"tools/list"}"#;
        assert_eq!(fault(client, line), (json!(3), -32600));
        let line = r#"{"jsonrpc":"2.0","id":3,"method":"tools/list","method":"tools/call"}"#;
        assert_eq!(fault(client, line), (json!(3), -32600));
    });
}

#[test]
fn ids_that_are_no_string_and_no_integer_are_refused() {
    in_both_eras(|client, version| {
        for id in [
            "null",
            "1.5",
            "1.0",
            "1e3",
            "{}",
            "[]",
            "[1]",
            "true",
            "18446744073709551616",
            "-9223372036854775809",
            "99999999999999999999999999",
        ] {
            let (answered, code, message) =
                fault_in_words(client, request(version, id, "tools/list", json!({})));
            assert_eq!((answered, code), (Value::Null, -32600), "{id}");
            assert!(message.contains("`id` must be a string or an integer"), "{message}");
        }
    });
}

#[test]
fn ids_are_echoed_as_written() {
    in_both_eras(|client, version| {
        for id in [
            "0",
            "-1",
            "18446744073709551615",
            "9223372036854775808",
            "-9223372036854775808",
            "\"\"",
            "\"1\"",
            r#""a\"b\\c\/d""#,
            r#""\u00e4\ud83d\ude00\n""#,
            "\"\u{e4}\u{1f600}\"",
        ] {
            // At once, later, and as an error.
            for (method, params) in [
                ("tools/list", json!({})),
                ("tools/call", json!({ "name": "sleep", "arguments": { "ms": 0 } })),
                ("no/such", json!({})),
                ("tools/call", json!({ "name": 5 })),
            ] {
                client.send(&request(version, id, method, params));
                let answer = client.receive_text();
                assert!(answer.starts_with(&format!(r#"{{"jsonrpc":"2.0","id":{id},"#)), "{answer}");
            }
        }
    });
}

#[test]
fn members_nobody_knows_are_ignored() {
    in_both_eras(|client, version| {
        let line = request(version, "1", "tools/call", crate::echo("hi"));
        client.send(&line.replace(r#""jsonrpc""#, r#""extra":{"id":9},"jsonrpc""#));
        let answer = client.receive();
        assert_eq!((&answer["id"], text(&answer["result"])), (&json!(1), "hi"));
    });
}

#[test]
fn an_unknown_method_is_named() {
    in_both_eras(|client, _| {
        for method in ["no/such", "", "Tools/List", "tools/list ", "notifications/initialized"] {
            let error = client.error(method, json!({}));
            assert_eq!(error["code"], -32601, "{method}");
            assert_eq!(error["message"], format!("Method not found: {method}"));
        }
    });
}
