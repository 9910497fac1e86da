use std::fs;
use std::path::Path;

use super::{How, Modified, ReplaceError, Replaced, Replacement};
use crate::open::Original;
use crate::roots::Roots;
use crate::scratch::Scratch;
use crate::sys;

fn read(path: &Path) -> Original {
    let folder = path.parent().expect("a folder").to_owned();
    Roots::new([folder]).resolve(path).expect("a place").read(1 << 20).expect("a file")
}

#[test]
fn the_new_bytes_are_there_and_nothing_else_is_left() {
    let scratch = Scratch::new();
    let path = scratch.file("a", b"old");
    let replaced = read(&path).replace(b"newer").expect("replaced");
    assert!(matches!(replaced, Replaced { how: How::Renamed, left_behind: 0, unsynced: None }));
    assert_eq!(fs::read(&path).expect("a file"), b"newer");
    assert_eq!(scratch.names(), ["a"]);
}

#[test]
fn a_link_stays_a_link() {
    let scratch = Scratch::new();
    let path = scratch.file("a", b"old");
    let link = scratch.path("link");
    sys::link(&path, &link);
    read(&link).replace(b"new").expect("replaced");
    assert!(fs::symlink_metadata(&link).expect("there").is_symlink(), "still a link");
    assert_eq!(fs::read(&path).expect("a file"), b"new");
}

#[test]
fn other_names_are_reported() {
    let scratch = Scratch::new();
    let path = scratch.file("a", b"old");
    fs::hard_link(&path, scratch.path("b")).expect("another name");
    assert_eq!(read(&path).replace(b"new").expect("replaced").left_behind, 1);
    assert_eq!(fs::read(scratch.path("b")).expect("a file"), b"old");
}

#[test]
fn a_file_that_changed_meanwhile_is_left_alone() {
    let scratch = Scratch::new();
    let path = scratch.file("a", b"old");
    let by_writing = read(&path);
    fs::write(&path, b"theirs").expect("written");
    let by_renaming = read(&path);
    fs::rename(scratch.file("b", b"theirs"), &path).expect("renamed");
    let by_removing = read(&path);
    for original in [by_writing, by_renaming] {
        let refused = original.replace(b"ours");
        assert!(matches!(refused, Err(ReplaceError::ChangedMeanwhile(_))), "{refused:?}");
        assert_eq!(fs::read(&path).expect("a file"), b"theirs");
    }
    fs::remove_file(&path).expect("removed");
    assert!(matches!(by_removing.replace(b"ours"), Err(ReplaceError::ChangedMeanwhile(_))));
    assert!(scratch.names().is_empty());
}

#[test]
fn the_time_of_the_last_change_can_be_kept_or_set() {
    let scratch = Scratch::new();
    let path = scratch.file("a", b"old");
    let then = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
    fs::File::options().write(true).open(&path).expect("a file").set_modified(then).expect("a time");
    let modified = |modified| {
        let replacement = Replacement { bytes: b"new", modified, copies: None };
        read(&path).replace_while::<ReplaceError>(replacement, || Ok(())).expect("replaced");
        fs::metadata(&path).expect("a file").modified().expect("a time")
    };
    assert_eq!(modified(Modified::Kept), then);
    let other = then + std::time::Duration::from_secs(5);
    assert_eq!(modified(Modified::At(other)), other);
    assert_ne!(modified(Modified::Now), other);
}
