//! `list_screenshots`, and forgetting them.

use serde_json::{Value, json};

use crate::display::Display;
use crate::fotos::{Fotos, command};

/// Takes so many screenshots of a corner; their ids, the newest first.
fn take(fotos: &mut Fotos, count: usize) -> Vec<String> {
    let corner = json!({ "region": { "x": 0, "y": 0, "width": 8, "height": 6 } });
    let mut ids: Vec<String> = (0..count).map(|_| fotos.shoot(corner.clone()).id().to_owned()).collect();
    ids.reverse();
    ids
}

fn ids(list: &Value) -> Vec<&str> {
    let entries = list["screenshots"].as_array().expect("an array");
    entries.iter().filter_map(|entry| entry["screenshot_id"].as_str()).collect()
}

#[test]
fn list_with_default_limit() {
    let display = Display::bare();
    let mut fotos = Fotos::on(&display);
    let taken = take(&mut fotos, 15);
    let list = fotos.data("list_screenshots", json!({}));
    assert_eq!(ids(&list), taken[..10]);
    assert_eq!(list["total"], 15);
}

#[test]
fn list_with_custom_limit() {
    let display = Display::bare();
    let mut fotos = Fotos::on(&display);
    let taken = take(&mut fotos, 5);
    assert_eq!(ids(&fotos.data("list_screenshots", json!({ "limit": 3 }))), taken[..3]);
    assert_eq!(ids(&fotos.data("list_screenshots", json!({ "limit": 30 }))), taken);
}

#[test]
fn no_screenshots_available() {
    let list = Fotos::with(&mut command()).data("list_screenshots", json!({}));
    assert_eq!(list["screenshots"], json!([]));
}

#[test]
fn limit_defaults_to_10() {
    let mut fotos = Fotos::with(&mut command());
    let tools = fotos.client.result("tools/list", json!({}));
    let tools = tools["tools"].as_array().expect("tools");
    let list = tools.iter().find(|tool| tool["name"] == "list_screenshots").expect("the tool");
    assert_eq!(list["inputSchema"]["properties"]["limit"]["default"], 10);
}

#[test]
fn entries_carry_screenshot_id_timestamp_dimensions_and_capture_mode() {
    let display = Display::new();
    let mut fotos = Fotos::on(&display);
    let shot = fotos.shoot(json!({ "mode": "monitor", "monitor_index": 1 }));
    let mut list = fotos.data("list_screenshots", json!({}));
    let entry = list["screenshots"][0].take();
    for key in ["screenshot_id", "timestamp", "width", "height", "mode", "subject"] {
        assert_eq!(entry[key], shot.told[key], "{key}");
    }
    assert_eq!(
        (&entry["width"], &entry["height"], &entry["mode"]),
        (&json!(400), &json!(600), &json!("monitor"))
    );
}

#[test]
fn newest_first() {
    let display = Display::bare();
    let mut fotos = Fotos::on(&display);
    let taken = take(&mut fotos, 3);
    let list = fotos.data("list_screenshots", json!({}));
    assert_eq!(ids(&list), taken);
    let times: Vec<&str> = list["screenshots"]
        .as_array()
        .expect("an array")
        .iter()
        .filter_map(|entry| entry["timestamp"].as_str())
        .collect();
    assert!(times.is_sorted_by(|newer, older| newer >= older), "{times:?}");
}

#[test]
fn a_deleted_screenshot_is_gone_and_the_others_stay() {
    let display = Display::bare();
    let mut fotos = Fotos::on(&display);
    let taken = take(&mut fotos, 3);
    fotos.client.call("delete_screenshot", json!({ "screenshot_id": taken[1] }));
    assert_eq!(ids(&fotos.data("list_screenshots", json!({}))), [&taken[0], &taken[2]]);
    let refused = fotos.failure("delete_screenshot", json!({ "screenshot_id": taken[1] }));
    assert!(refused.starts_with(&format!("screenshot not found: `{}`", taken[1])), "{refused}");
    fotos.client.call("clear_screenshots", json!({}));
    assert_eq!(fotos.data("list_screenshots", json!({}))["total"], 0);
}

#[test]
fn the_oldest_go_when_a_hundred_are_kept() {
    let display = Display::bare();
    let mut fotos = Fotos::on(&display);
    let taken = take(&mut fotos, 103);
    let list = fotos.data("list_screenshots", json!({ "limit": 200 }));
    assert_eq!(ids(&list), taken[..100]);
    assert!(
        list["note"].as_str().is_some_and(|note| note.starts_with("3 older screenshots are gone")),
        "{list}"
    );
}
