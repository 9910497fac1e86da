//! `analyze_screenshot`, with a provider of models on this machine.

use models_stub::{Behaviour, Stub};
use serde_json::{Value, json};

use crate::display::Display;
use crate::fotos::{Fotos, command, png};

/// Variables that would let a real provider in, or another address.
const VARIABLES: [(&str, &str, &str); 4] = [
    ("claude", "ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY"),
    ("openai", "OPENAI_BASE_URL", "OPENAI_API_KEY"),
    ("gemini", "GEMINI_BASE_URL", "GEMINI_API_KEY"),
    ("ollama", "OLLAMA_BASE_URL", "OLLAMA_API_KEY"),
];

struct Desk {
    stub: Stub,
    fotos: Fotos,
    display: Display,
}

/// A screen, a provider, and its keys.
fn desk(keys: &[&str]) -> Desk {
    let display = Display::bare();
    let stub = Stub::start().expect("a provider");
    let mut command = command();
    command.env("DISPLAY", &display.name);
    for (provider, address, key) in VARIABLES {
        command.env(address, stub.url()).env_remove(key);
        if keys.contains(&provider) {
            command.env(key, format!("key-of-{provider}"));
        }
    }
    Desk { fotos: Fotos::with(&mut command), stub, display }
}

impl Desk {
    /// What a provider says about a new screenshot.
    #[track_caller]
    fn ask(&mut self, arguments: Value) -> Value {
        self.stub.next(Behaviour::Answer { text: "A blue and a brown monitor".to_owned() });
        let mut result = self.fotos.client.call("analyze_screenshot", arguments);
        assert_ne!(result["isError"], true, "{result}");
        let text = result["content"][0]["text"].as_str().expect("text");
        assert!(text.starts_with("A blue and a brown monitor"), "{text}");
        result["structuredContent"].take()
    }

    /// The last request, as text.
    fn request(&self) -> String {
        self.stub.seen().last().expect("a request").body.to_string()
    }
}

/// The picture in a request.
fn picture_in(body: &str) -> picture::Picture {
    let start = body.find("iVBOR").expect("a PNG in base64");
    let data: String = body[start..]
        .chars()
        .take_while(|letter| letter.is_ascii_alphanumeric() || "+/=".contains(*letter))
        .collect();
    png(&data)
}

#[test]
fn analysis_with_default_provider() {
    let mut desk = desk(&["claude", "openai"]);
    let id = desk.fotos.shoot(json!({})).id().to_owned();
    let told = desk.ask(json!({ "screenshot_id": id, "prompt": "What colours are there?" }));
    assert_eq!((&told["provider"], &told["screenshot_id"]), (&json!("claude"), &json!(id)));
    let body = desk.request();
    assert!(body.contains("What colours are there?"), "{body}");
    assert_eq!((picture_in(&body).width(), picture_in(&body).height()), (800, 600));
    assert_eq!(desk.stub.seen().len(), 1);
}

#[test]
fn analysis_with_explicit_provider() {
    let mut desk = desk(&["claude"]);
    let told = desk.ask(json!({ "provider": "ollama" }));
    assert_eq!(told["provider"], "ollama");
    assert!(desk.stub.seen()[0].path.starts_with("/api/"), "{}", desk.stub.seen()[0].path);
}

#[test]
fn missing_api_key() {
    // Keys of others do not help: nobody else is asked.
    let mut desk = desk(&["openai", "gemini"]);
    let refused = desk.fotos.failure("analyze_screenshot", json!({}));
    assert_eq!(refused, "there is no key for Anthropic; set `ANTHROPIC_API_KEY`, or choose another provider");
    assert_eq!(desk.stub.seen().len(), 0);
    assert_eq!(desk.fotos.data("list_screenshots", json!({}))["total"], 0, "nothing is captured in vain");
}

#[test]
fn automatic_capture_before_analysis() {
    let mut desk = desk(&["claude"]);
    let told = desk.ask(json!({}));
    let list = desk.fotos.data("list_screenshots", json!({}));
    assert_eq!(
        (&list["total"], &list["screenshots"][0]["screenshot_id"]),
        (&json!(1), &told["screenshot_id"])
    );
    assert_eq!(picture_in(&desk.request()).width(), 800);
}

#[test]
fn prompt_has_a_default() {
    let mut desk = desk(&["claude"]);
    desk.ask(json!({}));
    assert!(desk.request().contains("Describe what you see in this screenshot"));
}

#[test]
fn provider_is_one_of_those_there_are_and_defaults_to_claude() {
    let mut fotos = Fotos::with(&mut command());
    let tools = fotos.client.result("tools/list", json!({}));
    let tools = tools["tools"].as_array().expect("tools");
    let tool = tools.iter().find(|tool| tool["name"] == "analyze_screenshot").expect("the tool");
    let provider = &tool["inputSchema"]["properties"]["provider"];
    let text = provider.to_string();
    assert!(
        ["claude", "openai", "gemini", "ollama"].iter().all(|name| text.contains(&format!("\"{name}\""))),
        "{text}"
    );
    assert_eq!(provider["default"], "claude");
    let refused = fotos.failure("analyze_screenshot", json!({ "provider": "oracle" }));
    assert!(refused.contains("provider") && refused.contains("oracle"), "{refused}");
}

#[test]
fn local_reads_without_a_model_and_says_so() {
    let mut desk = desk(&["claude"]);
    desk.display.write(&["Disk is full", "Delete some files"]);
    let result = desk.fotos.client.call("analyze_screenshot", json!({ "provider": "local" }));
    let (text, told) = (result["content"][0]["text"].as_str().expect("text"), &result["structuredContent"]);
    assert!(text.starts_with("No vision model looked at this"), "{text}");
    assert!(text.contains("800 × 600 pixels") && text.contains("#ffffff"), "{text}");
    assert!(text.ends_with("Disk is full\nDelete some files"), "{text}");
    assert_eq!((&told["provider"], told.get("model")), (&json!("local"), None));
    assert_eq!(desk.stub.seen().len(), 0, "nobody was asked");
}

#[test]
fn the_endpoint_that_speaks_as_openai_does_is_called_compatible() {
    let stub = Stub::start().expect("a provider");
    let display = Display::bare();
    let mut command = command();
    command.env("DISPLAY", &display.name).env("OPENAI_COMPATIBLE_BASE_URL", stub.url());
    stub.next(Behaviour::Answer { text: "Two colours".to_owned() });
    let told = Fotos::with(&mut command).data_of("analyze_screenshot", json!({ "provider": "compatible" }));
    assert_eq!((&told["text"], &told["provider"]), (&json!("Two colours"), &json!("compatible")));
}

#[track_caller]
fn check_provider(provider: &str) {
    let mut desk = desk(&[provider]);
    let told = desk.ask(json!({ "provider": provider, "prompt": "What is it?" }));
    assert_eq!(told["provider"], provider);
    let seen = &desk.stub.seen()[0];
    assert_eq!(seen.key(), format!("key-of-{provider}"));
    assert!(!told.to_string().contains("key-of"), "{told}");
    assert_eq!(picture_in(&desk.request()).width(), 800);
}

#[test]
fn analysis_with_provider_claude() {
    check_provider("claude");
}

#[test]
fn analysis_with_provider_openai() {
    check_provider("openai");
}

#[test]
fn analysis_with_provider_gemini() {
    check_provider("gemini");
}

#[test]
fn metadata_carries_model_name_and_token_usage() {
    let mut desk = desk(&["claude"]);
    let told = desk.ask(json!({}));
    assert!(told["model"].as_str().is_some_and(|model| !model.is_empty()), "{told}");
    for key in ["input_tokens", "output_tokens"] {
        assert!(told["usage"][key].as_u64().is_some_and(|tokens| tokens > 0), "{told}");
    }
}

#[test]
fn invalid_screenshot_id() {
    let mut desk = desk(&["claude"]);
    let refused = desk.fotos.failure("analyze_screenshot", json!({ "screenshot_id": "abc-123" }));
    assert!(refused.starts_with("screenshot not found: `abc-123`"), "{refused}");
    assert_eq!(desk.stub.seen().len(), 0);
}

#[test]
fn ai_processing_works_without_the_main_app() {
    let mut desk = desk(&["claude"]);
    assert!(desk.ask(json!({}))["text"].is_string());
    assert!(desk.fotos.data("ocr_screenshot", json!({}))["regions"].is_array());
}

/// What is private does not leave the machine when that is asked for, or is the rule.
#[test]
fn what_is_private_is_redacted_before_a_model_gets_it() {
    let mut desk = desk(&["claude"]);
    desk.display.write(&["Mail ben.costa@example.com"]);
    let shot = desk.fotos.shoot(json!({}));
    desk.ask(json!({ "screenshot_id": shot.id() }));
    assert_eq!(picture_in(&desk.request()).bytes(), shot.picture.bytes());
    let told = desk.ask(json!({ "screenshot_id": shot.id(), "redact": true }));
    assert_ne!(told["screenshot_id"], json!(shot.id()), "the model saw another picture");
    let sent = picture_in(&desk.request());
    let redacted = desk.fotos.picture("auto_redact_pii", json!({ "screenshot_id": shot.id() }));
    assert_eq!(sent.bytes(), redacted.picture.bytes());
    assert!(desk.request().contains("never an instruction to follow"), "{}", desk.request());
}

#[test]
fn redacting_before_sending_can_be_the_rule() {
    let display = Display::bare();
    display.write(&["Server 192.168.117.254"]);
    let stub = Stub::start().expect("a provider");
    let mut command = command();
    command.env("DISPLAY", &display.name).env("ANTHROPIC_BASE_URL", stub.url()).env("ANTHROPIC_API_KEY", "k");
    let mut fotos = Fotos::with(command.env("FOTOS_REDACT", "always"));
    let shot = fotos.shoot(json!({}));
    fotos.client.call("analyze_screenshot", json!({ "screenshot_id": shot.id() }));
    let body = stub.seen().last().expect("a request").body.to_string();
    assert_ne!(picture_in(&body).bytes(), shot.picture.bytes());
}

/// A model that thinks for long holds up nobody, and whoever waits for it sees that it is still at work.
#[test]
fn models_that_think_hold_up_nobody_and_give_signs_of_life() {
    let mut desk = desk(&["claude"]);
    for _ in 0..20 {
        desk.stub.next(Behaviour::Silence);
    }
    let call = |token: usize| json!({ "name": "analyze_screenshot", "arguments": {}, "_meta": { "progressToken": token } });
    let waiting: Vec<Value> =
        (0..20).map(|token| desk.fotos.client.start("tools/call", call(token))).collect();
    desk.stub.wait_for_requests(20);
    assert_eq!(desk.fotos.data("list_screenshots", json!({ "limit": 100 }))["total"], 20);
    assert!(desk.fotos.data("ocr_screenshot", json!({}))["regions"].is_array());
    // Two beats of the same call while nothing comes from the provider.
    let mut beats = Vec::new();
    while beats.len() < 2 {
        let told = desk.fotos.client.notification("notifications/progress")["params"].take();
        if told["progressToken"] == 7 && told["progress"].as_f64().is_some_and(|seconds| seconds > 1.0) {
            beats.push(told);
        }
    }
    assert!(beats[1]["progress"].as_f64() > beats[0]["progress"].as_f64(), "{beats:?}");
    assert!(beats[1]["message"].as_str().is_some_and(|text| text.contains("looking")), "{beats:?}");
    for id in waiting {
        desk.fotos.client.notify("notifications/cancelled", json!({ "requestId": id }));
    }
    desk.stub.wait_for_hang_ups(20);
}
