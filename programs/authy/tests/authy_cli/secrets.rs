//! Storing, reading, rotating and removing.

use serde_json::json;

use crate::home::{Home, finish, mode};

#[test]
fn store_get_list_remove() {
    let home = Home::new();
    assert_eq!(home.run_with(&["store", "db-url"], "canary://db\n").said(), "Stored secret 'db-url'\n");
    home.run_with(&["store", "prod/key"], "canary two").said();
    assert_eq!(home.run(&["get", "db-url"]).said(), "canary://db\n");
    assert_eq!(home.run(&["list"]).said(), "db-url\nprod/key\n");
    assert_eq!(home.run(&["remove", "db-url"]).said(), "Removed secret 'db-url'\n");
    assert_eq!(home.run(&["list"]).said(), "prod/key\n");
    assert_eq!(home.run(&["remove", "db-url"]).complained(3), "error: Secret not found: db-url\n");
}

#[test]
fn a_secret_that_is_there_is_kept_unless_forced_and_its_history_stays() {
    let home = Home::with(&[("a", "canary 1")]);
    let refused = home.run_with(&["store", "a"], "canary 2").complained(5);
    assert_eq!(refused, "error: Secret already exists: a (use --force to overwrite)\n");
    home.run_with(&["store", "a", "--force"], "canary 2").said();
    assert_eq!(home.run_with(&["rotate", "a"], "canary 3").said(), "Rotated secret 'a' to version 3\n");
    let history = home.run(&["history", "a", "--json"]).json();
    let versions: Vec<_> = history["versions"]
        .as_array()
        .expect("versions")
        .iter()
        .map(|each| each["version"].clone())
        .collect();
    assert_eq!(versions.len(), 3);
    assert_eq!(home.run(&["get", "a", "--version", "1"]).said(), "canary 1\n");
    home.run(&["rollback", "a", "1"]).said();
    let got = home.run(&["get", "a", "--json"]).json();
    assert_eq!((&got["value"], &got["version"]), (&json!("canary 1"), &json!(4)));
    home.run(&["rollback", "a", "99"]).complained(3);
    home.run_with(&["rotate", "nothing"], "canary").complained(3);
}

#[test]
fn json_has_names_versions_and_dates() {
    let home = Home::with(&[("a", "canary")]);
    let got = home.run(&["get", "a", "--json"]).json();
    assert_eq!((&got["name"], &got["value"], &got["version"]), (&json!("a"), &json!("canary"), &json!(1)));
    assert!(got["created"].as_str().is_some_and(|time| time.ends_with('Z')), "{got}");
    let listed = home.run(&["--json", "list"]).json();
    assert_eq!(listed["secrets"][0]["name"], "a");
    assert!(listed["secrets"][0].get("value").is_none());
}

#[test]
fn only_the_last_newline_goes_and_none_when_exact() {
    let home = Home::new();
    home.run_with(&["store", "lines"], "canary\n\n").said();
    home.run_with(&["store", "windows"], "canary\r\n").said();
    home.run_with(&["store", "exact", "--exact"], "canary\n").said();
    let stored = |name: &str| home.run(&["get", name, "--json"]).json()["value"].clone();
    assert_eq!(
        (stored("lines"), stored("windows"), stored("exact")),
        (json!("canary\n"), json!("canary"), json!("canary\n"))
    );
}

#[test]
fn a_value_goes_to_a_new_file_of_ones_own() {
    let home = Home::with(&[("a", "canary")]);
    home.run(&["get", "a", "-o", "out"]).said();
    assert_eq!(std::fs::read(home.path("out")).expect("a file"), b"canary");
    assert_eq!(mode(&home.path("out")), 0o600);
    home.run(&["get", "a", "-o", "out"]).complained(5);
}

#[test]
fn what_is_too_long_or_no_name_is_refused() {
    let home = Home::new();
    let long = "canary".repeat(20_000);
    assert!(home.run_with(&["store", "a"], &long).complained(1).contains("65536 bytes"));
    let bad = home.run_with(&["store", "a b"], "canary").complained(2);
    assert!(bad.contains("a name has no ` `"), "{bad}");
    assert_eq!(home.run(&["list"]).said(), "");
}

#[test]
fn what_is_said_about_a_secret_and_how_it_may_be_used() {
    let home = Home::with(&[("a", "canary")]);
    home.run(&[
        "set",
        "a",
        "--description",
        "for tests",
        "--tag",
        "x",
        "--host",
        "api.example.com",
        "--expires",
        "90d",
    ])
    .said();
    home.run(&["set", "a", "--never-reveal"]).said();
    let info = home.run(&["list", "--json"]).json()["secrets"][0].clone();
    assert_eq!((&info["description"], &info["hosts"]), (&json!("for tests"), &json!(["api.example.com"])));
    assert_eq!(info["never_reveal"], true);
    let hidden = home.run(&["get", "a"]).complained(4);
    assert!(hidden.contains("authy set a --reveal"), "{hidden}");
    home.run(&["set", "a", "--reveal"]).said();
    assert_eq!(home.run(&["get", "a"]).said(), "canary\n");
    let long = home.run(&["list", "--long"]).said();
    assert!(long.contains("api.example.com") && long.contains("for tests"), "{long}");
}

#[test]
fn a_random_value_is_made_and_found_by_short_names_of_commands() {
    let home = Home::with(&[("a", "canary")]);
    home.run(&["generate", "made", "--length", "40"]).said();
    assert_eq!(home.run(&["get", "made"]).said().trim().len(), 40);
    assert_eq!(home.run(&["ls"]).said(), "a\nmade\n");
    home.run(&["rm", "made"]).said();
    assert_eq!(home.run(&["ls"]).said(), "a\n");
    assert_eq!(home.run(&["run", "--secret", "a", "--", "sh", "-c", "echo $A"]).said(), "canary\n");
}

#[test]
fn a_client_is_set_up_in_one_go() {
    let home = Home::with(&[("dev/a", "canary"), ("prod", "canary")]);
    assert!(home.run(&["setup-agent", "claude"]).complained(2).contains("--allow"));
    let first = home.run(&["setup-agent", "claude", "--allow", "dev/*", "--json"]).json();
    let server = &first["mcpServers"]["authy"];
    assert_eq!(server["args"], serde_json::json!(["serve", "--mcp"]));
    assert!(std::path::Path::new(server["command"].as_str().expect("a path")).is_absolute(), "{server}");
    // No secret goes into the client's configuration: the entry names a file that only this user can read.
    let file = server["env"]["AUTHY_TOKEN_FILE"].as_str().expect("a file").to_owned();
    assert!(!first.to_string().contains("authy_v2."), "{first}");
    assert_eq!(mode(std::path::Path::new(&file)), 0o600);
    let as_agent = |arguments: &[&str]| {
        finish(home.command(arguments).env_remove("AUTHY_KEYFILE").env("AUTHY_TOKEN_FILE", &file), "")
    };
    assert_eq!(as_agent(&["list"]).said(), "dev/a\n");
    as_agent(&["get", "dev/a"]).complained(4);
    let days = home.run(&["grant", "list", "--json"]).json()["grants"][0]["expires"].clone();
    assert!(days.is_string(), "it does not die within the hour: {days}");
    // Again: a new token in the same file, and the old one is revoked.
    let old = std::fs::read_to_string(&file).expect("a token");
    let again = home.run(&["setup-agent", "claude", "--json"]).json();
    assert_eq!((&again["token_file"], &again["revoked"]), (&file.as_str().into(), &1.into()), "{again}");
    home.run_as(&old, &["list"]).complained(6);
    assert_eq!(as_agent(&["list"]).said(), "dev/a\n");
    std::fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o644)).expect("a mode");
    assert!(as_agent(&["list"]).complained(2).contains("chmod 600"));
    let shown = home.run(&["setup-agent", "other", "--allow", "*", "--show-token", "--json"]).json();
    let token = shown["mcpServers"]["authy"]["env"]["AUTHY_TOKEN"].as_str().expect("a token");
    assert_eq!(home.run_as(token, &["list"]).said(), "dev/a\nprod\n");
}
