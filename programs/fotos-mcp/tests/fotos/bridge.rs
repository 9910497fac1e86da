//! With the Fotos application: `fotos-mcp` is its messenger.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::{FileExt, FileTypeExt, PermissionsExt};
use std::os::unix::net::UnixStream;

use mcp::Version;
use memchr::memmem;
use models_stub::{Behaviour, Stub};
use picture::Pixels;
use serde_json::{Value, json};

use crate::application::{ERAS, Session};
use crate::display::{Display, HEIGHT, LEFT, RIGHT, WIDTH};
use crate::fotos::Fotos;

/// The code of calls that need the application.
const UNAVAILABLE: i32 = -32000;

fn tools(fotos: &mut Fotos) -> Vec<String> {
    let tools = fotos.client.result("tools/list", json!({}));
    let tools = tools["tools"].as_array().expect("tools");
    tools.iter().map(|tool| tool["name"].as_str().expect("a name").to_owned()).collect()
}

#[track_caller]
fn unavailable(fotos: &mut Fotos, method: &str, params: Value) -> String {
    let error = fotos.client.error(method, params);
    assert_eq!(error["code"], UNAVAILABLE, "{error}");
    error["message"].as_str().expect("a message").to_owned()
}

fn call(tool: &str, arguments: Value) -> Value {
    json!({ "name": tool, "arguments": arguments })
}

#[test]
fn command_delegation_on_linux() {
    for era in ERAS {
        let (display, session) = (Display::bare(), Session::new());
        let mut application = session.application(&display);
        let mut fotos = session.fotos(era);
        // The program has no display of its own.
        let shot = fotos.shoot(json!({}));
        assert_eq!((shot.at(3, 3), shot.at(796, 3)), (LEFT, RIGHT));
        assert_eq!(application.ids(), [shot.id()]);
        let calls = application.order(json!("activity"));
        assert_eq!((&calls[0]["tool"], &calls[0]["outcome"]), (&json!("take_screenshot"), &json!("done")));
        assert_eq!(calls[0]["pid"], fotos.client.pid().expect("a process"));
        // A failure comes back as the application says it.
        let failure = fotos.failure("ocr_screenshot", json!({ "screenshot_id": "nothing" }));
        assert!(failure.starts_with("screenshot not found"), "{failure}");
        assert_eq!(application.activity()[0], ("ocr_screenshot".to_owned(), "failed".to_owned()));
        application.close();
    }
}

#[test]
fn unix_domain_socket_on_linux() {
    for era in ERAS {
        let (display, session) = (Display::bare(), Session::new());
        let application = session.application(&display);
        let found = std::fs::symlink_metadata(session.socket()).expect("a socket");
        assert!(found.file_type().is_socket());
        assert_eq!(found.permissions().mode() & 0o777, 0o600);
        let folder = std::fs::metadata(session.socket_folder()).expect("a folder");
        assert_eq!(folder.permissions().mode() & 0o777, 0o700);
        assert_eq!(session.bridged(era).data("list_screenshots", json!({}))["total"], 0);
        application.close();
        assert!(!session.socket().exists(), "it is gone with the application");
    }
}

/// What a program says to the socket, and what comes back.
fn ask(stream: &mut BufReader<UnixStream>, message: &Value) -> Value {
    writeln!(stream.get_mut(), "{message}").expect("sent");
    let mut line = String::new();
    stream.read_line(&mut line).expect("an answer");
    serde_json::from_str(&line).expect("JSON")
}

#[test]
fn ipc_carries_structured_commands_and_responses() {
    let (display, session) = (Display::bare(), Session::new());
    let _application = session.application(&display);
    let mut stream = BufReader::new(UnixStream::connect(session.socket()).expect("connected"));
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": Version::MODERN.as_str(),
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let request = |id: u32, tool: &str, arguments: Value| {
        let params = json!({ "name": tool, "arguments": arguments, "_meta": meta });
        json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params })
    };
    let taken = ask(&mut stream, &request(7, "take_screenshot", json!({ "max_edge": 100 })));
    assert_eq!((&taken["id"], &taken["result"]["content"][1]["type"]), (&json!(7), &json!("image")));
    let listed = ask(&mut stream, &request(8, "list_screenshots", json!({})));
    assert_eq!((&listed["id"], &listed["result"]["structuredContent"]["total"]), (&json!(8), &json!(1)));
    let failed = ask(&mut stream, &request(9, "no_such_tool", json!({})));
    assert_eq!((&failed["id"], &failed["error"]["code"]), (&json!(9), &json!(-32602)));
    for era in ERAS {
        let mut fotos = session.bridged(era);
        assert_eq!(fotos.data("list_screenshots", json!({}))["total"], 1);
        assert_eq!(fotos.client.error("tools/call", call("no_such_tool", json!({})))["code"], -32602);
    }
}

/// Noise that stands nowhere else, as pixels.
pub(crate) fn noise() -> Pixels {
    let mut state = 0x9e37_79b9_u32 ^ std::process::id();
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state.to_le_bytes()[1]
    };
    let bytes = (0..usize::from(WIDTH) * usize::from(HEIGHT) * 3).map(|_| next()).collect();
    Pixels::new(WIDTH.into(), HEIGHT.into(), bytes).expect("pixels")
}

/// Which of these stand in the memory of a process, by their number.
pub(crate) fn in_memory(pid: u32, needles: &[&[u8]]) -> Vec<usize> {
    let maps = std::fs::read_to_string(format!("/proc/{pid}/maps")).expect("maps");
    let memory = File::open(format!("/proc/{pid}/mem")).expect("memory");
    let mut found = Vec::new();
    for line in maps.lines().filter(|line| line.contains(" rw")) {
        let range = line.split_once(' ').and_then(|(range, _)| range.split_once('-')).expect("a range");
        let [start, end] = [range.0, range.1].map(|text| u64::from_str_radix(text, 16).expect("an address"));
        let mut bytes = vec![0; usize::try_from(end - start).expect("fits")];
        // Some ranges are there and cannot be read.
        if memory.read_exact_at(&mut bytes, start).is_err() {
            continue;
        }
        // Compiled with optimisation, unlike this: there are many megabytes.
        found.extend(
            needles
                .iter()
                .enumerate()
                .filter(|(_, needle)| memmem::find(&bytes, needle).is_some())
                .map(|(number, _)| number),
        );
    }
    found
}

#[test]
fn no_local_state_retained_between_requests() {
    for era in ERAS {
        let (display, session) = (Display::bare(), Session::new());
        let page = noise();
        display.paint(&page);
        let mut application = session.application(&display);
        let mut fotos = session.fotos(era);
        let answer = fotos.client.call("take_screenshot", json!({ "max_edge": 0 }));
        let data = answer["content"][1]["data"].as_str().expect("base64");
        let png = base64_simd::STANDARD.decode_to_vec(data).expect("base64");
        let text = answer["content"][0]["text"].as_str().expect("text");
        let told: Value = serde_json::from_str(text).expect("JSON");
        let id = told["screenshot_id"].as_str().expect("an id");
        display.write(&["the marker word is Zanzibarquartett"]);
        let read = fotos.client.call("ocr_screenshot", json!({}));
        assert!(read.to_string().contains("Zanzibarquartett"), "{read}");
        // Another call: buffers of the last one may be in use until then.
        fotos.data("list_screenshots", json!({}));
        let (middle, pixels) = (data.len() / 2, page.bytes().len() / 2);
        let needles: [&[u8]; 6] = [
            &page.bytes()[pixels..pixels + 48],
            &png[png.len() / 2..png.len() / 2 + 48],
            &data.as_bytes()[middle..middle + 48],
            &data.as_bytes()[data.len() - 100..data.len() - 52],
            &data.as_bytes()[200..248],
            b"Zanzibarquartett",
        ];
        let pid = fotos.client.pid().expect("a process");
        let still = in_memory(pid, &needles);
        assert!(still.is_empty(), "something of the picture is still there: {still:?}");
        // The search itself works: the application has it.
        assert!(in_memory(application.pid(), &needles).contains(&1));
        // Nor is there a file.
        application.order(json!({ "delete": id }));
        assert_eq!(fotos.data("list_screenshots", json!({}))["total"], 1);
    }
}

#[test]
fn storage_ai_and_file_work_happen_in_the_main_app_when_bridged() {
    for era in ERAS {
        let (display, session) = (Display::bare(), Session::new());
        display.write(&["Mail anna.adler@example.com"]);
        let stub = Stub::start().expect("a provider");
        let mut command = session.application_command(&display);
        // Only the application knows the provider, its key and the display.
        command.env("ANTHROPIC_BASE_URL", stub.url()).env("ANTHROPIC_API_KEY", "key-of-the-application");
        let mut application = crate::application::Application::start(&mut command);
        let mut fotos = session.fotos(era);
        let shot = fotos.shoot(json!({}));
        let arguments = json!({ "screenshot_id": shot.id() });
        let read = fotos.client.call("ocr_screenshot", arguments.clone());
        assert!(read.to_string().contains("example.com"), "{read}");
        stub.next(Behaviour::Answer { text: "A page with an address".to_owned() });
        let told = fotos.client.call("analyze_screenshot", arguments.clone());
        assert!(told.to_string().contains("A page with an address"), "{told}");
        assert_eq!(stub.seen().len(), 1);
        let redacted = fotos.picture("auto_redact_pii", arguments.clone());
        assert_eq!(redacted.told["detections"].as_array().expect("detections").len(), 1);
        // All of it is there, and the source is as it was.
        assert_eq!(application.ids(), [redacted.id(), shot.id()]);
        let text = application.order(json!({ "read": shot.id() }));
        assert!(text.as_str().expect("text").contains("anna.adler"), "{text}");
        let tools: Vec<String> = application.activity().into_iter().map(|(tool, _)| tool).collect();
        assert_eq!(tools, ["auto_redact_pii", "analyze_screenshot", "ocr_screenshot", "take_screenshot"]);
    }
}

#[test]
fn no_screenshot_store_of_its_own_when_bridged() {
    for era in ERAS {
        let (display, session) = (Display::bare(), Session::new());
        let application = session.application(&display);
        let mut fotos = session.fotos(era);
        let shot = fotos.shoot(json!({}));
        // Another program sees it, so it is not in this one.
        let mut other = session.fotos(era);
        assert_eq!(other.data("list_screenshots", json!({}))["screenshots"][0]["screenshot_id"], shot.id());
        application.close();
        assert_eq!(fotos.data("list_screenshots", json!({}))["total"], 0);
        let gone = fotos.failure("ocr_screenshot", json!({ "screenshot_id": shot.id() }));
        assert!(gone.starts_with("screenshot not found"), "{gone}");
    }
}

#[test]
fn ipc_connection_failure() {
    for era in ERAS {
        let session = Session::new();
        let said = unavailable(&mut session.bridged(era), "tools/call", call("list_screenshots", json!({})));
        assert!(said.contains("Fotos application is not running"), "{said}");
        assert!(said.contains("Start Fotos"), "{said}");
    }
}

#[test]
fn tools_that_need_the_bridge_fail_while_the_app_is_required_and_not_running() {
    for era in ERAS {
        let (display, session) = (Display::bare(), Session::new());
        let mut fotos = session.bridged(era);
        let names = tools(&mut fotos);
        assert!(names.contains(&"take_screenshot".to_owned()) && names.contains(&"undo_edit".to_owned()));
        for name in &names {
            let said = unavailable(&mut fotos, "tools/call", call(name, json!({})));
            assert!(said.contains("Fotos application is not running"), "{name}: {said}");
        }
        for uri in ["settings://current", "screenshots://recent"] {
            let said = unavailable(&mut fotos, "resources/read", json!({ "uri": uri }));
            assert!(said.contains("Fotos application is not running"), "{uri}: {said}");
        }
        // It comes under the running client, and goes.
        let application = session.application(&display);
        fotos.shoot(json!({}));
        application.close();
        unavailable(&mut fotos, "tools/call", call("take_screenshot", json!({})));
    }
}

#[test]
fn annotation_persistence_settings_and_undo_with_the_bridge_connected() {
    for era in ERAS {
        let (display, session) = (Display::bare(), Session::new());
        let mut application = session.application(&display);
        let mut fotos = session.fotos(era);
        let shot = fotos.shoot(json!({}));
        let bar = json!({ "id": "bar", "type": "highlight", "x": 10, "y": 10, "width": 100, "height": 100, "color": "#00ff00ff" });
        let arguments = json!({ "screenshot_id": shot.id(), "annotations": [bar] });
        let drawn = fotos.picture("annotate_screenshot", arguments);
        assert_ne!(drawn.at(50, 50), LEFT);
        // It is data in the application, and not only pixels.
        let document = application.order(json!({ "document": drawn.id() }));
        assert_eq!(document["annotations"][0]["id"], "bar");
        // Another program gets the same picture: it persists.
        let again = session.fotos(era).read(&format!("screenshots://{}", drawn.id()));
        let png = crate::fotos::png(again[0]["blob"].as_str().expect("a blob"));
        assert_eq!(crate::fotos::at(&png, 50, 50), drawn.at(50, 50));
        // The person takes it back, and the agent sees that.
        application.order(json!({ "undo": drawn.id() }));
        let undone = fotos.read(&format!("screenshots://{}", drawn.id()));
        let png = crate::fotos::png(undone[0]["blob"].as_str().expect("a blob"));
        assert_eq!(crate::fotos::at(&png, 50, 50), LEFT);
        let redone = fotos.picture("redo_edit", json!({ "screenshot_id": drawn.id() }));
        assert_eq!(redone.at(50, 50), drawn.at(50, 50));
        let undone = fotos.picture("undo_edit", json!({ "screenshot_id": drawn.id() }));
        assert_eq!(undone.at(50, 50), LEFT);
        let nothing = fotos.failure("undo_edit", json!({ "screenshot_id": drawn.id() }));
        assert_eq!(nothing, "there is nothing to undo");
        // The person's settings are those of the application.
        application.order(json!({ "patch": { "capture": { "delayMs": 250 } } }));
        let settings = fotos.read("settings://current");
        let settings: Value =
            serde_json::from_str(settings[0]["text"].as_str().expect("text")).expect("JSON");
        assert_eq!(settings["capture"]["delayMs"], 250);
    }
}
