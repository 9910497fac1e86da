//! Help, the version, and command lines that mean nothing.

use crate::binary::deskmate;

#[test]
fn every_command_shows_an_example() {
    for command in [&[][..], &["connect"], &["disconnect"], &["serve"], &["stdio"], &["tools"], &["call"]] {
        let help = deskmate(&[command, &["--help"]].concat()).said();
        let example = format!("\n  deskmate {}", command.concat());
        assert!(help.contains("\nExample") && help.contains(&example), "{help}");
        let longest = help.lines().map(|line| line.chars().count()).max();
        assert!(longest <= Some(100), "{help}");
    }
}

#[test]
fn the_version_is_that_of_the_workspace() {
    assert_eq!(deskmate(&["--version"]).said(), concat!("deskmate ", env!("CARGO_PKG_VERSION"), "\n"));
}

#[test]
fn no_command_and_a_wrong_one_are_usage_errors() {
    assert!(deskmate(&[]).complained(2).contains("Usage: deskmate <COMMAND>"));
    let message = deskmate(&["tool"]).complained(2);
    assert!(message.contains("unrecognized subcommand 'tool'") && message.contains("'tools'"), "{message}");
}
