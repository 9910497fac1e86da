//! `batchWriteImageMetadata`.

use std::fs;
use std::path::PathBuf;

use mcp::Version;
use serde_json::{Value, json};

use crate::exiftool::list;
use crate::genie::{Genie, Way, genie};
use crate::pictures;

fn many(genie: &Genie, count: usize) -> Vec<PathBuf> {
    (0..count).map(|number| genie.folder.file(&format!("{number:03}.jpg"), &pictures::jpeg())).collect()
}

#[test]
fn a_list_a_folder_and_a_pattern() {
    for version in [Version::MODERN, Version::NEWEST_LEGACY] {
        let mut genie = Genie::new(Way::Tool(version));
        let paths = pictures::all(&genie.folder);
        genie.folder.file("notes.txt", b"a text");
        fs::create_dir(genie.folder.path("below")).expect("a folder");
        let deep = genie.folder.file("below/deep.png", &pictures::png());
        let metadata = |tag: &str| json!({ "tags": [tag] });
        let arguments = json!({ "paths": paths, "metadata": metadata("a") });
        let (data, text) = genie.ask("batchWriteImageMetadata", arguments);
        assert_eq!((&data["success"], &data["written"]), (&json!(true), &json!(3)), "{text}");
        let arguments =
            json!({ "folder": genie.folder.path(""), "metadata": metadata("b"), "overwrite": false });
        let (data, text) = genie.ask("batchWriteImageMetadata", arguments);
        assert_eq!((&data["written"], &data["skipped"]), (&json!(3), &json!(1)), "{text}");
        let arguments = json!({ "folder": genie.folder.path(""), "recursive": true, "metadata": metadata("b"), "overwrite": false });
        let (data, text) = genie.ask("batchWriteImageMetadata", arguments);
        assert_eq!((&data["written"], &data["unchanged"]), (&json!(1), &json!(3)), "{text}");
        assert_eq!(list(&paths[0], "XMP-dc:Subject"), ["a", "b"]);
        assert_eq!(list(&deep, "XMP-dc:Subject"), ["b"]);
        let glob = genie.folder.path("**/*.p?g");
        let (data, text) =
            genie.ask("batchWriteImageMetadata", json!({ "glob": glob, "metadata": metadata("c") }));
        assert_eq!(data["total"], 2, "{text}");
        assert_eq!(list(&deep, "XMP-dc:Subject"), ["c"]);
    }
}

#[test]
fn a_file_that_fails_is_told_first_and_stops_no_other() {
    let mut genie = genie();
    let good = genie.folder.file("good.jpg", &pictures::jpeg());
    let text = genie.folder.file("a.txt", b"a text");
    let outside = PathBuf::from("/etc/hostname");
    let arguments = json!({ "paths": [good, text, outside], "metadata": { "tags": ["a"] } });
    let (data, words) = genie.ask("batchWriteImageMetadata", arguments);
    assert_eq!((&data["success"], &data["written"], &data["failed"]), (&json!(false), &json!(1), &json!(2)));
    assert_eq!(data["results"][0]["filePath"], json!(text));
    assert_eq!(data["results"][0]["error"]["code"], -32004);
    assert_eq!(data["results"][1]["error"]["code"], -32002);
    assert_eq!(
        data["results"][2],
        json!({ "filePath": good, "success": true, "message": "metadata written" })
    );
    assert!(words.starts_with("3 files: 1 written, 2 failed\nfailed: "), "{words}");
}

#[test]
fn results_are_bounded_and_the_rest_is_counted() {
    let mut genie = genie();
    let gone: Vec<PathBuf> = (0..1_200).map(|number| genie.folder.path(&format!("{number}.jpg"))).collect();
    let (data, _) =
        genie.ask("batchWriteImageMetadata", json!({ "paths": gone, "metadata": { "tags": ["a"] } }));
    assert_eq!(data["results"].as_array().map(Vec::len), Some(1_000));
    assert_eq!((&data["failed"], &data["omitted"]), (&json!(1_200), &json!(200)));
}

#[test]
fn arguments_are_checked() {
    let mut genie = genie();
    let path = genie.folder.file("a.jpg", &pictures::jpeg());
    let tags = json!({ "tags": ["a"] });
    for (arguments, code) in [
        (json!({ "metadata": tags }), -32602),
        (json!({ "paths": [], "metadata": tags }), -32602),
        (json!({ "paths": [path], "folder": "/", "metadata": tags }), -32602),
        (json!({ "paths": vec!["/a"; 10_001], "metadata": tags }), -32602),
        (json!({ "folder": path, "metadata": tags }), -32602),
        (json!({ "folder": "photos", "metadata": tags }), -32602),
        (json!({ "folder": "/etc", "metadata": tags }), -32002),
        (json!({ "glob": "/etc/*", "metadata": tags }), -32002),
        (json!({ "folder": genie.folder.path("gone"), "metadata": tags }), -32001),
        (json!({ "paths": [path], "metadata": { "tags": ["\u{1}"] } }), -32007),
    ] {
        let error = genie.refusal("batchWriteImageMetadata", &arguments);
        assert_eq!(error["code"], code, "{error}");
    }
    assert_eq!(fs::read(path).expect("the picture"), pictures::jpeg());
}

fn start(genie: &mut Genie, paths: &[PathBuf]) -> Value {
    let arguments = json!({ "paths": paths, "metadata": { "tags": ["a"] } });
    let call = json!({ "name": "batchWriteImageMetadata", "arguments": arguments, "_meta": { "progressToken": "p" } });
    genie.client.start("tools/call", call)
}

#[test]
fn progress_grows_to_the_end() {
    let mut genie = Genie::new(Way::Tool(Version::NEWEST_LEGACY));
    let paths = many(&genie, 60);
    let id = start(&mut genie, &paths);
    let mut last = 0.0;
    while last < 60.0 {
        let params = genie.client.notification("notifications/progress")["params"].take();
        let now = params["progress"].as_f64().expect("a number");
        assert!(now > last && params["total"] == 60.0 && params["progressToken"] == "p", "{params}");
        assert!(params["message"].as_str().is_some_and(|name| name.contains(".jpg")), "{params}");
        last = now;
    }
    assert_eq!(genie.client.response(&id)["result"]["structuredContent"]["written"], 60);
}

/// A cancelled call has no answer; what it left says the rest. The same large file thousands of times, which takes long,
/// and another one last.
#[test]
fn a_cancelled_batch_begins_no_further_file() {
    let mut genie = Genie::new(Way::Tool(Version::NEWEST_LEGACY));
    let (first, last) = (genie.folder.file("0.jpg", &pictures::large_jpeg()), many(&genie, 2).remove(1));
    let mut paths = vec![first.clone(); 9_999];
    paths.push(last.clone());
    let id = start(&mut genie, &paths);
    genie.client.notification("notifications/progress");
    genie.client.notify("notifications/cancelled", json!({ "requestId": id }));
    // At the end of input the server finishes what is under way: after this, nothing is written any more.
    let Genie { client, folder, .. } = genie;
    let goodbye = client.hang_up();
    assert_eq!(goodbye.code, Some(0));
    assert!(goodbye.rest.iter().all(|message| message.get("id").is_none()), "{:?}", goodbye.rest.last());
    assert_eq!(list(&first, "XMP-dc:Subject"), ["a"]);
    assert_eq!(fs::read(last).expect("the picture"), pictures::jpeg());
    drop(folder);
}

#[test]
fn a_batch_and_undos_at_the_same_time_leave_whole_files() {
    let mut genie = genie();
    let paths = many(&genie, 40);
    let metadata = json!({ "tags": ["first"] });
    let (data, _) = genie.ask("batchWriteImageMetadata", json!({ "paths": paths, "metadata": metadata }));
    assert_eq!(data["written"], 40, "{data}");
    let first: Vec<Vec<u8>> = paths.iter().map(|path| fs::read(path).expect("a picture")).collect();
    let second = json!({ "paths": paths, "metadata": { "tags": ["second"] } });
    let call = |name: &str, arguments: Value| json!({ "name": name, "arguments": arguments });
    let mut ids = vec![genie.client.start("tools/call", call("batchWriteImageMetadata", second))];
    for path in &paths {
        ids.push(genie.client.start("tools/call", call("undoImageMetadata", json!({ "filePath": path }))));
    }
    for id in ids {
        let answer = genie.client.response(&id);
        assert!(answer.get("error").is_none(), "{answer}");
    }
    for (path, first) in paths.iter().zip(first) {
        // An undo before the second write took back the first, one after it the second.
        let now = fs::read(path).expect("a picture");
        assert!(now == first || list(path, "XMP-dc:Subject") == ["second"], "{}", path.display());
    }
}
