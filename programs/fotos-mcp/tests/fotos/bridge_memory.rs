//! What is left in memory: nothing in `fotos-mcp` after a call or a handover, and nothing in the application of what the person
//! covered.

use std::process::Command;

use mcp::Version;
use mcp_testkit::{Client, program};
use models_stub::{Behaviour, Stub};
use picture::Pixels;
use serde_json::{Value, json};

use crate::application::{Application, ERAS, Session};
use crate::bridge::{in_memory, noise};
use crate::display::Display;
use crate::fotos::Fotos;

/// How much of something is looked for.
const PIECE: usize = 48;

/// Pieces of what stands in an answer: of its texts as they are, and of its pictures as base64, as PNG and as pixels.
#[derive(Default)]
struct Traces(Vec<(String, Vec<u8>)>);

impl Traces {
    /// Some pieces of this, from its beginning, its middle and its end.
    fn add(&mut self, what: &str, bytes: &[u8]) {
        if bytes.len() < 4 * PIECE {
            return;
        }
        for at in [PIECE, bytes.len() / 2, bytes.len() - 2 * PIECE] {
            let piece = &bytes[at..at + PIECE];
            // What stands everywhere says nothing.
            if piece.iter().any(|byte| *byte != piece[0]) {
                self.0.push((format!("{what} at {at}"), piece.to_vec()));
            }
        }
    }

    fn add_answer(&mut self, what: &str, answer: &Value) {
        match answer {
            Value::Array(values) => values.iter().for_each(|value| self.add_answer(what, value)),
            Value::Object(members) => members.values().for_each(|value| self.add_answer(what, value)),
            Value::String(text) => match base64_simd::STANDARD.decode_to_vec(text) {
                Ok(png) if png.starts_with(b"\x89PNG") => {
                    self.add(&format!("base64 of {what}"), text.as_bytes());
                    self.add(&format!("PNG of {what}"), &png);
                    let pixels = Pixels::from_png(&png, 10_000_000).expect("a picture");
                    self.add(&format!("pixels of {what}"), pixels.bytes());
                    // As the display has it.
                    let shared = pixels.bytes().chunks_exact(3).flat_map(|rgb| [rgb[2], rgb[1], rgb[0], 0]);
                    self.add(&format!("shared pixels of {what}"), &shared.collect::<Vec<u8>>());
                }
                _ => {}
            },
            _ => {}
        }
    }

    #[track_caller]
    fn assert_none_in(&self, pid: u32) {
        let needles: Vec<&[u8]> = self.0.iter().map(|(_, piece)| piece.as_slice()).collect();
        let found = in_memory(pid, &needles);
        let names: Vec<&str> = found.iter().map(|at| self.0[*at].0.as_str()).collect();
        assert!(names.is_empty(), "still in memory: {names:?}");
    }

    fn is_any_in(&self, pid: u32) -> bool {
        let needles: Vec<&[u8]> = self.0.iter().map(|(_, piece)| piece.as_slice()).collect();
        !in_memory(pid, &needles).is_empty()
    }
}

#[test]
fn nothing_stays_in_the_messenger_after_any_kind_of_call() {
    for era in ERAS {
        let (display, session) = (Display::bare(), Session::new());
        display.paint(&noise());
        let stub = Stub::start().expect("a provider");
        let mut command = session.application_command(&display);
        command.env("ANTHROPIC_BASE_URL", stub.url()).env("ANTHROPIC_API_KEY", "key-of-the-application");
        let application = Application::start(&mut command);
        let mut fotos = session.fotos(era);
        let taken = fotos.client.call("take_screenshot", json!({ "max_edge": 0 }));
        let told: Value =
            serde_json::from_str(taken["content"][0]["text"].as_str().expect("text")).expect("JSON");
        let id = told["screenshot_id"].as_str().expect("an id").to_owned();
        let mut traces = Traces::default();
        traces.add_answer("take_screenshot", &taken);
        let bar = json!({ "type": "rect", "x": 1, "y": 1, "width": 90, "height": 90 });
        let region = json!({ "x": 9, "y": 9, "width": 300, "height": 300 });
        for (tool, arguments) in [
            ("annotate_screenshot", json!({ "screenshot_id": id, "annotations": [bar], "max_edge": 0 })),
            ("crop_screenshot", json!({ "screenshot_id": id, "region": region, "max_edge": 0 })),
        ] {
            let answer = fotos.client.call(tool, arguments);
            assert_ne!(answer["isError"], true, "{tool}");
            traces.add_answer(tool, &answer);
        }
        let uri = format!("screenshots://{id}");
        traces.add_answer("resources/read", &fotos.client.result("resources/read", json!({ "uri": uri })));
        let prompt = json!({ "name": "describe_ui", "arguments": { "screenshot_id": id } });
        traces.add_answer("prompts/get", &fotos.client.result("prompts/get", prompt));
        let words = "Quetzalcoatlus-and-Wolpertinger ".repeat(20);
        stub.next(Behaviour::Answer { text: words.clone() });
        let said = fotos.client.call("analyze_screenshot", json!({ "screenshot_id": id }));
        assert!(said.to_string().contains("Wolpertinger"), "{said}");
        traces.0.push(("what a model said".to_owned(), b"Quetzalcoatlus-and-Wolpertinger".to_vec()));
        display.write(&["the marker word is Zanzibarquartett"]);
        for (tool, arguments) in [
            ("ocr_screenshot", json!({})),
            ("find_on_screen", json!({ "text": "Zanzibarquartett" })),
            ("analyze_screenshot", json!({ "provider": "local" })),
        ] {
            let said = fotos.client.call(tool, arguments).to_string();
            assert!(said.contains("Zanzibarquartett"), "{tool}: {said}");
        }
        traces.0.push(("what was read".to_owned(), b"Zanzibarquartett".to_vec()));
        // Another call: buffers of the last one may be in use until then. It names the marker no more.
        fotos.data("list_screenshots", json!({}));
        traces.assert_none_in(fotos.client.pid().expect("a process"));
        assert!(traces.is_any_in(application.pid()), "the search itself works");
    }
}

/// The server `fotos` of `deskmate`, in this session.
fn of_deskmate(session: &Session) -> Command {
    let mut command = Command::new(program("deskmate"));
    command.args(["stdio", "fotos"]);
    for (name, value) in session.fotos_command().get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command
}

#[test]
fn nothing_stays_in_the_messenger_after_a_handover() {
    for era in ERAS {
        for start in [Session::fotos_command, of_deskmate] {
            let (display, session) = (Display::bare(), Session::new());
            display.paint(&noise());
            let mut command = start(&session);
            let client = Client::process(command.env("DISPLAY", &display.name)).speaking(era);
            let mut fotos = Fotos { client };
            let mut traces = Traces::default();
            let taken = fotos.client.call("take_screenshot", json!({ "max_edge": 0 }));
            traces.add_answer("take_screenshot", &taken);
            let told: Value =
                serde_json::from_str(taken["content"][0]["text"].as_str().expect("text")).expect("JSON");
            let region = json!({ "x": 9, "y": 9, "width": 300, "height": 300 });
            let crop = json!({ "screenshot_id": told["screenshot_id"], "region": region, "max_edge": 0 });
            traces.add_answer("crop_screenshot", &fotos.client.call("crop_screenshot", crop));
            display.write(&["the marker word is Zanzibarquartett"]);
            let read = fotos.client.call("ocr_screenshot", json!({})).to_string();
            assert!(read.contains("Zanzibarquartett"), "{read}");
            traces.0.push(("what was read".to_owned(), b"Zanzibarquartett".to_vec()));
            let pid = fotos.client.pid().expect("a process");
            assert!(traces.is_any_in(pid), "it is here until it is handed over");
            let mut application = session.application(&display);
            while application.ids().len() < 3 {
                fotos.data("list_screenshots", json!({}));
            }
            fotos.data("list_screenshots", json!({}));
            traces.assert_none_in(pid);
        }
    }
}

#[test]
fn nothing_of_what_the_person_covered_stays_in_the_application() {
    let (display, session) = (Display::bare(), Session::new());
    display.paint(&noise());
    display.write(&["the marker word is Zanzibarquartett"]);
    let mut command = session.application_command(&display);
    let mut application = Application::start(command.env("FOTOS_MEMORY", "2000000"));
    application.order(json!({ "patch": { "history": { "keep": "forever" } } }));
    let mut fotos = session.fotos(Version::MODERN);
    let mut traces = Traces::default();
    let taken = fotos.client.call("take_screenshot", json!({ "max_edge": 0 }));
    traces.add_answer("take_screenshot", &taken);
    let told: Value =
        serde_json::from_str(taken["content"][0]["text"].as_str().expect("text")).expect("JSON");
    let id = told["screenshot_id"].as_str().expect("an id").to_owned();
    let read = fotos.client.call("ocr_screenshot", json!({ "screenshot_id": id })).to_string();
    assert!(read.contains("Zanzibarquartett"), "{read}");
    traces.0.push(("what was read".to_owned(), b"Zanzibarquartett".to_vec()));
    let region = json!({ "x": 9, "y": 9, "width": 300, "height": 300 });
    let crop = json!({ "screenshot_id": id, "region": region, "max_edge": 0 });
    traces.add_answer("crop_screenshot", &fotos.client.call("crop_screenshot", crop));
    let bar = json!({ "id": "bar", "type": "rect", "x": 1, "y": 1, "width": 90, "height": 90 });
    application.order(json!({ "edit": { "id": id, "edit": { "edit": "add", "annotations": [bar] } } }));
    application.order(json!({ "thumbnail": id }));
    application.order(json!({ "read": id }));
    let saved = session.folder.path("saved.png");
    application.order(json!({ "export": { "id": id, "path": saved } }));
    let spilled = fotos.client.call("take_screenshot", json!({ "max_edge": 0 }));
    assert_ne!(spilled["isError"], true);
    assert!(traces.is_any_in(application.pid()), "it is there until it is covered");
    // Everything that shows it: the second shot shows the same.
    for one in application.ids() {
        let everything = json!([{ "x": 0, "y": 0, "width": 800, "height": 600 }]);
        application.try_order(json!({ "redact": { "id": one, "boxes": everything } }));
    }
    fotos.data("list_screenshots", json!({}));
    traces.assert_none_in(application.pid());
    // Nor in a file.
    let mut files = vec![session.home()];
    while let Some(path) = files.pop() {
        if path.is_dir() {
            files.extend(std::fs::read_dir(&path).expect("a folder").flatten().map(|entry| entry.path()));
            continue;
        }
        let bytes = std::fs::read(&path).expect("a file");
        let found = traces.0.iter().find(|(_, piece)| memchr::memmem::find(&bytes, piece).is_some());
        assert!(found.is_none(), "{}: {:?}", path.display(), found.map(|(name, _)| name));
    }
}
