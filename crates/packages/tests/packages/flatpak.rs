//! The Flatpak: `fotos-mcp` in its sandbox, and the bridge across its wall.

use std::fs;
use std::process::Command;

use mcp::Version;
use mcp_testkit::Client;
use serde_json::json;

use crate::application::Application;
use crate::built::{has_application, program, root, said, work};
use crate::conversation;
use crate::sandbox::{ID, Sandbox};

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
        let path = sandbox.home().join(name);
        fs::copy(&picture, &path).expect("a copy");
        let answer = application.order(&json!({ "add": { "path": path } }));
        assert_eq!(answer.get("error").is_none(), expected, "{name}: {answer}");
    }
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
    let mut expected = vec!["runtime", "runtime-version", "sdk"];
    // Without the application there is no window to start.
    if !has_application() {
        expected.push("command");
    }
    assert_eq!(differing, expected);
    assert_eq!(manifest.lines().count(), built.lines().count());
}

/// The tools that stores use say nothing against them; `flatpak-builder` warns of what it does not know.
#[test]
fn the_manifest_the_menu_entry_and_the_description_are_valid() {
    let packaging = root().join("packaging");
    let manifest = packaging.join(format!("flatpak/{ID}.yml"));
    let output = Command::new("flatpak-builder")
        .arg("--show-manifest")
        .arg(manifest)
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
