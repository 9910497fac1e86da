//! What nobody is to see is not seen: windows that are excluded, however they are made.

use serde_json::json;
use x11rb::connection::Connection;
use x11rb::protocol::xproto::{
    AtomEnum, ConnectionExt as _, CreateWindowAux, PropMode, Screen, Window as Id, WindowClass,
};
use x11rb::rust_connection::RustConnection;
use x11rb::wrapper::ConnectionExt as _;

use crate::desktop::{Answer, Desktop};
use crate::display::{Display, pixel};
use crate::fotos::{Fotos, Shot};
use crate::window::Look;

pub(crate) const SECRET: [u8; 3] = [0xf0, 0x0d, 0xee];
pub(crate) const BLACK: [u8; 3] = [0; 3];

pub(crate) fn count(shot: &Shot, colour: [u8; 3]) -> usize {
    shot.picture.bytes().chunks_exact(3).filter(|pixel| *pixel == colour).count()
}

/// A window that a program opened and never paints.
pub(crate) fn unpainted(
    connection: &RustConnection,
    screen: &Screen,
    parent: Id,
    place: (i16, i16, u16, u16),
) -> Id {
    open(connection, screen, parent, place, &CreateWindowAux::new().override_redirect(1))
}

pub(crate) fn open(
    connection: &RustConnection,
    screen: &Screen,
    parent: Id,
    (x, y, width, height): (i16, i16, u16, u16),
    aux: &CreateWindowAux,
) -> Id {
    let id = connection.generate_id().expect("an id");
    let (class, visual) = (WindowClass::INPUT_OUTPUT, screen.root_visual);
    let depth = x11rb::COPY_DEPTH_FROM_PARENT;
    connection
        .create_window(depth, id, parent, x, y, width, height, 0, class, visual, aux)
        .expect("sent")
        .check()
        .expect("a window");
    connection.map_window(id).expect("sent").check().expect("mapped");
    id
}

pub(crate) fn name(connection: &RustConnection, id: Id, title: &str) {
    connection
        .change_property8(PropMode::REPLACE, id, AtomEnum::WM_NAME, AtomEnum::STRING, title.as_bytes())
        .expect("sent")
        .check()
        .expect("named");
}

pub(crate) fn classify(connection: &RustConnection, id: Id, class: &str) {
    let class = format!("{class}\0{class}\0");
    connection
        .change_property8(PropMode::REPLACE, id, AtomEnum::WM_CLASS, AtomEnum::STRING, class.as_bytes())
        .expect("sent")
        .check()
        .expect("classified");
}

#[test]
fn an_excluded_window_on_one_that_does_not_repaint_is_not_seen_in_it() {
    let display = Display::bare();
    let (connection, screen) = display.connect();
    let below = unpainted(&connection, &screen, screen.root, (100, 100, 300, 200));
    name(&connection, below, "Stubborn");
    let secret = display.window("Vault - KeePassXC", Look::at(150, 120).size(150, 150).plain(SECRET));
    secret.raise();
    let mut fotos = Fotos::on(&display);
    let shot = fotos.shoot(json!({ "mode": "window", "window_title": "stubborn" }));
    assert_eq!((shot.size(), count(&shot, SECRET)), ((300, 200), 0));
    assert_eq!((shot.at(60, 30), shot.told["hidden_windows"].as_u64()), (BLACK, Some(1)), "{}", shot.told);
    assert!(shot.told["warning"].as_str().is_some_and(|warning| warning.contains("black")), "{}", shot.told);
}

#[test]
fn the_uppermost_of_thousands_of_windows_is_excluded_all_the_same() {
    let display = Display::bare();
    let (connection, screen) = display.connect();
    for number in 0..2_100_i16 {
        let id = connection.generate_id().expect("an id");
        let (class, visual) = (WindowClass::INPUT_OUTPUT, screen.root_visual);
        let aux = CreateWindowAux::new().override_redirect(1);
        let depth = x11rb::COPY_DEPTH_FROM_PARENT;
        let (x, y) = (number % 800, 590);
        connection.create_window(depth, id, screen.root, x, y, 1, 1, 0, class, visual, &aux).expect("sent");
        connection.map_window(id).expect("sent");
    }
    connection.sync().expect("the display answers");
    let secret = display.window("Vault - KeePassXC", Look::at(150, 120).size(150, 150).plain(SECRET));
    secret.raise();
    let shot = Fotos::on(&display).shoot(json!({}));
    assert_eq!((count(&shot, SECRET), shot.at(160, 130)), (0, BLACK));
    assert_eq!(shot.told["hidden_windows"], 1);
}

#[test]
fn an_untitled_window_of_an_excluded_class_inside_a_frame_is_black() {
    let display = Display::bare();
    let (connection, screen) = display.connect();
    let frame = unpainted(&connection, &screen, screen.root, (200, 200, 220, 220));
    let aux = CreateWindowAux::new().background_pixel(pixel(SECRET));
    let client = open(&connection, &screen, frame, (10, 20, 150, 150), &aux);
    classify(&connection, client, "keepassxc");
    connection.sync().expect("the display answers");
    let shot = Fotos::on(&display).shoot(json!({}));
    assert_eq!((count(&shot, SECRET), shot.told["hidden_windows"].as_u64()), (0, Some(1)));
}

/// Programs that show others in their own windows, such as `tabbed`: the names are those of the one outside.
#[test]
fn an_excluded_window_embedded_in_another_program_is_black_and_named_by_nobody() {
    let display = Display::bare();
    let (connection, screen) = display.connect();
    let host = unpainted(&connection, &screen, screen.root, (100, 100, 300, 200));
    name(&connection, host, "Tabs");
    classify(&connection, host, "tabbed");
    let aux = CreateWindowAux::new().background_pixel(pixel(SECRET));
    let client = open(&connection, &screen, host, (10, 20, 150, 150), &aux);
    classify(&connection, client, "keepassxc");
    connection.sync().expect("the display answers");
    let mut fotos = Fotos::on(&display);
    let shot = fotos.shoot(json!({}));
    assert_eq!((count(&shot, SECRET), shot.told["hidden_windows"].as_u64()), (0, Some(1)));
    assert_eq!(fotos.data("list_windows", json!({}))["windows"], json!([]));
    for (tool, arguments) in [
        ("take_screenshot", json!({ "mode": "window", "window_title": "tabs" })),
        ("read_ui", json!({ "window_title": "tabs", "ocr": false })),
        ("find_on_screen", json!({ "text": "x", "mode": "window", "window_title": "tabs" })),
        ("wait_for", json!({ "until": "stable", "mode": "window", "window_title": "tabs" })),
    ] {
        let refused = fotos.failure(tool, arguments);
        assert!(refused.contains("excluded"), "{tool}: {refused}");
    }
}

/// Some programs draw with hundreds of windows, and one of another program may lie below them all.
#[test]
fn an_excluded_window_among_hundreds_in_one_window_is_black() {
    let display = Display::bare();
    let (connection, screen) = display.connect();
    let host = unpainted(&connection, &screen, screen.root, (100, 100, 300, 200));
    classify(&connection, host, "host");
    let aux = CreateWindowAux::new().background_pixel(pixel(SECRET));
    let client = open(&connection, &screen, host, (0, 0, 150, 150), &aux);
    classify(&connection, client, "keepassxc");
    for number in 0..300_i16 {
        open(&connection, &screen, host, (number, 190, 1, 1), &CreateWindowAux::new());
    }
    connection.sync().expect("the display answers");
    let shot = Fotos::on(&display).shoot(json!({}));
    assert_eq!((count(&shot, SECRET), shot.told["hidden_windows"].as_u64()), (0, Some(1)));
}

/// What is nested deeper than anybody looks is not shown.
#[test]
fn what_lies_too_deep_to_be_looked_at_is_black() {
    let display = Display::bare();
    let (connection, screen) = display.connect();
    let mut inner = unpainted(&connection, &screen, screen.root, (200, 200, 220, 220));
    for _ in 0..16 {
        inner = open(&connection, &screen, inner, (1, 1, 200, 200), &CreateWindowAux::new());
    }
    let aux = CreateWindowAux::new().background_pixel(pixel(SECRET));
    let client = open(&connection, &screen, inner, (0, 0, 150, 150), &aux);
    classify(&connection, client, "keepassxc");
    connection.sync().expect("the display answers");
    let shot = Fotos::on(&display).shoot(json!({}));
    assert_eq!((count(&shot, SECRET), shot.told["hidden_windows"].as_u64()), (0, Some(1)));
}

/// The name of the program stands at the end of a title, and a title may be longer than anybody reads.
#[test]
fn a_window_whose_title_cannot_be_read_to_its_end_is_black() {
    let display = Display::bare();
    let title = format!("{} - KeePassXC", "Passwords ".repeat(600));
    let secret = display.window(&title, Look::at(150, 120).size(150, 150).plain(SECRET));
    secret.raise();
    let mut fotos = Fotos::on(&display);
    let shot = fotos.shoot(json!({}));
    assert_eq!((count(&shot, SECRET), shot.at(160, 130)), (0, BLACK));
    let refused = fotos.failure("take_screenshot", json!({ "mode": "window", "window_title": "passwords" }));
    assert!(refused.contains("excluded"), "{refused}");
}

#[test]
fn excluded_windows_are_not_listed_either() {
    let display = Display::new();
    let notes = display.window("Notes", Look::at(100, 100));
    let _secret = display.window("Vault - KeePassXC", Look::at(300, 300));
    let listed = Fotos::on(&display).data("list_windows", json!({}));
    let windows = listed["windows"].as_array().expect("windows");
    assert_eq!(windows.len(), 1, "{listed}");
    let (x, y) = notes.place();
    assert_eq!(windows[0]["title"], "Notes");
    assert_eq!(windows[0]["box"], json!({ "x": x, "y": y, "width": 160, "height": 120 }));
    assert_eq!((&windows[0]["class"], &windows[0]["state"]), (&json!("painter"), &json!("visible")));
    notes.minimise();
    let listed = Fotos::on(&display).data("list_windows", json!({}));
    assert_eq!(listed["windows"][0]["state"], "minimised");
}

#[test]
fn private_text_in_a_title_is_not_repeated() {
    let display = Display::new();
    let _window = display.window("Inbox of anna.adler@example.com", Look::at(100, 100));
    let mut fotos = Fotos::on(&display);
    let shot = fotos.shoot(json!({ "mode": "window", "window_title": "inbox" }));
    assert_eq!(shot.told["subject"], "Inbox of [email]");
    let list = fotos.data("list_screenshots", json!({}));
    assert!(!list.to_string().contains("adler"), "{list}");
    let title = fotos.data("list_windows", json!({}))["windows"][0]["title"].clone();
    assert_eq!(title, "Inbox of [email]");
    // As it was told, it names the window.
    let shot = fotos.shoot(json!({ "mode": "window", "window_title": title }));
    assert_eq!(shot.told["subject"], "Inbox of [email]");
}

/// A portal gives a picture of everything and tells of no window.
#[test]
fn where_windows_are_not_known_the_answer_says_so_and_what_the_person_named_is_refused() {
    let picture = crate::portal::picture("private.png");
    let desktop = Desktop::new(Some(Answer::Picture(picture)));
    let mut fotos = Fotos::with(&mut crate::portal::wayland(&desktop));
    let shot = fotos.shoot(json!({}));
    let warning = shot.told["warning"].as_str().expect("a warning");
    assert!(warning.contains("not blacked out"), "{warning}");
    let refused = fotos.failure("take_screenshot", json!({ "include_cursor": true }));
    assert!(refused.contains("pointer") && refused.contains("portal"), "{refused}");
    let mut named = Fotos::with(crate::portal::wayland(&desktop).env("FOTOS_EXCLUDE", "diary"));
    let refused = named.failure("take_screenshot", json!({}));
    assert!(refused.contains("FOTOS_EXCLUDE"), "{refused}");
    let mut none = Fotos::with(crate::portal::wayland(&desktop).env("FOTOS_EXCLUDE", "none"));
    assert_eq!(none.shoot(json!({})).told.get("warning"), None);
    let refused = Fotos::with(&mut crate::portal::wayland(&desktop)).failure("list_windows", json!({}));
    assert!(refused.contains("Wayland"), "{refused}");
}
