//! Pictures of the screen, without the application.

use std::process::{Child, Command};

use mcp::Version;
use mcp_testkit::Client;
use picture::{Limits, Picture, decode};
use serde_json::{Value, json};

use crate::running::Person;

/// A window that every Windows has; closed when dropped.
struct Notepad(Child);

impl Notepad {
    fn open() -> Notepad {
        Notepad(Command::new("notepad.exe").spawn().expect("it starts"))
    }
}

impl Drop for Notepad {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn data(client: &mut Client, tool: &str, arguments: Value) -> Value {
    let answer = client.call(tool, arguments);
    assert_ne!(answer["isError"], true, "{tool}: {answer}");
    answer["structuredContent"].clone()
}

fn shot(client: &mut Client, arguments: Value) -> Picture {
    let answer = client.call("take_screenshot", arguments);
    assert_ne!(answer["isError"], true, "{answer}");
    let content = answer["content"].as_array().expect("content");
    let image = content.iter().find(|block| block["type"] == "image").expect("a picture");
    let png = base64_simd::STANDARD.decode_to_vec(image["data"].as_str().expect("data")).expect("base64");
    decode(&png, &Limits::default()).expect("a PNG").1
}

fn size(picture: &Picture) -> (u64, u64) {
    (picture.width().into(), picture.height().into())
}

#[test]
fn windows_capture_uses_the_platform_api() {
    let person = Person::new();
    let _notepad = Notepad::open();
    let mut fotos = person.client("fotos-mcp", &["--mode", "standalone"], Version::MODERN);
    // Windows says which monitors and windows there are.
    let monitors = data(&mut fotos, "list_monitors", json!({}));
    let monitor = &monitors["monitors"][0];
    assert_eq!(monitor["primary"], true, "{monitors}");
    let name = monitor["name"].as_str().expect("a name");
    assert!(name.contains("DISPLAY"), "{name}");
    let window = loop {
        let windows = data(&mut fotos, "list_windows", json!({}));
        let windows = windows["windows"].as_array().expect("windows").clone();
        let is_notepad =
            |window: &&Value| window["title"].as_str().is_some_and(|title| title.contains("Notepad"));
        if let Some(window) = windows.iter().find(is_notepad) {
            break window.clone();
        }
    };
    // And what is to be seen on them.
    let number = |value: &Value, key: &str| value["box"][key].as_u64().expect("a number");
    let whole = shot(&mut fotos, json!({ "mode": "monitor", "monitor_index": 0, "max_edge": 4000 }));
    assert_eq!(size(&whole), (number(monitor, "width"), number(monitor, "height")));
    let colours: std::collections::HashSet<&[u8]> = whole.bytes().chunks_exact(3).collect();
    assert!(colours.len() > 1, "a window lies on the desktop");
    let title = window["title"].as_str().expect("a title");
    let part = shot(&mut fotos, json!({ "mode": "window", "window_title": title, "max_edge": 4000 }));
    assert!(part.width() > 0 && size(&part).0 <= size(&whole).0, "{window}");
}
