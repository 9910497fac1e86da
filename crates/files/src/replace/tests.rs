use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::path::Path;
use std::process::Command;

use rustix::fs::XattrFlags;

use super::{How, ReplaceError, Replaced};
use crate::open::Original;
use crate::roots::Roots;
use crate::scratch::Scratch;

fn read(path: &Path) -> Original {
    Roots::new(["/".into()]).resolve(path).expect("a place").read(1 << 20).expect("a file")
}

#[test]
fn the_new_bytes_are_there_and_nothing_else_is_left() {
    let scratch = Scratch::new();
    let path = scratch.file("a", b"old");
    let replaced = read(&path).replace(b"newer").expect("replaced");
    assert_eq!(replaced, Replaced { how: How::Renamed, left_behind: 0 });
    assert_eq!(fs::read(&path).expect("a file"), b"newer");
    assert_eq!(scratch.names(), ["a"]);
}

#[test]
fn a_link_stays_a_link() {
    let scratch = Scratch::new();
    let path = scratch.file("a", b"old");
    let link = scratch.path("link");
    symlink("a", &link).expect("a link");
    read(&link).replace(b"new").expect("replaced");
    assert_eq!(fs::read_link(&link).expect("still a link"), Path::new("a"));
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
fn mode_owner_and_attributes_stay() {
    let scratch = Scratch::new();
    let path = scratch.file("a", b"old");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).expect("a mode");
    // Root may give files away; anybody else keeps what is theirs.
    if rustix::process::geteuid().is_root() {
        chown(&path, Some(65534), Some(65534)).expect("an owner");
    }
    let tags: Vec<u8> = (0..2000_u32).map(|byte| byte.to_le_bytes()[0]).collect();
    for (name, value) in [("user.tags", tags.as_slice()), ("user.empty", b"")] {
        rustix::fs::setxattr(&path, name, value, XattrFlags::empty())
            .expect("this file system has attributes");
    }
    let before = fs::metadata(&path).expect("a file");
    read(&path).replace(b"new").expect("replaced");
    let after = fs::metadata(&path).expect("a file");
    let key = |meta: &fs::Metadata| (meta.mode(), meta.uid(), meta.gid());
    assert_eq!(key(&after), key(&before));
    assert_ne!(after.ino(), before.ino());
    let mut value = vec![0; 4000];
    let length = rustix::fs::getxattr(&path, "user.tags", &mut value[..]).expect("an attribute");
    assert_eq!(value[..length], tags);
    assert_eq!(rustix::fs::getxattr(&path, "user.empty", &mut value[..]), Ok(0));
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

/// Root is refused nothing, so the rest of these tests run as `nobody`: in a process of this test binary.
fn as_nobody(test: &str, folder: &Scratch) {
    let nobody = ["--reuid=65534", "--regid=65534", "--clear-groups"];
    let mut command = if rustix::process::geteuid().is_root() {
        let mut command = Command::new("setpriv");
        command.args(nobody);
        command.arg(std::env::current_exe().expect("this test"));
        command
    } else {
        Command::new(std::env::current_exe().expect("this test"))
    };
    let output = command
        .args([&format!("replace::tests::{test}"), "--exact", "--nocapture"])
        .env("AS_NOBODY_IN", folder.path(""))
        .output()
        .expect("the test starts");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    assert!(said.contains("1 passed"), "{said}");
}

#[test]
fn a_writable_file_in_a_folder_that_is_not_is_written_in_place() {
    if let Some(folder) = std::env::var_os("AS_NOBODY_IN") {
        let original = read(&Path::new(&folder).join("a"));
        assert!(original.is_writable());
        let replaced = original.replace(b"new").expect("replaced");
        assert_eq!(replaced, Replaced { how: How::InPlace, left_behind: 0 });
        return;
    }
    let scratch = Scratch::new();
    let path = scratch.file("a", b"something longer");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o666)).expect("a mode");
    fs::set_permissions(scratch.path(""), fs::Permissions::from_mode(0o555)).expect("a mode");
    let inode = fs::metadata(&path).expect("a file").ino();
    as_nobody("a_writable_file_in_a_folder_that_is_not_is_written_in_place", &scratch);
    assert_eq!(fs::read(&path).expect("a file"), b"new");
    assert_eq!(fs::metadata(&path).expect("a file").ino(), inode);
    fs::set_permissions(scratch.path(""), fs::Permissions::from_mode(0o755)).expect("a mode");
}

#[test]
fn a_file_that_may_not_be_written_is_known() {
    if let Some(folder) = std::env::var_os("AS_NOBODY_IN") {
        assert!(!read(&Path::new(&folder).join("a")).is_writable());
        return;
    }
    let scratch = Scratch::new();
    let path = scratch.file("a", b"old");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).expect("a mode");
    as_nobody("a_file_that_may_not_be_written_is_known", &scratch);
}
