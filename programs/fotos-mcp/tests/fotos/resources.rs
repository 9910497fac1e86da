//! The resources, and news about them.

use mcp::Version;
use serde_json::{Value, json};

use crate::display::{Display, LEFT};
use crate::fotos::{Fotos, at, command, png};

#[track_caller]
fn listed(method: &str, key: &str, field: &str) -> Vec<String> {
    let mut fotos = Fotos::with(&mut command());
    let list = fotos.client.result(method, json!({}));
    let entries = list[key].as_array().expect("a list");
    entries.iter().filter_map(|entry| entry[field].as_str()).map(str::to_owned).collect()
}

fn text(contents: &Value) -> Value {
    serde_json::from_str(contents[0]["text"].as_str().expect("text")).expect("JSON")
}

#[test]
fn read_recent_screenshots_resource() {
    let display = Display::new();
    let mut fotos = Fotos::on(&display);
    let shot = fotos.shoot(json!({}));
    let list = text(&fotos.read("screenshots://recent"));
    let entry = &list["screenshots"][0];
    for key in ["screenshot_id", "timestamp", "width", "height", "mode"] {
        assert_eq!(entry[key], shot.told[key], "{key}");
    }
}

#[test]
fn same_data_as_list_screenshots_with_default_parameters() {
    let display = Display::bare();
    let mut fotos = Fotos::on(&display);
    for _ in 0..12 {
        fotos.shoot(json!({ "max_edge": 10 }));
    }
    let list = fotos.data("list_screenshots", json!({}));
    assert_eq!(text(&fotos.read("screenshots://recent")), list);
}

#[test]
fn screenshots_recent_is_listed() {
    assert!(listed("resources/list", "resources", "uri").contains(&"screenshots://recent".to_owned()));
}

#[test]
fn read_existing_screenshot() {
    let display = Display::new();
    let mut fotos = Fotos::on(&display);
    let shot = fotos.shoot(json!({}));
    let contents = fotos.read(&format!("screenshots://{}", shot.id()));
    let picture = png(contents[0]["blob"].as_str().expect("a blob"));
    assert_eq!((picture.width(), picture.height(), at(&picture, 3, 3)), (800, 600, LEFT));
    assert_eq!(contents[0]["mimeType"], "image/png");
    let told: Value = serde_json::from_str(contents[1]["text"].as_str().expect("text")).expect("JSON");
    for key in ["timestamp", "width", "height", "mode"] {
        assert_eq!(told[key], shot.told[key], "{key}");
    }
}

#[test]
fn read_nonexistent_screenshot() {
    for (version, code) in [(Version::MODERN, -32602), (Version::ALL[Version::ALL.len() - 1], -32002)] {
        let mut client = mcp_testkit::Client::process(&mut command()).speaking(version);
        let error = client.error("resources/read", json!({ "uri": "screenshots://nonexistent-id" }));
        assert_eq!(error["code"], code, "{error}");
        assert!(error["message"].as_str().is_some_and(|message| message.contains("not found")), "{error}");
    }
}

#[test]
fn screenshots_id_is_listed_as_a_template() {
    let templates = listed("resources/templates/list", "resourceTemplates", "uriTemplate");
    assert!(templates.contains(&"screenshots://{id}".to_owned()), "{templates:?}");
}

#[test]
fn read_current_settings() {
    let settings = text(&Fotos::with(&mut command()).read("settings://current"));
    assert_eq!(settings["capture"]["defaultFormat"], "png");
    // One that `take_screenshot` takes.
    assert_eq!(settings["capture"]["defaultMode"], "fullscreen");
    assert_eq!(settings["annotation"]["defaultStrokeColor"], "#FF0000");
    assert_eq!(settings["ai"]["defaultLlmProvider"], "claude");
    assert_eq!(settings["ui"]["theme"], "system");
}

#[test]
fn settings_name_models_and_where_they_are_and_no_key() {
    let mut command = command();
    command
        .env("ANTHROPIC_API_KEY", "key-of-claude")
        .env("OPENAI_VISION_MODEL", "gpt-of-ours")
        .env("OPENAI_COMPATIBLE_BASE_URL", "http://127.0.0.1:9/v1?token=hidden");
    let settings = text(&Fotos::with(&mut command).read("settings://current"));
    let endpoints = settings["ai"]["endpoints"].as_array().expect("endpoints");
    let of = |id: &str| endpoints.iter().find(|endpoint| endpoint["id"] == id).expect("an endpoint");
    assert_eq!(of("claude")["baseUrl"], "https://api.anthropic.com/");
    assert!(of("claude")["model"].as_str().is_some_and(|model| model.starts_with("claude-")));
    assert_eq!(of("openai")["model"], "gpt-of-ours");
    assert_eq!(of("compatible")["baseUrl"], "http://127.0.0.1:9/v1");
    let all = settings.to_string();
    assert!(!all.contains("key-of") && !all.contains("hidden"), "{all}");
}

#[test]
fn settings_current_is_listed() {
    assert!(listed("resources/list", "resources", "uri").contains(&"settings://current".to_owned()));
}

#[test]
fn settings_have_capture_annotation_ai_and_ui_sections() {
    let settings = text(&Fotos::with(&mut command()).read("settings://current"));
    let mut sections: Vec<&str> =
        settings.as_object().expect("an object").keys().map(String::as_str).collect();
    sections.sort_unstable();
    assert_eq!(sections, ["ai", "annotation", "capture", "ui"]);
}

#[test]
fn ids_are_suggested() {
    let display = Display::bare();
    let mut fotos = Fotos::on(&display);
    let (first, second) = (fotos.shoot(json!({})).id().to_owned(), fotos.shoot(json!({})).id().to_owned());
    for of in [
        json!({ "ref": { "type": "ref/resource", "uri": "screenshots://{id}" }, "argument": { "name": "id", "value": "" } }),
        json!({ "ref": { "type": "ref/prompt", "name": "describe_ui" }, "argument": { "name": "screenshot_id", "value": "" } }),
    ] {
        let found = fotos.client.result("completion/complete", of);
        assert_eq!(found["completion"]["values"], json!([second, first]));
    }
}

#[test]
fn who_watches_hears_of_new_screenshots_and_of_those_that_are_gone() {
    let display = Display::bare();
    let legacy = Version::ALL[1];
    let mut client = mcp_testkit::Client::process(command().env("DISPLAY", &display.name)).speaking(legacy);
    client.result("resources/subscribe", json!({ "uri": "screenshots://recent" }));
    let shot = client.call("take_screenshot", json!({}));
    let heard = client.notification("notifications/resources/updated");
    assert_eq!(heard["params"]["uri"], "screenshots://recent");
    client.notification("notifications/resources/list_changed");
    let told: Value = serde_json::from_str(shot["content"][0]["text"].as_str().expect("text")).expect("JSON");
    let uri = format!("screenshots://{}", told["screenshot_id"].as_str().expect("an id"));
    client.result("resources/subscribe", json!({ "uri": uri }));
    client.call("clear_screenshots", json!({}));
    client.receive_where(|message| message["params"]["uri"] == uri.as_str());
}
