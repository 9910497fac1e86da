//! The vault: its files are this user's alone, secrets come back, and no command is given one.

use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;

use files::is_open_to_others;
use mcp::Version;
use mcp_testkit::Client;
use serde_json::json;

use crate::running::Person;

fn authy(person: &Person, arguments: &[&str], input: &str) -> String {
    let mut command = person.command("authy", arguments);
    command
        .env("AUTHY_KEYFILE", person.folder.path("key"))
        .env("AUTHY_ANCHOR", person.folder.path("anchor"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    let mut pipe = child.stdin.take().expect("piped");
    pipe.write_all(input.as_bytes()).expect("sent");
    drop(pipe);
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn secrets_come_back_and_no_command_gets_one() {
    let person = Person::new();
    let key = person.folder.path("key").display().to_string();
    authy(&person, &["init", "--generate-keyfile", &key], "");
    authy(&person, &["store", "db"], "canary\n");
    assert_eq!(authy(&person, &["get", "db"], "").trim_end(), "canary");
    for file in
        [person.folder.path("key"), person.folder.path("vault"), person.folder.path(r"vault\vault.db")]
    {
        assert!(!is_open_to_others(Path::new(&file)).expect("it is there"), "{}", file.display());
    }
    let mut command = person.command("authy", &["serve", "--mcp"]);
    command.env("AUTHY_KEYFILE", &key).env("AUTHY_ANCHOR", person.folder.path("anchor"));
    let mut agent = Client::process(&mut command).speaking(Version::MODERN);
    let tools = agent.result("tools/list", json!({})).to_string();
    let run = json!({ "command": ["cmd", "/c", "set"], "secrets": [{ "name": "db", "variable": "DB" }] });
    let refused = agent.request("tools/call", json!({ "name": "run_with_secrets", "arguments": run }));
    assert!(refused["error"].is_object() || refused["result"]["isError"] == true, "{refused} {tools}");
    assert!(!refused.to_string().contains("canary"), "{refused}");
    assert_eq!(agent.hang_up().code, Some(0));
}

#[test]
fn what_opens_the_vault_is_not_passed_on_however_its_variable_is_spelled() {
    let person = Person::new();
    let key = person.folder.path("key").display().to_string();
    authy(&person, &["init", "--generate-keyfile", &key], "");
    authy(&person, &["store", "db"], "canary\n");
    // The person's own command, which is given what they may see.
    let mut command =
        person.command("authy", &["run", "--keep-env", "--secret", "db", "--", "cmd", "/c", "set"]);
    command.env("Authy_KeyFile", &key).env("authy_anchor", person.folder.path("anchor")).env("PLAIN", "kept");
    let output = command.output().expect("it starts");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let has = |line: &str| said.lines().any(|known| known.trim_end() == line);
    assert!(has("DB=canary") && has("PLAIN=kept"), "{said}");
    let opens = |line: &&str| line.to_uppercase().starts_with("AUTHY_");
    assert_eq!(said.lines().find(opens), None);
}
