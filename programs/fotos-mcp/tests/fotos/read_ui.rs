//! `read_ui`, with a real GTK program and the real accessibility bus.

use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::{Value, json};

use crate::desktop::Desktop;
use crate::display::{Display, start};
use crate::fotos::{Fotos, command};
use crate::window::Look;

/// A program of the test's session, in a process group of its own; ended with everything it started. The accessibility bus outlives
/// its launcher otherwise.
struct Program(Child);

impl Drop for Program {
    fn drop(&mut self) {
        if let Ok(group) = i32::try_from(self.0.id())
            && let Some(group) = Pid::from_raw(group)
        {
            let _ = kill_process_group(group, Signal::KILL);
        }
        let _ = self.0.wait();
    }
}

/// A runtime folder of this test alone: the accessibility bus has its socket there.
fn runtime() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("a11y-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

fn on<'a>(command: &'a mut Command, display: &Display, desktop: &Desktop) -> &'a mut Command {
    command
        .env("DISPLAY", &display.name)
        .env("DBUS_SESSION_BUS_ADDRESS", &desktop.address)
        .env("XDG_RUNTIME_DIR", runtime())
        .env_remove("WAYLAND_DISPLAY")
        .env_remove("NO_AT_BRIDGE")
}

fn named<'a>(elements: &'a [Value], name: &str) -> Option<&'a Value> {
    elements.iter().find(|element| element["name"] == name)
}

#[test]
fn the_elements_of_a_gtk_window_are_told_and_no_password() {
    let display = Display::new();
    let desktop = Desktop::new(None);
    let launcher = accessibility(&display, &desktop);
    let form = on(&mut Command::new("zenity"), &display, &desktop)
        .args([
            "--forms",
            "--title=Sign in",
            "--text=Your account",
            "--add-entry=User",
            "--add-password=Secret",
        ])
        .env("GDK_BACKEND", "x11")
        .stdout(Stdio::null())
        .spawn_quietly();
    let mut fotos = Fotos::with(on(&mut command(), &display, &desktop));
    let waited =
        fotos.data("wait_for", json!({ "until": "text_appears", "text": "Secret", "timeout_ms": 60_000 }));
    assert_eq!(waited["happened"], true, "the window is there");
    let told = fotos.data("read_ui", json!({ "window_title": "sign in" }));
    let elements = told["elements"].as_array().expect("elements");
    let cancel = named(elements, "Cancel").unwrap_or_else(|| panic!("a button: {told}"));
    assert_eq!((&cancel["role"], &cancel["source"]), (&json!("push button"), &json!("accessibility")));
    let field = elements.iter().find(|element| element["role"] == "password text");
    assert_eq!(field.expect("a field for the password").get("value"), None);
    // Its box is where it can be read.
    let found = fotos.data("find_on_screen", json!({ "text": "Cancel" }));
    let (x, y) = (&found["matches"][0]["click"]["x"], &found["matches"][0]["click"]["y"]);
    let inside = |at: &Value, from: &str, length: &str| {
        let (at, place) = (at.as_i64().expect("a place"), &cancel["box"]);
        let start = place[from].as_i64().expect("a place");
        (start..start + place[length].as_i64().expect("a length")).contains(&at)
    };
    assert!(inside(x, "x", "width") && inside(y, "y", "height"), "{cancel} {found}");
    drop((form, launcher));
}

/// A program with windows of its own, written for the test; the real toolkit draws and tells.
fn program(display: &Display, desktop: &Desktop, script: &str) -> Program {
    on(&mut Command::new("/usr/bin/python3"), display, desktop)
        .args(["-c", script])
        .env("GDK_BACKEND", "x11")
        .env("GSK_RENDERER", "cairo")
        .stdout(Stdio::null())
        .spawn_quietly()
}

fn accessibility(display: &Display, desktop: &Desktop) -> Program {
    on(&mut Command::new("/usr/libexec/at-spi-bus-launcher"), display, desktop)
        .arg("--launch-immediately")
        .stdout(Stdio::null())
        .spawn_quietly()
}

/// Two windows of one process, of which one is nobody's business.
#[test]
fn another_window_of_the_same_program_is_not_told() {
    const SCRIPT: &str = "
import gi
gi.require_version('Gtk', '3.0')
from gi.repository import Gtk
for title, text, at in (('Diary', 'dear diary today', 20), ('Groceries', 'milk and bread', 420)):
    window = Gtk.Window(title=title, default_width=300, default_height=200)
    window.add(Gtk.Label(label=text))
    window.move(at, 60)
    window.show_all()
Gtk.main()
";
    let display = Display::new();
    let desktop = Desktop::new(None);
    let (_launcher, _program) = (accessibility(&display, &desktop), program(&display, &desktop, SCRIPT));
    let mut fotos = Fotos::with(on(command().env("FOTOS_EXCLUDE", "diary"), &display, &desktop));
    let waited =
        fotos.data("wait_for", json!({ "until": "text_appears", "text": "milk", "timeout_ms": 60_000 }));
    assert_eq!(waited["happened"], true, "the window is there");
    let told = fotos.data("read_ui", json!({ "window_title": "groceries" }));
    let elements = told["elements"].as_array().expect("elements");
    assert_eq!(named(elements, "milk and bread").expect("a label")["source"], "accessibility");
    assert!(!told.to_string().to_lowercase().contains("diary"), "{told}");
    let refused = fotos.failure("read_ui", json!({ "window_title": "diary" }));
    assert!(refused.contains("excluded"), "{refused}");
    let found = fotos.data("find_on_screen", json!({ "text": "diary" }));
    assert_eq!(found["total"], 0, "{found}");
}

/// A window that does not say which process it belongs to is not taken for that of another program.
#[test]
fn an_excluded_window_of_another_program_is_not_told_under_the_same_title() {
    const SCRIPT: &str = "
import gi
gi.require_version('Gtk', '3.0')
from gi.repository import GLib, Gtk
GLib.set_prgname('diarist')
for title, text, at in (('Notes', 'dear diary today', 20), ('Ready', 'dear reader', 20)):
    window = Gtk.Window(title=title, default_width=300, default_height=200)
    window.add(Gtk.Label(label=text))
    window.move(at, 60)
    window.show_all()
Gtk.main()
";
    let display = Display::new();
    let desktop = Desktop::new(None);
    let (_launcher, _program) = (accessibility(&display, &desktop), program(&display, &desktop, SCRIPT));
    let mut fotos = Fotos::with(on(&mut command(), &display, &desktop));
    let waited =
        fotos.data("wait_for", json!({ "until": "text_appears", "text": "reader", "timeout_ms": 60_000 }));
    assert_eq!(waited["happened"], true, "the windows are there");
    let _notes = display.window("Notes", Look::at(400, 60));
    let mut fotos = Fotos::with(on(command().env("FOTOS_EXCLUDE", "diarist"), &display, &desktop));
    let told = fotos.data("read_ui", json!({ "window_title": "notes" }));
    assert_eq!(told["elements"], json!([]), "colours alone have no text");
}

/// GTK 4 counts from the corner of its window.
#[test]
fn the_elements_of_a_gtk_4_window_are_where_they_can_be_read() {
    const SCRIPT: &str = "
import gi
gi.require_version('Gtk', '4.0')
from gi.repository import GLib, Gtk
window = Gtk.Window(title='Order', default_width=320, default_height=240)
box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=20)
secret = Gtk.PasswordEntry()
secret.set_text('hunter2hunter2')
for part in (Gtk.Label(label='Tea for two'), Gtk.Button(label='Buy now'), secret):
    box.append(part)
window.set_child(box)
window.present()
GLib.MainLoop().run()
";
    let display = Display::new();
    let desktop = Desktop::new(None);
    let (_launcher, _program) = (accessibility(&display, &desktop), program(&display, &desktop, SCRIPT));
    let mut fotos = Fotos::with(on(&mut command(), &display, &desktop));
    let waited =
        fotos.data("wait_for", json!({ "until": "text_appears", "text": "Buy now", "timeout_ms": 60_000 }));
    assert_eq!(waited["happened"], true, "the window is there");
    let told = fotos.data("read_ui", json!({ "window_title": "order" }));
    let elements = told["elements"].as_array().expect("elements");
    let button =
        elements.iter().find(|element| element["source"] == "accessibility" && element["name"] == "Buy now");
    let button = button.unwrap_or_else(|| panic!("a button: {told}"));
    let found = fotos.data("find_on_screen", json!({ "text": "Buy now" }));
    let click = &found["matches"][0]["click"];
    let is_inside = |at: &str, length: &str| {
        let start = button["box"][at].as_i64().expect("a place");
        let end = start + button["box"][length].as_i64().expect("a length");
        (start..end).contains(&click[at].as_i64().expect("a place"))
    };
    assert!(is_inside("x", "width") && is_inside("y", "height"), "{button} {found}");
    assert!(!told.to_string().contains("hunter2"), "{told}");
}

#[test]
fn what_a_program_does_not_tell_is_read_and_an_excluded_window_is_not() {
    let display = Display::new();
    let desktop = Desktop::new(None);
    let _window = display.window("Notes", Look::at(100, 100));
    let _secret = display.window("Vault - KeePassXC", Look::at(300, 300));
    let mut fotos = Fotos::with(on(&mut command(), &display, &desktop));
    let told = fotos.data("read_ui", json!({ "window_title": "notes" }));
    assert_eq!(told["elements"], json!([]), "colours alone have no text");
    let refused = fotos.failure("read_ui", json!({ "window_title": "keepass" }));
    assert!(refused.contains("excluded"), "{refused}");
}

trait Quietly {
    fn spawn_quietly(&mut self) -> Program;
}

impl Quietly for Command {
    fn spawn_quietly(&mut self) -> Program {
        Program(start(self.process_group(0)))
    }
}
