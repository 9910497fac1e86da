//! Places that cannot be written to: a clear error, and nothing lost.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::process::Command;

use authy::{Consent, Credential, Overwrite, Vault};

use crate::folder::{Owned, get, name, names, put};

/// What this test binary does when it is started again by one of the tests: see [`as_child`].
const ROLE: &str = "AUTHY_TEST_ROLE";

/// Runs one of the tests below in a process of its own, which may have less than we.
fn as_child(test: &str, folder: &std::path::Path) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("a path"));
    command.args(["--exact", test, "--nocapture", "--test-threads=1"]).env(ROLE, folder);
    command
}

fn role() -> Option<std::path::PathBuf> {
    std::env::var_os(ROLE).map(Into::into)
}

/// A disk that is full is a file that must not grow: the limit of the operating system, in a child.
#[test]
fn a_full_disk_is_named_and_nothing_is_lost() {
    if let Some(folder) = role() {
        let vault = Vault::at(folder.join("vault"));
        let session = vault.unlock(&Credential::Keyfile(folder.join("key"))).expect("unlocked");
        let error = (0..2000)
            .find_map(|number| {
                put(&session, &format!("n{number}"), &"x".repeat(30_000), Overwrite::Refuse).err()
            })
            .expect("the disk fills up");
        let words = error.to_string();
        assert!(words.contains("cannot use") && words.contains("nothing was changed"), "{words}");
        return;
    }
    let owned = Owned::with(&["a", "b"]);
    let folder = owned.folder.path("");
    let child = as_child("refusing::a_full_disk_is_named_and_nothing_is_lost", &folder);
    // In blocks of 512 bytes. Over the limit a write fails rather than ending the process: the signal is ignored.
    let mut shell = Command::new("sh");
    shell.args(["-c", "ulimit -f 4000; trap '' XFSZ; exec \"$0\" \"$@\""]);
    shell.arg(child.get_program()).args(child.get_args()).env(ROLE, &folder);
    let output = shell.output().expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    assert_eq!(get(&owned.session, "a").expect("still there"), "value of a");
    assert!(names(&owned.session).len() >= 2);
    assert!(owned.session.verify_audit().expect("the log reads").broken.is_none());
    owned.vault.check().expect("the file is whole");
}

/// As another user, since root is refused nothing.
#[test]
fn a_folder_of_somebody_else_or_without_rights_is_refused_in_words() {
    if let Some(folder) = role() {
        let vault = Vault::at(folder.join("vault"));
        let session = vault.unlock(&Credential::Keyfile(folder.join("key")));
        let words = match session.and_then(|session| session.get(&name("a"), Consent::Unasked)) {
            Ok(_) => panic!("what cannot be logged must not be read"),
            Err(error) => error.to_string(),
        };
        println!("words: {words}");
        return;
    }
    let owned = Owned::with(&["a"]);
    let folder = owned.folder.path("");
    let test = "refusing::a_folder_of_somebody_else_or_without_rights_is_refused_in_words";
    let words = |user: u32| {
        let output = as_child(test, &folder).uid(user).gid(user).output().expect("it runs");
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{said}");
        said.lines()
            .find_map(|line| line.split_once("words: ").map(|(_, words)| words.to_owned()))
            .expect("words")
    };
    if !rustix::process::geteuid().is_root() {
        // Our own rights taken away do what another user's do.
        fs::set_permissions(owned.vault.file(), Permissions::from_mode(0o400)).expect("a mode");
        let words = words(rustix::process::geteuid().as_raw());
        assert!(words.contains("write access"), "{words}");
        return;
    }
    let foreign = words(65_534);
    assert!(foreign.contains("belongs to user") || foreign.contains("ermission denied"), "{foreign}");
    // A vault of that user's own, in a folder where nothing can be written.
    let inside =
        fs::read_dir(owned.folder.path("vault")).expect("a folder").flatten().map(|entry| entry.path());
    for path in ["", "vault", "key"].map(|name| owned.folder.path(name)).into_iter().chain(inside) {
        std::os::unix::fs::chown(path, Some(65_534), Some(65_534)).expect("given away");
    }
    fs::set_permissions(owned.vault.file(), Permissions::from_mode(0o400)).expect("a mode");
    let read_only = words(65_534);
    assert!(read_only.contains("write access"), "{read_only}");
}
