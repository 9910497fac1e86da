//! The `.mcpb` bundles: started as their manifests say, from where an app unpacked them.

use std::fs;
use std::process::Command;

use mcp::Version;
use mcp_testkit::{Client, Folder};
use serde_json::{Value, json};

use crate::built::{program, said, work};

/// Each bundle, the program in it, and a tool of it.
const BUNDLES: &[(&str, &str, &str)] = &[
    ("deskmate", "deskmate", "deskmate_info"),
    ("fotos", "fotos-mcp", "take_screenshot"),
    ("MetaTagGenie", "metatag-genie", "readImageMetadata"),
    ("authy", "authy", "list_secrets"),
    ("zai-mcp-server", "vision-mcp", "analyze_image"),
    ("recipe-vault", "recipe-vault", "create_recipe"),
];

#[test]
fn every_bundle_holds_the_program_that_packages_have_and_starts_it() {
    for (bundle, name, tool) in BUNDLES {
        let folder = Folder::new();
        let unpacked = folder.path("unpacked");
        said(
            Command::new("python3")
                .args(["-m", "zipfile", "-e"])
                .arg(work(&format!("out/{bundle}.mcpb")))
                .arg(&unpacked),
        );
        let manifest: Value =
            serde_json::from_slice(&fs::read(unpacked.join("manifest.json")).expect("a manifest"))
                .expect("JSON");
        let start = &manifest["server"]["mcp_config"];
        let path = start["command"]
            .as_str()
            .expect("a command")
            .replace("${__dirname}", &unpacked.display().to_string());
        assert!(
            fs::read(&path).expect("a program") == fs::read(program(name)).expect("a program"),
            "{bundle}: another program"
        );
        // `zipfile` does not set modes; apps do.
        said(Command::new("chmod").args(["+x", &path]));
        let words: Vec<&str> =
            start["args"].as_array().expect("arguments").iter().filter_map(Value::as_str).collect();
        let mut client =
            Client::process(Command::new(&path).args(&words).env_clear().env("HOME", folder.as_path()))
                .speaking(Version::NEWEST_LEGACY);
        let tools = client.result("tools/list", json!({}))["tools"].take();
        let names = |list: &Value| -> Vec<String> {
            let list = list.as_array().expect("a list");
            let mut names: Vec<String> =
                list.iter().filter_map(|tool| Some(tool["name"].as_str()?.to_owned())).collect();
            names.sort();
            names
        };
        assert!(names(&tools).iter().any(|known| known == tool), "{bundle}: {tools}");
        assert_eq!(names(&tools), names(&manifest["tools"]), "{bundle}: what is announced is what is there");
    }
}

#[test]
fn the_program_in_a_bundle_knows_that_it_is_in_one() {
    let folder = Folder::new();
    said(
        Command::new("python3")
            .args(["-m", "zipfile", "-e"])
            .arg(work("out/deskmate.mcpb"))
            .arg(folder.path("unpacked")),
    );
    let path = folder.path("unpacked/server/deskmate");
    said(Command::new("chmod").arg("+x").arg(&path));
    let version = said(Command::new(&path).arg("--version"));
    assert!(version.ends_with(", mcpb)\n"), "{version}");
}
