//! Who sees what over the bridge: pause, sharing, restrictions, and the person's redaction.

use mcp::Version;
use mcp_testkit::Client;
use serde_json::{Value, json};

use crate::application::{ERAS, Session};
use crate::display::{Display, LEFT};
use crate::fotos::Fotos;
use crate::window::{Look, Named};

fn call(tool: &str, arguments: Value) -> Value {
    json!({ "name": tool, "arguments": arguments })
}

#[test]
fn agents_see_what_they_took_and_what_the_person_shared() {
    for era in ERAS {
        let (display, session) = (Display::bare(), Session::new());
        let mut application = session.application(&display);
        let mut fotos = session.fotos(era);
        let own = application.order(json!({ "snap": { "mode": "fullscreen" } }));
        let own = own["screenshot_id"].as_str().expect("an id").to_owned();
        assert_eq!(fotos.data("list_screenshots", json!({}))["total"], 0);
        for tool in ["ocr_screenshot", "delete_screenshot", "undo_edit", "open_in_fotos"] {
            let said = fotos.failure(tool, json!({ "screenshot_id": own }));
            assert!(said.starts_with("screenshot not found"), "{tool}: {said}");
        }
        let error = fotos.client.error("resources/read", json!({ "uri": format!("screenshots://{own}") }));
        assert!(error["message"].as_str().expect("a message").contains("not found"), "{error}");
        // What the person hides under a blur is hidden from agents, too.
        let blur = json!({ "type": "blur", "x": 0, "y": 0, "width": 300, "height": 300 });
        application.order(json!({ "edit": { "id": own, "edit": { "edit": "add", "annotations": [blur] } } }));
        application.order(json!({ "share": { "id": own, "shared": true } }));
        assert_eq!(fotos.data("list_screenshots", json!({}))["total"], 1);
        let crop =
            json!({ "screenshot_id": own, "region": { "x": 50, "y": 50, "width": 100, "height": 100 } });
        let seen = fotos.picture("crop_screenshot", crop);
        assert_ne!(seen.at(50, 50), LEFT);
        let refused = fotos.failure("delete_screenshot", json!({ "screenshot_id": own }));
        assert!(refused.contains("is the person's"), "{refused}");
        fotos.client.call("clear_screenshots", json!({}));
        assert_eq!(application.ids(), std::slice::from_ref(&own));
        application.order(json!({ "share": { "id": own, "shared": false } }));
        assert_eq!(fotos.data("list_screenshots", json!({}))["total"], 0);
        // A setting shares what is new.
        application.order(json!({ "patch": { "agents": { "shareNew": true } } }));
        application.order(json!({ "snap": { "mode": "fullscreen" } }));
        assert_eq!(fotos.data("list_screenshots", json!({}))["total"], 1);
    }
}

#[test]
fn a_paused_host_is_an_answer_and_never_a_reason_to_fall_back() {
    for era in ERAS {
        let (display, session) = (Display::bare(), Session::new());
        let mut application = session.application(&display);
        let mut command = session.fotos_command();
        let client = Client::process(command.env("DISPLAY", &display.name)).speaking(era);
        let mut fotos = Fotos { client };
        fotos.shoot(json!({}));
        application.order(json!({ "pause": true }));
        for (method, params) in [
            ("tools/call", call("take_screenshot", json!({}))),
            ("tools/call", call("list_screenshots", json!({}))),
            ("resources/read", json!({ "uri": "settings://current" })),
        ] {
            let error = fotos.client.error(method, params);
            assert_eq!(error["code"], -32000);
            assert!(error["message"].as_str().expect("a message").contains("paused agents"), "{error}");
        }
        assert_eq!(application.activity()[2], ("take_screenshot".to_owned(), "paused".to_owned()));
        assert_eq!(application.ids().len(), 1);
        application.order(json!({ "pause": false }));
        fotos.shoot(json!({}));
    }
}

#[test]
fn agents_stay_paused_when_the_application_starts_again() {
    for era in ERAS {
        let (display, session) = (Display::bare(), Session::new());
        let refused = |said: &str| {
            let error = session.fotos(era).client.error("tools/call", call("take_screenshot", json!({})));
            assert!(error["message"].as_str().expect("a message").contains(said), "{error}");
        };
        let mut application = session.application(&display);
        application.order(json!({ "pause": true }));
        application.kill();
        let mut application = session.application(&display);
        refused("paused agents");
        application.order(json!({ "pause": false }));
        application.close();
        // Where the settings cannot be read, something else that is set is no leave.
        std::fs::write(session.home().join("settings.json"), "{").expect("written");
        let mut application = session.application(&display);
        refused("could not be read");
        application.order(json!({ "patch": { "ui": { "theme": "dark" } } }));
        refused("could not be read");
        application.close();
        let mut application = session.application(&display);
        refused("paused agents");
        application.order(json!({ "pause": false }));
        session.fotos(era).shoot(json!({}));
        application.close();
        let _application = session.application(&display);
        session.fotos(era).shoot(json!({}));
    }
}

#[test]
fn restrictions_of_the_program_travel_with_each_call() {
    let (display, session) = (Display::new(), Session::new());
    let mut application = session.application(&display);
    let look = Look {
        x: 100,
        y: 100,
        width: 200,
        height: 150,
        corners: crate::window::CORNERS,
        class: "Diary",
        named: Named::Today,
    };
    let _window = display.window("Dear diary", look);
    let black = |fotos: &mut Fotos| {
        let shot = fotos.shoot(json!({}));
        shot.told["hidden_windows"] == 1 && shot.at(200, 180) == [0; 3]
    };
    let mut free = session.fotos(Version::MODERN);
    assert!(!black(&mut free));
    for era in ERAS {
        let mut command = session.fotos_command();
        let client = Client::process(command.env("FOTOS_EXCLUDE", "diary")).speaking(era);
        let mut fotos = Fotos { client };
        assert!(black(&mut fotos));
        let windows = fotos.data("list_windows", json!({}));
        assert_eq!(windows["windows"], json!([]), "{windows}");
    }
    assert!(!black(&mut free), "it is the restriction of one program");
    // The person's own exclusions are joined.
    application.order(json!({ "patch": { "privacy": { "excludedWindows": ["DIARY"] } } }));
    assert!(black(&mut free));
    assert!(!free.read("settings://current").to_string().contains("DIARY"), "a title says much");
    // Reading only.
    let mut command = session.fotos_command();
    let mut reader = Client::process(command.arg("--read-only")).speaking(Version::MODERN);
    let error = reader.error("tools/call", call("clear_screenshots", json!({})));
    assert_eq!(error["code"], -32602, "it is not offered: {error}");
}

#[test]
fn a_restriction_the_host_does_not_know_is_refused() {
    use std::io::{BufRead, BufReader, Write};
    let (display, session) = (Display::bare(), Session::new());
    let mut application = session.application(&display);
    let stream = std::os::unix::net::UnixStream::connect(session.socket()).expect("connected");
    let mut stream = BufReader::new(stream);
    let mut ask = |tool: &str, restrictions: Value| -> Value {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": Version::MODERN.as_str(),
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.github.charly.fotos/restrictions": restrictions,
        });
        let params = json!({ "name": tool, "arguments": {}, "_meta": meta });
        let message = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
        writeln!(stream.get_mut(), "{message}").expect("sent");
        let mut line = String::new();
        stream.read_line(&mut line).expect("an answer");
        serde_json::from_str(&line).expect("JSON")
    };
    for unknown in [json!({ "onlyOnSundays": true }), json!({ "exclude": "diary" }), json!("all")] {
        let answer = ask("take_screenshot", unknown);
        assert_eq!(answer["error"]["code"], -32000, "{answer}");
        assert!(answer["error"]["message"].as_str().expect("text").contains("restriction"), "{answer}");
    }
    assert_eq!(application.ids().len(), 0);
    let answer = ask("clear_screenshots", json!({ "readOnly": true }));
    assert!(answer["error"]["message"].as_str().expect("text").contains("only reads"), "{answer}");
    assert_eq!(ask("take_screenshot", json!({ "readOnly": true }))["error"], Value::Null);
    let outcomes: Vec<String> = application.activity().into_iter().map(|(_, outcome)| outcome).collect();
    assert_eq!(outcomes, ["done", "refused", "refused", "refused", "refused"]);
}

#[test]
fn the_persons_redaction_cannot_be_undone_and_purges_every_copy() {
    let (display, session) = (Display::bare(), Session::new());
    display.write(&["Mail anna.adler@example.com", "nothing else"]);
    let mut application = session.application(&display);
    application.order(json!({ "patch": { "history": { "keep": "forever" } } }));
    let mut fotos = session.fotos(Version::MODERN);
    let shot = fotos.shoot(json!({}));
    let id = shot.id();
    let read = fotos.client.call("ocr_screenshot", json!({ "screenshot_id": id }));
    assert!(read.to_string().contains("anna.adler"));
    let crop = json!({ "screenshot_id": id, "region": { "x": 0, "y": 0, "width": 500, "height": 100 } });
    let part = fotos.picture("crop_screenshot", crop);
    application.order(json!({ "thumbnail": id }));
    let rect = json!({ "id": "r", "type": "rect", "x": 5, "y": 5, "width": 50, "height": 5 });
    application.order(json!({ "edit": { "id": id, "edit": { "edit": "add", "annotations": [rect] } } }));
    let saved = session.folder.path("saved.png");
    application.order(json!({ "export": { "id": id, "path": saved } }));
    let found = application.order(json!({ "review": id }));
    assert_eq!(found[0]["kind"], "email");
    let boxes: Vec<&Value> = found.as_array().expect("a list").iter().map(|one| &one["place"]).collect();
    let purged = application.order(json!({ "redact": { "id": id, "boxes": boxes } }));
    assert_eq!(purged["removed"], json!([part.id()]));
    assert!(purged["left"].to_string().contains("agent"), "{purged}");
    // Neither forth nor back, nor by any other way.
    assert!(application.try_order(json!({ "undo": id }))["error"].is_string());
    assert_eq!(application.order(json!({ "document": id }))["annotations"][0]["id"], "r");
    assert_eq!(application.order(json!({ "search": "anna.adler" })), json!([]));
    let read = fotos.client.call("ocr_screenshot", json!({ "screenshot_id": id })).to_string();
    assert!(!read.contains("anna") && read.contains("nothing else"), "{read}");
    assert!(fotos.failure("ocr_screenshot", json!({ "screenshot_id": part.id() })).contains("not found"));
    application.close();
    // Nor in what is kept for the next time.
    let mut application = session.application(&display);
    assert_eq!(application.ids(), [id]);
    let text = application.order(json!({ "read": id }));
    let text = text.as_str().expect("text");
    assert!(!text.contains("anna") && text.contains("nothing else"), "{text}");
}

#[test]
fn history_is_kept_only_where_it_is_wanted_and_is_the_persons_alone() {
    let (display, session) = (Display::bare(), Session::new());
    display.write(&["Quarterly figures"]);
    let application = session.application(&display);
    let mut fotos = session.fotos(Version::MODERN);
    fotos.shoot(json!({}));
    application.close();
    let mut application = session.application(&display);
    assert_eq!(application.ids().len(), 0, "off unless the person wants it");
    application.order(json!({ "patch": { "history": { "keep": "days", "days": 3 } } }));
    let shot = fotos.shoot(json!({}));
    fotos.client.call("ocr_screenshot", json!({ "screenshot_id": shot.id() }));
    let bar = json!({ "id": "bar", "type": "rect", "x": 1, "y": 1, "width": 9, "height": 9 });
    application
        .order(json!({ "edit": { "id": shot.id(), "edit": { "edit": "add", "annotations": [bar] } } }));
    application.kill();
    let mut application = session.application(&display);
    assert_eq!(application.order(json!({ "document": shot.id() }))["annotations"][0]["id"], "bar");
    let found = application.order(json!({ "search": "quarterly" }));
    assert_eq!(found[0]["screenshot_id"], shot.id());
    assert_eq!((&found[0]["earlier"], application.ids().len()), (&json!(true), 1));
    assert_eq!(fotos.data("list_screenshots", json!({}))["total"], 0, "agents see nothing of earlier runs");
    // Whoever wants none any more has none; what was taken in this run stays until its end.
    let shot = fotos.shoot(json!({}));
    application.order(json!({ "patch": { "history": { "keep": "off" } } }));
    assert_eq!(application.ids(), [shot.id()]);
    application.order(json!({ "thumbnail": shot.id() }));
    application.close();
    let mut application = session.application(&display);
    assert_eq!(application.ids().len(), 0);
    // Whoever wants it from now on has what is there, too.
    let shot = fotos.shoot(json!({}));
    application.order(json!({ "patch": { "history": { "keep": "forever" } } }));
    application.kill();
    let mut application = session.application(&display);
    assert_eq!(application.ids(), [shot.id()]);
}

#[test]
fn where_copies_went_is_still_known_in_a_later_run() {
    let (display, session) = (Display::bare(), Session::new());
    let mut application = session.application(&display);
    application.order(json!({ "patch": { "history": { "keep": "forever" } } }));
    let mut fotos = session.fotos(Version::MODERN);
    let id = fotos.shoot(json!({})).id().to_owned();
    let entry = session.home().join("history").join(format!("{id}.json"));
    // Nobody waits for the disk.
    while !std::fs::read_to_string(&entry).is_ok_and(|text| text.contains(r#""to":"agent""#)) {
        fotos.data("list_screenshots", json!({}));
    }
    application.kill();
    let mut application = session.application(&display);
    let everything = json!([{ "x": 0, "y": 0, "width": 800, "height": 600 }]);
    let purged = application.order(json!({ "redact": { "id": id, "boxes": everything } }));
    assert_eq!(purged["left"][0]["to"], "agent", "an agent had it before the crash: {purged}");
}

#[test]
fn what_a_crash_left_half_written_in_the_history_is_not_found_after_the_next_start() {
    let (display, session) = (Display::bare(), Session::new());
    let mut application = session.application(&display);
    application.order(json!({ "patch": { "history": { "keep": "forever" } } }));
    application.kill();
    // As a file is called until it has its name.
    let left = session.home().join("history/.deskmate-0123456789abcdef.tmp");
    std::fs::write(&left, "the picture before it was redacted").expect("written");
    let _application = session.application(&display);
    assert!(!left.exists());
}
