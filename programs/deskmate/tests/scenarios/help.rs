//! Help, the version, and command lines that mean nothing.

use crate::binary::deskmate;

#[test]
fn every_command_shows_an_example() {
    let commands = ["connect", "disconnect", "serve", "stdio", "tools", "call", "doctor", "bundle"];
    for command in [&[][..]].into_iter().chain(commands.iter().map(std::slice::from_ref)) {
        let help = deskmate(&[command, &["--help"]].concat()).said();
        let example = format!("\n  deskmate {}", command.concat());
        assert!(help.contains("\nExample") && help.contains(&example), "{help}");
        let longest = help.lines().map(|line| line.chars().count()).max();
        assert!(longest <= Some(100), "{help}");
    }
}

#[test]
fn the_version_is_that_of_the_workspace_and_says_where_the_program_is_from() {
    let expected = concat!("deskmate ", env!("CARGO_PKG_VERSION"), " (built from source)\n");
    assert_eq!(deskmate(&["--version"]).said(), expected);
}

#[test]
fn a_wrong_command_is_a_usage_error() {
    let message = deskmate(&["tool"]).complained(2);
    assert!(message.contains("unrecognized subcommand 'tool'") && message.contains("'tools'"), "{message}");
}
