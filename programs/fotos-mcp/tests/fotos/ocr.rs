//! `ocr_screenshot` and the text of a screenshot as a resource.

use serde_json::{Value, json};

use crate::display::Display;
use crate::fotos::{Fotos, command};

const LINES: [&str; 2] = ["Save changes before closing", "the window and try again"];

/// A screen with something to read on it.
fn page(lines: &[&str]) -> Display {
    let display = Display::bare();
    display.write(lines);
    display
}

/// What was read, without spaces: how far words are apart is a matter of taste.
fn letters(text: &str) -> String {
    text.split_whitespace().collect()
}

#[test]
fn ocr_on_existing_screenshot() {
    let display = page(&LINES);
    let mut fotos = Fotos::on(&display);
    let id = fotos.shoot(json!({})).id().to_owned();
    let read = fotos.data("ocr_screenshot", json!({ "screenshot_id": id }));
    assert_eq!(read["screenshot_id"], id);
    assert_eq!(letters(read["text"].as_str().expect("text")), letters(&LINES.concat()));
    let regions = read["regions"].as_array().expect("regions");
    let first = &regions[0];
    assert_eq!(first["text"], "Save");
    // Where it was written, give or take the font.
    let [x, y, w, h] = ["x", "y", "w", "h"].map(|key| first[key].as_u64().expect("a number"));
    assert!(
        (14..28).contains(&x) && (38..52).contains(&y) && (30..60).contains(&w) && (10..30).contains(&h),
        "{first}"
    );
    assert!(
        regions.iter().all(|region| (0.0..=1.0).contains(&region["confidence"].as_f64().expect("a number")))
    );
}

#[test]
fn ocr_with_automatic_capture() {
    let display = page(&LINES);
    let mut fotos = Fotos::on(&display);
    let read = fotos.data("ocr_screenshot", json!({}));
    assert_eq!(letters(read["text"].as_str().expect("text")), letters(&LINES.concat()));
    assert!(!read["regions"].as_array().expect("regions").is_empty());
    let list = fotos.data("list_screenshots", json!({}));
    assert_eq!(
        (&list["screenshots"][0]["screenshot_id"], &list["total"]),
        (&read["screenshot_id"], &json!(1))
    );
}

#[test]
fn non_english_ocr() {
    let display = page(&["Übermäßig viele Anfragen", "für größere Dateien"]);
    let mut fotos = Fotos::on(&display);
    let read = fotos.data("ocr_screenshot", json!({ "language": "deu" }));
    assert_eq!(read["language"], "deu");
    assert_eq!(letters(read["text"].as_str().expect("text")), "ÜbermäßigvieleAnfragenfürgrößereDateien");
    let id = read["screenshot_id"].clone();
    let refused = fotos.failure("ocr_screenshot", json!({ "screenshot_id": id, "language": "xyz" }));
    assert!(refused.contains("`xyz`") && refused.contains("eng") && refused.contains("deu"), "{refused}");
}

#[test]
fn invalid_screenshot_id() {
    let refused =
        Fotos::with(&mut command()).failure("ocr_screenshot", json!({ "screenshot_id": "abc-123" }));
    assert!(refused.starts_with("screenshot not found: `abc-123`"), "{refused}");
}

#[test]
fn language_defaults_to_eng() {
    let display = page(&LINES);
    let mut fotos = Fotos::on(&display);
    assert_eq!(fotos.data("ocr_screenshot", json!({}))["language"], "eng");
    let tools = fotos.client.result("tools/list", json!({}));
    let tools = tools["tools"].as_array().expect("tools");
    let tool = tools.iter().find(|tool| tool["name"] == "ocr_screenshot").expect("the tool");
    assert_eq!(tool["inputSchema"]["properties"]["language"]["default"], "eng");
}

#[test]
fn text_content_block_carries_text_and_regions_with_boxes_and_confidence() {
    let display = page(&LINES);
    let mut fotos = Fotos::on(&display);
    let result = fotos.client.call("ocr_screenshot", json!({}));
    let block = &result["content"][0];
    assert_eq!(block["type"], "text");
    let read: Value = serde_json::from_str(block["text"].as_str().expect("text")).expect("JSON");
    assert!(read["text"].as_str().is_some_and(|text| text.contains("changes")), "{read}");
    for key in ["text", "x", "y", "w", "h", "confidence"] {
        assert!(read["regions"][0].get(key).is_some(), "{key}");
    }
}

fn read_resource(fotos: &mut Fotos, id: &str) -> Value {
    let contents = fotos.read(&format!("screenshots://{id}/ocr"));
    serde_json::from_str(contents[0]["text"].as_str().expect("text")).expect("JSON")
}

#[test]
fn read_cached_ocr_results() {
    let display = page(&LINES);
    let mut fotos = Fotos::on(&display);
    let read = fotos.data("ocr_screenshot", json!({ "language": "deu" }));
    let id = read["screenshot_id"].as_str().expect("an id").to_owned();
    // The latest run, in its language; English was never read.
    assert_eq!(read_resource(&mut fotos, &id), read);
}

#[test]
fn read_ocr_results_without_prior_ocr() {
    let display = page(&LINES);
    let mut fotos = Fotos::on(&display);
    let id = fotos.shoot(json!({})).id().to_owned();
    let read = read_resource(&mut fotos, &id);
    assert_eq!(read["language"], "eng");
    assert_eq!(letters(read["text"].as_str().expect("text")), letters(&LINES.concat()));
    assert_eq!(fotos.data("ocr_screenshot", json!({ "screenshot_id": id })), read);
}

#[test]
fn screenshots_id_ocr_is_listed_as_a_template() {
    let list = Fotos::with(&mut command()).client.result("resources/templates/list", json!({}));
    let templates = list["resourceTemplates"].as_array().expect("templates");
    assert!(templates.iter().any(|template| template["uriTemplate"] == "screenshots://{id}/ocr"), "{list}");
}

#[test]
fn ocr_of_a_nonexistent_screenshot_is_a_resource_not_found_error() {
    let error = Fotos::with(&mut command())
        .client
        .error("resources/read", json!({ "uri": "screenshots://abc-123/ocr" }));
    assert_eq!(error["code"], -32602);
    assert!(error["message"].as_str().is_some_and(|message| message.contains("not found")), "{error}");
}
