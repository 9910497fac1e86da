//! Files that somebody else prepared, in a project that was cloned or in place of an app's: `connect`, `disconnect` and `doctor`
//! neither write elsewhere, nor start anything else, nor wait.

use std::fmt::Write;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use crate::binary::finish;
use crate::home::Home;

/// A project with a file of this text, and a place outside it.
fn project(home: &Home, text: &str) -> (String, std::path::PathBuf) {
    home.file("project/.cursor/mcp.json", text.as_bytes());
    (home.0.join("project").display().to_string(), home.file("private/keys", b"mine\n"))
}

fn in_project(home: &Home, folder: &str, arguments: &[&str]) -> crate::binary::Finished {
    finish(home.command(arguments).current_dir(folder), "")
}

#[test]
fn a_backup_that_is_a_link_is_neither_written_through_nor_removed_through() {
    let home = Home::new();
    let (folder, private) = project(&home, "{ }\n");
    let backup = home.0.join("project/.cursor/mcp.json.before-deskmate");
    symlink("../../private/keys", &backup).expect("a link");
    let refused = in_project(&home, &folder, &["connect", "cursor", "--project", "--yes"]);
    assert_eq!(refused.code, Some(1), "{}", refused.stdout);
    assert!(
        refused.stdout.contains("before-deskmate") && refused.stdout.contains("link"),
        "{}",
        refused.stdout
    );
    assert_eq!(fs::read(&private).expect("the file"), b"mine\n");
    assert_eq!(fs::read(home.0.join("project/.cursor/mcp.json")).expect("the file"), b"{ }\n");
    // Connected before the link came: what it leads to is not the backup, and stays.
    fs::remove_file(&backup).expect("gone");
    in_project(&home, &folder, &["connect", "cursor", "--project", "--yes"]).said();
    fs::rename(&backup, home.0.join("private/keys")).expect("moved");
    symlink("../../private/keys", &backup).expect("a link");
    let refused = in_project(&home, &folder, &["disconnect", "cursor", "--project", "--yes"]);
    assert_eq!(refused.code, Some(1), "{}", refused.stdout);
    assert_eq!(fs::read(&private).expect("the file"), b"{ }\n");
}

#[test]
fn a_file_of_a_project_is_in_the_project() {
    let home = Home::new();
    let (folder, _) = project(&home, "{}");
    let elsewhere = home.file("elsewhere/settings.json", b"{}\n");
    let link = home.0.join("project/.cursor/mcp.json");
    fs::remove_file(&link).expect("gone");
    symlink("../../elsewhere/settings.json", &link).expect("a link");
    for command in ["connect", "disconnect"] {
        let refused = in_project(&home, &folder, &[command, "cursor", "--project", "--yes"]);
        assert_eq!(refused.code, Some(1), "{}", refused.stdout);
        assert!(refused.stdout.contains("leads out of"), "{}", refused.stdout);
    }
    // A folder of the project that is one of somebody else's is as bad.
    fs::remove_dir_all(home.0.join("project/.cursor")).expect("gone");
    symlink("../elsewhere", home.0.join("project/.cursor")).expect("a link");
    let refused = in_project(&home, &folder, &["connect", "cursor", "--project", "--yes"]);
    assert!(refused.stdout.contains("leads out of"), "{}", refused.stdout);
    assert_eq!(fs::read(&elsewhere).expect("the file"), b"{}\n");
    assert_eq!(fs::read_dir(home.0.join("elsewhere")).expect("a folder").count(), 1);
}

#[test]
fn an_entry_that_would_load_other_code_is_not_started() {
    let home = Home::new();
    let trace = home.0.join("trace");
    let entry = format!(
        "{{\"mcpServers\":{{\"deskmate\":{{\"command\":\"/old/deskmate\",\"args\":[\"stdio\"],\"env\":{{\
         \"LD_PRELOAD\":\"/nowhere/evil.so\",\"LD_DEBUG\":\"files\",\"LD_DEBUG_OUTPUT\":\"{}\"}}}}}}}}\n",
        trace.display()
    );
    let (folder, _) = project(&home, &entry);
    let refused = in_project(&home, &folder, &["connect", "cursor", "--project", "--yes"]);
    assert_eq!(refused.code, Some(1), "{}", refused.stdout);
    assert!(refused.stdout.contains("LD_"), "{}", refused.stdout);
    let path = home.0.join("project/.cursor/mcp.json");
    assert_eq!(fs::read_to_string(&path).expect("the file"), entry);
    // Neither does the doctor start it.
    home.file(".cursor/mcp.json", entry.replace("/old/deskmate", env!("CARGO_BIN_EXE_deskmate")).as_bytes());
    let report = home.run(&["doctor", "--port", "1"]);
    assert!(report.stdout.contains("LD_"), "{}", report.stdout);
    let traces = fs::read_dir(&home.0).expect("a folder").flatten();
    assert!(!traces.into_iter().any(|entry| entry.file_name().to_string_lossy().starts_with("trace")));
}

/// Makes a pipe; whoever opens it to read waits for a writer that never comes.
fn pipe(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().expect("mkfifo").success());
}

#[test]
fn nobody_waits_for_a_pipe_and_nobody_reads_without_end() {
    for (what, words) in [("pipe", "not a regular file"), ("zero", "not a regular file"), ("huge", "bytes")] {
        let home = Home::new();
        fs::create_dir_all(home.0.join(".cursor")).expect("a folder");
        let path = home.0.join(".cursor/mcp.json");
        match what {
            "pipe" => pipe(&path),
            "zero" => symlink("/dev/zero", &path).expect("a link"),
            _ => fs::File::create(&path).expect("a file").set_len(1 << 33).expect("a size"),
        }
        for arguments in [
            &["connect", "cursor", "--yes"][..],
            &["disconnect", "cursor", "--yes"],
            &["doctor", "--port", "1"],
            &[],
        ] {
            let mut command = Command::new("timeout");
            command
                .args(["60", "prlimit", "--as=4000000000", env!("CARGO_BIN_EXE_deskmate")])
                .args(arguments);
            command.env_clear().env("HOME", &home.0).env("PATH", "/usr/bin:/bin").current_dir(&home.0);
            let done = finish(&mut command, "");
            assert_ne!(done.code, Some(124), "{what} {arguments:?} hangs");
            assert!(!done.stderr.contains("memory allocation"), "{what} {arguments:?}: {}", done.stderr);
            if !arguments.is_empty() {
                assert_eq!(done.code, Some(1), "{what} {arguments:?}: {}{}", done.stdout, done.stderr);
                let said = done.stdout.to_lowercase();
                assert!(said.contains(words), "{what} {arguments:?}: {}", done.stdout);
            }
        }
        assert_eq!(home.files(), [".cursor/mcp.json"], "{what}");
    }
}

#[test]
fn a_deep_file_is_an_error_and_not_the_end() {
    for (app, file, text) in [
        ("cursor", ".cursor/mcp.json", "[".repeat(3_000_000)),
        ("cursor", ".cursor/mcp.json", "{\"a\":".repeat(1_000_000)),
        (
            "zed",
            ".config/zed/settings.json",
            format!("{{\"a\":{}{}}}", "[".repeat(200_000), "]".repeat(200_000)),
        ),
        ("codex", ".codex/config.toml", format!("a = {}{}\n", "[".repeat(200_000), "]".repeat(200_000))),
        ("codex", ".codex/config.toml", format!("{}b = 1\n", "a.".repeat(200_000))),
        (
            "goose",
            ".config/goose/config.yaml",
            format!("a: {}{}\n", "[".repeat(200_000), "]".repeat(200_000)),
        ),
        ("goose", ".config/goose/config.yaml", format!("a: {}\n", "{a: ".repeat(200_000))),
        ("goose", ".config/goose/config.yaml", "- ".repeat(200_000)),
    ] {
        let home = Home::new();
        let path = home.file(file, text.as_bytes());
        for arguments in
            [&["connect", app, "--yes"][..], &["disconnect", app, "--yes"], &["doctor", "--port", "1"]]
        {
            let done = home.run(arguments);
            let start: String = text.chars().take(12).collect();
            assert_eq!(done.code, Some(1), "{app} {start} {arguments:?}: {}{}", done.stdout, done.stderr);
        }
        assert_eq!(fs::read(&path).expect("the file"), text.as_bytes());
    }
}

/// Aliases of aliases: small as text, and endless when each is written out.
#[test]
fn aliases_are_not_written_out() {
    let mut text = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..30 {
        let before = level - 1;
        let many = vec![format!("*a{before}"); 9].join(", ");
        writeln!(text, "a{level}: &a{level} [{many}]").expect("written to memory");
    }
    let home = Home::new();
    let path = home.file(".config/goose/config.yaml", text.as_bytes());
    let mut command = Command::new("timeout");
    command.args(["60", "prlimit", "--as=4000000000", env!("CARGO_BIN_EXE_deskmate")]);
    command.args(["connect", "goose", "--yes"]).env_clear().env("HOME", &home.0).env("PATH", "/usr/bin:/bin");
    let done = finish(&mut command, "");
    assert!(matches!(done.code, Some(0 | 1)), "{:?} {}{}", done.code, done.stdout, done.stderr);
    if done.code == Some(1) {
        assert_eq!(fs::read_to_string(&path).expect("the file"), text);
    }
}

#[test]
fn a_terminal_is_not_told_what_to_do_by_a_file() {
    let home = Home::new();
    let text = "{\n  \"a\": \"\u{9b}2J\u{202e}\"\n}\n";
    home.file(".cursor/mcp.json", text.as_bytes());
    let shown = home.run(&["connect", "cursor", "--dry-run"]).said();
    assert!(shown.contains("\"a\""), "{shown}");
    let is_odd = |letter: char| (letter.is_control() && letter != '\n') || letter == '\u{202e}';
    assert!(!shown.contains(is_odd), "{shown:?}");
}
