//! Who is not let in, and what those who are cannot do.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};

use mcp::{Changes, Cx, Handled, Request, Service, Surface, Version};
use mcp_testkit::Client;
use mcp_testkit::far::Far;
use models_stub::{Behaviour, Stub};
use serde_json::{Value, json};

use crate::application::{Application, ERAS, Session};
use crate::display::Display;
use crate::fotos::Fotos;

/// `nobody`.
const OTHER: u32 = 65_534;

fn call(tool: &str, arguments: Value) -> Value {
    json!({ "name": tool, "arguments": arguments })
}

/// What the application says to somebody at its socket.
fn ask(session: &Session, method: &str, mut params: Value) -> Value {
    let mut stream = BufReader::new(UnixStream::connect(session.socket()).expect("connected"));
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": Version::MODERN.as_str(),
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let message = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    writeln!(stream.get_mut(), "{message}").expect("sent");
    let mut line = String::new();
    stream.read_line(&mut line).expect("an answer");
    serde_json::from_str(&line).expect("JSON")
}

/// A screenshot to be handed over.
fn handed(id: &str, edge: u32, picture: &[u8]) -> Value {
    let place = json!({ "x": 0, "y": 0, "width": edge, "height": edge });
    let record = json!({
        "id": id, "taken": 1_700_000_000_000_u64, "mode": "window", "subject": "x".repeat(100_000), "hidden": 0,
        "warning": null, "origin": "captured", "made_of": [], "place": place, "windows": [],
    });
    json!({ "record": record, "png": base64_simd::STANDARD.encode_to_string(picture) })
}

fn png(edge: u32) -> Vec<u8> {
    picture::Pixels::plain(edge, edge, [7, 90, 200]).png(picture::Effort::Fast).expect("a PNG")
}

const NAMES: [&str; 4] = [
    "67e55044-10b1-426f-9247-bb680e5fe0c1",
    "67e55044-10b1-426f-9247-bb680e5fe0c2",
    "67e55044-10b1-426f-9247-bb680e5fe0c3",
    "67e55044-10b1-426f-9247-bb680e5fe0c4",
];

#[test]
fn no_client_hands_screenshots_over_by_itself() {
    for era in ERAS {
        let (display, session) = (Display::bare(), Session::new());
        let mut application = session.application(&display);
        for mode in ["auto", "bridge", "standalone"] {
            let mut command = session.fotos_command();
            let mut client = Client::process(command.args(["--mode", mode])).speaking(era);
            let error = client.error("fotos/adopt", handed(NAMES[0], 20, &png(20)));
            assert_eq!(error["code"], -32601, "{mode}: {error}");
        }
        assert_eq!(application.ids().len(), 0);
    }
}

#[test]
fn what_is_handed_over_is_looked_at_and_recorded() {
    let (display, session) = (Display::bare(), Session::new());
    let mut application = session.application(&display);
    let own = application.order(json!({ "snap": { "mode": "fullscreen" } }));
    let own = own["screenshot_id"].as_str().expect("an id").to_owned();
    let whole = png(200);
    let jpeg = {
        let pixels = picture::Pixels::plain(200, 200, [7, 90, 200]);
        picture::encode_jpeg(pixels.picture(), 80).expect("a JPEG").bytes
    };
    let cut = &whole[..whole.len() - 30];
    for (name, edge, bytes) in [
        (NAMES[0], 200, cut),
        (NAMES[1], 200, &jpeg[..]),
        (NAMES[2], 100, &whole[..]),
        (own.as_str(), 200, &whole[..]),
    ] {
        let answer = ask(&session, "fotos/adopt", handed(name, edge, bytes));
        assert_eq!(answer["error"]["code"], -32602, "{name}: {answer}");
    }
    assert_eq!(application.ids(), std::slice::from_ref(&own));
    // Twice is once: the answer to the first may have been lost.
    for _ in 0..2 {
        let answer = ask(&session, "fotos/adopt", handed(NAMES[3], 200, &whole));
        assert_eq!(answer["result"], json!({}), "{answer}");
    }
    assert_eq!(application.ids(), [NAMES[3], own.as_str()]);
    let shots = application.order(json!("shots"));
    assert!(shots[0]["title"].as_str().expect("a title").len() < 10_000);
    assert_eq!(shots[0]["left"][0]["to"], "agent", "an agent had it before: {}", shots[0]["left"]);
    let done: Vec<String> = application.activity().into_iter().map(|(_, outcome)| outcome).collect();
    assert_eq!(done, ["done", "done", "failed", "failed", "failed", "failed"]);
}

#[test]
fn pausing_ends_calls_that_are_under_way() {
    for era in ERAS {
        let (display, session) = (Display::bare(), Session::new());
        let mut application = session.application(&display);
        let mut fotos = session.fotos(era);
        let waiting = [
            ("take_screenshot", json!({ "delay_ms": 60_000 })),
            ("wait_for", json!({ "until": "text_appears", "text": "never", "timeout_ms": 120_000 })),
        ];
        for (tool, arguments) in waiting {
            let id = fotos.client.start("tools/call", call(tool, arguments));
            while application.activity().first() != Some(&(tool.to_owned(), "running".to_owned())) {}
            application.order(json!({ "pause": true }));
            let answer = fotos.client.response(&id);
            assert_eq!(answer["error"]["code"], -32000, "{answer}");
            let said = answer["error"]["message"].as_str().expect("a message");
            assert!(said.contains("paused agents"), "{said}");
            assert_eq!(application.activity()[0], (tool.to_owned(), "paused".to_owned()));
            application.order(json!({ "pause": false }));
        }
        assert_eq!(application.ids().len(), 0, "nothing was captured while agents were paused");
        fotos.shoot(json!({}));
    }
}

#[test]
fn agents_hear_nothing_of_what_they_do_not_see() {
    let (display, session) = (Display::bare(), Session::new());
    let mut application = session.application(&display);
    let mut fotos = session.fotos(Version::NEWEST_LEGACY);
    let shot = fotos.shoot(json!({}));
    for uri in ["screenshots://recent", "settings://current", &format!("screenshots://{}", shot.id())] {
        fotos.client.result("resources/subscribe", json!({ "uri": uri }));
    }
    let own = application.order(json!({ "snap": { "mode": "fullscreen" } }));
    let own = own["screenshot_id"].as_str().expect("an id").to_owned();
    let bar = json!({ "id": "bar", "type": "rect", "x": 1, "y": 1, "width": 9, "height": 9 });
    application.order(json!({ "edit": { "id": own, "edit": { "edit": "add", "annotations": [bar] } } }));
    application.order(json!({ "share": { "id": own, "shared": false } }));
    // Told in order: whatever had been said of the person's own would come first.
    application.order(json!({ "patch": { "capture": { "delayMs": 9 } } }));
    loop {
        let told = fotos.client.receive();
        match told["params"]["uri"].as_str() {
            Some("settings://current") => break,
            // The list changed with the agent's own shot; a relay tells that when it has read it again.
            None => assert_eq!(told["method"], "notifications/resources/list_changed"),
            Some(other) => panic!("told of {other}"),
        }
    }
    // What is shared is heard of, also when it goes again.
    for shared in [true, false] {
        application.order(json!({ "share": { "id": own, "shared": shared } }));
        let told = fotos.client.receive_where(|one| one["params"]["uri"] == "screenshots://recent");
        assert_eq!(told["method"], "notifications/resources/updated");
    }
    application.order(json!({ "delete": own }));
    application.order(json!({ "delete": shot.id() }));
    let told = fotos.client.receive_where(|one| one["method"] == "notifications/resources/updated");
    assert_eq!(told["params"]["uri"], format!("screenshots://{}", shot.id()));
}

#[test]
fn the_redact_rule_of_the_program_holds_in_the_application() {
    for era in ERAS {
        let (display, session) = (Display::bare(), Session::new());
        display.write(&["Mail anna.adler@example.com"]);
        let stub = Stub::start().expect("a provider");
        let mut command = session.application_command(&display);
        command.env("ANTHROPIC_BASE_URL", stub.url()).env("ANTHROPIC_API_KEY", "key-of-the-application");
        let mut application = Application::start(&mut command);
        let mut free = session.fotos(era);
        let shot = free.shoot(json!({}));
        let arguments = json!({ "screenshot_id": shot.id(), "prompt": "what is it" });
        let mut command = session.fotos_command();
        let client = Client::process(command.env("FOTOS_REDACT", "always")).speaking(era);
        let mut bound = Fotos { client };
        stub.next(Behaviour::Answer { text: "covered".to_owned() });
        bound.client.call("analyze_screenshot", arguments.clone());
        let ids = application.ids();
        assert_eq!((ids.len(), &ids[1]), (2, &shot.id().to_owned()), "a redacted one was made and sent");
        let text = application.order(json!({ "read": ids[0] }));
        assert!(!text.as_str().expect("text").contains("anna"), "{text}");
        let left = |application: &mut Application, at: usize| {
            application.order(json!("shots"))[at]["left"].to_string().contains("model")
        };
        assert!(left(&mut application, 0) && !left(&mut application, 1));
        // It is the rule of one program. One that got no answer was sent all the same.
        let (code, message) = ("invalid_request_error".to_owned(), "no".to_owned());
        stub.next(Behaviour::Fail { status: 400, code, message, headers: Vec::new() });
        free.client.call("analyze_screenshot", arguments);
        assert_eq!(application.ids().len(), 2);
        assert!(left(&mut application, 1), "what was sent to a model is listed, whatever came back");
    }
}

/// The application, which writes down what it is asked.
struct Recording {
    inner: fotos::bridge::Guard,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Service for Recording {
    fn surface(&self) -> Arc<Surface> {
        self.inner.surface()
    }

    fn handle(&self, request: &Request<'_>, cx: Cx) -> Handled {
        let params = request.params().map(|params| params.get().to_owned());
        self.asked.lock().expect("free").extend(params);
        self.inner.handle(request, cx)
    }

    fn changes(&self) -> &Changes {
        self.inner.changes()
    }
}

#[test]
fn every_restriction_of_the_program_is_said_with_each_call() {
    let session = Session::new();
    std::fs::create_dir_all(session.socket_folder()).expect("a folder");
    std::fs::set_permissions(session.socket_folder(), std::fs::Permissions::from_mode(0o700))
        .expect("closed");
    let asked = Arc::new(Mutex::new(Vec::new()));
    let host = fotos::Host::open(fotos::Config::default(), &session.home()).expect("a host");
    let inner = fotos::bridge::Guard::new(Arc::new(host));
    let _far = Far::start(Arc::new(Recording { inner, asked: Arc::clone(&asked) }), &session.socket());
    for era in ERAS {
        let mut command = session.fotos_command();
        command.arg("--read-only").env("FOTOS_EXCLUDE", "Diary, payroll").env("FOTOS_REDACT", "always");
        let mut fotos = Fotos { client: Client::process(&mut command).speaking(era) };
        asked.lock().expect("free").clear();
        // A client cannot say less.
        let lie = json!({ "io.github.charly.fotos/restrictions": {} });
        let params = json!({ "name": "list_screenshots", "arguments": {}, "_meta": lie });
        fotos.client.request("tools/call", params);
        fotos.read("settings://current");
        let asked = std::mem::take(&mut *asked.lock().expect("free"));
        assert_eq!(asked.len(), 2, "{asked:?}");
        for params in asked {
            let params: Value = serde_json::from_str(&params).expect("JSON");
            let said = &params["_meta"]["io.github.charly.fotos/restrictions"];
            let wanted = json!({ "exclude": ["Diary", "payroll"], "readOnly": true, "redact": true });
            assert_eq!(*said, wanted, "{params}");
        }
    }
}

#[test]
fn another_user_is_let_in_nowhere() {
    if let Some(socket) = std::env::var_os("AS_ANOTHER_USER_AT") {
        let mut stream = UnixStream::connect(socket).expect("the socket lets everybody connect now");
        let greeting = json!({ "jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {} });
        // It may be hung up on before.
        let _ = writeln!(stream, "{greeting}");
        let mut said = Vec::new();
        let _ = stream.read_to_end(&mut said);
        println!("came back: {}", String::from_utf8_lossy(&said));
        return;
    }
    let (display, session) = (Display::bare(), Session::new());
    let mut application = session.application(&display);
    let open = |path: &Path, mode: u32| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("a mode");
    };
    let folders = [session.folder.path(""), session.runtime(), session.runtime().join("app")];
    for path in &folders {
        open(path, 0o755);
    }
    if !rustix::process::geteuid().is_root() {
        // Nobody else can be asked to try: what keeps them out is the folder.
        let mode = std::fs::metadata(session.socket_folder()).expect("a folder").permissions().mode();
        assert_eq!(mode & 0o077, 0);
        return;
    }
    let try_it = || {
        let output = Command::new(std::env::current_exe().expect("this test"))
            .args(["bridge_attacks::another_user_is_let_in_nowhere", "--exact", "--nocapture"])
            .env("AS_ANOTHER_USER_AT", session.socket())
            .uid(OTHER)
            .gid(OTHER)
            .output()
            .expect("it runs");
        (output.status.success(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let (is_connected, said) = try_it();
    assert!(!is_connected, "the folder is closed: {said}");
    // Even where everything was opened by mistake.
    open(&session.socket_folder(), 0o755);
    open(&session.socket(), 0o666);
    let (is_connected, said) = try_it();
    assert!(is_connected, "{said}");
    assert!(said.contains("came back: \n") && !said.contains("jsonrpc"), "{said}");
    assert!(application.activity().is_empty());
    // A program of another user does not trust this folder, and this user's not one of theirs.
    let mut command = session.fotos_command();
    command.args(["--mode", "auto"]).uid(OTHER).gid(OTHER);
    let error = Client::process(&mut command)
        .speaking(Version::MODERN)
        .error("tools/call", call("list_screenshots", json!({})));
    assert!(error["message"].as_str().expect("a message").contains("not this user's alone"), "{error}");
    application.close();
    open(&session.socket_folder(), 0o700);
    chown(session.socket_folder(), Some(OTHER), Some(OTHER)).expect("given away");
    let said = Application::try_start(&mut session.application_command(&display)).err().expect("refused");
    assert!(said.contains("ForeignOwner"), "{said}");
    let error =
        session.bridged(Version::MODERN).client.error("tools/call", call("list_screenshots", json!({})));
    assert!(error["message"].as_str().expect("a message").contains("not this user's alone"), "{error}");
}

#[test]
fn odd_things_in_the_place_of_the_lock_or_the_socket_are_said() {
    let (display, session) = (Display::bare(), Session::new());
    let folder = session.socket_folder();
    std::fs::create_dir_all(&folder).expect("a folder");
    let victim = session.folder.file("victim", b"precious");
    let refused =
        || Application::try_start(&mut session.application_command(&display)).err().expect("refused");
    std::os::unix::fs::symlink(&victim, folder.join("fotos.lock")).expect("a link");
    assert!(refused().contains("fotos.lock"));
    assert_eq!(std::fs::read(&victim).expect("still there"), b"precious");
    std::fs::remove_file(folder.join("fotos.lock")).expect("removed");
    std::fs::create_dir(session.socket()).expect("a folder");
    assert!(refused().contains("fotos.sock"));
    std::fs::remove_dir(session.socket()).expect("removed");
    std::fs::remove_file(folder.join("fotos.sock.new")).expect("removed");
    std::fs::create_dir(folder.join("fotos.sock.new")).expect("a folder");
    assert!(refused().contains("fotos.sock.new"), "what is in the way is named");
    std::fs::remove_dir(folder.join("fotos.sock.new")).expect("removed");
    std::fs::remove_file(folder.join("fotos.lock")).expect("removed");
    let pipe = Command::new("mkfifo").arg(folder.join("fotos.lock")).status().expect("it runs");
    assert!(pipe.success() && refused().contains("fotos.lock"), "what is in the way is named");
    std::fs::remove_file(folder.join("fotos.lock")).expect("removed");
    // A file is replaced; one that says another process has the lock does not count.
    std::fs::write(session.socket(), b"x").expect("a file");
    std::fs::write(folder.join("fotos.lock"), format!("{} 9.9.9\n", std::process::id())).expect("written");
    let _application = session.application(&display);
    session.bridged(Version::MODERN).shoot(json!({}));
}
