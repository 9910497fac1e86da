//! Pictures, structured content, resources, prompts, completions.

use std::sync::Arc;

use mcp::{About, Content, Cx, Reply, Run, Server, Stop, Tool, Version};
use mcp_testkit::{Client, fixture};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{in_both_eras, text};

#[test]
fn a_picture_of_eight_megabytes_arrives_whole() {
    in_both_eras(fixture::server, |mut client, _| {
        let result = client.call("picture", json!({ "bytes": 8_000_000 }));
        assert_eq!(text(&result), "A picture of 8000000 bytes");
        let picture = &result["content"][1];
        assert_eq!((&picture["type"], &picture["mimeType"]), (&json!("image"), &json!("image/png")));
        let data = picture["data"].as_str().expect("base64");
        assert_eq!(data.len(), 8_000_000_usize.div_ceil(3) * 4);
        let small = client.call("picture", json!({ "bytes": 3_000 }));
        assert!(data.starts_with(small["content"][1]["data"].as_str().expect("base64")));
        assert!(result.get("structuredContent").is_none(), "a picture goes without structured content");
    });
}

/// Answers with texts that it keeps, one long and one short.
struct Keeps([Arc<String>; 2]);

#[derive(Deserialize, JsonSchema)]
struct Nothing {}

impl Tool<()> for Keeps {
    type In = Nothing;
    type Out = Reply;
    const ABOUT: About = About::new("keeps", "Keeps", "Tells what it keeps.").read_only().local();
    const RUN: Run = Run::Blocking;

    async fn call(&self, (): &(), _: &Cx, _: Nothing) -> Result<Reply, Stop> {
        let [long, short] = self.0.each_ref().map(Arc::clone);
        Ok(Reply::shared_text(long).with(Content::SharedText(short)).with(Content::Text("own".to_owned())))
    }
}

#[test]
fn a_long_text_that_is_kept_arrives_whole_and_in_its_place() {
    let long = Arc::new("a \"long\" one, é\n".repeat(200_000));
    let kept = || Keeps([Arc::clone(&long), Arc::new("\"short\"".to_owned())]);
    in_both_eras(
        || Server::new("keeper", "1.0.0", ()).tool(kept()),
        |mut client, _| {
            for _ in 0..2 {
                let result = client.call("keeps", json!({}));
                assert!(text(&result) == *long, "{} bytes", text(&result).len());
                assert_eq!(
                    (&result["content"][1]["text"], &result["content"][2]["text"]),
                    (&json!("\"short\""), &json!("own"))
                );
            }
        },
    );
}

#[test]
fn structured_content_comes_with_the_same_json_as_text() {
    in_both_eras(fixture::server, |mut client, _| {
        let result = client.call("add", json!({ "a": 2, "b": 3 }));
        assert_eq!(result["structuredContent"], json!({ "sum": 5 }));
        assert_eq!(text(&result), r#"{"sum":5}"#);
    });
}

#[test]
fn a_bare_method_answers_with_the_object_itself() {
    in_both_eras(fixture::server, |mut client, _| {
        assert_eq!(client.result("addNumbers", json!({ "a": 2, "b": 3 })), json!({ "sum": 5 }));
        assert_eq!(client.error("subtractNumbers", json!({}))["code"], -32601);
    });
}

#[test]
fn older_revisions_get_what_they_can_show() {
    let kinds = |version: Version| -> Vec<String> {
        let mut client = Client::memory(fixture::server()).speaking(version);
        let result = client.call("everything", json!({}));
        assert_eq!(result["_meta"]["fixture/note"], 1, "handlers' `_meta` passes through");
        let blocks = result["content"].as_array().expect("blocks").iter();
        blocks.map(|block| block["type"].as_str().expect("a type").to_owned()).collect()
    };
    assert_eq!(kinds(Version::V2024_11_05), ["text", "image", "text", "resource", "text"]);
    assert_eq!(kinds(Version::V2025_03_26), ["text", "image", "audio", "resource", "text"]);
    assert_eq!(kinds(Version::V2025_06_18), ["text", "image", "audio", "resource", "resource_link"]);
    assert_eq!(kinds(Version::MODERN), ["text", "image", "audio", "resource", "resource_link"]);
}

#[test]
fn a_resource_template_is_read_by_address() {
    in_both_eras(fixture::server, |mut client, version| {
        let templates = client.result("resources/templates/list", json!({}));
        assert_eq!(templates["resourceTemplates"][0]["uriTemplate"], "fixture://pages/{number}");
        let result = client.result("resources/read", json!({ "uri": "fixture://pages/3" }));
        assert_eq!(result["contents"][0]["uri"], "fixture://pages/3");
        assert_eq!(result["contents"][0]["blob"].as_str().map(str::len), Some(4));
        assert_eq!(result.get("ttlMs").is_some(), version.is_modern());
    });
}

#[test]
fn a_prompt_carries_its_picture() {
    in_both_eras(fixture::server, |mut client, _| {
        let prompt = json!({ "name": "describe", "arguments": { "page": "6", "tone": "poetic" } });
        let result = client.result("prompts/get", prompt);
        let messages = result["messages"].as_array().expect("messages");
        assert_eq!(messages[0]["content"]["type"], "image");
        assert_eq!(messages[0]["content"]["data"].as_str().map(str::len), Some(8));
        assert_eq!(messages[1]["content"]["text"], "Describe this page in poetic words.");
        let error = client.error("prompts/get", json!({ "name": "describe" }));
        assert_eq!(
            (error["code"].as_i64(), error["message"].as_str()),
            (Some(-32602), Some("Missing argument `page` (a string): The page's number."))
        );
        let error = client.error("prompts/get", json!({ "name": "describe", "arguments": { "page": "x" } }));
        assert_eq!(error["code"], -32602);
    });
}

#[test]
fn arguments_are_completed() {
    in_both_eras(fixture::server, |mut client, _| {
        let result = client.result(
            "completion/complete",
            json!({ "ref": { "type": "ref/prompt", "name": "describe" }, "argument": { "name": "tone", "value": "p" } }),
        );
        assert_eq!(
            result["completion"],
            json!({ "values": ["plain", "poetic"], "total": 2, "hasMore": false })
        );
        let result = client.result(
            "completion/complete",
            json!({ "ref": { "type": "ref/resource", "uri": "fixture://pages/{number}" },
                    "argument": { "name": "number", "value": "" } }),
        );
        assert_eq!(result["completion"]["values"].as_array().map(Vec::len), Some(100));
        assert_eq!(
            (&result["completion"]["total"], &result["completion"]["hasMore"]),
            (&json!(1000), &json!(true))
        );
    });
}

#[test]
fn every_modern_result_says_its_type_and_who_answered() {
    let mut client = Client::memory(fixture::server()).speaking(Version::MODERN);
    let calls: [(&str, Value); 7] = [
        ("server/discover", json!({})),
        ("tools/list", json!({})),
        ("tools/call", json!({ "name": "echo", "arguments": { "text": "x" } })),
        ("tools/call", json!({ "name": "sleep", "arguments": { "ms": 1 } })),
        ("resources/read", json!({ "uri": "fixture://readme" })),
        ("prompts/get", json!({ "name": "describe", "arguments": { "page": "1" } })),
        ("prompts/list", json!({})),
    ];
    for (method, params) in calls {
        let result = client.result(method, params);
        assert_eq!(result["resultType"], "complete", "{method}");
        let info = &result["_meta"]["io.modelcontextprotocol/serverInfo"];
        assert_eq!((&info["name"], &info["version"]), (&json!("fixture"), &json!("1.2.3")), "{method}");
    }
}
