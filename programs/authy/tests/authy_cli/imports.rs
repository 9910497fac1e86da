//! `authy import`.

use std::process::Command;

use serde_json::json;

use crate::home::{Home, finish};

#[test]
fn a_dotenv_file() {
    let home = Home::with(&[("there", "canary old")]);
    let file =
        home.file(".env", "# c\nexport DB_URL=\"canary://db\" # x\nTHERE=canary new\nPEM='canary\nline'\n");
    let dry = home.run(&["import", &file, "--dry-run"]).said();
    assert_eq!(
        dry,
        "would store db-url\nwould store pem\nskipped there: there already (use --force)\n2 imported, 1 skipped (dry run)\n"
    );
    assert_eq!(home.run(&["list"]).said(), "there\n");
    assert!(home.run(&["import", &file]).said().ends_with("2 imported, 1 skipped\n"));
    assert_eq!(home.run(&["get", "pem"]).said(), "canary\nline\n");
    assert_eq!(home.run(&["get", "there"]).said(), "canary old\n");
    home.run(&["import", &file, "--force"]).said();
    let there = home.run(&["get", "there", "--json"]).json();
    assert_eq!((&there["value"], &there["version"]), (&json!("canary new"), &json!(2)));
    home.run(&["import", &file, "--keep-names", "--prefix", "app/"]).said();
    assert!(home.run(&["list"]).said().contains("app/DB_URL\n"));
    let wrong = home.file("wrong", "A=canary\ncanary without a value\n");
    assert_eq!(home.run(&["import", &wrong]).complained(1), "error: line 2 has no `=`; write `NAME=value`\n");
}

#[test]
fn thousands_of_secrets_are_one_transaction() {
    let home = Home::new();
    let many: Vec<String> = (0..2_000).map(|number| format!("KEY_{number}=canary {number}")).collect();
    let said = home.run_with(&["import", "-"], &many.join("\n")).said();
    assert_eq!(said, "2000 imported, 0 skipped\n");
    assert_eq!(home.run(&["list"]).said().lines().count(), 2_000);
    assert_eq!(home.run(&["get", "key-1999"]).said(), "canary 1999\n");
    let entries = home.run(&["audit", "verify", "--json"]).json();
    assert_eq!(entries["intact"], true);
}

/// Both files were closed by the program `age`.
#[test]
fn the_vault_of_the_first_authy() {
    let home = Home::new();
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/../../crates/authy/tests/data");
    let key = std::fs::read(format!("{data}/vault-keyfile.key")).expect("a keyfile");
    let key = home.file("old.key", key);
    let vault = format!("{data}/vault-keyfile.age");
    let loose = home.run(&["import", "--from", "vault-age", &vault, "--old-keyfile", &key]).complained(2);
    assert!(loose.contains("chmod 600"), "{loose}");
    Command::new("chmod").args(["600", &key]).status().expect("chmod");
    let said = home.run(&["import", "--from", "vault-age", &vault, "--old-keyfile", &key, "--json"]).json();
    assert_eq!(said["imported"], json!(["db-url", "stripe-key"]));
    assert_eq!(said["policies"], json!(["dev", "run"]));
    assert_eq!(home.run(&["get", "stripe-key"]).said(), "sk_live_é\n");
    assert_eq!(home.run(&["policy", "show", "run", "--json"]).json()["run_only"], true);
    let wrong = home.run(&["import", "--from", "vault-age", &vault, "--old-keyfile", &home.text("key")]);
    assert!(wrong.complained(2).contains("not for this key"));
    let asks = home.run(&["import", "--from", "vault-age", &vault]).complained(2);
    assert!(asks.contains("--old-keyfile"), "{asks}");
}

#[test]
fn a_password_store_through_gpg() {
    let home = Home::new();
    let gpg = |arguments: &[&str], input: &str| {
        let mut command = Command::new("gpg");
        command.args(["--batch", "--quiet", "--homedir", &home.text("gnupg")]).args(arguments);
        finish(&mut command, input).said()
    };
    std::fs::create_dir_all(home.path("store/web")).expect("a folder");
    std::fs::create_dir(home.path("gnupg")).expect("a folder");
    Command::new("chmod").args(["700", &home.text("gnupg")]).status().expect("chmod");
    gpg(&["--passphrase", "", "--quick-generate-key", "ada@example.com", "default", "default"], "");
    let out = home.text("store/web/Shop.gpg");
    gpg(&["--encrypt", "--recipient", "ada@example.com", "--output", &out], "canary\nlogin: ada\n");
    let mut import = home.command(&["import", "--from", "pass", "store"]);
    finish(import.env("GNUPGHOME", home.path("gnupg")), "").said();
    assert_eq!(home.run(&["list"]).said(), "web/shop\nweb/shop/notes\n");
    assert_eq!(home.run(&["get", "web/shop"]).said(), "canary\n");
    let _ = Command::new("gpgconf").args(["--homedir", &home.text("gnupg"), "--kill", "gpg-agent"]).status();
}

#[test]
fn a_file_of_sops_through_sops() {
    let home = Home::new();
    let file = home.file("secrets.yaml", "sops: {}");
    let mut command = home.command(&["import", "--from", "sops", &file]);
    let missing = finish(command.env("PATH", "/nonexistent"), "").complained(1);
    assert!(missing.contains("`sops` is needed for this and is not on the PATH"), "{missing}");
    // Stands in for sops: what it prints for a file is JSON, whatever the file is.
    let sops = home.file(
        "sops",
        "#!/bin/sh\n[ \"$AUTHY_KEYFILE\" ] && exit 9\nprintf '{\"db\":{\"url\":\"canary\"}}'\n",
    );
    Command::new("chmod").args(["755", &sops]).status().expect("chmod");
    let path = format!("{}:/usr/bin:/bin", home.text(""));
    let mut command = home.command(&["import", "--from", "sops", &file]);
    finish(command.env("PATH", path), "").said();
    assert_eq!(home.run(&["get", "db/url"]).said(), "canary\n");
}

#[test]
fn a_csv_export_of_1password() {
    let home = Home::new();
    let file = home.file(
        "export.csv",
        "Title,Url,Username,Password,OTPAuth,Favorite,Archived,Tags,Notes\nGitHub,https://github.com,ada,canary,,,,,\n",
    );
    home.run(&["import", "--from", "1password", &file]).said();
    assert_eq!(home.run(&["get", "github"]).said(), "canary\n");
    assert!(home.run(&["list", "--long"]).said().contains("https://github.com, user ada"));
    let broken = home.file("broken.1pux", "PK nonsense");
    assert!(home.run(&["import", "--from", "1password", &broken]).complained(1).contains("1pux"));
}

/// Who made the file could otherwise write whatever they like on the screen, or hide what was said.
#[test]
fn nothing_in_a_name_reaches_the_terminal_as_a_command() {
    let home = Home::new();
    let file = home.file("a.csv", "Title,Url,Username,Password\n\"\u{1b}[2J\u{202e}\u{9b}2J\",,u,canary\n");
    let words = home.run(&["import", "--from", "1password", "--keep-names", &file]).complained(1);
    assert!(words.contains("[2J") && words.contains("cannot be a name here"), "{words}");
    assert!(!words.contains(['\u{1b}', '\u{202e}', '\u{9b}']), "{words:?}");
}
