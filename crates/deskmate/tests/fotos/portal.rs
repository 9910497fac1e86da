//! Wayland: the desktop portal is asked, and its answers are told.

use std::path::PathBuf;
use std::process::Command;

use picture::{Effort, Layout, Picture, encode_png};
use serde_json::json;

use crate::desktop::{Answer, Desktop};
use crate::display::{Display, LEFT, RIGHT};
use crate::fotos::{Fotos, command};

/// A picture of a desktop with two monitors, as a portal leaves it somewhere.
fn picture(name: &str) -> PathBuf {
    let row = [LEFT.repeat(40), RIGHT.repeat(60)].concat();
    let picture = Picture::new(Layout::Rgb, 100, 50, row.repeat(50)).expect("a picture");
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, encode_png(&picture, Effort::Fast).expect("a PNG").bytes).expect("a file");
    path
}

fn wayland(desktop: &Desktop) -> Command {
    let mut command = command();
    command.env("WAYLAND_DISPLAY", "wayland-7").env("DBUS_SESSION_BUS_ADDRESS", &desktop.address);
    command
}

#[test]
fn wayland_capture_uses_the_desktop_portal() {
    let file = picture("portal.png");
    let desktop = Desktop::new(Some(Answer::File(file.clone())));
    let mut fotos = Fotos::with(&mut wayland(&desktop));
    let shot = fotos.shoot(json!({}));
    assert_eq!((shot.size(), shot.at(39, 10), shot.at(40, 10)), ((100, 50), LEFT, RIGHT));
    assert!(!file.exists(), "no copy of the screen is left behind");
    picture("portal.png");
    let region = json!({ "x": 35, "y": 0, "width": 10, "height": 5 });
    let shot = fotos.shoot(json!({ "region": region }));
    assert_eq!((shot.size(), shot.at(4, 0), shot.at(5, 0)), ((10, 5), LEFT, RIGHT));
}

/// X11 programs that run on Wayland see nothing of the others: the portal is asked even where there is a `DISPLAY`.
#[test]
fn wayland_goes_before_x11() {
    let display = Display::bare();
    let desktop = Desktop::new(Some(Answer::File(picture("before.png"))));
    let shot = Fotos::with(wayland(&desktop).env("DISPLAY", &display.name)).shoot(json!({}));
    assert_eq!(shot.size(), (100, 50));
}

#[test]
fn a_person_who_says_no_is_told_apart_from_a_desktop_that_asks_first() {
    let desktop = Desktop::new(Some(Answer::Cancelled));
    let refused = Fotos::with(&mut wayland(&desktop)).failure("take_screenshot", json!({}));
    assert!(
        refused.starts_with("the desktop did not permit a screenshot: its dialog was cancelled"),
        "{refused}"
    );
    let desktop = Desktop::new(Some(Answer::AfterDialog(picture("dialog.png"))));
    assert_eq!(Fotos::with(&mut wayland(&desktop)).shoot(json!({})).size(), (100, 50));
}

#[test]
fn what_a_portal_cannot_do_is_refused_with_a_reason() {
    let desktop = Desktop::new(Some(Answer::File(picture("unused.png"))));
    let mut fotos = Fotos::with(&mut wayland(&desktop));
    let refused = fotos.failure("take_screenshot", json!({ "mode": "window", "window_title": "a" }));
    assert!(refused.starts_with("Wayland does not let a program choose a window"), "{refused}");
    let refused = fotos.failure("take_screenshot", json!({ "mode": "monitor" }));
    assert!(refused.starts_with("monitors cannot be told apart here"), "{refused}");
    let without = Desktop::new(None);
    let refused = Fotos::with(&mut wayland(&without)).failure("take_screenshot", json!({}));
    assert!(refused.starts_with("this Wayland session has no desktop portal"), "{refused}");
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
    fotos.client.call("ocr_screenshot", json!({}));
    let heard = desktop.notifications.recv().expect("a notification");
    assert!(heard.ends_with("An agent took a screenshot: The whole screen, 800x600 pixels"), "{heard}");
}
