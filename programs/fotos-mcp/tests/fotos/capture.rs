//! `take_screenshot`: the screen, a monitor, a window.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::display::{Display, HEIGHT, LEFT, RIGHT, WIDTH};
use crate::fotos::{Fotos, Shot, command};
use crate::window::{CORNERS, Look, Named};

const BLACK: [u8; 3] = [0; 3];
const GREY: [u8; 3] = [0x80; 3];

/// The four colours of a window, seen in a picture in which it begins at this place.
#[track_caller]
pub(crate) fn check_corners(shot: &Shot, (x, y): (u32, u32), (width, height): (u32, u32)) {
    let (right, bottom) = (x + width - 1, y + height - 1);
    let seen = [(x, y), (right, y), (x, bottom), (right, bottom)].map(|(x, y)| shot.at(x, y));
    assert_eq!(seen, CORNERS);
}

#[test]
fn fullscreen_capture() {
    let display = Display::new();
    let window = display.window("Notes", Look::at(300, 200));
    let mut fotos = Fotos::on(&display);
    let shot = fotos.shoot(json!({ "mode": "fullscreen" }));
    assert_eq!(shot.size(), (WIDTH.into(), HEIGHT.into()));
    assert_eq!((shot.at(5, 5), shot.at(u32::from(WIDTH) - 5, 5)), (LEFT, RIGHT));
    check_corners(&shot, window.place(), (160, 120));
    assert_eq!((shot.told["width"].as_u64(), shot.told["height"].as_u64()), (Some(800), Some(600)));
    assert_eq!(shot.told["mode"], "fullscreen");
}

#[test]
fn single_monitor_capture() {
    let display = Display::new();
    let mut fotos = Fotos::on(&display);
    let shot = fotos.shoot(json!({ "mode": "monitor", "monitor_index": 1 }));
    assert_eq!(shot.size(), (400, 600));
    let everywhere = shot.picture.bytes().chunks_exact(3).all(|pixel| pixel == RIGHT);
    assert!(everywhere, "only the right monitor");
    assert_eq!((&shot.told["mode"], &shot.told["subject"]), (&json!("monitor"), &json!("right")));
    assert_eq!(fotos.shoot(json!({ "mode": "monitor" })).at(0, 0), LEFT);
}

#[test]
fn window_capture() {
    let display = Display::new();
    let _other = display.window("Inbox", Look::at(500, 300));
    let _window = display.window("Mozilla Firefox", Look::at(100, 100));
    let mut fotos = Fotos::on(&display);
    let shot = fotos.shoot(json!({ "mode": "window", "window_title": "Firefox" }));
    assert_eq!(shot.size(), (160, 120));
    check_corners(&shot, (0, 0), (160, 120));
    assert_eq!((&shot.told["mode"], &shot.told["subject"]), (&json!("window"), &json!("Mozilla Firefox")));
}

#[test]
fn delayed_capture() {
    let display = Display::new();
    let mut fotos = Fotos::on(&display);
    let before = Instant::now();
    fotos.shoot(json!({ "delay_ms": 2000 }));
    // Never earlier: how much later is not ours to say.
    assert!(before.elapsed() >= Duration::from_secs(2));
    let refused = fotos.failure("take_screenshot", json!({ "delay_ms": 60_001 }));
    assert!(refused.contains("`delay_ms`") && refused.contains("60000"), "{refused}");
}

#[test]
fn no_matching_window() {
    let display = Display::new();
    let _window = display.window("Inbox", Look::at(100, 100));
    let refused = Fotos::on(&display)
        .failure("take_screenshot", json!({ "mode": "window", "window_title": "Firefox" }));
    assert_eq!(
        refused,
        "no matching window was found: no title contains `Firefox`; the titles there are: `Inbox`"
    );
}

#[test]
fn mode_is_one_of_three_and_defaults_to_fullscreen() {
    let display = Display::new();
    let mut fotos = Fotos::on(&display);
    assert_eq!(fotos.shoot(json!({})).told["mode"], "fullscreen");
    let tools = fotos.client.result("tools/list", json!({}));
    let mode = &tools["tools"][0]["inputSchema"]["properties"]["mode"];
    let text = mode.to_string();
    assert!(["fullscreen", "monitor", "window"].iter().all(|mode| text.contains(mode)), "{text}");
    assert_eq!(mode["default"], "fullscreen");
}

#[test]
fn delay_ms_defaults_to_0() {
    let mut fotos = Fotos::with(&mut command());
    let tools = fotos.client.result("tools/list", json!({}));
    assert_eq!(tools["tools"][0]["inputSchema"]["properties"]["delay_ms"]["default"], 0);
}

#[test]
fn unknown_mode_is_refused() {
    let mut fotos = Fotos::with(&mut command());
    let refused = fotos.failure("take_screenshot", json!({ "mode": "desk" }));
    assert!(refused.contains("mode") && refused.contains("desk"), "{refused}");
    let refused = fotos.failure("take_screenshot", json!({ "mode": "window" }));
    assert!(refused.contains("`window_title`"), "{refused}");
}

#[test]
fn monitor_index_out_of_range_is_refused() {
    let display = Display::new();
    let refused =
        Fotos::on(&display).failure("take_screenshot", json!({ "mode": "monitor", "monitor_index": 2 }));
    assert_eq!(refused, "there is no monitor 2; the monitors there are: 0 (`left`), 1 (`right`)");
}

#[test]
fn image_content_block_is_base64_png() {
    let display = Display::new();
    let mut fotos = Fotos::on(&display);
    let result = fotos.client.call("take_screenshot", json!({}));
    let image = &result["content"][1];
    assert_eq!((&image["type"], &image["mimeType"]), (&json!("image"), &json!("image/png")));
    crate::fotos::png(image["data"].as_str().expect("data"));
}

#[test]
fn metadata_carries_screenshot_id_dimensions_and_timestamp() {
    let display = Display::new();
    let shot = Fotos::on(&display).shoot(json!({}));
    let id = shot.id();
    assert!(id.len() == 36 && id.matches('-').count() == 4, "{id}");
    assert_eq!(
        (&shot.told["width"], &shot.told["height"], &shot.told["scale"]),
        (&json!(800), &json!(600), &json!(1.0))
    );
    let time = shot.told["timestamp"].as_str().expect("a timestamp");
    assert!(time.len() == 24 && time.starts_with("20") && time.ends_with('Z'), "{time}");
}

#[test]
fn window_title_matches_a_substring_without_regard_to_case() {
    let display = Display::new();
    let _old =
        display.window("XCLOCK of long ago", Look { named: Named::LongAgo, ..Look::at(20, 20).plain(GREY) });
    let window = display.window("Entwürfe – ÜBERSICHT", Look::at(400, 300));
    let mut fotos = Fotos::on(&display);
    check_corners(&fotos.shoot(json!({ "mode": "window", "window_title": "übersicht" })), (0, 0), (160, 120));
    // Some programs have no other title than the old one.
    assert_eq!(fotos.shoot(json!({ "mode": "window", "window_title": "xclock" })).at(80, 60), GREY);
    window.rename("Renamed");
    assert_eq!(
        fotos.shoot(json!({ "mode": "window", "window_title": "RENAMED" })).told["subject"],
        "Renamed"
    );
    fotos.failure("take_screenshot", json!({ "mode": "window", "window_title": "übersicht" }));
}

/// A window is seen as if nothing lay on it.
#[track_caller]
fn check_covered(display: &Display) {
    let _below = display.window("Below", Look::at(100, 100).size(300, 200));
    let _half = display.window("Half", Look::at(60, 60).plain(GREY));
    let all = display.window("All", Look::at(90, 90).size(340, 260).plain(GREY));
    all.raise();
    let mut fotos = Fotos::on(display);
    let shot = fotos.shoot(json!({ "mode": "window", "window_title": "below" }));
    assert_eq!(shot.size(), (300, 200));
    let wrong = (0..200_u32)
        .flat_map(|y| (0..300_u32).map(move |x| (x, y)))
        .find(|&(x, y)| shot.at(x, y) != CORNERS[usize::from(x >= 150) + 2 * usize::from(y >= 100)]);
    assert_eq!(wrong, None, "every pixel is the window's own");
    // And on the screen it is covered as before.
    let (x, y) = all.place();
    assert_eq!(fotos.shoot(json!({})).at(x + 100, y + 100), GREY);
}

#[test]
fn a_covered_window_is_seen_whole() {
    check_covered(&Display::new());
}

#[test]
fn a_covered_window_is_seen_whole_without_a_window_manager() {
    check_covered(&Display::bare());
}

#[test]
fn a_minimised_window_has_no_picture_and_says_so() {
    let display = Display::new();
    let window = display.window("Notes", Look::at(100, 100));
    window.minimise();
    let refused =
        Fotos::on(&display).failure("take_screenshot", json!({ "mode": "window", "window_title": "notes" }));
    assert_eq!(refused, "the window `Notes` is minimised and has no picture; restore it and try again");
}

#[test]
fn a_password_manager_is_black_and_has_no_picture() {
    let display = Display::new();
    let secret = display.window("Passwords - KeePassXC", Look::at(100, 100).size(200, 200));
    let cover = display.window("Cover", Look::at(180, 180).plain(GREY));
    cover.raise();
    let mut fotos = Fotos::on(&display);
    let shot = fotos.shoot(json!({}));
    let (x, y) = secret.place();
    assert_eq!((shot.at(x + 5, y + 5), shot.at(x + 5, y + 190)), (BLACK, BLACK));
    // What lies on it is seen, and so is what lies beside it.
    let (cover_x, cover_y) = cover.place();
    assert_eq!((shot.at(cover_x + 5, cover_y + 5), shot.at(20, 20)), (GREY, LEFT));
    assert_eq!(shot.told["hidden_windows"], 1);
    let refused = fotos.failure("take_screenshot", json!({ "mode": "window", "window_title": "keepass" }));
    assert!(refused.contains("excluded") && !refused.contains("Passwords"), "{refused}");
    let refused = fotos.failure("take_screenshot", json!({ "mode": "window", "window_title": "nothing" }));
    assert!(refused.ends_with("the titles there are: `Cover`"), "{refused}");
}

#[test]
fn the_person_chooses_what_is_excluded() {
    let display = Display::new();
    let diary = display.window("Diary", Look::at(100, 100));
    let payroll = display.window("Numbers", Look { class: "payroll", ..Look::at(500, 300) });
    let corner = |shot: &Shot, (x, y): (u32, u32)| shot.at(x + 2, y + 2);
    let mut some =
        Fotos::with(command().env("DISPLAY", &display.name).env("FOTOS_EXCLUDE", "diary, PAYROLL"));
    let shot = some.shoot(json!({}));
    assert_eq!((corner(&shot, diary.place()), corner(&shot, payroll.place())), (BLACK, BLACK));
    let mut none = Fotos::with(command().env("DISPLAY", &display.name).env("FOTOS_EXCLUDE", "none"));
    let shot = none.shoot(json!({}));
    assert_eq!((corner(&shot, diary.place()), corner(&shot, payroll.place())), (CORNERS[0], CORNERS[0]));
}

#[test]
fn a_region_is_cut_out_of_the_screen_a_monitor_and_a_window() {
    let display = Display::new();
    let _window = display.window("Notes", Look::at(100, 100));
    let mut fotos = Fotos::on(&display);
    let region = json!({ "x": 390, "y": 0, "width": 20, "height": 10 });
    let shot = fotos.shoot(json!({ "region": region }));
    assert_eq!((shot.size(), shot.at(9, 9), shot.at(10, 9)), ((20, 10), LEFT, RIGHT));
    let shot = fotos.shoot(json!({ "mode": "monitor", "monitor_index": 1, "region": region }));
    assert_eq!((shot.size(), shot.at(0, 0)), ((10, 10), RIGHT));
    let region = json!({ "x": 70, "y": 50, "width": 20, "height": 20 });
    let shot = fotos.shoot(json!({ "mode": "window", "window_title": "notes", "region": region }));
    check_corners(&shot, (0, 0), (20, 20));
    let outside = json!({ "x": 800, "y": 0, "width": 20, "height": 10 });
    let refused = fotos.failure("take_screenshot", json!({ "region": outside }));
    assert!(refused.contains("800x600"), "{refused}");
}

#[test]
fn a_smaller_picture_says_its_scale_and_where_the_full_one_is() {
    let display = Display::new();
    let mut fotos = Fotos::on(&display);
    let shot = fotos.shoot(json!({ "max_edge": 400 }));
    assert_eq!((shot.size(), &shot.told["scale"]), ((400, 300), &json!(0.5)));
    assert_eq!((&shot.told["width"], &shot.told["height"]), (&json!(800), &json!(600)));
    let note = shot.told["note"].as_str().expect("a note");
    let uri = format!("screenshots://{}", shot.id());
    assert!(note.contains("0.5000") && note.contains(&uri), "{note}");
    let contents = fotos.read(&uri);
    assert_eq!(crate::fotos::png(contents[0]["blob"].as_str().expect("a blob")).width(), 800);
    let full = fotos.shoot(json!({ "max_edge": 0 }));
    assert_eq!((full.size(), full.told.get("note")), ((800, 600), None::<&Value>));
}

#[test]
fn the_pointer_is_in_the_picture_when_it_is_wanted() {
    let display = Display::new();
    let mut fotos = Fotos::on(&display);
    // It rests in the middle of the screen, where the two monitors meet.
    let region = json!({ "x": 380, "y": 280, "width": 40, "height": 40 });
    let is_plain =
        |shot: &Shot| shot.picture.bytes().chunks_exact(3).all(|pixel| pixel == LEFT || pixel == RIGHT);
    assert!(is_plain(&fotos.shoot(json!({ "region": region }))));
    assert!(!is_plain(&fotos.shoot(json!({ "region": region, "include_cursor": true }))));
}
