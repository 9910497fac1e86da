//! What only Unix has: modes, owners, access control lists, special files.

use std::ffi::{OsStr, OsString};
use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::Command;

use rustix::fs::{CWD, FileType, Mode, XattrFlags};

use super::{Folder, open, open_to_write};
use crate::home::{ChosenBy, FolderError, Home, HomeError, PrivateFolder};
use crate::open::{OpenError, Original};
use crate::replace::{How, Modified, ReplaceError, Replaced, Replacement};
use crate::roots::{Place, Roots};
use crate::save::{Existing, save};
use crate::scratch::Scratch;
use crate::unnamed;

fn place(path: &Path) -> Place {
    Roots::new(["/".into()]).resolve(path).expect("a place")
}

fn read(path: &Path) -> Original {
    place(path).read(1 << 20).expect("a file")
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).expect("there").mode() & 0o777
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).expect("a mode");
}

#[test]
fn state_is_below_the_home_folder() {
    let home = |user: &str| {
        Home::from_environment(|name| (name == "HOME").then(|| OsString::from(user)))
            .map(|home| (home.path().display().to_string(), home.chosen_by()))
    };
    assert_eq!(home("/home/ada"), Ok(("/home/ada/.local/share/deskmate".into(), ChosenBy::UserHome)));
    assert_eq!(home("home"), Err(HomeError::Unset));
    assert_eq!(home(""), Err(HomeError::Unset));
}

#[test]
fn a_private_folder_is_closed_to_others() {
    let scratch = Scratch::new();
    let path = scratch.path("state/server");
    let folder = PrivateFolder::make(&path).expect("made");
    assert_eq!(mode(&path), 0o700);
    set_mode(&path, 0o755);
    PrivateFolder::make(&path).expect("there");
    assert_eq!(mode(&path), 0o700);
    folder.write("a", b"first").expect("written");
    drop(folder.open_alone("b").expect("opened"));
    assert_eq!((mode(&path.join("a")), mode(&path.join("b"))), (0o600, 0o600));
}

#[test]
fn folders_of_others_are_refused() {
    let scratch = Scratch::new();
    let foreign = if rustix::process::geteuid().is_root() {
        let path = scratch.path("foreign");
        fs::create_dir(&path).expect("a folder");
        chown(&path, Some(12_345), None).expect("given away");
        path
    } else {
        "/".into()
    };
    assert!(matches!(PrivateFolder::make(&foreign), Err(FolderError::ForeignOwner { .. })));
}

#[test]
fn a_file_is_made_beside_another_for_the_same_people() {
    let scratch = Scratch::new();
    let file = scratch.file("a.cr2", b"raw");
    for allowed in [0o640, 0o444] {
        set_mode(&file, allowed);
        let beside = place(&file).beside(OsStr::new("a.cr2.xmp")).expect("a name");
        beside.create(b"xmp", &place(&file)).expect("made");
        assert_eq!(mode(beside.path()), (allowed & 0o666) | 0o600);
        fs::remove_file(beside.path()).expect("removed");
    }
}

#[test]
fn a_saved_file_has_the_permissions_of_new_files_or_of_the_old_one() {
    let scratch = Scratch::new();
    let (ours, usual) = (scratch.path("a.png"), scratch.file("b.png", b""));
    save(&ours, b"new", Existing::Stays).expect("saved");
    assert_eq!(mode(&ours), mode(&usual));
    set_mode(&ours, 0o600);
    save(&ours, b"newer", Existing::GivesWay).expect("saved");
    assert_eq!(mode(&ours), 0o600);
}

#[test]
fn a_file_without_a_name_has_none() {
    let about = unnamed::unnamed(b"a film").expect("a file").metadata().expect("metadata");
    assert_eq!((about.nlink(), about.mode() & 0o777), (0, 0o600));
}

#[test]
fn pipes_folders_sockets_and_devices_are_refused_without_waiting() {
    let scratch = Scratch::new();
    fs::create_dir(scratch.path("folder")).expect("a folder");
    rustix::fs::mknodat(CWD, scratch.path("pipe"), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0)
        .expect("a pipe");
    let _socket = UnixListener::bind(scratch.path("socket")).expect("a socket");
    for name in ["folder", "pipe", "socket"] {
        let refused = place(&scratch.path(name)).read(10);
        assert!(matches!(refused, Err(OpenError::NotRegular(_))), "{name}: {refused:?}");
    }
    // Somebody may put one where a file was just read that is to be written in place.
    open_to_write(&scratch.path("pipe")).expect_err("nobody reads from it");
    let device = Roots::new(["/dev".into()]).resolve("/dev/zero".as_ref()).expect("a device");
    assert!(matches!(device.read(10), Err(OpenError::NotRegular(_))));
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
        .args([&format!("sys::unix::tests::{test}"), "--exact", "--nocapture"])
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
    let replacement = Replacement { bytes: b"new", modified: Modified::Now, copies: None };
    let replaced = read(&path).replace_in::<ReplaceError>(&folder, replacement, || Ok(()));
    assert!(replaced.expect("the change has happened").unsynced.is_some());
    assert_eq!(fs::read(&path).expect("a file"), b"new");
}
