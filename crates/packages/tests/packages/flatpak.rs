//! The Flatpak: `fotos-mcp` in its sandbox, and the bridge across its wall.

use std::fs;
use std::process::Command;

use mcp::Version;
use mcp_testkit::{Client, Folder};
use serde_json::json;

use crate::application::Application;
use crate::built::{program, root, said, work};
use crate::conversation;
use crate::sandbox::{ID, Sandbox};
use crate::window::{Window, agent_takes_a_screenshot};

#[test]
fn flatpak_invocation() {
    let sandbox = Sandbox::new();
    let inside = conversation::of(|| sandbox.inside("fotos-mcp", &[]));
    let outside = conversation::of(|| sandbox.outside(&[]));
    conversation::are_the_same(&inside, &outside);
}

#[test]
fn fotos_mcp_is_part_of_the_flatpak() {
    let sandbox = Sandbox::new();
    let place = said(&mut sandbox.flatpak(&["info", "--show-location", ID]));
    let installed = fs::read(format!("{}/files/bin/fotos-mcp", place.trim())).expect("fotos-mcp");
    assert!(installed == fs::read(program("fotos-mcp")).expect("fotos-mcp"), "it is another program");
    let version = said(&mut sandbox.inside("fotos-mcp", &["--version"]));
    assert!(version.starts_with("fotos-mcp "), "{version}");
}

/// From the repository, as people install it.
#[test]
fn it_is_installed_and_removed_without_leftovers() {
    let (sandbox, folder) = (Sandbox::new(), Folder::new());
    let flatpak = |words: &[&str]| said(&mut sandbox.flatpak_in(folder.as_path(), words));
    let repository = format!("file://{}", work("flatpak/repository").display());
    flatpak(&["remote-add", "--no-gpg-verify", "built", &repository]);
    flatpak(&["install", "-y", "--noninteractive", "built", ID]);
    let listed = flatpak(&["list", "--columns=application"]);
    assert!(listed.lines().any(|line| line == ID), "{listed}");
    assert!(folder.path(&format!("exports/share/applications/{ID}.desktop")).exists(), "an entry in menus");
    flatpak(&["uninstall", "-y", "--noninteractive", ID]);
    assert!(!folder.path(&format!("app/{ID}")).exists());
    assert!(!folder.path(&format!("exports/share/applications/{ID}.desktop")).exists());
}

/// The window itself, inside, seen from outside; an agent outside works through it.
#[test]
fn the_window_opens_in_the_sandbox_and_shows_what_an_agent_outside_took() {
    let sandbox = Sandbox::new();
    let mut window = Window::start(&mut sandbox.flatpak(&["run", ID]), &mut sandbox.outside(&[]));
    window.keep("flatpak");
    agent_takes_a_screenshot(&mut sandbox.outside(&[]));
    window.shows_a_screenshot();
    window.keep("flatpak-agent-outside");
}

/// The other way round: the window outside, the agent in the sandbox.
#[test]
fn the_window_outside_shows_what_an_agent_in_the_sandbox_took() {
    let sandbox = Sandbox::new();
    let mut window =
        Window::start(&mut sandbox.session.command(program("fotos-desktop")), &mut sandbox.outside(&[]));
    agent_takes_a_screenshot(&mut sandbox.inside("fotos-mcp", &[]));
    window.shows_a_screenshot();
    window.keep("flatpak-agent-inside");
}

/// Files of the person, other programs' sockets, and what the system keeps to itself.
#[test]
fn the_sandbox_sees_nothing_else_of_the_person() {
    let sandbox = Sandbox::new();
    let session = &sandbox.session;
    let secrets = [
        "home/.ssh/id_ed25519",
        "home/.netrc",
        "home/Private/diary",
        "run/ssh-agent",
        "run/bus-of-others/secret",
    ];
    for name in secrets {
        let path = session.folder.path(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, "secret").expect("a file");
    }
    let here = session.folder.as_path().display();
    for name in secrets {
        let seen = sandbox.shell(&format!("cat '{here}/{name}' 2>/dev/null || echo refused"));
        assert_eq!(seen, "refused\n", "{name}");
    }
    // What there is of the home: the pictures, and a folder of its own.
    let home = sandbox.shell("cd ~ && ls -A");
    let home: Vec<&str> = home.lines().filter(|name| *name != ".config").collect();
    assert_eq!(home, [".var", "Pictures"]);
    assert_eq!(sandbox.shell("ls ~/.var/app"), format!("{ID}\n"));
    // Of the machine: no devices but harmless ones, none of its programs, none of its temporary files.
    let temporary = Folder::new();
    let temporary = temporary.file("note", b"secret");
    assert_eq!(sandbox.shell(&format!("cat '{temporary}' 2>/dev/null || echo refused")), "refused\n");
    assert_eq!(sandbox.shell("cat /etc/shadow 2>/dev/null || echo refused"), "refused\n");
    assert_eq!(sandbox.shell("ls -d /dev/kvm /dev/fuse /dev/vda /dev/mem 2>/dev/null || true"), "");
    let runtime = sandbox.shell("ls -A $XDG_RUNTIME_DIR");
    for name in runtime.lines() {
        assert!(
            ["app", "bus", "doc", ".flatpak", "flatpak-info", "p11-kit", ".dbus-proxy"].contains(&name),
            "{runtime}"
        );
    }
}

/// The application inside, `fotos-mcp` outside.
#[test]
fn the_bridge_leads_out_of_the_sandbox() {
    let sandbox = Sandbox::new();
    let mut application = Application::start(&mut sandbox.inside("host", &[]));
    let mut client =
        Client::process(&mut sandbox.outside(&["--mode", "bridge"])).speaking(Version::NEWEST_LEGACY);
    conversation::picture(&mut client);
    assert_eq!(application.count(), 1, "the application has what the agent took");
}

/// The application outside, `fotos-mcp` inside.
#[test]
fn the_bridge_leads_into_the_sandbox() {
    let sandbox = Sandbox::new();
    let mut application = Application::start(&mut sandbox.host_outside());
    let mut client = Client::process(&mut sandbox.inside("fotos-mcp", &["--mode", "bridge"]))
        .speaking(Version::NEWEST_LEGACY);
    conversation::picture(&mut client);
    assert_eq!(application.count(), 1, "the application has what the agent took");
}

#[test]
fn pictures_of_the_person_are_seen_and_the_rest_of_the_home_is_not() {
    let sandbox = Sandbox::new();
    let mut application = Application::start(&mut sandbox.inside("host", &[]));
    let picture = root().join("docs/dashboard.png");
    for (name, expected) in [("Pictures/a.png", true), ("Private/a.png", false)] {
        let path = sandbox.session.home().join(name);
        fs::copy(&picture, &path).expect("a copy");
        let answer = application.order(&json!({ "add": { "path": path } }));
        assert_eq!(answer.get("error").is_none(), expected, "{name}: {answer}");
    }
}

/// A real Wayland session, whose desktop gives pictures of the screen through its portal, as a file that the sandbox sees through another.
#[test]
fn a_wayland_screen_is_seen_through_the_portal() {
    let folder = Folder::new();
    let mut session = Command::new("unshare");
    session
        .args(["--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "sh"])
        .arg(root().join("crates/packages/tests/packages/wayland.sh"))
        .arg(folder.path("home"))
        .arg(work("flatpak/installed"));
    let mut client = Client::process(&mut session).speaking(Version::NEWEST_LEGACY);
    let monitors = client.call("list_monitors", json!({}))["structuredContent"].take();
    assert!(monitors.to_string().contains("HEADLESS-2"), "{monitors}");
    let shot = client.call("take_screenshot", json!({}));
    assert_ne!(shot["isError"], true, "{shot}");
    let told = shot["content"].to_string();
    assert!(told.contains("960") && told.contains("480"), "{}", told.chars().take(2_000).collect::<String>());
}

/// The manifest for release, and how the one that was built differs from it.
#[test]
fn the_test_replaces_the_runtime_and_nothing_else() {
    let manifest =
        fs::read_to_string(root().join(format!("packaging/flatpak/{ID}.yml"))).expect("a manifest");
    let built = fs::read_to_string(work(&format!("flatpak/build/{ID}.yml"))).expect("a manifest");
    let differing: Vec<&str> = manifest
        .lines()
        .zip(built.lines())
        .filter(|(release, test)| release != test)
        .map(|(release, _)| release.split(':').next().unwrap_or_default())
        .collect();
    assert_eq!(differing, ["runtime", "runtime-version", "sdk"]);
    assert_eq!(manifest.lines().count(), built.lines().count());
}

/// The tools that stores use say nothing against them; `flatpak-builder` warns of what it does not know.
#[test]
fn the_manifest_the_menu_entry_and_the_description_are_valid() {
    let packaging = root().join("packaging");
    let manifest = packaging.join(format!("flatpak/{ID}.yml"));
    let state = Folder::new();
    let output = Command::new("flatpak-builder")
        .arg("--show-manifest")
        .arg(manifest)
        // It may leave a folder where it runs.
        .current_dir(state.as_path())
        .output()
        .expect("flatpak-builder");
    assert!(
        output.status.success() && output.stderr.is_empty(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let checked =
        said(Command::new("desktop-file-validate").arg(packaging.join(format!("fotos/{ID}.desktop"))));
    assert_eq!(checked, "");
    said(
        Command::new("appstreamcli")
            .args(["validate", "--no-net"])
            .arg(packaging.join(format!("fotos/{ID}.metainfo.xml"))),
    );
}
