//! `authy env`, `authy export` and `authy resolve`.

use std::process::Command;

use serde_json::json;

use crate::home::{Home, finish, mode};

const HARD: &str = "canary 'single' \"double\" $HOME `x` \\ #\nsecond line";

fn home() -> Home {
    let home = Home::with(&[("db-url", "canary://db"), ("hard", HARD)]);
    home.run(&["policy", "create", "all", "--allow", "*"]).said();
    home
}

#[test]
fn a_shell_reads_back_every_character() {
    let home = home();
    let script = home.run(&["env", "--scope", "all", "--uppercase"]).said();
    assert!(script.contains("export DB_URL='canary://db'\n"), "{script}");
    let mut shell = Command::new("sh");
    let read = finish(shell.args(["-c", "eval \"$(cat)\"; printf %s \"$HARD\""]), &script).said();
    assert_eq!(read, HARD);
    let plain = home.run(&["env", "--scope", "all", "--no-export"]).said();
    assert!(plain.starts_with("db_url='canary://db'\n"), "{plain}");
}

#[test]
fn json_and_dotenv_forms() {
    let home = home();
    let env = home.run(&["env", "--scope", "all", "--format", "json"]).json();
    assert_eq!(env, json!({"db_url": "canary://db", "hard": HARD}));
    let export = home.run(&["export", "--format", "json"]).json();
    assert_eq!(export, json!({"db-url": "canary://db", "hard": HARD}));
    let dotenv = home.run(&["export", "--uppercase"]).said();
    let other = Home::new();
    other.run_with(&["import", "-"], &dotenv).said();
    assert_eq!(other.run(&["get", "hard", "--json"]).json()["value"], HARD);
}

#[test]
fn placeholders_are_filled_in_to_a_new_private_file() {
    let home = home();
    let template = home.file("app.tmpl", "url = \"<authy:db-url>\"\nkept = <authy:> <other>\n");
    let expected = "url = \"canary://db\"\nkept = <authy:> <other>\n";
    assert_eq!(home.run(&["resolve", &template]).said(), expected);
    home.run(&["resolve", &template, "-o", "app.conf"]).said();
    assert_eq!(std::fs::read_to_string(home.path("app.conf")).expect("a file"), expected);
    assert_eq!(mode(&home.path("app.conf")), 0o600);
    home.run(&["resolve", &template, "-o", "app.conf"]).complained(5);
    let missing = home.file("missing.tmpl", "<authy:nothing>");
    assert_eq!(home.run(&["resolve", &missing]).complained(3), "error: Secret not found: nothing\n");
}
