//! The prompts: a picture and what to do with it.

use serde_json::{Value, json};

use crate::display::{Display, LEFT};
use crate::fotos::{Fotos, at, command, png};

/// What a prompt says about a screenshot, after a look at the picture in it.
#[track_caller]
fn words(prompt: &str, context: Option<&str>) -> String {
    let display = Display::new();
    let mut fotos = Fotos::on(&display);
    let mut arguments = json!({ "screenshot_id": fotos.shoot(json!({})).id() });
    if let Some(context) = context {
        arguments["context"] = json!(context);
    }
    let found = fotos.client.result("prompts/get", json!({ "name": prompt, "arguments": arguments }));
    let contents: Vec<&Value> =
        found["messages"].as_array().expect("messages").iter().map(|message| &message["content"]).collect();
    let picture = png(contents[0]["data"].as_str().expect("a picture"));
    assert_eq!((picture.width(), at(&picture, 3, 3)), (800, LEFT));
    contents[1]["text"].as_str().expect("text").to_owned()
}

#[track_caller]
fn check_needs_an_id(prompt: &str) {
    let mut fotos = Fotos::with(&mut command());
    let list = fotos.client.result("prompts/list", json!({}));
    let prompts = list["prompts"].as_array().expect("prompts");
    let arguments = &prompts.iter().find(|one| one["name"] == prompt).expect("the prompt")["arguments"];
    assert_eq!((&arguments[0]["name"], &arguments[0]["required"]), (&json!("screenshot_id"), &json!(true)));
    let error = fotos.client.error("prompts/get", json!({ "name": prompt, "arguments": {} }));
    assert_eq!(error["code"], -32602, "{error}");
    assert!(error["message"].as_str().is_some_and(|message| message.contains("screenshot_id")), "{error}");
    let unknown = json!({ "name": prompt, "arguments": { "screenshot_id": "abc-123" } });
    let error = fotos.client.error("prompts/get", unknown);
    assert_eq!(error["code"], -32602, "{error}");
    assert!(error["message"].as_str().is_some_and(|message| message.contains("`abc-123`")), "{error}");
}

#[test]
fn generate_describe_ui_prompt() {
    assert!(words("describe_ui", None).contains("Describe the UI elements visible in this screenshot"));
}

#[test]
fn describe_ui_needs_a_screenshot_id() {
    check_needs_an_id("describe_ui");
}

#[test]
fn generate_extract_code_prompt() {
    let words = words("extract_code", None);
    assert!(
        words.contains("Extract all code") && words.contains("only the code, properly formatted"),
        "{words}"
    );
}

#[test]
fn extract_code_needs_a_screenshot_id() {
    check_needs_an_id("extract_code");
}

#[test]
fn generate_bug_report_prompt_without_context() {
    let words = words("generate_bug_report", None);
    for part in ["bug report", "summary", "steps to reproduce", "expected vs. actual behavior", "severity"] {
        assert!(words.contains(part), "{part}: {words}");
    }
    assert!(!words.contains("context:"), "{words}");
}

#[test]
fn generate_bug_report_prompt_with_context() {
    let context = "This crash happens after clicking the submit button";
    let words = words("generate_bug_report", Some(context));
    assert!(words.contains("bug report") && words.contains(context), "{words}");
}

#[test]
fn generate_bug_report_needs_a_screenshot_id() {
    check_needs_an_id("generate_bug_report");
}

#[test]
fn context_is_optional() {
    let mut fotos = Fotos::with(&mut command());
    let list = fotos.client.result("prompts/list", json!({}));
    let prompts = list["prompts"].as_array().expect("prompts");
    let report = prompts.iter().find(|one| one["name"] == "generate_bug_report").expect("the prompt");
    assert_eq!(report["arguments"][1]["name"], "context");
    assert_ne!(report["arguments"][1]["required"], true);
}

#[test]
fn generate_accessibility_audit_prompt() {
    assert!(words("accessibility_audit", None).contains("accessibility issues"));
}

#[test]
fn accessibility_audit_needs_a_screenshot_id() {
    check_needs_an_id("accessibility_audit");
}
