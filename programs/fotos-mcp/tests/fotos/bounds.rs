//! Memory and threads are bounded.

use serde_json::{Value, json};

use crate::display::Display;
use crate::fotos::Fotos;

/// Sixteen captures that wait hold up nobody.
#[test]
fn captures_that_wait_hold_up_no_other_call() {
    let display = Display::bare();
    let mut fotos = Fotos::on(&display);
    let waiting: Vec<Value> = (0..16)
        .map(|_| {
            let call = json!({ "name": "take_screenshot", "arguments": { "delay_ms": 60_000 } });
            fotos.client.start("tools/call", call)
        })
        .collect();
    let shot = fotos.shoot(json!({}));
    assert_eq!((shot.size(), waiting.len()), ((800, 600), 16));
    assert_eq!(fotos.data("list_screenshots", json!({}))["total"], 1);
}

/// How much more memory a server takes at its peak while it answers many calls at once.
#[track_caller]
fn peak(tool: &str, arguments: Value, count: usize) -> u64 {
    let display = Display::sized(1_920, 1_080);
    let mut fotos = Fotos::on(&display);
    fotos.shoot(json!({}));
    let before = fotos.client.memory_use().resident;
    let call = json!({ "name": tool, "arguments": arguments });
    let calls: Vec<Value> = (0..count).map(|_| fotos.client.start("tools/call", call.clone())).collect();
    for call in &calls {
        let answer = fotos.client.response(call);
        assert_ne!(answer["result"]["isError"], true, "{answer}");
    }
    fotos.client.memory_use().peak - before
}

/// A picture takes 6 MB until it is a file; all of them would be 288.
#[test]
fn many_captures_at_once_stay_within_bounds() {
    let most = peak("take_screenshot", json!({ "max_edge": 200 }), 48);
    assert!(most < 224 << 20, "{} MiB", most >> 20);
}

#[test]
fn many_that_wait_for_the_screen_stay_within_bounds() {
    let most = peak("wait_for", json!({ "until": "stable", "stable_ms": 1_000 }), 32);
    assert!(most < 224 << 20, "{} MiB", most >> 20);
}

/// Derived pictures become files as captured ones do, so the source of many is still there after them.
#[test]
fn many_annotations_at_once_stay_within_bounds_and_keep_their_source() {
    let display = Display::sized(3_840, 2_160);
    let mut fotos = Fotos::on(&display);
    let source = fotos.shoot(json!({})).id().to_owned();
    let before = fotos.client.memory_use().resident;
    let calls: Vec<Value> = (0..24)
        .map(|number| {
            let shape = json!({ "type": "rect", "x": number, "y": 10, "width": 900, "height": 900 });
            let arguments = json!({ "screenshot_id": source, "annotations": [shape] });
            fotos.client.start("tools/call", json!({ "name": "annotate_screenshot", "arguments": arguments }))
        })
        .collect();
    for call in &calls {
        let answer = fotos.client.response(call);
        assert_ne!(answer["result"]["isError"], true, "{answer}");
    }
    let most = fotos.client.memory_use().peak - before;
    assert!(most < 600 << 20, "{} MiB", most >> 20);
    let list = fotos.data("list_screenshots", json!({ "limit": 100 }));
    assert_eq!(list["total"], 25, "none had to go");
}
