//! What nobody is to see is not seen while windows move, change and shine through each other either.

use std::process::{Command, Stdio};
use std::thread::JoinHandle;

use serde_json::json;
use x11rb::connection::Connection;
use x11rb::protocol::Event;
use x11rb::protocol::composite::{ConnectionExt as _, Redirect};
use x11rb::protocol::shape::{ConnectionExt as _, SK, SO};
use x11rb::protocol::xproto::{
    ChangeWindowAttributesAux, ClipOrdering, ConfigureWindowAux, ConnectionExt as _, CreateGCAux,
    CreateWindowAux, EventMask, Rectangle, Screen, SubwindowMode, Window as Id, WindowClass,
};
use x11rb::rust_connection::RustConnection;
use x11rb::wrapper::ConnectionExt as _;

use crate::display::{Display, pixel, start};
use crate::fotos::{Fotos, command};
use crate::private::{BLACK, SECRET, classify, count, name, open, unpainted};
use crate::window::Look;

const OPEN: [u8; 3] = [0x30, 0xb0, 0x50];

fn vault(display: &Display) -> crate::window::Window {
    let secret = display.window("Vault - KeePassXC", Look::at(150, 120).size(150, 150).plain(SECRET));
    secret.raise();
    secret
}

fn raise(connection: &RustConnection, id: Id) {
    let above = ConfigureWindowAux::new().stack_mode(x11rb::protocol::xproto::StackMode::ABOVE);
    connection.configure_window(id, &above).expect("sent").check().expect("raised");
}

/// A window with holes: what is seen through them is not its own.
#[test]
fn an_excluded_window_is_not_seen_through_the_holes_of_another() {
    let display = Display::bare();
    let _secret = vault(&display);
    let (connection, screen) = display.connect();
    let aux = CreateWindowAux::new().background_pixel(pixel(OPEN)).override_redirect(1);
    let round = open(&connection, &screen, screen.root, (100, 100, 300, 200), &aux);
    name(&connection, round, "Round");
    let rim = Rectangle { x: 0, y: 0, width: 300, height: 20 };
    connection
        .shape_rectangles(SO::SET, SK::BOUNDING, ClipOrdering::UNSORTED, round, 0, 0, &[rim])
        .expect("sent")
        .check()
        .expect("shaped");
    let mut fotos = Fotos::on(&display);
    let shot = fotos.shoot(json!({ "mode": "window", "window_title": "round" }));
    assert_eq!((shot.at(60, 10), shot.at(60, 30), count(&shot, SECRET)), (OPEN, BLACK, 0));
    assert_eq!(count(&fotos.shoot(json!({})), SECRET), 0);
}

/// Without a background, and without a program that paints: what was there before is still to be seen.
#[test]
fn an_excluded_window_is_not_seen_in_a_popup_that_paints_nothing() {
    let display = Display::bare();
    let _secret = vault(&display);
    let (connection, screen) = display.connect();
    let glass = unpainted(&connection, &screen, screen.root, (100, 100, 300, 200));
    raise(&connection, glass);
    connection.sync().expect("the display answers");
    let mut fotos = Fotos::on(&display);
    assert_eq!(count(&fotos.shoot(json!({})), SECRET), 0);
    let region = json!({ "x": 160, "y": 130, "width": 50, "height": 50 });
    assert_eq!(count(&fotos.shoot(json!({ "region": region })), SECRET), 0);
    assert_eq!(count(&fotos.shoot(json!({ "mode": "monitor", "monitor_index": 0 })), SECRET), 0);
}

/// Most toolkits have the server fill nothing. What was there before is still to be seen in a window that hangs when it is raised, or
/// that was opened a moment ago.
#[test]
fn an_excluded_window_is_not_seen_in_a_window_above_it_that_paints_nothing() {
    let display = Display::bare();
    let _secret = vault(&display);
    let (connection, screen) = display.connect();
    let frozen = open(&connection, &screen, screen.root, (100, 100, 300, 200), &CreateWindowAux::new());
    name(&connection, frozen, "Frozen");
    raise(&connection, frozen);
    connection.sync().expect("the display answers");
    let mut fotos = Fotos::on(&display);
    assert_eq!(count(&fotos.shoot(json!({})), SECRET), 0);
    assert_eq!(count(&fotos.shoot(json!({ "mode": "monitor", "monitor_index": 0 })), SECRET), 0);
    let shot = fotos.shoot(json!({ "mode": "window", "window_title": "frozen" }));
    assert_eq!((shot.size(), count(&shot, SECRET)), ((300, 200), 0));
    assert!(
        shot.told["warning"].as_str().is_some_and(|said| said.contains("did not paint")),
        "{}",
        shot.told
    );
    // One that paints is seen where it lies above both.
    let cover = display.window("Cover", Look::at(120, 110).size(200, 180).plain(OPEN));
    cover.raise();
    let shot = fotos.shoot(json!({}));
    assert_eq!((count(&shot, SECRET), count(&shot, OPEN)), (0, 200 * 180));
    assert_eq!(shot.told.get("hidden_windows"), None, "{}", shot.told);
    let shot = fotos.shoot(json!({ "mode": "window", "window_title": "cover" }));
    assert_eq!((count(&shot, SECRET), count(&shot, OPEN)), (0, 200 * 180));
}

/// A real program of GTK 3 that hangs, in the frame of a window manager.
#[test]
fn an_excluded_window_is_not_seen_in_a_program_that_hangs() {
    let display = Display::new();
    let mut hanging = start(
        Command::new("zenity")
            .args(["--info", "--title", "Hanging", "--text", "Nothing", "--width", "400", "--height", "200"])
            .env("DISPLAY", &display.name)
            .env("GDK_BACKEND", "x11")
            .env_remove("WAYLAND_DISPLAY")
            .stdout(Stdio::null()),
    );
    let mut fotos = Fotos::on(&display);
    let wait = json!({ "until": "text_appears", "text": "Nothing", "timeout_ms": 60_000 });
    assert_eq!(fotos.data("wait_for", wait.clone())["happened"], true);
    let listed = fotos.data("list_windows", json!({}))["windows"][0]["box"].clone();
    let number =
        |key: &str| listed[key].as_i64().and_then(|number| i16::try_from(number).ok()).expect("a number");
    let (x, y) = (number("x"), number("y"));
    let secret = display.window("Vault - KeePassXC", Look::at(x + 20, y + 20).size(300, 150).plain(SECRET));
    secret.raise();
    let stop = |signal: &str| {
        let status = Command::new("kill").args([signal, &hanging.id().to_string()]).status();
        assert!(status.expect("kill").success());
    };
    stop("-STOP");
    secret.lower();
    let (shot, alone) =
        (fotos.shoot(json!({})), fotos.shoot(json!({ "mode": "window", "window_title": "hanging" })));
    stop("-CONT");
    assert_eq!((count(&shot, SECRET), count(&alone, SECRET)), (0, 0));
    // One that does not hang is seen.
    assert_eq!(fotos.data("wait_for", wait)["happened"], true);
    hanging.kill().and_then(|()| hanging.wait()).expect("it ends");
}

/// Menus and tooltips of simple toolkits have no name.
#[test]
fn a_nameless_popup_of_an_excluded_program_is_black_and_one_of_another_is_not() {
    let display = Display::bare();
    let (keeper, screen) = display.connect();
    let vault = open(&keeper, &screen, screen.root, (10, 10, 50, 50), &CreateWindowAux::new());
    classify(&keeper, vault, "keepassxc");
    let popup = |connection: &RustConnection, colour, x| {
        let aux = CreateWindowAux::new().background_pixel(pixel(colour)).override_redirect(1);
        open(connection, &screen, screen.root, (x, 200, 80, 80), &aux)
    };
    popup(&keeper, SECRET, 100);
    let (other, _) = display.connect();
    popup(&other, OPEN, 300);
    keeper.sync().expect("the display answers");
    let shot = Fotos::on(&display).shoot(json!({}));
    assert_eq!((count(&shot, SECRET), count(&shot, OPEN)), (0, 80 * 80));
    assert_eq!(shot.told["hidden_windows"], 2);
}

/// A window is gone before its frame is, and what it showed is still to be seen there.
#[test]
fn an_excluded_window_that_was_just_closed_is_not_seen_in_its_frame() {
    let display = Display::new();
    let secret = vault(&display);
    let notes = display.window("Notes", Look::at(500, 300).plain(OPEN));
    notes.raise();
    let mut fotos = Fotos::on(&display);
    assert_eq!(count(&fotos.shoot(json!({})), SECRET), 0);
    display.stop_the_manager();
    drop(secret);
    let shot = fotos.shoot(json!({}));
    assert_eq!((count(&shot, SECRET), count(&shot, OPEN)), (0, 160 * 120));
    assert_eq!(shot.told["hidden_windows"], 1);
}

/// Somebody else takes a picture of the same covered window: it has a place of its own then, with what covered it.
#[test]
fn a_window_whose_pixels_somebody_else_keeps_does_not_show_what_covered_it() {
    let display = Display::bare();
    let (connection, screen) = display.connect();
    let below = unpainted(&connection, &screen, screen.root, (100, 100, 300, 200));
    name(&connection, below, "Stubborn");
    let _secret = vault(&display);
    connection.composite_query_version(0, 4).expect("sent").reply().expect("Composite");
    connection
        .composite_redirect_window(below, Redirect::AUTOMATIC)
        .expect("sent")
        .check()
        .expect("redirected");
    let shot = Fotos::on(&display).shoot(json!({ "mode": "window", "window_title": "stubborn" }));
    assert_eq!((shot.size(), count(&shot, SECRET)), ((300, 200), 0));
}

/// A window that paints nothing, and does something else when it is asked to.
fn treacherous(
    display: &Display,
    deed: impl FnOnce(&RustConnection, &Screen, Id) + Send + 'static,
) -> JoinHandle<()> {
    let (connection, screen) = display.connect();
    let below = unpainted(&connection, &screen, screen.root, (100, 100, 300, 200));
    name(&connection, below, "Stubborn");
    // Asked from now on only: for what others cover.
    connection.sync().expect("the display answers");
    let watch = ChangeWindowAttributesAux::new().event_mask(EventMask::EXPOSURE);
    connection.change_window_attributes(below, &watch).expect("sent").check().expect("watched");
    std::thread::spawn(move || {
        while !matches!(connection.wait_for_event().expect("an event"), Event::Expose(_)) {}
        deed(&connection, &screen, below);
        connection.sync().expect("the display answers");
        // Its window lives as long as the picture takes.
        while connection.wait_for_event().is_ok() {}
    })
}

#[test]
fn a_window_that_moves_while_its_picture_is_taken_does_not_show_what_covered_it() {
    let display = Display::bare();
    let _below = treacherous(&display, |connection, _, id| {
        let aside = ConfigureWindowAux::new().x(60).y(80);
        connection.configure_window(id, &aside).expect("sent").check().expect("moved");
    });
    let _secret = vault(&display);
    let mut fotos = Fotos::on(&display);
    let answer =
        fotos.client.call("take_screenshot", json!({ "mode": "window", "window_title": "stubborn" }));
    let said = answer["content"][0]["text"].as_str().expect("text");
    assert!(answer["isError"] == true && said.contains("moved"), "{said}");
}

#[test]
fn a_window_that_becomes_excluded_while_its_picture_is_taken_is_not_shown() {
    let display = Display::bare();
    let _below = treacherous(&display, |connection, screen, id| {
        let aux = CreateWindowAux::new().background_pixel(pixel(SECRET));
        let client = open(connection, screen, id, (0, 0, 300, 200), &aux);
        classify(connection, client, "keepassxc");
    });
    let _cover = display.window("Cover", Look::at(150, 120).size(150, 150).plain(OPEN));
    let refused = Fotos::on(&display)
        .failure("take_screenshot", json!({ "mode": "window", "window_title": "stubborn" }));
    assert!(refused.contains("excluded"), "{refused}");
}

/// Stands for a compositing manager that lets windows shine through others, whatever these say of themselves.
#[test]
fn an_excluded_window_is_not_seen_through_what_a_compositing_manager_makes_transparent() {
    let display = Display::bare();
    let _secret = vault(&display);
    let cover = display.window("Cover", Look::at(100, 100).size(300, 200).plain(OPEN));
    cover.raise();
    let (manager, screen) = display.connect();
    manager.composite_query_version(0, 4).expect("sent").reply().expect("Composite");
    let owner = manager.generate_id().expect("an id");
    let (class, depth) = (WindowClass::INPUT_ONLY, 0);
    manager
        .create_window(depth, owner, screen.root, 0, 0, 1, 1, 0, class, 0, &CreateWindowAux::new())
        .expect("sent")
        .check()
        .expect("a window");
    let atom = manager.intern_atom(false, b"_NET_WM_CM_S0").expect("sent").reply().expect("an atom").atom;
    manager.set_selection_owner(owner, atom, x11rb::CURRENT_TIME).expect("sent").check().expect("owned");
    manager
        .composite_redirect_subwindows(screen.root, Redirect::MANUAL)
        .expect("sent")
        .check()
        .expect("redirected");
    let gc = manager.generate_id().expect("an id");
    let aux = CreateGCAux::new().foreground(pixel(SECRET)).subwindow_mode(SubwindowMode::INCLUDE_INFERIORS);
    manager.create_gc(gc, screen.root, &aux).expect("sent");
    let all = Rectangle { x: 100, y: 100, width: 300, height: 200 };
    manager.poly_fill_rectangle(screen.root, gc, &[all]).expect("sent").check().expect("painted");
    let mut fotos = Fotos::on(&display);
    let shot = fotos.shoot(json!({}));
    // Beside the excluded window the manager may show what it likes.
    let (inside, beside) = (shot.at(200, 200), shot.at(110, 110));
    assert_eq!((inside, beside, shot.told["hidden_windows"].as_u64()), (OPEN, SECRET, None));
    let shot = fotos.shoot(json!({ "mode": "window", "window_title": "cover" }));
    assert_eq!((count(&shot, SECRET), count(&shot, OPEN)), (0, 300 * 200));
}

#[test]
fn how_a_title_is_written_makes_no_difference_to_what_is_excluded() {
    let display = Display::bare();
    // A decomposed letter, a space that does not break, letters of double width, a Turkish capital and one that is not seen.
    let titles = ["Grüße\u{a0}an mich", "ＤＩＡＲＹ", "DİARY", "di\u{ad}ary", "GRÜSSE AN MICH"];
    let mut fotos = Fotos::with(
        command().env("DISPLAY", &display.name).env("FOTOS_EXCLUDE", "Gru\u{308}ße an mich, diary"),
    );
    for title in titles {
        let secret = display.window(title, Look::at(150, 120).size(150, 150).plain(SECRET));
        assert_eq!(count(&fotos.shoot(json!({})), SECRET), 0, "{title}");
        assert_eq!(fotos.data("list_windows", json!({}))["windows"], json!([]), "{title}");
        drop(secret);
    }
}

/// Old programs switch between sets of letters in titles.
#[test]
fn a_title_whose_letters_are_not_known_is_taken_for_an_excluded_one() {
    let display = Display::bare();
    let (connection, screen) = display.connect();
    let aux = CreateWindowAux::new().background_pixel(pixel(SECRET));
    let window = open(&connection, &screen, screen.root, (100, 100, 80, 80), &aux);
    classify(&connection, window, "xclock");
    // As `xclock -title 日記` has it.
    name(&connection, window, "\u{1b}$(BF|5-");
    connection.sync().expect("the display answers");
    let with = |list: &str| Fotos::with(command().env("DISPLAY", &display.name).env("FOTOS_EXCLUDE", list));
    let mut fotos = with("日記");
    assert_eq!(count(&fotos.shoot(json!({})), SECRET), 0);
    assert_eq!(fotos.data("list_windows", json!({}))["windows"], json!([]));
    assert_eq!(count(&with("diary").shoot(json!({})), SECRET), 80 * 80);
}

#[test]
fn a_refusal_repeats_no_private_text_of_titles() {
    let display = Display::new();
    let window = display.window("Inbox of anna.adler@example.com", Look::at(100, 100));
    let mut fotos = Fotos::on(&display);
    let missing = json!({ "mode": "window", "window_title": "nowhere" });
    let refused = fotos.failure("take_screenshot", missing);
    assert!(refused.contains("Inbox") && !refused.contains("adler"), "{refused}");
    window.minimise();
    let hidden = json!({ "mode": "window", "window_title": "inbox" });
    let refused = fotos.failure("take_screenshot", hidden);
    assert!(refused.contains("minimised") && !refused.contains("adler"), "{refused}");
}
