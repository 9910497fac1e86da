//! `deskmate bundle`: what is in a bundle starts. The official tool checks them in `interop`.

use std::fs;
use std::process::Command;

use mcp_testkit::Client;
use serde_json::{Value, json};

use crate::binary::finish;
use crate::home::Home;

#[test]
fn there_is_a_bundle_for_each_server_and_one_for_all() {
    let home = Home::new();
    home.run(&["bundle", "recipes,info", "--out", "some"]).said();
    assert_eq!(home.files(), ["some/info.mcpb", "some/recipe-vault.mcpb"]);
    let unknown = home.run(&["bundle", "nonsense"]).complained(2);
    assert!(unknown.contains("`nonsense`"), "{unknown}");
}

#[test]
fn the_program_in_a_bundle_starts_as_its_manifest_says() {
    let home = Home::new();
    home.run(&["bundle", "recipes", "--url", "https://example.org/mcp", "--name", "org.example/deskmate"])
        .said();
    let unpacked = Command::new("python3")
        .args(["-m", "zipfile", "-e", "recipe-vault.mcpb", "out"])
        .current_dir(&home.0)
        .status()
        .expect("python3");
    assert!(unpacked.success());
    let manifest: Value =
        serde_json::from_slice(&fs::read(home.0.join("out/manifest.json")).expect("a manifest"))
            .expect("JSON");
    let start = &manifest["server"]["mcp_config"];
    let folder = home.0.join("out").display().to_string();
    let program = start["command"].as_str().expect("a command").replace("${__dirname}", &folder);
    // `zipfile` does not set modes; the official tool does.
    Command::new("chmod").args(["+x", &program]).status().expect("chmod");
    let arguments: Vec<&str> =
        start["args"].as_array().expect("arguments").iter().filter_map(Value::as_str).collect();
    let mut client =
        Client::process(Command::new(&program).args(&arguments).env_clear().env("HOME", &home.0));
    let tools = client.request("tools/list", json!({}));
    assert!(tools.to_string().contains("create_recipe"), "{tools}");
    let registry: Value =
        serde_json::from_slice(&fs::read(home.0.join("server.json")).expect("an entry")).expect("JSON");
    assert_eq!(registry["packages"][0]["identifier"], "https://example.org/mcp/recipe-vault.mcpb");
    assert_eq!(registry["packages"][0]["fileSha256"].as_str().map(str::len), Some(64));
}

#[test]
fn a_bundle_of_one_server_holds_its_own_program_where_there_is_one() {
    let home = Home::new();
    let ours = home.0.join("bin/deskmate");
    fs::create_dir_all(home.0.join("bin")).expect("a folder");
    fs::hard_link(env!("CARGO_BIN_EXE_deskmate"), &ours).expect("a link");
    let bundled = |version: &str| {
        let lean = home.file("bin/authy", format!("#!/bin/sh\necho authy {version}\n").as_bytes());
        Command::new("chmod").arg("+x").arg(&lean).status().expect("chmod");
        let mut command = Command::new(&ours);
        command.args(["bundle", "secrets"]).env_clear().env("HOME", &home.0).env("PATH", "/usr/bin:/bin");
        let said = finish(command.current_dir(&home.0), "").said();
        let read = Command::new("python3")
            .args([
                "-c",
                "import zipfile; print(zipfile.ZipFile('authy.mcpb').read('manifest.json').decode())",
            ])
            .current_dir(&home.0)
            .output()
            .expect("python3");
        let manifest: Value = serde_json::from_slice(&read.stdout).expect("a manifest");
        (said, manifest["server"].clone())
    };
    let (said, server) = bundled(env!("CARGO_PKG_VERSION"));
    assert_eq!(server["entry_point"], "server/authy", "{said}");
    assert_eq!(server["mcp_config"]["args"], json!(["serve", "--mcp"]));
    assert!(said.contains("`authy` in it"), "{said}");
    // One of another release is not what was built with these tools.
    let (_, server) = bundled("0.0.9");
    assert_eq!(server["entry_point"], "server/deskmate");
    assert_eq!(server["mcp_config"]["args"], json!(["stdio", "authy"]));
}

#[test]
fn what_the_registry_would_refuse_is_refused_before_anything_is_written() {
    let home = Home::new();
    for arguments in [
        ["bundle", "info", "--url", "https://example.org", "--name", "no namespace"],
        ["bundle", "info", "--url", "ftp://example.org", "--name", "org.example/deskmate"],
    ] {
        let refused = home.run(&arguments).complained(2);
        assert!(refused.contains("the registry"), "{refused}");
    }
    assert!(home.files().is_empty());
}
