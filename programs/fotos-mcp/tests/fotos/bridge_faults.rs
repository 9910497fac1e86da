//! The application comes, goes, crashes, and meets what others left in its place.

use std::collections::BTreeSet;
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::Command;

use mcp::Version;
use serde_json::{Value, json};

use crate::application::{Application, ERAS, Session};
use crate::display::Display;
use crate::fotos::Fotos;

fn tools(fotos: &mut Fotos) -> BTreeSet<String> {
    let tools = fotos.client.result("tools/list", json!({}));
    let tools = tools["tools"].as_array().expect("tools");
    tools.iter().map(|tool| tool["name"].as_str().expect("a name").to_owned()).collect()
}

fn call(tool: &str, arguments: Value) -> Value {
    json!({ "name": tool, "arguments": arguments })
}

#[test]
fn a_call_sent_to_a_host_that_dies_is_an_error_and_is_not_repeated() {
    for era in ERAS {
        let (display, session) = (Display::bare(), Session::new());
        let mut application = session.application(&display);
        // It could do the work itself: it has the display, too.
        let mut command = session.fotos_command();
        let client = mcp_testkit::Client::process(command.env("DISPLAY", &display.name)).speaking(era);
        let mut fotos = Fotos { client };
        fotos.shoot(json!({}));
        let id = fotos.client.start("tools/call", call("take_screenshot", json!({ "delay_ms": 60_000 })));
        while application.activity()[0] != ("take_screenshot".to_owned(), "running".to_owned()) {}
        application.kill();
        let answer = fotos.client.response(&id);
        assert_eq!(answer["error"]["code"], -32000, "{answer}");
        let message = answer["error"]["message"].as_str().expect("a message");
        assert!(message.contains("may have taken effect"), "{message}");
        // The next call is standalone, and the lost one was not done here.
        assert_eq!(fotos.data("list_screenshots", json!({}))["total"], 0);
        fotos.shoot(json!({}));
        // It starts again: what it left does not matter, and gets what was taken meanwhile.
        let mut application = session.application(&display);
        while application.ids().len() != 1 {
            fotos.data("list_screenshots", json!({}));
        }
        application.close();
    }
}

#[test]
fn the_application_comes_and_goes_under_a_running_client() {
    for era in ERAS {
        let (display, session) = (Display::bare(), Session::new());
        let mut command = session.fotos_command();
        let client = mcp_testkit::Client::process(command.env("DISPLAY", &display.name));
        let mut fotos = Fotos { client: client.speaking(era) };
        if era == Version::MODERN {
            // There, who wants to be told says so.
            let wanted = json!({ "notifications": { "toolsListChanged": true } });
            fotos.client.start("subscriptions/listen", wanted);
            fotos.client.notification("notifications/subscriptions/acknowledged");
        }
        let alone = tools(&mut fotos);
        assert!(!alone.contains("undo_edit") && !alone.contains("open_in_fotos"), "{alone:?}");
        let shot = fotos.shoot(json!({}));
        let application = session.application(&display);
        // Told without being asked.
        fotos.client.notification("notifications/tools/list_changed");
        let bridged = tools(&mut fotos);
        let more: Vec<&String> = bridged.difference(&alone).collect();
        assert_eq!(more, ["open_in_fotos", "redo_edit", "undo_edit"]);
        // What was taken before is there under its name.
        let read = fotos.read(&format!("screenshots://{}", shot.id()));
        let picture = crate::fotos::png(read[0]["blob"].as_str().expect("a blob"));
        assert_eq!(picture.width(), shot.picture.width());
        application.close();
        fotos.client.notification("notifications/tools/list_changed");
        assert_eq!(tools(&mut fotos), alone);
        let gone = fotos.failure("ocr_screenshot", json!({ "screenshot_id": shot.id() }));
        assert!(gone.starts_with("screenshot not found"), "handed over and wiped: {gone}");
    }
}

#[test]
fn two_hundred_calls_at_once_and_two_clients_at_once() {
    let (display, session) = (Display::bare(), Session::new());
    let mut application = session.application(&display);
    let mut clients: Vec<Fotos> = ERAS.into_iter().map(|era| session.fotos(era)).collect();
    let mut waiting = Vec::new();
    for fotos in &mut clients {
        let ids: Vec<Value> = (0..200)
            .map(|number| {
                let region = json!({ "x": number, "y": 0, "width": 8, "height": 8 });
                fotos.client.start("tools/call", call("take_screenshot", json!({ "region": region })))
            })
            .collect();
        waiting.push(ids);
    }
    let mut taken = BTreeSet::new();
    for (fotos, ids) in clients.iter_mut().zip(waiting) {
        for id in ids {
            let answer = fotos.client.response(&id);
            let text = answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}"));
            let told: Value = serde_json::from_str(text).expect("JSON");
            taken.insert(told["screenshot_id"].as_str().expect("an id").to_owned());
        }
    }
    assert_eq!(taken.len(), 400);
    assert_eq!(application.ids().into_iter().collect::<BTreeSet<_>>(), taken);
}

#[test]
fn a_second_application_says_who_has_the_socket() {
    let (display, session) = (Display::bare(), Session::new());
    let application = session.application(&display);
    let said = Application::try_start(&mut session.application_command(&display)).err().expect("refused");
    assert!(said.contains(&format!("process {}", application.pid())), "{said}");
    // The first one is not harmed.
    assert_eq!(session.bridged(Version::MODERN).data("list_screenshots", json!({}))["total"], 0);
}

#[test]
fn a_stale_lock_and_a_stale_socket_are_taken_over() {
    let (display, session) = (Display::bare(), Session::new());
    std::fs::create_dir_all(session.socket_folder()).expect("a folder");
    std::fs::set_permissions(session.socket_folder(), std::fs::Permissions::from_mode(0o700))
        .expect("closed");
    drop(UnixListener::bind(session.socket()).expect("a socket nobody serves"));
    std::fs::write(session.socket_folder().join("fotos.lock"), "999999 0.0.1\n").expect("written");
    // Nobody is there, whatever lies around.
    assert_eq!(session.fotos(Version::MODERN).data("list_screenshots", json!({}))["total"], 0);
    let application = session.application(&display);
    session.bridged(Version::MODERN).shoot(json!({}));
    application.kill();
    assert!(session.socket().exists(), "left behind by the crash");
    let _again = session.application(&display);
    session.bridged(Version::MODERN).shoot(json!({}));
}

#[test]
fn a_link_in_the_place_of_the_socket_is_not_followed() {
    let (display, session) = (Display::bare(), Session::new());
    std::fs::create_dir_all(session.socket_folder()).expect("a folder");
    let victim = session.folder.file("victim", b"precious");
    symlink(&victim, session.socket()).expect("a link");
    let _application = session.application(&display);
    assert!(!std::fs::symlink_metadata(session.socket()).expect("a socket").is_symlink());
    assert_eq!(std::fs::read(&victim).expect("still there"), b"precious");
    session.bridged(Version::MODERN).shoot(json!({}));
}

#[test]
fn a_folder_that_is_a_link_or_open_to_others_is_not_trusted() {
    let (display, session) = (Display::bare(), Session::new());
    let elsewhere = session.folder.path("elsewhere");
    std::fs::create_dir_all(&elsewhere).expect("a folder");
    std::fs::create_dir_all(session.socket_folder().parent().expect("a parent")).expect("a folder");
    symlink(&elsewhere, session.socket_folder()).expect("a link");
    let said = Application::try_start(&mut session.application_command(&display)).err().expect("refused");
    assert!(said.contains("Link"), "{said}");
    let listening = UnixListener::bind(elsewhere.join("fotos.sock")).expect("somebody's socket");
    for mode in ["auto", "bridge"] {
        let mut command = session.fotos_command();
        let client = mcp_testkit::Client::process(command.args(["--mode", mode])).speaking(Version::MODERN);
        let error = Fotos { client }.client.error("tools/call", call("list_screenshots", json!({})));
        assert_eq!(error["code"], -32000);
        assert!(error["message"].as_str().expect("a message").contains("is no folder"), "{error}");
    }
    drop(listening);
    // A folder that others can enter is closed by the application, and is not trusted before.
    std::fs::remove_file(session.socket_folder()).expect("removed");
    std::fs::create_dir(session.socket_folder()).expect("a folder");
    std::fs::set_permissions(session.socket_folder(), std::fs::Permissions::from_mode(0o777)).expect("open");
    let error =
        session.bridged(Version::MODERN).client.error("tools/call", call("list_screenshots", json!({})));
    assert!(error["message"].as_str().expect("a message").contains("not this user's alone"), "{error}");
    let _application = session.application(&display);
    session.bridged(Version::MODERN).shoot(json!({}));
}

#[test]
fn another_version_is_an_answer_and_never_a_reason_to_fall_back() {
    for era in ERAS {
        let session = Session::new();
        std::fs::create_dir_all(session.socket_folder()).expect("a folder");
        std::fs::set_permissions(session.socket_folder(), std::fs::Permissions::from_mode(0o700))
            .expect("closed");
        let other = mcp::Server::new("fotos", "0.0.7", ());
        let _far = mcp_testkit::far::Far::start(std::sync::Arc::new(other), &session.socket());
        for mode in ["auto", "bridge"] {
            let mut command = session.fotos_command();
            let client = mcp_testkit::Client::process(command.args(["--mode", mode])).speaking(era);
            let error = Fotos { client }.client.error("tools/call", call("list_screenshots", json!({})));
            assert_eq!(error["code"], -32000, "{error}");
            let message = error["message"].as_str().expect("a message");
            assert!(message.contains("0.0.7") && message.contains(env!("CARGO_PKG_VERSION")), "{message}");
        }
    }
}

#[test]
fn a_broken_settings_file_is_kept_aside_and_said() {
    let (display, session) = (Display::bare(), Session::new());
    std::fs::create_dir_all(session.home()).expect("a folder");
    std::fs::write(session.home().join("settings.json"), "{\"ui\": {\"theme\": ").expect("written");
    let mut application = session.application(&display);
    let problems = application.order(json!("problems"));
    assert!(problems[0]["message"].as_str().expect("a message").contains("It is kept as"), "{problems}");
    // It may have said which windows nobody is to see: agents wait until the person has looked, also after another start.
    for _ in 0..2 {
        let mut fotos = session.fotos(Version::MODERN);
        let error = fotos.client.error("tools/call", call("take_screenshot", json!({})));
        assert_eq!(error["code"], -32000);
        assert!(error["message"].as_str().expect("a message").contains("settings"), "{error}");
        application.close();
        application = session.application(&display);
    }
    application.order(json!({ "pause": false }));
    application.close();
    application = session.application(&display);
    let settings = session.fotos(Version::MODERN).read("settings://current");
    assert!(settings[0]["text"].as_str().expect("text").contains("\"theme\": \"system\""), "{settings}");
    application.order(json!({ "patch": { "ui": { "theme": "dark" } } }));
    application.close();
    let mut application = session.application(&display);
    assert_eq!(application.order(json!("problems")), json!([]));
    assert_eq!(application.order(json!("settings"))["ui"]["theme"], "dark");
    let refused = application.try_order(json!({ "patch": { "ui": { "theme": "pink" } } }));
    assert!(refused["error"].as_str().expect("refused").contains("ui.theme"), "{refused}");
}

#[test]
fn a_broken_settings_file_deletes_no_history() {
    let (display, session) = (Display::bare(), Session::new());
    let file = session.home().join("settings.json");
    for broken in [
        "{",
        r#"{ "history": { "keep": "for ever" } }"#,
        r#"{ "history": { "keep": "days", "days": 0 } }"#,
        r#"{ "history": ["forever"] }"#,
    ] {
        let mut application = session.application(&display);
        application.order(json!({ "pause": false }));
        application.order(json!({ "patch": { "history": { "keep": "forever" } } }));
        let shot = application.order(json!({ "snap": { "mode": "fullscreen" } }));
        let ids = [shot["screenshot_id"].as_str().expect("an id").to_owned()];
        application.order(json!({ "thumbnail": ids[0] }));
        application.close();
        std::fs::write(&file, broken).expect("written");
        // Twice, since nobody may have looked at what was said the first time.
        for _ in 0..2 {
            let mut application = session.application(&display);
            assert_eq!(application.ids(), ids, "{broken}");
            let said = application.order(json!("problems")).to_string();
            assert!(said.contains("what is there stays"), "{said}");
            application.close();
        }
        // What is set next is something else.
        let mut application = session.application(&display);
        application.order(json!({ "patch": { "ui": { "theme": "dark" } } }));
        application.close();
        let mut application = session.application(&display);
        assert_eq!(application.ids(), ids, "{broken}");
        application.order(json!({ "patch": { "history": { "keep": "off" } } }));
        assert_eq!(application.ids().len(), 0, "{broken}");
        application.close();
        // Where there was none, none is begun.
        std::fs::write(&file, broken).expect("written");
        let mut application = session.application(&display);
        assert_ne!(application.order(json!("settings"))["history"]["keep"], "forever", "{broken}");
        application.close();
    }
}

/// The application with a small disk of its own in this place, in a namespace of its own.
fn on_a_small_disk(session: &Session, display: &Display, place: &Path, size: &str) -> Command {
    let like = session.application_command(display);
    let script =
        format!("mkdir -p \"$0\" && mount -t tmpfs -o size={size},mode=700 none \"$0\" && exec \"$1\"");
    let mut command = Command::new("unshare");
    command.args(["--user", "--map-root-user", "--mount", "sh", "-c", &script]);
    command.arg(place).arg(like.get_program());
    for (name, value) in like.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command
}

#[test]
fn a_full_disk_leaves_settings_as_they_were_and_history_is_written_when_there_is_room() {
    let (display, session) = (Display::bare(), Session::new());
    display.paint(&crate::bridge::noise());
    let mut application = Application::start(&mut on_a_small_disk(&session, &display, &session.home(), "8m"));
    application.order(json!({ "patch": { "history": { "keep": "forever" }, "ui": { "theme": "dark" } } }));
    // As the process sees its own disk.
    let inside = |path: &Path| {
        let path = path.strip_prefix("/").expect("absolute");
        PathBuf::from(format!("/proc/{}/root", application.pid())).join(path)
    };
    let (filler, settings) =
        (inside(&session.home().join("filler")), inside(&session.home().join("settings.json")));
    let history = inside(&session.home().join("history"));
    let mut file = std::fs::File::create(&filler).expect("a file");
    while file.write_all(&[7; 4096]).is_ok() {}
    // One that is open takes its room until it is closed.
    drop(file);
    let before = std::fs::read(&settings).expect("settings");
    let long = format!("/{}", "x".repeat(100_000));
    let refused = application.try_order(json!({ "patch": { "capture": { "saveDirectory": long } } }));
    let said = refused["error"].as_str().expect("refused");
    assert!(said.contains("No space left") && said.contains("make room"), "{refused}");
    assert_eq!(std::fs::read(&settings).expect("settings"), before);
    assert_eq!(application.order(json!("settings"))["ui"]["theme"], "dark");
    let mut fotos = session.fotos(Version::MODERN);
    let first = fotos.shoot(json!({})).id().to_owned();
    let trouble = || -> Value { json!("trouble") };
    while application.order(trouble()) == Value::Null {
        fotos.data("list_screenshots", json!({}));
    }
    assert!(application.order(trouble()).as_str().expect("words").contains("No space left"));
    // Nothing is lost for this run; and as soon as there is room, nor for the next.
    assert_eq!(application.ids(), [first.as_str()]);
    std::fs::remove_file(&filler).expect("room");
    let second = fotos.shoot(json!({})).id().to_owned();
    for id in [first, second] {
        while !history.join(format!("{id}.json")).exists() {
            fotos.data("list_screenshots", json!({}));
        }
    }
    assert_eq!(application.order(trouble()), Value::Null);
}

#[test]
fn files_that_cannot_be_removed_are_listed_when_their_picture_is_redacted() {
    let (display, session) = (Display::bare(), Session::new());
    let folder = session.home().join("history");
    let mut application = Application::start(&mut on_a_small_disk(&session, &display, &folder, "8m"));
    application.order(json!({ "patch": { "history": { "keep": "forever" } } }));
    let shot = application.order(json!({ "snap": { "mode": "fullscreen" } }));
    let id = shot["screenshot_id"].as_str().expect("an id").to_owned();
    application.order(json!({ "thumbnail": id }));
    let pid = application.pid().to_string();
    let inside = PathBuf::from(format!("/proc/{pid}/root")).join(folder.strip_prefix("/").expect("absolute"));
    while !inside.join(format!("{id}.json")).exists() {}
    let mut close = Command::new("nsenter");
    close.args(["--preserve-credentials", "-U", "-m", "-t", &pid, "mount", "-o", "remount,ro"]).arg(&folder);
    // As long as a file is open to be written, the disk cannot be closed.
    while !close.output().expect("it runs").status.success() {}
    let everything = json!([{ "x": 0, "y": 0, "width": 800, "height": 600 }]);
    let purged = application.order(json!({ "redact": { "id": id, "boxes": everything } }));
    for file in [format!("{id}.png"), format!("{id}.json")] {
        assert!(purged["left"].to_string().contains(&file), "{purged}");
    }
}

#[test]
fn a_full_disk_is_said_and_nothing_is_lost() {
    let (display, session) = (Display::bare(), Session::new());
    display.paint(&crate::bridge::noise());
    // It takes one picture of noise.
    let mut command = on_a_small_disk(&session, &display, &session.home().join("spill"), "2m");
    let mut application = Application::start(command.env("FOTOS_MEMORY", "3000000"));
    let mut fotos = session.fotos(Version::MODERN);
    let (mut taken, mut refused) = (Vec::new(), None);
    for _ in 0..30 {
        let result = fotos.client.call("take_screenshot", json!({ "max_edge": 50 }));
        let text = result["content"][0]["text"].as_str().expect("text").to_owned();
        if result["isError"] == true {
            refused = Some(text);
            break;
        }
        let told: Value = serde_json::from_str(&text).expect("JSON");
        taken.push(told["screenshot_id"].as_str().expect("an id").to_owned());
    }
    let refused = refused.expect("at some time there is no room");
    assert!(refused.contains("there is no room") && refused.contains("free space"), "{refused}");
    assert!(taken.len() > 3, "memory and disk take more than {}", taken.len());
    for id in &taken {
        let read = fotos.read(&format!("screenshots://{id}"));
        assert_eq!(crate::fotos::png(read[0]["blob"].as_str().expect("a blob")).width(), 800, "{id}");
    }
    // With room again, it goes on.
    for id in taken.iter().take(3) {
        application.order(json!({ "delete": id }));
    }
    fotos.shoot(json!({ "max_edge": 50 }));
}

#[test]
fn the_spill_folder_is_emptied_at_the_end_and_after_a_crash() {
    let (display, session) = (Display::bare(), Session::new());
    display.paint(&crate::bridge::noise());
    let spill = session.home().join("spill");
    let files = || std::fs::read_dir(&spill).map_or(0, Iterator::count);
    let mut command = session.application_command(&display);
    let mut application = Application::start(command.env("FOTOS_MEMORY", "2000000"));
    let mut fotos = session.fotos(Version::MODERN);
    let shots: Vec<_> = (0..4).map(|_| fotos.shoot(json!({})).id().to_owned()).collect();
    assert!(files() > 0, "some are on the disk");
    let mode = std::fs::metadata(&spill).expect("a folder").permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
    assert_eq!(application.ids().len(), 4);
    let first = fotos.read(&format!("screenshots://{}", shots[0]));
    assert_eq!(crate::fotos::png(first[0]["blob"].as_str().expect("a blob")).width(), 800);
    application.kill();
    assert!(files() > 0, "left behind by the crash");
    let mut application = Application::start(&mut command);
    assert_eq!((files(), application.ids().len()), (0, 0));
    fotos.shoot(json!({}));
    (0..3).for_each(|_| drop(fotos.shoot(json!({}))));
    assert!(files() > 0);
    application.close();
    assert_eq!(files(), 0);
}
