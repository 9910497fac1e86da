use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::path::Path;
use std::process::Command;

use rustix::fs::XattrFlags;

use super::{Folder, How, Modified, ReplaceError, Replaced, Replacement};
use crate::open::{Original, open};
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
    assert!(matches!(replaced, Replaced { how: How::Renamed, left_behind: 0, unsynced: None }));
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
        original.check_writable().expect("it may");
        let refused = original.replace(b"new");
        assert!(matches!(&refused, Err(error) if error.to_string().contains("copy")), "{refused:?}");
        let copies = Path::new(&folder).join("state");
        let replacement = Replacement { bytes: b"new", modified: Modified::Kept, copies: Some(&copies) };
        let replaced = original.replace_while::<ReplaceError>(replacement, || Ok(())).expect("replaced");
        assert!(matches!(replaced, Replaced { how: How::InPlace, left_behind: 0, unsynced: None }));
        assert_eq!(fs::read_dir(&copies).expect("a folder").count(), 0);
        return;
    }
    let scratch = Scratch::new();
    let path = scratch.file("a", b"something longer");
    let state = scratch.path("state");
    fs::create_dir(&state).expect("a folder");
    if rustix::process::geteuid().is_root() {
        chown(&state, Some(65534), Some(65534)).expect("an owner");
    }
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
        let refused = read(&Path::new(&folder).join("a")).check_writable();
        assert!(matches!(refused, Err(ReplaceError::Denied { .. })), "{refused:?}");
        return;
    }
    let scratch = Scratch::new();
    let path = scratch.file("a", b"old");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).expect("a mode");
    as_nobody("a_file_that_may_not_be_written_is_known", &scratch);
}

/// An access control list in the form the kernel takes: `r` for the owner, the group, this user, and the mask.
fn acl(user: u32) -> Vec<u8> {
    const NOBODY: u32 = u32::MAX;
    let entries: [(u16, u16, u32); 5] =
        [(0x01, 6, NOBODY), (0x02, 4, user), (0x04, 4, NOBODY), (0x10, 4, NOBODY), (0x20, 0, NOBODY)];
    let mut list = 2_u32.to_le_bytes().to_vec();
    for (tag, permissions, id) in entries {
        list.extend([tag.to_le_bytes(), permissions.to_le_bytes()].as_flattened());
        list.extend(id.to_le_bytes());
    }
    list
}

fn acl_of(path: &Path) -> Option<Vec<u8>> {
    let mut value = vec![0; 200];
    let length = rustix::fs::getxattr(path, "system.posix_acl_access", &mut value[..]).ok()?;
    value.truncate(length);
    Some(value)
}

#[test]
fn a_file_gets_no_access_list_from_its_folder_that_it_did_not_have() {
    let scratch = Scratch::new();
    let path = scratch.file("a", b"old");
    let mine = scratch.file("mine", b"old");
    for path in [&path, &mine] {
        fs::set_permissions(path, fs::Permissions::from_mode(0o640)).expect("a mode");
    }
    let (own, inherited) = (acl(4321), acl(12345));
    let set = |path: &Path, name, list: &[u8]| {
        rustix::fs::setxattr(path, name, list, XattrFlags::empty())
            .expect("this file system has access lists");
    };
    set(&mine, "system.posix_acl_access", &own);
    set(&scratch.path(""), "system.posix_acl_default", &inherited);
    read(&path).replace(b"new").expect("replaced");
    read(&mine).replace(b"new").expect("replaced");
    assert_eq!(acl_of(&path), None);
    assert_eq!(fs::metadata(&path).expect("a file").mode() & 0o777, 0o640);
    assert_eq!(acl_of(&mine), Some(own.clone()));
    let place = |path: &Path| Roots::new(["/".into()]).resolve(path).expect("a place");
    for (like, expected) in [(&path, None), (&mine, Some(own))] {
        let beside = place(like).beside("beside".as_ref()).expect("a name");
        beside.create(b"new", &place(like)).expect("made");
        assert_eq!(acl_of(beside.path()), expected);
        fs::remove_file(beside.path()).expect("removed");
    }
}

#[test]
fn a_folder_that_cannot_be_synced_is_told_after_the_change() {
    let scratch = Scratch::new();
    let path = scratch.file("a", b"old");
    // The system syncs nothing that was opened for its path alone.
    let fd =
        open(&scratch.path(""), rustix::fs::OFlags::PATH | rustix::fs::OFlags::DIRECTORY).expect("a folder");
    let folder = Folder { fd, can_sync: true };
    let original = read(&path);
    let replacement = Replacement { bytes: b"new", modified: Modified::Now, copies: None };
    let new = original.write_beside(&folder, &replacement).ok().expect("written");
    let unsynced = original.give_way_to(new).ok().expect("the change has happened");
    assert!(unsynced.is_some());
    assert_eq!(fs::read(&path).expect("a file"), b"new");
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
