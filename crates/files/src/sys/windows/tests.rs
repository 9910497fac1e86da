//! What only Windows has: access control lists, shares, devices, streams, files that are open elsewhere.

use std::fs;
use std::os::windows::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use windows_sys::Win32::Storage::FileSystem::{FILE_SHARE_DELETE, FILE_SHARE_READ, FILE_SHARE_WRITE};

use super::account::{Descriptor, Sid};
use super::{close_to_others, decode_path, encode_path, home_folder, may_be_touched, state_folder};
use crate::home::PrivateFolder;
use crate::roots::{ResolveError, Roots};
use crate::scratch::Scratch;
use crate::sys::is_private;

#[test]
fn another_machine_is_asked_only_where_a_root_is() {
    let nas = PathBuf::from(r"\\nas\photos\2026");
    assert!(may_be_touched(r"\\NAS\Photos\2025\a.jpg".as_ref(), &[nas.clone()]));
    assert!(!may_be_touched(r"\\nas\other\a.jpg".as_ref(), &[nas.clone()]));
    assert!(!may_be_touched(r"\\evil\photos\a.jpg".as_ref(), &[nas]));
    let refused = Roots::new([r"C:\photos".into()]).resolve(r"\\evil\photos\a.jpg".as_ref());
    assert!(matches!(refused, Err(ResolveError::Outside { .. })), "{refused:?}");
}

#[test]
fn devices_and_streams_are_not_opened() {
    let scratch = Scratch::new();
    let file = scratch.file("a.jpg", b"a");
    let roots = Roots::new([scratch.path("")]);
    roots.resolve(&file).expect("a place");
    for name in ["NUL", "con.jpg", "a.jpg:hidden", "a.jpg::$DATA", "a.jpg.", "a.jpg "] {
        let refused = roots.resolve(&scratch.path(name));
        assert!(matches!(refused, Err(ResolveError::Outside { .. })), "{name}: {refused:?}");
    }
    for path in [r"\\.\PhysicalDrive0", r"\\.\pipe\fotos", r"C:a.jpg", r"\a.jpg", "a.jpg"] {
        assert!(roots.resolve(path.as_ref()).is_err(), "{path}");
    }
}

#[test]
fn real_paths_have_no_prefix_and_the_case_on_the_disk() {
    let scratch = Scratch::new();
    let file = scratch.file("Photo.JPG", b"a");
    let roots = Roots::new([scratch.path("")]);
    let upper = file.to_str().expect("text").to_uppercase();
    let prefixed = format!(r"\\?\{}", file.display());
    for path in [upper, prefixed, file.display().to_string().replace('\\', "/")] {
        assert_eq!(roots.resolve(path.as_ref()).expect("a place").path(), file, "{path}");
    }
    assert!(!file.to_str().expect("text").starts_with(r"\\?\"));
}

#[test]
fn a_folder_that_lets_others_in_is_closed() {
    let scratch = Scratch::new();
    let path = scratch.path("state");
    fs::create_dir(&path).expect("a folder");
    let open = fs::OpenOptions::new()
        .access_mode(super::READ_CONTROL | super::WRITE_DAC)
        .custom_flags(super::FILE_FLAG_BACKUP_SEMANTICS)
        .open(&path)
        .expect("it opens");
    use std::os::windows::io::AsHandle;
    let everybody = Descriptor::parse("D:P(A;OICI;FA;;;WD)").expect("a descriptor");
    everybody.apply(open.as_handle()).expect("applied");
    drop(open);
    assert!(!is_private(&path));
    close_to_others(&path).expect("closed");
    assert!(is_private(&path));
    let folder = PrivateFolder::open(&path).expect("ours");
    folder.write("a", b"a").expect("written");
    assert!(is_private(&path.join("a")));
}

#[test]
fn this_user_owns_what_is_made() {
    let scratch = Scratch::new();
    let path = scratch.path("state");
    PrivateFolder::make(&path).expect("made");
    use std::os::windows::io::AsHandle;
    let open = fs::OpenOptions::new()
        .access_mode(super::READ_CONTROL)
        .custom_flags(super::FILE_FLAG_BACKUP_SEMANTICS)
        .open(&path)
        .expect("it opens");
    let owner = Descriptor::of(open.as_handle()).and_then(|found| found.owner()).expect("an owner");
    assert_eq!(owner, Sid::of_this_user().expect("a user"));
}

#[test]
fn a_file_that_others_read_can_be_replaced_and_one_they_hold_is_left_alone() {
    let scratch = Scratch::new();
    let path = scratch.file("a", b"old");
    let place = Roots::new([scratch.path("")]).resolve(&path).expect("a place");
    let held = fs::OpenOptions::new().read(true).share_mode(FILE_SHARE_READ).open(&path).expect("held");
    place.read(9).expect("it can be read").replace(b"new").expect_err("somebody holds it");
    assert_eq!(fs::read(&path).expect("a file"), b"old");
    assert_eq!(scratch.names(), ["a"], "nothing is left behind");
    drop(held);
    let shared = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
    let reader = fs::OpenOptions::new().read(true).share_mode(shared).open(&path).expect("a reader");
    let replaced = place.read(9).expect("a file").replace(b"new");
    drop(reader);
    // Whether that is possible depends on the file system; if not, nothing happened.
    let expected: &[u8] = if replaced.is_ok() { b"new" } else { b"old" };
    assert_eq!(fs::read(&path).expect("a file"), expected);
    assert_eq!(scratch.names(), ["a"]);
}

#[test]
fn paths_come_back_from_their_bytes() {
    for path in [r"C:\Users\Ada\a b.jpg", "", r"\\nas\photos\ü😀"] {
        assert_eq!(decode_path(&encode_path(Path::new(path))).as_deref(), Some(Path::new(path)));
    }
    assert_eq!(decode_path(b"odd"), None);
}

#[test]
fn windows_knows_where_things_are_when_no_variable_says_so() {
    let nothing = |_: &str| None;
    assert!(home_folder(nothing).is_some_and(|folder| folder.is_absolute()));
    assert!(state_folder(nothing).is_some_and(|folder| folder.ends_with("Deskmate")));
    let said = |name: &str| (name == "LOCALAPPDATA").then(|| PathBuf::from(r"D:\data"));
    assert_eq!(state_folder(said), Some(r"D:\data\Deskmate".into()));
}
