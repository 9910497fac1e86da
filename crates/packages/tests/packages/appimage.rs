//! The AppImage: its file system, mounted read-only as the runtime in front of it does, and what starts from there.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::process::Command;

use crate::built::{said, work};
use crate::conversation;
use crate::debian::Debian;
use crate::session::Session;
use crate::window::{Window, agent_takes_a_screenshot};

/// The file system, mounted until the test ends.
struct Mounted {
    session: Session,
}

impl Mounted {
    fn new() -> Mounted {
        let mounted = Mounted { session: Session::new() };
        fs::create_dir(mounted.path()).expect("a folder");
        said(Command::new("squashfuse").arg(work("appimage/fotos.squashfs")).arg(mounted.path()));
        mounted
    }

    fn path(&self) -> PathBuf {
        self.session.folder.path("mounted in 日本 $(here)")
    }

    fn run(&self) -> Command {
        self.session.command(self.path().join("AppRun"))
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
    let direct = conversation::of(|| mounted.session.fotos_mcp(&[]));
    conversation::are_the_same(&packed, &direct);
}

/// The runtime says in `ARGV0` by what name it was started.
#[test]
fn a_link_called_fotos_mcp_starts_it() {
    let mounted = Mounted::new();
    let link = mounted.session.folder.path("fotos-mcp");
    symlink("Fotos.AppImage", &link).expect("a link");
    let said = said(mounted.run().arg("--version").env("ARGV0", &link));
    assert!(said.starts_with("fotos-mcp "), "{said}");
}

/// By another name it is the application, wherever it is started from and however that name begins.
#[test]
fn any_other_name_and_any_folder_start_the_application() {
    let mounted = Mounted::new();
    let link = mounted.session.folder.path("-link");
    symlink(mounted.path().join("AppRun"), &link).expect("a link");
    for name in ["Fotos.AppImage", "-fotos-mcp", "--help", "/a b/not-fotos-mcp", ""] {
        for (folder, program) in [("/", link.clone()), ("mounted in 日本 $(here)", "./AppRun".into())] {
            let mut command = mounted.session.command(program);
            command.current_dir(mounted.session.folder.path(folder)).env("ARGV0", name).arg("--version");
            let output = command.output().expect("it starts");
            let (told, complaint) =
                (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
            assert!(
                told.starts_with("fotos-desktop ") && complaint.is_empty(),
                "{name:?}: {told}{complaint}"
            );
        }
    }
}

#[test]
fn app_run_alone_opens_the_window_and_an_agent_works_through_it() {
    let mounted = Mounted::new();
    let mut window = Window::start(&mut mounted.run(), &mut mounted.session.fotos_mcp(&[]));
    window.keep("appimage");
    let mut agent = mounted.run();
    agent_takes_a_screenshot(agent.arg("fotos-mcp"));
    window.shows_a_screenshot();
    assert!(window.end().success());
}

/// It brings no WebKit of its own.
#[test]
fn it_says_what_is_missing_where_there_is_no_webkit() {
    let debian = Debian::new("bookworm");
    let folder = work("appimage/AppDir");
    let output = debian.command(&folder, &["/given/AppRun"]).output().expect("it starts");
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && complaint.contains("libwebkit2gtk-4.1-0"), "{complaint}");
    let version = debian.run(&folder, &["/given/AppRun", "fotos-mcp", "--version"]);
    assert!(version.starts_with("fotos-mcp "), "{version}");
}

/// Whoever built it owns nothing in it, and nobody else may write to it.
#[test]
fn everything_in_it_is_of_root_and_for_all_to_read() {
    let listed = said(Command::new("unsquashfs").arg("-lln").arg(work("appimage/fotos.squashfs")));
    let entries: Vec<&str> = listed.lines().filter(|line| line.contains("squashfs-root")).collect();
    assert!(entries.len() > 10, "{listed}");
    for entry in entries {
        let (mode, rest) = entry.split_once(' ').expect("a mode");
        assert!(["drwxr-xr-x", "-rwxr-xr-x", "-rw-r--r--", "lrwxrwxrwx"].contains(&mode), "{entry}");
        assert!(rest.starts_with("0/0 "), "{entry}");
    }
}
