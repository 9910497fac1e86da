//! Files made to be slow or large to read, through the program itself, within bounds that the system enforces. The library has
//! more of them.

use std::process::Command;

use crate::genie::Folder;
use crate::pictures;

/// Of processor time, in seconds, for a build that is not optimised.
const CPU: u32 = 15;
/// Of memory, in bytes.
const MEMORY: u32 = 256 << 20;

#[track_caller]
fn check(name: &str, content: &[u8], tags: usize) {
    let (folder, state) = (Folder::new(), Folder::new());
    let path = folder.file(name, content);
    let output = Command::new("prlimit")
        .args([format!("--cpu={CPU}"), format!("--data={MEMORY}")])
        .arg(env!("CARGO_BIN_EXE_metatag-genie"))
        .arg("write")
        .arg(path)
        .args((0..tags).flat_map(|number| ["--tag".to_owned(), format!("tag {number}")]))
        .env("DESKMATE_HOME", state.path(""))
        .output()
        .expect("prlimit, of util-linux");
    assert!(matches!(output.status.code(), Some(0 | 1)), "{name}: {}", output.status);
}

#[test]
fn a_picture_of_restart_markers_or_of_comments_is_told_within_bounds() {
    let picture = pictures::jpeg();
    let with = |piece: &[u8], times: usize| [&picture[..2], &piece.repeat(times), &picture[2..]].concat();
    check("restarts.jpg", &with(&[0xFF, 0xD0], 5_000_000), 1);
    check("comments.jpg", &with(&[0xFF, 0xFE, 0, 2], 900_000), 1);
}

#[test]
fn very_many_tags_are_written_within_bounds() {
    check("tags.png", &pictures::png(), 30_000);
}
