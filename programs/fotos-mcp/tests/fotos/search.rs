//! Finding, waiting and comparing, on a screen with known text.

use serde_json::json;

use crate::display::{Display, LEFT};
use crate::fotos::Fotos;
use crate::window::Look;

#[test]
fn a_text_is_found_with_a_click_point_on_the_screen() {
    let display = Display::bare();
    display.write(&["Save the document", "Cancel", "Save as template"]);
    let mut fotos = Fotos::on(&display);
    let found = fotos.data("find_on_screen", json!({ "text": "save" }));
    assert_eq!((found["total"].as_u64(), &found["matches"][0]["text"]), (Some(2), &json!("Save")), "{found}");
    let click = &found["matches"][0]["click"];
    let (x, y) = (click["x"].as_i64().expect("x"), click["y"].as_i64().expect("y"));
    assert!((20..70).contains(&x) && (40..62).contains(&y), "{found}");
    // The same place, seen from a region: on the screen it has not moved.
    let region = json!({ "x": 10, "y": 30, "width": 400, "height": 100 });
    let id = fotos.shoot(json!({ "region": region })).id().to_owned();
    let again = fotos.data("find_on_screen", json!({ "text": "save", "screenshot_id": id }));
    let click = &again["matches"][0]["click"];
    assert!(
        (click["x"].as_i64().expect("x") - x).abs() <= 2 && (click["y"].as_i64().expect("y") - y).abs() <= 2,
        "{again}"
    );
    assert!(again["matches"][0]["box"]["x"].as_i64().expect("x") < x - 5, "{again}");
    let near = json!({ "text": "save", "near": { "x": 30, "y": 500 }, "limit": 1 });
    let lower = fotos.data("find_on_screen", near);
    assert!(lower["matches"][0]["click"]["y"].as_i64().expect("y") > 90, "{lower}");
    let second = fotos.data("find_on_screen", json!({ "text": "save", "nth": 2 }));
    assert_eq!(second["matches"][0]["click"], lower["matches"][0]["click"]);
    let fuzzy = fotos.data("find_on_screen", json!({ "text": "Canzel", "fuzzy": 1 }));
    assert_eq!(
        (&fuzzy["matches"][0]["text"], &fuzzy["matches"][0]["distance"]),
        (&json!("Cancel"), &json!(1))
    );
    let pattern = fotos.data("find_on_screen", json!({ "pattern": "as \\w+" }));
    assert_eq!(pattern["matches"][0]["text"], "as template");
    let refused = fotos.failure("find_on_screen", json!({ "pattern": "(" }));
    assert!(refused.contains("`pattern`"), "{refused}");
}

#[test]
fn what_is_not_found_is_told_by_its_reason() {
    let display = Display::bare();
    display.write(&["Save the document", "Cancel"]);
    let mut fotos = Fotos::on(&display);
    let mut note = |arguments: serde_json::Value| {
        let found = fotos.data("find_on_screen", arguments);
        assert_eq!(found["matches"], json!([]), "{found}");
        found["note"].as_str().expect("a note").to_owned()
    };
    assert_eq!(note(json!({ "text": "save", "nth": 3 })), "`nth` is too large; found in all: 1");
    assert!(note(json!({ "text": "print" })).contains("`fuzzy`"));
    // Only words can be found in spite of mistakes.
    assert!(!note(json!({ "pattern": "print" })).contains("`fuzzy`"));
    for nothing in [json!({ "pattern": "" }), json!({ "text": " " }), json!({})] {
        let refused = fotos.failure("find_on_screen", nothing);
        assert!(refused.contains("`text` is missing"), "{refused}");
    }
    let refused =
        fotos.failure("wait_for", json!({ "until": "stable", "timeout_ms": 1_000_000_000_000_u64 }));
    assert!(refused.contains("`timeout_ms`: expected a smaller whole number"), "{refused}");
}

#[test]
fn what_belongs_to_another_mode_is_refused() {
    let display = Display::bare();
    let mut fotos = Fotos::on(&display);
    for (arguments, field, mode) in [
        (json!({ "window_title": "Notes" }), "window_title", "`window`"),
        (json!({ "mode": "monitor", "window_title": "Notes" }), "window_title", "`window`"),
        (json!({ "monitor_index": 1 }), "monitor_index", "`monitor`"),
    ] {
        for tool in ["take_screenshot", "find_on_screen"] {
            let mut arguments = arguments.clone();
            if tool == "find_on_screen" {
                arguments["text"] = json!("x");
            }
            let refused = fotos.failure(tool, arguments);
            assert!(refused.contains(field) && refused.contains(mode), "{refused}");
        }
    }
    assert_eq!(fotos.data("list_screenshots", json!({}))["total"], 0);
}

#[test]
fn monitors_are_listed_with_their_places() {
    let display = Display::bare();
    let listed = Fotos::on(&display).data("list_monitors", json!({}));
    let monitors = listed["monitors"].as_array().expect("monitors");
    assert_eq!(
        (monitors.len(), &monitors[1]["name"], &monitors[1]["index"]),
        (2, &json!("right"), &json!(1))
    );
    assert_eq!(monitors[1]["box"], json!({ "x": 400, "y": 0, "width": 400, "height": 600 }));
    assert_eq!(monitors[1]["scale"], 1.0);
}

#[test]
fn a_screen_that_shows_a_text_or_rests_is_waited_for() {
    let display = Display::bare();
    display.write(&["Loading the page"]);
    let mut fotos = Fotos::on(&display);
    let there = fotos.data("wait_for", json!({ "until": "text_appears", "text": "loading" }));
    assert_eq!(there["happened"], true);
    let gone = fotos.data("wait_for", json!({ "until": "text_gone", "text": "loading", "timeout_ms": 500 }));
    assert_eq!(
        (&gone["happened"], gone["looks"].as_u64().is_some_and(|looks| looks >= 1)),
        (&json!(false), true)
    );
    display.write(&["Ready"]);
    let gone = fotos.data("wait_for", json!({ "until": "text_gone", "text": "loading" }));
    assert_eq!(gone["happened"], true);
    let still = fotos.data("wait_for", json!({ "until": "stable", "stable_ms": 200 }));
    assert_eq!(
        (&still["happened"], still["looks"].as_u64().is_some_and(|looks| looks > 1)),
        (&json!(true), true)
    );
    let refused = fotos.failure("wait_for", json!({ "until": "text_gone" }));
    assert!(refused.contains("`text`"), "{refused}");
}

#[test]
fn two_screenshots_are_compared_by_regions_and_text() {
    let display = Display::bare();
    display.write(&["Balance", "100 coins"]);
    let mut fotos = Fotos::on(&display);
    let before = fotos.shoot(json!({})).id().to_owned();
    display.write(&["Balance", "250 coins"]);
    let after = fotos.shoot(json!({})).id().to_owned();
    let diff = fotos.picture("diff_screenshots", json!({ "before_id": before, "after_id": after }));
    assert_eq!(
        (&diff.told["text_gone"], &diff.told["text_new"]),
        (&json!(["100 coins"]), &json!(["250 coins"]))
    );
    let region = &diff.told["regions"][0];
    assert!(region["y"].as_i64().is_some_and(|y| (60..100).contains(&y)), "{region}");
    let (x, y) = (region["x"].as_u64().expect("x"), region["y"].as_u64().expect("y"));
    let corner = diff.at(u32::try_from(x).expect("small") - 3, u32::try_from(y).expect("small") - 3);
    assert!(corner[0] > 200 && corner[1] < 100, "a red frame: {corner:?}");
    let same = fotos.picture("diff_screenshots", json!({ "before_id": after, "after_id": after }));
    assert_eq!(
        (same.told["regions"].as_array().map(Vec::len), &same.told["text_new"]),
        (Some(0), &json!([]))
    );
}

#[test]
fn a_part_becomes_a_screenshot_of_its_own() {
    let display = Display::new();
    let _window = display.window("Notes", Look::at(100, 100));
    let mut fotos = Fotos::on(&display);
    let shot = fotos.shoot(json!({}));
    let region = json!({ "x": 390, "y": 20, "width": 20, "height": 10 });
    let part = fotos.picture("crop_screenshot", json!({ "screenshot_id": shot.id(), "region": region }));
    assert_eq!((part.size(), part.at(9, 9), &part.told["origin"]), ((20, 10), LEFT, &json!("cropped")));
    assert_eq!((&part.told["screen_x"], &part.told["derived_from"]), (&json!(390), &json!(shot.id())));
    let read = fotos.data("ocr_screenshot", json!({ "screenshot_id": shot.id(), "region": region }));
    assert_ne!(read["screenshot_id"], json!(shot.id()));
    let outside = json!({ "x": 900, "y": 0, "width": 20, "height": 10 });
    let refused = fotos.failure("crop_screenshot", json!({ "screenshot_id": shot.id(), "region": outside }));
    assert!(refused.contains("800x600"), "{refused}");
}
