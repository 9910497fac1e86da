//! With the Fotos application: `fotos-mcp` is its messenger, over a named pipe.

use std::fs::OpenOptions;
use std::io::{BufRead, BufReader, ErrorKind, Write};
use std::path::PathBuf;

use mcp::Version;
use mcp_testkit::Client;
use picture::{Effort, Limits, Pixels, decode};
use serde_json::{Value, json};

use crate::application::Application;
use crate::running::{ERAS, Person};

/// The name of the pipe of this person, which is made from the folder of the lock.
fn pipe(person: &Person) -> PathBuf {
    use std::os::windows::ffi::OsStrExt as _;

    let folder = person.folder.path("home").join("fotos").join("run");
    let folder = files::real_path(&folder).unwrap_or(folder);
    let hash = folder
        .as_os_str()
        .encode_wide()
        .flat_map(u16::to_le_bytes)
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
    format!(r"\\.\pipe\io.github.charly.fotos-{hash:016x}").into()
}

/// A picture that the person has and lets agents see; its id.
fn add_picture(person: &Person, application: &mut Application) -> String {
    let png = Pixels::plain(60, 40, [200, 30, 40]).png(Effort::Fast).expect("a PNG");
    let path = person.folder.file("red.png", &png);
    let added = application.order(&json!({ "add": { "path": path } }));
    let id = added["screenshot_id"].as_str().expect("an id").to_owned();
    application.order(&json!({ "share": { "id": id, "shared": true } }));
    id
}

#[test]
fn command_delegation_on_windows() {
    for era in ERAS {
        let person = Person::new();
        let mut application = Application::start(&person);
        let id = add_picture(&person, &mut application);
        let mut fotos = person.client("fotos-mcp", &["--mode", "bridge"], era);
        // What it answers, only the application has.
        let listed = fotos.call("list_screenshots", json!({}));
        assert_eq!(listed["structuredContent"]["total"], 1, "{listed}");
        let region = json!({ "x": 10, "y": 10, "width": 20, "height": 10 });
        let cropped = fotos.call("crop_screenshot", json!({ "screenshot_id": id, "region": region }));
        assert_ne!(cropped["isError"], true, "{cropped}");
        let content = cropped["content"].as_array().expect("content");
        let image = content.iter().find(|block| block["type"] == "image").expect("a picture");
        let png = base64_simd::STANDARD.decode_to_vec(image["data"].as_str().expect("data")).expect("base64");
        let size = decode(&png, &Limits::default()).map(|(_, picture)| (picture.width(), picture.height()));
        assert_eq!(size.expect("a PNG"), (20, 10));
        // A failure comes back as the application says it.
        let failed = fotos.call("ocr_screenshot", json!({ "screenshot_id": "nothing" }));
        assert_eq!(failed["isError"], true, "{failed}");
        let calls = application.order(&json!("activity"));
        assert_eq!((&calls[0]["tool"], &calls[0]["outcome"]), (&json!("ocr_screenshot"), &json!("failed")));
        assert_eq!(calls[0]["pid"], fotos.pid().expect("a process"));
        application.close();
        // Without it, the same program says what is missing.
        let error = fotos.error("tools/call", json!({ "name": "list_screenshots", "arguments": {} }));
        assert_eq!(error["code"], -32000, "{error}");
    }
}

#[test]
fn named_pipe_on_windows() {
    let person = Person::new();
    let open = || OpenOptions::new().read(true).write(true).open(pipe(&person));
    assert_eq!(open().expect_err("nobody is there").kind(), ErrorKind::NotFound);
    let application = Application::start(&person);
    // One JSON line each way.
    let mut stream = BufReader::new(open().expect("a pipe"));
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": Version::MODERN.as_str(),
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let message =
        json!({ "jsonrpc": "2.0", "id": 7, "method": "server/discover", "params": { "_meta": meta } });
    writeln!(stream.get_mut(), "{message}").expect("sent");
    let mut line = String::new();
    stream.read_line(&mut line).expect("an answer");
    let answer: Value = serde_json::from_str(&line).expect("JSON");
    let name = &answer["result"]["_meta"]["io.modelcontextprotocol/serverInfo"]["name"];
    assert_eq!((&answer["id"], name.as_str()), (&json!(7), Some("fotos")), "{answer}");
    // Several at once, and a second application is told that there is one.
    let mut fotos = person.client("fotos-mcp", &["--mode", "bridge"], Version::MODERN);
    assert_eq!(fotos.call("list_screenshots", json!({}))["structuredContent"]["total"], 0);
    let refused = Application::try_start(&person).err().expect("one is enough");
    assert!(refused.contains("Taken"), "{refused}");
    // After a crash the next one takes its place.
    application.kill();
    let application = Application::start(&person);
    assert_eq!(fotos.call("list_screenshots", json!({}))["structuredContent"]["total"], 0);
    drop(stream);
    application.close();
    drop(fotos);
    assert_eq!(open().expect_err("it is gone with the application").kind(), ErrorKind::NotFound);
}

#[test]
fn the_application_is_found_however_its_folder_is_spelled() {
    let person = Person::new();
    let _application = Application::start(&person);
    let home = person.folder.path("home").display().to_string();
    for spelled in [home.to_uppercase(), home.replace('\\', "/"), format!(r"\\?\{home}")] {
        let mut command = person.command("fotos-mcp", &["--mode", "bridge"]);
        let mut fotos = Client::process(command.env("DESKMATE_HOME", &spelled)).speaking(Version::MODERN);
        let listed = fotos.call("list_screenshots", json!({}));
        assert_eq!(listed["structuredContent"]["total"], 0, "{spelled}: {listed}");
    }
}

#[test]
fn the_pipe_is_for_this_user_alone() {
    use std::os::windows::io::AsHandle as _;

    let person = Person::new();
    let _application = Application::start(&person);
    let pipe = OpenOptions::new().read(true).write(true).open(pipe(&person)).expect("a pipe");
    let found = files::account::Descriptor::of(pipe.as_handle()).expect("a descriptor");
    assert!(!found.lets_others_in().expect("a list"));
}
