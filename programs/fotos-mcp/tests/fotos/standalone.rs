//! Without the desktop program: everything from this one process.

use serde_json::json;

use crate::display::{Display, LEFT, RIGHT};
use crate::fotos::{Fotos, command};

#[test]
fn capture_in_standalone_mode() {
    let display = Display::new();
    let mut fotos = Fotos::on(&display);
    let shot = fotos.shoot(json!({}));
    assert_eq!((shot.at(3, 3), shot.at(796, 3)), (LEFT, RIGHT));
    assert_eq!(fotos.data("list_screenshots", json!({}))["screenshots"][0]["screenshot_id"], shot.id());
}

#[test]
fn headless_ci_usage() {
    let refused = Fotos::with(&mut command()).failure("take_screenshot", json!({}));
    assert!(refused.starts_with("no display server is available for screenshot capture"), "{refused}");
    for nowhere in [":40404", ":65535", ":99999999", "nonsense", ":"] {
        let refused = Fotos::with(command().env("DISPLAY", nowhere)).failure("take_screenshot", json!({}));
        let expected = format!("cannot connect to the display server at `{nowhere}`");
        assert!(refused.starts_with(&expected), "{refused}");
    }
}

#[test]
fn x11_capture_uses_the_platform_api() {
    let display = Display::bare();
    let shot = Fotos::on(&display).shoot(json!({ "mode": "monitor", "monitor_index": 1 }));
    assert_eq!(shot.at(0, 0), RIGHT);
}

#[test]
fn a_display_that_comes_back_is_found_again() {
    let display = Display::bare();
    let mut fotos = Fotos::on(&display);
    fotos.shoot(json!({}));
    drop(display);
    let lost = fotos.failure("take_screenshot", json!({}));
    assert!(lost.contains("display server"), "{lost}");
    // What was taken is still there.
    assert_eq!(fotos.data("list_screenshots", json!({}))["total"], 1);
}

#[test]
fn screenshots_are_kept_in_temporary_storage_of_its_own() {
    let display = Display::new();
    let home = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("fotos-home");
    let _ = std::fs::remove_dir_all(&home);
    std::fs::create_dir_all(&home).expect("a folder");
    let mut home_set = command();
    home_set
        .env("DISPLAY", &display.name)
        .env("HOME", &home)
        .env("TMPDIR", &home)
        .env("DESKMATE_HOME", home.join("d"));
    let mut fotos = Fotos::with(&mut home_set);
    let shot = fotos.shoot(json!({}));
    fotos.read(&format!("screenshots://{}", shot.id()));
    drop(fotos);
    let left: Vec<_> = std::fs::read_dir(&home).expect("a folder").collect();
    assert!(left.is_empty(), "nothing of it is on disk: {left:?}");
    // And nothing of it is there for the next process.
    assert_eq!(Fotos::on(&display).data("list_screenshots", json!({}))["total"], 0);
}

#[test]
fn settings_resource_in_standalone_mode() {
    let contents = Fotos::with(&mut command()).read("settings://current");
    let text = contents[0]["text"].as_str().expect("text");
    let settings: serde_json::Value = serde_json::from_str(text).expect("JSON");
    assert_eq!(settings["capture"]["saveDirectory"], "~/Pictures/Fotos");
    assert_eq!(settings["annotation"]["defaultStrokeWidth"], 2.0);
}

#[test]
fn no_settings_management_in_standalone_mode() {
    let mut fotos = Fotos::with(&mut command());
    let tools = fotos.client.result("tools/list", json!({}));
    let names: Vec<&str> =
        tools["tools"].as_array().expect("tools").iter().filter_map(|tool| tool["name"].as_str()).collect();
    assert!(names.iter().all(|name| !name.contains("setting")), "{names:?}");
}

#[test]
fn no_undo_or_redo_in_standalone_mode() {
    let mut fotos = Fotos::with(&mut command());
    let tools = fotos.client.result("tools/list", json!({}));
    let names: Vec<&str> =
        tools["tools"].as_array().expect("tools").iter().filter_map(|tool| tool["name"].as_str()).collect();
    assert!(names.iter().all(|name| !name.contains("undo") && !name.contains("redo")), "{names:?}");
}

#[test]
fn standalone_tool_availability() {
    let mut fotos = Fotos::with(&mut command());
    let tools = fotos.client.result("tools/list", json!({}));
    let names: Vec<&str> =
        tools["tools"].as_array().expect("tools").iter().filter_map(|tool| tool["name"].as_str()).collect();
    for name in [
        "take_screenshot",
        "ocr_screenshot",
        "annotate_screenshot",
        "analyze_screenshot",
        "auto_redact_pii",
        "list_screenshots",
    ] {
        assert!(names.contains(&name), "{name}");
    }
}
