//! The AppImage: its file system, mounted read-only as the runtime in front of it does, and what starts from there.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::process::Command;

use mcp_testkit::Folder;

use crate::built::{has_application, program, said, work};
use crate::conversation;
use crate::display::Display;

/// The file system, mounted until the test ends.
struct Mounted {
    folder: Folder,
    display: Display,
}

impl Mounted {
    fn new() -> Mounted {
        let mounted = Mounted { folder: Folder::new(), display: Display::new() };
        fs::create_dir(mounted.path()).expect("a folder");
        said(Command::new("squashfuse").arg(work("appimage/fotos.squashfs")).arg(mounted.path()));
        mounted
    }

    fn path(&self) -> PathBuf {
        self.folder.path("mounted")
    }

    fn command(&self, program: PathBuf) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", self.folder.as_path())
            .env("DISPLAY", &self.display.name)
            .env("FOTOS_NOTIFY", "off");
        command
    }

    fn run(&self) -> Command {
        self.command(self.path().join("AppRun"))
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.path()).status();
    }
}

#[test]
fn fotos_mcp_is_part_of_the_appimage() {
    let mounted = Mounted::new();
    assert!(fs::write(mounted.path().join("AppRun"), "x").is_err(), "it is mounted read-only");
    let packed = conversation::of(|| {
        let mut command = mounted.run();
        command.arg("fotos-mcp");
        command
    });
    let direct = conversation::of(|| mounted.command(program("fotos-mcp")));
    conversation::are_the_same(&packed, &direct);
}

/// The runtime says in `ARGV0` by what name it was started.
#[test]
fn a_link_called_fotos_mcp_starts_it() {
    let mounted = Mounted::new();
    let link = mounted.folder.path("fotos-mcp");
    symlink("Fotos.AppImage", &link).expect("a link");
    let said = said(mounted.run().arg("--version").env("ARGV0", &link));
    assert!(said.starts_with("fotos-mcp "), "{said}");
}

#[test]
fn app_run_alone_starts_the_application_or_says_that_there_is_none() {
    let mounted = Mounted::new();
    let output = mounted.run().arg("--version").output().expect("it starts");
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    if has_application() {
        assert!(output.status.success() && stdout.starts_with("fotos-desktop "), "{stdout}{stderr}");
    } else {
        assert!(!output.status.success() && stderr.contains("AppRun fotos-mcp"), "{stdout}{stderr}");
    }
}
