//! A server killed while it writes: the picture is the old one or the new one, whole.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdout, Stdio};
use std::thread;

use metatag::container::Picture;
use metatag::view::view;
use serde_json::{Value, json};

use crate::genie::{Folder, command};
use crate::pictures;

/// How often, unless `./dev torture` asks for more.
const KILLS: u64 = 40;

/// A server that can be killed.
struct Victim {
    child: Child,
    answers: BufReader<ChildStdout>,
}

impl Victim {
    /// The journal for undoing is kept elsewhere, so that whatever else is in the folder was left there.
    fn start(folder: &Folder, state: &Folder) -> Victim {
        let mut child = command(&folder.path(""))
            .env("DESKMATE_HOME", state.path(""))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let answers = BufReader::new(child.stdout.take().expect("a pipe"));
        Victim { child, answers }
    }

    fn ask(&mut self, path: &Path, description: &str) {
        let metadata = json!({ "description": description, "tags": ["海滩", description] });
        let params = json!({ "filePath": path, "metadata": metadata });
        let request = json!({ "jsonrpc": "2.0", "id": 1, "method": "writeImageMetadata", "params": params });
        let stdin = self.child.stdin.as_mut().expect("a pipe");
        stdin.write_all(format!("{request}\n").as_bytes()).expect("the server reads");
    }

    fn answer(&mut self) -> Value {
        let mut line = String::new();
        self.answers.read_line(&mut line).expect("an answer");
        serde_json::from_str(&line).expect("JSON")
    }

    /// The signal that nobody can catch.
    fn kill(mut self) {
        self.child.kill().expect("it was alive");
        self.child.wait().expect("it ends");
    }
}

/// Different from kill to kill, the same from run to run.
fn scrambled(number: u64) -> u64 {
    let mixed = number.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (mixed ^ (mixed >> 31)).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 33
}

/// What the picture says, after checking that it is whole: every store says the same, and the rest is as it was.
fn said(bytes: &[u8], original: &[u8]) -> String {
    let (picture, was) =
        (Picture::parse(bytes).expect("a picture"), Picture::parse(original).expect("one, too"));
    assert_eq!(picture.foreign(), was.foreign());
    let view = view(picture.stores());
    assert!(view.faults.is_empty(), "{:?}", view.faults);
    let description = view.description.expect("a description");
    let exif = view.exif.and_then(|exif| exif.description);
    let caption = view.iim.and_then(|iim| iim.caption);
    assert_eq!((exif.as_ref(), caption.as_ref()), (Some(&description), Some(&description)));
    assert!(view.keywords.contains(&description), "{:?}", view.keywords);
    description
}

/// The names in the folder that are not the picture's: what the dead left.
fn left_behind(folder: &Folder) -> Vec<String> {
    let entries = fs::read_dir(folder.path("")).expect("a folder");
    let names = entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned());
    names.filter(|name| name != "a.jpg").collect()
}

#[test]
fn a_server_killed_while_it_writes_leaves_the_old_picture_or_the_new_one() {
    let kills = std::env::var("DESKMATE_KILLS").map_or(KILLS, |text| text.parse().expect("a number"));
    let (folder, state) = (Folder::new(), Folder::new());
    let mut original = pictures::jpeg();
    // Large enough for the server to be in the middle of it.
    original.resize(2_000_000, 0);
    let path = folder.file("a.jpg", &original);
    let (mut old_ones, mut new_ones) = (0, 0);
    for number in 0..kills {
        let mut victim = Victim::start(&folder, &state);
        let (old, new) = (format!("old {number}"), format!("new {number}"));
        victim.ask(&path, &old);
        assert_eq!(victim.answer()["result"]["success"], true);
        let whole_old = fs::read(&path).expect("the picture");
        assert_eq!(said(&whole_old, &original), old);

        let before = left_behind(&folder).len();
        victim.ask(&path, &new);
        // Every third dies at any time (or at once), every third once its new file is there, every third a while after.
        let chance = if number % 6 == 0 { 0 } else { scrambled(number) };
        if number % 3 > 0 {
            while left_behind(&folder).len() == before && fs::read(&path).expect("the picture") == whole_old {
                thread::yield_now();
            }
        }
        if number % 3 != 1 {
            (0..chance % 3000).for_each(|_| thread::yield_now());
        }
        victim.kill();

        let found = fs::read(&path).expect("the picture");
        if found == whole_old {
            old_ones += 1;
        } else {
            assert_eq!(said(&found, &original), new);
            new_ones += 1;
        }
        // What an unfinished write leaves has a name of its own and is in nobody's way.
        for name in left_behind(&folder) {
            assert!(name.strip_suffix(".tmp").is_some_and(|name| name.starts_with(".deskmate-")), "{name}");
        }
    }
    assert_eq!(old_ones + new_ones, kills);
    assert!(old_ones > 0, "it was never killed in time");
}
