//! `deskmate` alone: on a terminal it says where the person is, elsewhere that a command is missing.

use std::process::Command;

use crate::binary::finish;
use crate::home::Home;

/// What a person sees, in a terminal of `script`'s making.
fn seen(home: &Home, variables: &[(&str, &str)]) -> String {
    let mut command = Command::new("script");
    command.args(["--quiet", "--return", "--command", env!("CARGO_BIN_EXE_deskmate"), "/dev/null"]);
    command.env_clear().env("HOME", &home.0).env("PATH", "/usr/bin:/bin").env("TERM", "xterm");
    finish(command.envs(variables.iter().copied()), "").said()
}

#[test]
fn a_person_is_told_what_is_connected_what_is_missing_and_the_next_step() {
    let home = Home::new();
    let first = seen(&home, &[("NO_COLOR", "1")]);
    assert!(first.contains("Connected: none yet") && first.contains("Next: install an AI app"), "{first}");
    assert!(first.contains("Needs something first:") && first.contains("  fotos: "), "{first}");
    assert!(!first.contains('\u{1b}'), "{first}");
    home.file(".cursor/mcp.json", b"{}");
    let second = seen(&home, &[]);
    assert!(
        second.contains("Not connected: Cursor") && second.contains("run `deskmate connect`"),
        "{second}"
    );
    assert!(second.contains("\u{1b}["), "in colour: {second}");
    home.run(&["connect", "cursor", "--yes"]).said();
    let third = seen(&home, &[("NO_COLOR", "1")]);
    assert!(third.contains("Connected: Cursor") && third.contains("Next: ask your app"), "{third}");
}

#[test]
fn a_program_is_told_that_a_command_is_missing() {
    assert!(Home::new().run(&[]).complained(2).contains("Usage: deskmate [OPTIONS] <COMMAND>"));
}
