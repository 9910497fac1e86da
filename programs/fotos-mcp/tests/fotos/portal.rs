//! Wayland: the desktop portal is asked, and its answers are told.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

use picture::{Effort, Layout, encode_png};
use serde_json::{Value, json};

use crate::desktop::{Answer, Asked, Desktop, Picture, address};
use crate::display::{Display, LEFT, RIGHT};
use crate::fotos::{Fotos, command};

/// A place for files of this test alone.
fn place(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("portal-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    folder.join(name)
}

/// A picture of a desktop with two monitors, as a portal leaves it somewhere.
pub(crate) fn picture(name: &str) -> Picture {
    let row = [LEFT.repeat(40), RIGHT.repeat(60)].concat();
    let picture = picture::Picture::new(Layout::Rgb, 100, 50, row.repeat(50)).expect("a picture");
    Picture { path: place(name), bytes: encode_png(&picture, Effort::Fast).expect("a PNG").bytes }
}

pub(crate) fn wayland(desktop: &Desktop) -> Command {
    let mut command = command();
    command
        .env("WAYLAND_DISPLAY", "wayland-7")
        .env("XDG_RUNTIME_DIR", place(""))
        .env("DBUS_SESSION_BUS_ADDRESS", &desktop.address);
    command
}

/// What a capture says when the portal answers like this.
#[track_caller]
fn refused(answer: Answer) -> String {
    let desktop = Desktop::new(Some(answer));
    Fotos::with(&mut wayland(&desktop)).failure("take_screenshot", json!({}))
}

#[test]
fn wayland_capture_uses_the_desktop_portal() {
    let picture = picture("a b ü.png");
    let desktop = Desktop::new(Some(Answer::Picture(picture.clone())));
    let mut fotos = Fotos::with(&mut wayland(&desktop));
    let shot = fotos.shoot(json!({}));
    assert_eq!((shot.size(), shot.at(39, 10), shot.at(40, 10)), ((100, 50), LEFT, RIGHT));
    assert!(!picture.path.exists(), "no copy of the screen is left behind");
    let region = json!({ "x": 35, "y": 0, "width": 10, "height": 5 });
    let shot = fotos.shoot(json!({ "region": region }));
    assert_eq!((shot.size(), shot.at(4, 0), shot.at(5, 0)), ((10, 5), LEFT, RIGHT));
    assert!(!picture.path.exists(), "no copy of the screen is left behind");
}

/// X11 programs that run on Wayland see nothing of the others: the portal is asked even where there is a `DISPLAY`.
#[test]
fn wayland_goes_before_x11() {
    let display = Display::bare();
    let desktop = Desktop::new(Some(Answer::Picture(picture("before.png"))));
    let shot = Fotos::with(wayland(&desktop).env("DISPLAY", &display.name)).shoot(json!({}));
    assert_eq!(shot.size(), (100, 50));
}

#[test]
fn a_person_who_says_no_is_told_apart_from_a_desktop_that_asks_first() {
    let said = refused(Answer::Says(1, None));
    assert!(said.starts_with("the desktop did not permit a screenshot: its dialog was cancelled"), "{said}");
    let desktop = Desktop::new(Some(Answer::AfterDialog(picture("dialog.png"))));
    assert_eq!(Fotos::with(&mut wayland(&desktop)).shoot(json!({})).size(), (100, 50));
}

#[test]
fn a_desktop_that_refuses_is_told() {
    let said = refused(Answer::Says(2, None));
    let expected = "the desktop did not permit a screenshot: the portal refused without a reason";
    assert!(said.starts_with(expected), "{said}");
    let said = refused(Answer::Refusal("screenshots are locked down"));
    assert!(said.contains("screenshots are locked down"), "{said}");
}

#[test]
fn what_a_portal_cannot_do_is_refused_with_a_reason() {
    let desktop = Desktop::new(Some(Answer::Picture(picture("unused.png"))));
    let mut fotos = Fotos::with(&mut wayland(&desktop));
    let refused = fotos.failure("take_screenshot", json!({ "mode": "window", "window_title": "a" }));
    assert!(refused.starts_with("Wayland does not let a program see or choose windows"), "{refused}");
    // There is no Wayland display here that could tell where its monitors are.
    let refused = fotos.failure("take_screenshot", json!({ "mode": "monitor" }));
    assert!(refused.starts_with("monitors cannot be told apart here: cannot connect"), "{refused}");
    let without = Desktop::new(None);
    let refused = Fotos::with(&mut wayland(&without)).failure("take_screenshot", json!({}));
    assert!(refused.starts_with("this Wayland session has no desktop portal"), "{refused}");
}

#[test]
fn without_a_session_bus_there_is_no_portal() {
    let nowhere = format!("unix:path={}", place("no-bus").display());
    let mut command = command();
    command.env("WAYLAND_DISPLAY", "wayland-7").env("DBUS_SESSION_BUS_ADDRESS", nowhere);
    let refused = Fotos::with(&mut command).failure("take_screenshot", json!({}));
    assert!(refused.starts_with("this Wayland session has no desktop portal"), "{refused}");
}

#[test]
fn a_portal_that_never_answers_is_given_up() {
    let desktop = Desktop::new(Some(Answer::Never));
    let mut fotos = Fotos::with(wayland(&desktop).env("FOTOS_PORTAL_SECONDS", "1"));
    let refused = fotos.failure("take_screenshot", json!({}));
    assert!(refused.starts_with("the desktop portal did not answer within 1 s"), "{refused}");
    let seen = [(); 2].map(|()| desktop.asked.recv().expect("news"));
    assert_eq!(seen, [Asked::Came, Asked::Went], "the desktop can close its dialog");
}

#[test]
fn a_cancelled_call_leaves_no_dialog_behind() {
    let desktop = Desktop::new(Some(Answer::Never));
    let mut fotos = Fotos::with(&mut wayland(&desktop));
    let id = fotos.client.start("tools/call", json!({ "name": "take_screenshot", "arguments": {} }));
    assert_eq!(desktop.asked.recv().expect("news"), Asked::Came);
    fotos.client.notify("notifications/cancelled", json!({ "requestId": id }));
    assert_eq!(desktop.asked.recv().expect("news"), Asked::Went);
    // And the next call does not wait behind it.
    let list = fotos.data("list_screenshots", json!({}));
    assert_eq!(list["screenshots"], json!([]));
}

/// While a dialog waits for the person, everything else goes on.
#[test]
fn a_dialog_that_is_open_holds_up_nobody() {
    let desktop = Desktop::new(Some(Answer::Never));
    let mut fotos = Fotos::with(&mut wayland(&desktop));
    let call = json!({ "name": "take_screenshot", "arguments": {} });
    let waiting: Vec<Value> = (0..20).map(|_| fotos.client.start("tools/call", call.clone())).collect();
    assert_eq!(desktop.asked.recv().expect("news"), Asked::Came);
    assert_eq!(fotos.data("list_screenshots", json!({}))["total"], 0);
    let refused = fotos.failure("auto_redact_pii", json!({ "screenshot_id": "abc" }));
    assert!(refused.starts_with("screenshot not found"), "{refused}");
    let cleared = fotos.client.call("clear_screenshots", json!({}));
    assert_eq!((&cleared["content"][0]["text"], waiting.len()), (&json!("Deleted 0 screenshots."), 20));
}

/// The portal's answer is a file that somebody made: what it says is not believed.
#[test]
fn a_portal_that_names_something_else_gets_an_error_and_no_file_removed() {
    let unusable = |answer| {
        let said = refused(answer);
        assert!(said.starts_with("the desktop portal's screenshot cannot be used: "), "{said}");
        said
    };
    for uri in ["https://example.org/a.png", "file://elsewhere/a.png", "data:image/png;base64,AAAA"] {
        assert!(unusable(Answer::Says(0, Some(uri.to_owned()))).contains(uri));
    }
    unusable(Answer::Says(0, None));
    unusable(Answer::Says(0, Some(address(&place("missing.png")))));
    unusable(Answer::Says(0, Some("file:///dev/zero".to_owned())));

    let pipe = place("pipe");
    let made = Command::new("mkfifo").arg(&pipe).status().expect("`mkfifo` runs");
    assert!(made.success());
    unusable(Answer::Says(0, Some(address(&pipe))));

    let huge = place("huge.png");
    File::create(&huge).and_then(|file| file.set_len(600 << 20)).expect("a file");
    unusable(Answer::Says(0, Some(address(&huge))));

    let text = Picture { path: place("notes.txt"), bytes: b"not a picture".to_vec() };
    unusable(Answer::Picture(text.clone()));

    let old = picture("holiday.png");
    std::fs::write(&old.path, &old.bytes).expect("a file");
    let long_ago = SystemTime::now() - Duration::from_secs(60);
    File::options().write(true).open(&old.path).and_then(|file| file.set_modified(long_ago)).expect("older");
    let said = unusable(Answer::Says(0, Some(address(&old.path))));
    assert!(said.contains("older than the request"), "{said}");

    for path in [pipe, huge, text.path, old.path] {
        assert!(path.exists(), "{} is not ours to remove", path.display());
        std::fs::remove_file(path).expect("removed");
    }
}

#[test]
fn the_person_is_told_of_every_capture() {
    let (display, desktop) = (Display::bare(), Desktop::new(None));
    let mut told = command();
    told.env("DISPLAY", &display.name)
        .env("DBUS_SESSION_BUS_ADDRESS", &desktop.address)
        .env_remove("FOTOS_NOTIFY");
    let mut fotos = Fotos::with(&mut told);
    fotos.shoot(json!({}));
    let heard = desktop.notifications.recv().expect("a notification");
    assert_eq!(heard, "0: An agent took a screenshot: The whole screen, 800x600 pixels");
    fotos.shoot(json!({ "mode": "monitor", "monitor_index": 1 }));
    let heard = desktop.notifications.recv().expect("a notification");
    assert!(heard.contains("An agent took a screenshot: right, 400x600 pixels"), "{heard}");
}

#[test]
fn a_person_who_wants_no_notifications_gets_none() {
    let (display, desktop) = (Display::bare(), Desktop::new(None));
    let mut quiet = command();
    quiet.env("DISPLAY", &display.name).env("DBUS_SESSION_BUS_ADDRESS", &desktop.address);
    let mut fotos = Fotos::with(quiet.env("FOTOS_NOTIFY", "off"));
    fotos.shoot(json!({}));
    fotos.client.hang_up();
    desktop.settle();
    let heard = desktop.notifications.recv().expect("our own");
    assert_eq!(heard, "0: settled: ");
}
