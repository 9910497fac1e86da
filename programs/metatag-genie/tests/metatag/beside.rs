//! Several processes that write the same picture at once: every success is there afterwards.

use std::path::Path;
use std::thread;

use mcp_testkit::Client;
use serde_json::json;

use crate::genie::{Folder, command};
use crate::{exiftool, pictures};

/// How many servers, and how many tags each of them adds.
const SERVERS: usize = 3;
const TAGS: usize = 100;

fn append(folder: &Folder, state: &Folder, path: &Path, server: usize) {
    let mut client = Client::process(command(&folder.path("")).env("DESKMATE_HOME", state.path("")));
    for number in 0..TAGS {
        let metadata = json!({ "tags": [format!("{server}-{number}")] });
        let arguments = json!({ "filePath": path, "metadata": metadata, "overwrite": false });
        assert_eq!(client.result("writeImageMetadata", arguments)["success"], true);
    }
}

#[test]
fn servers_that_add_tags_to_one_picture_lose_none() {
    let rounds = std::env::var("DESKMATE_BESIDE").map_or(1, |text| text.parse().expect("a number"));
    for _ in 0..rounds {
        let (folder, state) = (Folder::new(), Folder::new());
        let path = folder.file("a.png", &pictures::png());
        thread::scope(|scope| {
            for server in 0..SERVERS {
                let (folder, state, path) = (&folder, &state, &path);
                scope.spawn(move || append(folder, state, path, server));
            }
        });
        let found = exiftool::list(&path, "XMP-dc:Subject");
        assert_eq!(found.len(), SERVERS * TAGS);
        for (server, number) in (0..SERVERS).flat_map(|server| (0..TAGS).map(move |number| (server, number)))
        {
            assert!(found.contains(&format!("{server}-{number}")), "{server}-{number}");
        }
    }
}

/// Another program that rewrites the picture meanwhile, without locking it, makes no call of ours fail and leaves a whole picture. What
/// it read before our last write and wrote after it is without our tag: that is its own doing, and nobody else can prevent it.
#[test]
fn a_program_that_locks_nothing_is_written_around() {
    let (folder, state) = (Folder::new(), Folder::new());
    let path = folder.file("a.png", &pictures::png());
    thread::scope(|scope| {
        let (folder, state, path) = (&folder, &state, &path);
        let ours = scope.spawn(move || append(folder, state, path, 0));
        for number in 0..5 {
            exiftool::put(path, &[&format!("-XMP-photoshop:Instructions={number}")]);
        }
        ours.join().expect("every call of ours succeeds");
    });
    append(&folder, &state, &path, 1);
    let found = exiftool::list(&path, "XMP-dc:Subject");
    for number in 0..TAGS {
        assert!(found.contains(&format!("1-{number}")), "{number}");
    }
}
