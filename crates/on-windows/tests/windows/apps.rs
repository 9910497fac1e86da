//! `deskmate connect` and `deskmate doctor`: where apps on Windows have their files.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

use crate::running::Person;

/// `deskmate` of a person whose apps are in their own folder.
fn deskmate(person: &Person, arguments: &[&str]) -> Command {
    let mut command = person.command("deskmate", arguments);
    command
        .env("USERPROFILE", person.folder.path("Ada"))
        .env("APPDATA", person.folder.path(r"Ada\AppData\Roaming"))
        .env("LOCALAPPDATA", person.folder.path(r"Ada\AppData\Local"))
        .env_remove("HOME");
    command
}

fn said(command: &mut Command) -> String {
    let Output { status, stdout, stderr } = command.output().expect("it starts");
    let said = format!("{}{}", String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
    assert!(status.success(), "{command:?}: {status}: {said}");
    said
}

fn entry(file: &Path) -> Value {
    let text = fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    serde_json::from_str::<Value>(&text).expect("JSON")["mcpServers"]["deskmate"].take()
}

#[test]
fn apps_are_connected_proved_looked_at_and_disconnected() {
    let apps = [
        ("claude-desktop", r"Ada\AppData\Roaming\Claude\claude_desktop_config.json"),
        ("cursor", r"Ada\.cursor\mcp.json"),
    ];
    for (app, file) in apps {
        let person = Person::new();
        let file = person.folder.path(file);
        fs::create_dir_all(file.parent().expect("a folder")).expect("made");
        let before = "{\r\n  \"mcpServers\": {}\r\n}\r\n";
        fs::write(&file, before).expect("written");
        let connected = said(&mut deskmate(&person, &["connect", app, "--yes"]));
        assert!(connected.contains("It starts, and offers "), "{connected}");
        // People read this path, so it looks as paths do there.
        assert!(connected.contains(&file.display().to_string()), "{connected}");
        let command = entry(&file)["command"].as_str().expect("a command").to_owned();
        assert!(command.ends_with(r"\deskmate.exe") && Path::new(&command).is_file(), "{command}");
        // Whatever else is missing on this machine, this works.
        let looked = deskmate(&person, &["doctor"]).output().expect("it starts");
        let looked = String::from_utf8_lossy(&looked.stdout).into_owned();
        assert!(looked.contains("connected: it starts, offers "), "{looked}");
        said(&mut deskmate(&person, &["disconnect", app, "--yes"]));
        assert_eq!(fs::read_to_string(&file).expect("the file"), before);
    }
}
