//! Pictures through the library `xcap`, which is a feature of the build on X11, and so are these tests; `./dev test rust`
//! has it.

use serde_json::json;

use crate::fotos::{Fotos, command};

#[test]
fn an_unknown_way_to_take_pictures_is_refused_with_those_there_are() {
    let mut fotos = Fotos::with(command().env("DISPLAY", ":0").env("FOTOS_CAPTURE", "scrot"));
    let refused = fotos.failure("take_screenshot", json!({}));
    assert!(refused.starts_with("`FOTOS_CAPTURE` is `scrot`") && refused.contains("`xcap`"), "{refused}");
}

#[cfg(not(feature = "xcap"))]
#[test]
fn the_usual_build_says_that_xcap_is_not_in_it() {
    let mut fotos = Fotos::with(command().env("DISPLAY", ":0").env("FOTOS_CAPTURE", "xcap"));
    let refused = fotos.failure("take_screenshot", json!({}));
    assert!(refused.contains("built without") && refused.contains("--features xcap"), "{refused}");
}

#[cfg(feature = "xcap")]
mod built {
    use serde_json::json;

    use crate::capture::check_corners;
    use crate::display::{Display, HEIGHT, LEFT, RIGHT, WIDTH};
    use crate::fotos::{Fotos, command};
    use crate::window::{CORNERS, Look, Named};

    const BLACK: [u8; 3] = [0; 3];
    const GREY: [u8; 3] = [0x80; 3];

    fn through_xcap(display: &Display) -> Fotos {
        Fotos::with(command().env("DISPLAY", &display.name).env("FOTOS_CAPTURE", "xcap"))
    }

    #[test]
    fn the_screen_and_a_part_of_it_are_seen() {
        let display = Display::with_one_monitor();
        let window = display.window("Notes", Look::at(100, 200));
        let mut fotos = through_xcap(&display);
        let shot = fotos.shoot(json!({}));
        assert_eq!(shot.size(), (WIDTH.into(), HEIGHT.into()));
        assert_eq!((shot.at(5, 5), shot.at(u32::from(WIDTH) - 5, 5)), (LEFT, RIGHT));
        check_corners(&shot, window.place(), (160, 120));
        let region = json!({ "x": 390, "y": 0, "width": 20, "height": 10 });
        let shot = fotos.shoot(json!({ "region": region }));
        assert_eq!((shot.size(), shot.at(9, 9), shot.at(10, 9)), ((20, 10), LEFT, RIGHT));
        let outside = json!({ "x": 800, "y": 0, "width": 20, "height": 10 });
        let refused = fotos.failure("take_screenshot", json!({ "region": outside }));
        assert!(refused.contains("800x600"), "{refused}");
    }

    #[test]
    fn a_monitor_is_seen_and_others_are_refused() {
        let display = Display::with_one_monitor();
        let mut fotos = through_xcap(&display);
        let shot = fotos.shoot(json!({ "mode": "monitor", "monitor_index": 0 }));
        assert_eq!((shot.size(), &shot.told["subject"]), ((800, 600), &json!("screen")));
        assert_eq!((shot.at(0, 0), shot.at(799, 599)), (LEFT, RIGHT));
        let refused = fotos.failure("take_screenshot", json!({ "mode": "monitor", "monitor_index": 7 }));
        assert_eq!(refused, "there is no monitor 7; the monitors there are: 0 (`screen`)");
    }

    #[test]
    fn a_window_is_found_by_a_part_of_its_title() {
        let display = Display::new();
        let _other = display.window("Inbox", Look::at(500, 300).plain(GREY));
        let window = display.window("Entwürfe – ÜBERSICHT", Look::at(100, 100));
        let mut fotos = through_xcap(&display);
        let wanted = json!({ "mode": "window", "window_title": "übersicht" });
        let shot = fotos.shoot(wanted.clone());
        assert_eq!((shot.size(), &shot.told["subject"]), ((160, 120), &json!("Entwürfe – ÜBERSICHT")));
        check_corners(&shot, (0, 0), (160, 120));
        let refused =
            fotos.failure("take_screenshot", json!({ "mode": "window", "window_title": "Firefox" }));
        let titles = "the titles there are: `Entwürfe – ÜBERSICHT`, `Inbox`";
        assert_eq!(refused, format!("no matching window was found: no title contains `Firefox`; {titles}"));
        window.minimise();
        let refused = fotos.failure("take_screenshot", wanted);
        assert!(refused.contains("is minimised"), "{refused}");
    }

    #[test]
    fn a_password_manager_is_black_and_has_no_picture() {
        let display = Display::with_one_monitor();
        let _below = display.window("Below", Look::at(120, 120).size(100, 100));
        let secret = display.window("Passwords - KeePassXC", Look::at(100, 100).size(200, 200).plain(GREY));
        secret.raise();
        let mut fotos = through_xcap(&display);
        let shot = fotos.shoot(json!({}));
        let (x, y) = secret.place();
        assert_eq!((shot.at(x, y), shot.at(x + 199, y + 199), shot.at(20, 20)), (BLACK, BLACK, LEFT));
        assert_eq!(shot.told["hidden_windows"], 1);
        let refused =
            fotos.failure("take_screenshot", json!({ "mode": "window", "window_title": "keepass" }));
        assert!(refused.contains("excluded") && !refused.contains("Passwords"), "{refused}");
        // Nor is it seen where it lies on another window.
        let shot = fotos.shoot(json!({ "mode": "window", "window_title": "below" }));
        let is_black = |pixel: &[u8]| pixel == BLACK;
        assert!(shot.picture.bytes().chunks_exact(3).all(is_black));
        assert_eq!((shot.size(), &shot.told["hidden_windows"]), ((100, 100), &json!(1)));
    }

    #[test]
    fn nothing_is_shown_where_windows_cannot_be_listed() {
        let display = Display::bare();
        let refused = through_xcap(&display).failure("take_screenshot", json!({}));
        assert!(refused.contains("nobody is to see") && refused.contains("`FOTOS_EXCLUDE`"), "{refused}");
        let mut command = command();
        command.env("DISPLAY", &display.name).env("FOTOS_CAPTURE", "xcap").env("FOTOS_EXCLUDE", "none");
        assert_eq!(Fotos::with(&mut command).shoot(json!({})).at(0, 0), LEFT);
    }

    /// Why it is not the usual way on X11. A newer version that does better fails here, and the documents can say so.
    #[test]
    fn xcap_misses_monitors_and_titles_that_the_usual_way_finds() {
        let display = Display::new();
        let old = Look { named: Named::LongAgo, ..Look::at(100, 100) };
        let _window = display.window("Of long ago", old);
        let wanted = json!({ "mode": "window", "window_title": "long ago" });
        let mut usual = Fotos::on(&display);
        assert_eq!(
            (usual.shoot(json!({})).size(), usual.shoot(wanted.clone()).at(0, 0)),
            ((800, 600), CORNERS[0])
        );
        let mut fotos = through_xcap(&display);
        assert_eq!(fotos.shoot(json!({})).size(), (400, 600));
        let refused = fotos.failure("take_screenshot", wanted);
        assert!(refused.contains("there is no window with a title"), "{refused}");
    }

    #[test]
    fn the_pointer_is_refused_rather_than_left_out() {
        let display = Display::with_one_monitor();
        let refused = through_xcap(&display).failure("take_screenshot", json!({ "include_cursor": true }));
        assert!(refused.contains("leave `include_cursor` out"), "{refused}");
    }

    #[test]
    fn without_an_x11_display_there_is_a_reason() {
        let refused =
            Fotos::with(command().env("FOTOS_CAPTURE", "xcap")).failure("take_screenshot", json!({}));
        assert!(refused.starts_with("no display server is available for screenshot capture"), "{refused}");
        let mut wayland = command();
        wayland.env("FOTOS_CAPTURE", "xcap").env("WAYLAND_DISPLAY", "wayland-0");
        let refused = Fotos::with(&mut wayland).failure("take_screenshot", json!({}));
        assert!(refused.contains("this is a Wayland session"), "{refused}");
        for nowhere in [":40404", ":65535", ":99999999", "nonsense", ":"] {
            let mut command = command();
            command.env("DISPLAY", nowhere).env("FOTOS_CAPTURE", "xcap");
            let refused = Fotos::with(&mut command).failure("take_screenshot", json!({}));
            let expected = format!("cannot connect to the display server at `{nowhere}`");
            assert!(refused.starts_with(&expected), "{refused}");
        }
    }

    #[test]
    fn a_display_that_went_away_is_told() {
        let display = Display::new();
        let mut fotos = through_xcap(&display);
        fotos.shoot(json!({}));
        drop(display);
        let lost = fotos.failure("take_screenshot", json!({}));
        assert!(lost.starts_with("cannot connect to the display server at"), "{lost}");
    }
}
