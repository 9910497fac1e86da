//! `undoImageMetadata`.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::process::Command;

use mcp_testkit::Client;
use serde_json::json;

use crate::genie::{Folder, Genie, Way, command, each_way, genie};
use crate::{exiftool, pictures};

fn undo(genie: &mut Genie, path: &Path, steps: u32) -> String {
    genie.ask("undoImageMetadata", json!({ "filePath": path, "steps": steps })).1
}

#[test]
fn every_change_can_be_undone_byte_for_byte() {
    each_way(|genie| {
        for path in pictures::all(&genie.folder) {
            let mut versions = vec![fs::read(&path).expect("the picture")];
            for metadata in [
                json!({ "tags": ["a", "b"], "description": "长".repeat(3000) }),
                json!({ "tags": [], "people": ["Ada"] }),
                json!({ "description": "short", "location": "here" }),
            ] {
                genie.write(&path, &metadata);
                versions.push(fs::read(&path).expect("the picture"));
            }
            genie.ask("removeImageTags", json!({ "filePath": path, "tags": [], "people": ["Ada"] }));
            undo(genie, &path, 1);
            assert_eq!(fs::read(&path).expect("the picture"), versions[3]);
            undo(genie, &path, 1);
            assert_eq!(fs::read(&path).expect("the picture"), versions[2]);
            undo(genie, &path, 2);
            assert_eq!(fs::read(&path).expect("the picture"), versions[0]);
            let refused = genie.refusal("undoImageMetadata", &json!({ "filePath": path }));
            assert_eq!(refused["code"], -32008, "{refused}");
        }
    });
}

#[test]
fn a_file_that_somebody_else_changed_is_left_alone() {
    let mut genie = genie();
    let path = genie.folder.file("a.jpg", &pictures::jpeg());
    genie.write(&path, &json!({ "tags": ["a"] }));
    exiftool::put(&path, &["-XMP-dc:Title=theirs"]);
    let theirs = fs::read(&path).expect("the picture");
    let refused = genie.refusal("undoImageMetadata", &json!({ "filePath": path }));
    let message = refused["message"].as_str().expect("a message");
    assert!(refused["code"] == -32008 && message.contains("another program"), "{refused}");
    assert_eq!(fs::read(&path).expect("the picture"), theirs);
    // What was written on top of that can be undone, and no more.
    genie.write(&path, &json!({ "tags": ["b"] }));
    let refused = genie.refusal("undoImageMetadata", &json!({ "filePath": path, "steps": 2 }));
    assert!(refused["message"].as_str().is_some_and(|message| message.contains("only 1 of 2")), "{refused}");
    undo(&mut genie, &path, 1);
    assert_eq!(fs::read(&path).expect("the picture"), theirs);
}

#[test]
fn the_journal_is_small_private_and_outlives_the_server() {
    let mut genie = genie();
    // A picture of a megabyte that cannot be compressed or guessed.
    let mut picture = pictures::jpeg();
    picture.truncate(picture.len() - 2);
    picture.extend(
        (0_u32..260_000)
            .map(|n| n.wrapping_mul(2_654_435_761))
            .flat_map(|n| (n >> 1).to_le_bytes())
            .map(|byte| byte & 0x7F),
    );
    picture.extend([0xFF, 0xD9]);
    let path = genie.folder.file("a.jpg", &picture);
    genie.write(&path, &json!({ "tags": ["a"], "description": "text" }));
    let journal = genie.state.path("MetaTagGenie/undo");
    let entries: Vec<_> =
        fs::read_dir(&journal).expect("a journal").map(|entry| entry.expect("an entry")).collect();
    let entries: Vec<_> = entries
        .into_iter()
        .filter(|entry| entry.file_name().to_string_lossy().ends_with(".segment"))
        .collect();
    assert_eq!(entries.len(), 1);
    let entry = entries[0].metadata().expect("an entry");
    let kept = fs::read(entries[0].path()).expect("an entry").iter().filter(|byte| **byte != 0).count();
    assert!(kept < 1_000, "{kept} bytes");
    assert_eq!((entry.mode() & 0o777, fs::metadata(&journal).expect("there").mode() & 0o777), (0o600, 0o700));
    let mut later =
        Client::process(command(&genie.folder.path("")).env("DESKMATE_HOME", genie.state.path("")));
    later.call("undoImageMetadata", json!({ "filePath": path }));
    assert_eq!(fs::read(&path).expect("the picture"), picture);
    let refused = genie.refusal("undoImageMetadata", &json!({ "filePath": path }));
    assert!(refused["message"].as_str().is_some_and(|message| message.contains("no change")), "{refused}");
}

#[test]
fn a_damaged_journal_restores_nothing() {
    let mut genie = genie();
    let path = genie.folder.file("a.png", &pictures::png());
    genie.write(&path, &json!({ "tags": ["a"] }));
    let written = fs::read(&path).expect("the picture");
    let journal = fs::read_dir(genie.state.path("MetaTagGenie/undo")).expect("a journal");
    let mut entries = journal.map(|entry| entry.expect("an entry").path());
    let entry = entries.find(|path| path.extension().is_some_and(|e| e == "segment")).expect("a segment");
    let mut bytes = fs::read(&entry).expect("an entry");
    let last = bytes.iter().rposition(|byte| *byte != 0).expect("more than empty slots");
    bytes[last] ^= 1;
    fs::write(&entry, bytes).expect("damage");
    let refused = genie.refusal("undoImageMetadata", &json!({ "filePath": path }));
    assert!(refused["message"].as_str().is_some_and(|message| message.contains("damaged")), "{refused}");
    assert_eq!(fs::read(&path).expect("the picture"), written);
}

#[test]
fn a_write_does_not_fail_because_of_the_journal() {
    let (folder, state) = (Folder::new(), Folder::new());
    let path = folder.file("a.jpg", &pictures::jpeg());
    let blocked = state.file("a file", b"");
    fs::set_permissions(&blocked, fs::Permissions::from_mode(0o600)).expect("a mode");
    let mut client = Client::process(command(&folder.path("")).env("DESKMATE_HOME", &blocked));
    let arguments = json!({ "filePath": path, "metadata": { "tags": ["a"] } });
    let result = client.result("writeImageMetadata", arguments);
    let message = result["message"].as_str().expect("a message");
    assert!(message.starts_with("元数据已成功写入.") && message.contains("无法撤销"), "{message}");
    assert_eq!(exiftool::list(&path, "XMP-dc:Subject"), ["a"]);
}

#[test]
fn steps_are_bounded() {
    let mut genie = Genie::new(Way::Bare);
    let path = genie.folder.file("a.jpg", &pictures::jpeg());
    for steps in [json!(0), json!(101), json!(-1), json!("one")] {
        let refused = genie.refusal("undoImageMetadata", &json!({ "filePath": path, "steps": steps }));
        assert_eq!(refused["code"], -32602, "{refused}");
    }
}

#[test]
fn what_was_undone_can_be_made_again() {
    each_way(|genie| {
        let path = genie.folder.file("a.png", &pictures::png());
        let mut versions = vec![fs::read(&path).expect("the picture")];
        for tag in ["a", "b", "c"] {
            genie.write(&path, &json!({ "tags": [tag] }));
            versions.push(fs::read(&path).expect("the picture"));
        }
        let mut check = |arguments: serde_json::Value, version: usize| {
            genie.ask("undoImageMetadata", arguments);
            assert_eq!(fs::read(&path).expect("the picture"), versions[version]);
        };
        check(json!({ "filePath": path, "steps": 2 }), 1);
        check(json!({ "filePath": path, "redo": true }), 2);
        check(json!({ "filePath": path }), 1);
        check(json!({ "filePath": path, "steps": 2, "redo": true }), 3);
        check(json!({ "filePath": path, "steps": 3 }), 0);
        let refused = genie.refusal("undoImageMetadata", &json!({ "filePath": path }));
        assert_eq!(refused["code"], -32008, "{refused}");
    });
}

/// Two writes in the same second can bring the very bytes back that were there before.
#[test]
fn writes_that_go_back_and_forth_are_undone_once_each() {
    let mut genie = genie();
    let path = genie.folder.file("a.png", &pictures::png());
    let original = fs::read(&path).expect("the picture");
    for tag in ["a", "b", "a", "b", "a", "b"] {
        genie.write(&path, &json!({ "tags": [tag] }));
    }
    let refused = genie.refusal("undoImageMetadata", &json!({ "filePath": path, "steps": 7 }));
    assert!(refused["message"].as_str().is_some_and(|message| message.contains("only 6 of 7")), "{refused}");
    undo(&mut genie, &path, 6);
    assert_eq!(fs::read(&path).expect("the picture"), original);
}

#[test]
fn a_batch_and_a_folder_are_undone_together() {
    let mut genie = genie();
    let paths: Vec<_> =
        (0..1_200).map(|number| genie.folder.file(&format!("{number}.png"), &pictures::png())).collect();
    let other = genie.folder.file("other.png", &pictures::png());
    let arguments = json!({ "paths": paths, "metadata": { "tags": ["a"], "rating": 5 } });
    let (summary, _) = genie.ask("batchWriteImageMetadata", arguments);
    assert_eq!((&summary["written"], &summary["notUndoable"]), (&json!(1_200), &json!(0)));
    genie.write(&other, &json!({ "tags": ["a"] }));
    let (data, _) = genie.ask("undoImageMetadata", json!({ "batch": summary["batch"] }));
    assert_eq!((&data["reverted"], &data["failed"]), (&json!(1_200), &json!(0)), "{data}");
    for path in &paths {
        assert_eq!(fs::read(path).expect("the picture"), pictures::png());
    }
    assert_ne!(fs::read(&other).expect("the picture"), pictures::png());
    let (data, text) = genie.ask("undoImageMetadata", json!({ "folder": genie.folder.path("") }));
    assert_eq!((&data["reverted"], &data["untouched"]), (&json!(1), &json!(1_200)), "{text}");
    assert_eq!(fs::read(&other).expect("the picture"), pictures::png());
    let refused = genie.refusal("undoImageMetadata", &json!({ "batch": "0000000000000001" }));
    assert_eq!(refused["code"], -32008, "{refused}");
    let refused = genie.refusal("undoImageMetadata", &json!({ "batch": "last", "steps": 2 }));
    assert_eq!(refused["code"], -32602, "{refused}");
}

/// An undo takes a new sidecar away, so a redo finds none where the journal says it is.
#[test]
fn a_batch_that_made_sidecars_is_undone_and_made_again() {
    let mut genie = genie();
    let raw = genie.folder.file("a.nef", &pictures::tiff_big());
    let sidecar = raw.with_file_name("a.nef.xmp");
    let paths = [&raw, &genie.folder.file("b.png", &pictures::png())];
    genie.ask("batchWriteImageMetadata", json!({ "paths": paths, "metadata": { "tags": ["a"] } }));
    let written = fs::read(&sidecar).expect("a sidecar");
    for _ in 0..2 {
        let (data, text) = genie.ask("undoImageMetadata", json!({ "batch": "last" }));
        assert_eq!((&data["reverted"], sidecar.exists()), (&json!(2), false), "{text}");
        let (data, text) = genie.ask("undoImageMetadata", json!({ "batch": "last", "redo": true }));
        assert_eq!((&data["reverted"], &data["failed"]), (&json!(2), &json!(0)), "{text}");
        assert_eq!(fs::read(&sidecar).expect("a sidecar"), written);
    }
    undo(&mut genie, &sidecar, 1);
    assert!(!sidecar.exists());
    genie.ask("undoImageMetadata", json!({ "filePath": sidecar, "redo": true }));
    assert_eq!(fs::read(&sidecar).expect("a sidecar"), written);
    // Where the file of a sidecar is one that needs none, it is left alone.
    let other = paths[1].with_file_name("b.png.xmp");
    let refused = genie.refusal("undoImageMetadata", &json!({ "filePath": other }));
    assert_eq!(refused["code"], -32001, "{refused}");
}

/// What came after a batch is not part of it.
#[test]
fn an_undo_of_a_batch_takes_nothing_else_back() {
    let mut genie = genie();
    let paths = ["a.png", "b.png"].map(|name| genie.folder.file(name, &pictures::png()));
    let arguments = json!({ "paths": paths, "metadata": { "tags": ["a"] } });
    let (summary, _) = genie.ask("batchWriteImageMetadata", arguments);
    genie.write(&paths[0], &json!({ "tags": ["later"] }));
    let later = fs::read(&paths[0]).expect("the picture");
    let (data, text) = genie.ask("undoImageMetadata", json!({ "batch": summary["batch"] }));
    assert_eq!((&data["reverted"], &data["failed"]), (&json!(1), &json!(1)), "{text}");
    assert!(text.contains("changed again"), "{text}");
    assert_eq!(fs::read(&paths[0]).expect("the picture"), later);
    assert_eq!(fs::read(&paths[1]).expect("the picture"), pictures::png());
    undo(&mut genie, &paths[0], 1);
    let (data, text) = genie.ask("undoImageMetadata", json!({ "batch": "last" }));
    assert_eq!((&data["reverted"], &data["failed"]), (&json!(1), &json!(0)), "{text}");
    assert_eq!(fs::read(&paths[0]).expect("the picture"), pictures::png());
}

#[test]
fn of_a_sidecar_that_files_share_a_folder_takes_back_one_change() {
    let mut genie = genie();
    let raw = genie.folder.file("a.nef", &pictures::tiff_big());
    genie.folder.file("a.mov", b"\0\0\0\x10ftypqt  \0\0\0\0");
    let sidecar =
        genie.folder.file("a.xmp", b"<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'/>");
    let mut versions = Vec::new();
    for tag in ["one", "two"] {
        genie.write(&raw, &json!({ "tags": [tag] }));
        versions.push(fs::read(&sidecar).expect("a sidecar"));
    }
    let folder = genie.folder.path("");
    let (data, text) = genie.ask("undoImageMetadata", json!({ "folder": folder }));
    assert_eq!((&data["reverted"], &data["failed"]), (&json!(1), &json!(0)), "{text}");
    assert!(fs::read(&sidecar).expect("a sidecar") == versions[0]);
    let (data, text) = genie.ask("undoImageMetadata", json!({ "folder": folder, "redo": true }));
    assert_eq!((&data["reverted"], &data["failed"]), (&json!(1), &json!(0)), "{text}");
    assert!(fs::read(&sidecar).expect("a sidecar") == versions[1]);
}

/// A client must not learn the names of files that it may not use.
#[test]
fn a_batch_outside_the_folders_of_a_client_is_unknown_to_it() {
    let mut genie = genie();
    let (secret, own) = (Folder::new(), genie.folder.file("own.png", &pictures::png()));
    let arguments = json!({ "paths": [own], "metadata": { "tags": ["a"] } });
    genie.ask("batchWriteImageMetadata", arguments);
    secret.file("secret.png", &pictures::png());
    let output = command(&secret.path(""))
        .args(["write", "--tag", "a", "--json"])
        .arg(secret.path(""))
        .env("DESKMATE_HOME", genie.state.path(""))
        .output()
        .expect("metatag-genie runs");
    let summary: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let refused = genie.refusal("undoImageMetadata", &json!({ "batch": summary["batch"] }));
    assert_eq!(refused["code"], -32008, "{refused}");
    assert!(!refused.to_string().contains("secret"), "{refused}");
    let (data, text) = genie.ask("undoImageMetadata", json!({ "batch": "last" }));
    assert_eq!((&data["reverted"], &data["failed"]), (&json!(1), &json!(0)), "{text}");
    assert!(!text.contains("secret"), "{text}");
}

#[test]
fn after_another_write_there_is_nothing_to_redo() {
    let mut genie = genie();
    let path = genie.folder.file("a.png", &pictures::png());
    genie.write(&path, &json!({ "tags": ["a"] }));
    undo(&mut genie, &path, 1);
    genie.write(&path, &json!({ "tags": ["b"] }));
    let refused = genie.refusal("undoImageMetadata", &json!({ "filePath": path, "redo": true }));
    let message = refused["message"].as_str().expect("a message");
    assert!(message.contains("nothing to redo"), "{message}");
}

/// Somebody had a copy, and put it back.
#[test]
fn what_was_taken_back_in_another_way_is_no_failure() {
    let mut genie = genie();
    let paths = ["a.png", "b.png"].map(|name| genie.folder.file(name, &pictures::png()));
    genie.ask("batchWriteImageMetadata", json!({ "paths": paths, "metadata": { "tags": ["a"] } }));
    genie.folder.file("a.png", &pictures::png());
    let refused = genie.refusal("undoImageMetadata", &json!({ "filePath": paths[0] }));
    let message = refused["message"].as_str().expect("a message");
    assert!(message.contains("there is nothing to undo"), "{message}");
    let (data, text) = genie.ask("undoImageMetadata", json!({ "batch": "last" }));
    assert_eq!((&data["reverted"], &data["failed"], &data["untouched"]), (&json!(1), &json!(0), &json!(1)));
    assert!(text.contains("b.png"), "{text}");
}

/// The journal has the change before the disk is found to be full.
#[test]
fn a_write_that_failed_is_nothing_to_undo() {
    let (folder, state) = (Folder::new(), Folder::new());
    let picture = [pictures::jpeg(), vec![0; 100_000]].concat();
    let (whole, small) = (folder.file("large.jpg", &picture), folder.file("small.jpg", &pictures::jpeg()));
    let disk = folder.path("disk");
    fs::create_dir(&disk).expect("a folder");
    let am_root = Command::new("id").arg("-u").output().expect("id").stdout == b"0\n";
    // In mounts of its own, so that nobody else sees it.
    let spaces: &[&str] = if am_root { &["--mount"] } else { &["--map-root-user", "--mount"] };
    let script = "mount -t tmpfs -o size=192k none \"$1\" && cp \"$2\" \"$3\" \"$1\" || exit 9
        \"$4\" write \"$1/small.jpg\" --tag before
        \"$4\" write \"$1\" --tag x
        ls -A \"$1\"; cmp \"$1/large.jpg\" \"$2\" && echo the same
        \"$4\" undo --batch last --json; \"$4\" undo \"$1/large.jpg\"
        \"$4\" read \"$1/small.jpg\"";
    let output = Command::new("unshare")
        .args(spaces)
        .args(["sh", "-c", script, "sh"])
        .args([&disk, &whole, &small])
        .arg(env!("CARGO_BIN_EXE_metatag-genie"))
        .env("DESKMATE_HOME", state.path(""))
        .output()
        .expect("unshare, of util-linux");
    let (said, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(errors.contains("No space left on device"), "{said}{errors}");
    assert!(said.contains("2 files: 1 written, 1 failed"), "{said}{errors}");
    assert!(said.contains("\nlarge.jpg\nsmall.jpg\nthe same\n"), "{said}{errors}");
    assert!(said.contains("\"reverted\": 1,\n  \"failed\": 0,\n  \"untouched\": 0"), "{said}{errors}");
    assert!(errors.contains("no change of this file is remembered"), "{said}{errors}");
    assert!(said.contains("before"), "{said}{errors}");
}

/// A write in place that was cut short is put right before an undo looks at the file.
#[test]
fn an_undo_mends_what_a_killed_write_left() {
    let mut genie = genie();
    let path = genie.folder.file("a.png", &pictures::png());
    genie.write(&path, &json!({ "tags": ["a"] }));
    let old = fs::read(&path).expect("the picture");
    let new = [old.as_slice(), b"more"].concat();
    let copies = genie.state.path("MetaTagGenie/copies");
    fs::create_dir(&copies).expect("a folder");
    fs::set_permissions(&copies, fs::Permissions::from_mode(0o700)).expect("a mode");
    let mut copy = b"DMcopy01".to_vec();
    for part in [path.as_os_str().as_encoded_bytes(), &old, &new] {
        copy.extend((part.len() as u64).to_le_bytes());
        copy.extend(part);
    }
    fs::write(copies.join("copy"), copy).expect("a copy");
    fs::write(&path, &new[..old.len() + 2]).expect("half of it");
    // Another server than the one that wrote: that one has looked already.
    let mut later =
        Client::process(command(&genie.folder.path("")).env("DESKMATE_HOME", genie.state.path("")));
    later.call("undoImageMetadata", json!({ "filePath": path }));
    assert_eq!(fs::read(&path).expect("the picture"), pictures::png());
}
