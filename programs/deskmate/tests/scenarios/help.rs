//! Help, the version, and command lines that mean nothing.

use std::process::Command;

use crate::binary::deskmate;
use crate::home::Home;

#[test]
fn every_command_shows_an_example() {
    let commands = ["connect", "disconnect", "serve", "stdio", "tools", "call", "doctor", "bundle"];
    for command in [&[][..]].into_iter().chain(commands.iter().map(std::slice::from_ref)) {
        let help = deskmate(&[command, &["--help"]].concat()).said();
        let example = format!("\n  deskmate {}", command.concat());
        assert!(help.contains("\nExample") && help.contains(&example), "{help}");
        let longest = help.lines().map(|line| line.chars().count()).max();
        assert!(longest <= Some(100), "{help}");
        // The parser wraps to the terminal: longer examples would lose their columns.
        let (_, examples) = help.split_once("\nExample").expect("examples");
        let mut examples = examples.lines().filter(|line| line.starts_with("  "));
        assert!(examples.all(|line| line.chars().count() <= 80), "{help}");
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

/// In a real shell, as it asks for them.
#[test]
fn bash_completes_the_names_of_apps_and_servers() {
    let home = Home::new();
    let script = home.run(&["completions", "bash"]).said();
    let script = home.file("deskmate.bash", script.as_bytes());
    let completed = |command: &str, option: &str| {
        let ask = format!(
            "source \"$0\"; COMP_WORDS=(deskmate {command} {option} ''); COMP_CWORD=$((${{#COMP_WORDS[@]}}-1)); \
             _deskmate deskmate '' \"${{COMP_WORDS[COMP_CWORD-1]}}\"; echo \"${{COMPREPLY[@]}}\""
        );
        let said = Command::new("bash").args(["-c", &ask]).arg(&script).output().expect("bash");
        String::from_utf8_lossy(&said.stdout).into_owned()
    };
    for command in ["connect", "disconnect"] {
        let apps = completed(command, "");
        assert!(apps.contains("claude-code") && apps.contains("lm-studio"), "{command}: {apps}");
    }
    for (command, option) in
        [("stdio", ""), ("tools", ""), ("bundle", ""), ("connect", "--server"), ("serve", "--only")]
    {
        let servers = completed(command, option);
        assert!(servers.contains("recipes") && servers.contains("screen"), "{command} {option}: {servers}");
    }
}

#[test]
fn every_page_that_the_manual_names_is_there() {
    let home = Home::new();
    home.run(&["man", "--out", "pages"]).said();
    let page = std::fs::read_to_string(home.0.join("pages/deskmate.1")).expect("a page").replace("\\-", "-");
    let named: Vec<&str> = page
        .split_whitespace()
        .filter_map(|word| word.strip_suffix("(1)"))
        .filter(|name| name.starts_with("deskmate-"))
        .collect();
    assert!(named.len() > 8, "{page}");
    for name in named {
        assert!(home.0.join(format!("pages/{name}.1")).exists(), "{name}");
    }
}
