//! One look for all six programs: help with examples, exit codes, messages, completions and manual pages.

use std::process::Command;

use mcp_testkit::{Folder, program};

use crate::binary::{Finished, finish};

const PROGRAMS: [&str; 6] = ["deskmate", "fotos-mcp", "metatag-genie", "authy", "vision-mcp", "recipe-vault"];

fn run(name: &str, arguments: &[&str]) -> Finished {
    let home = Folder::new();
    let mut command = Command::new(program(name));
    command.args(arguments).env_clear().env("HOME", home.as_path()).env("PATH", "/usr/bin:/bin");
    finish(&mut command, "")
}

/// The commands that a program lists in its help.
fn commands(help: &str) -> Vec<String> {
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let listed = listed.take_while(|line| line.starts_with("  "));
    // What is wrapped stands further in.
    let names = listed.filter(|line| !line.starts_with("   "));
    let names = names.filter_map(|line| line.split_whitespace().next().map(str::to_owned));
    names.filter(|name| name != "help" && !name.is_empty()).collect()
}

#[test]
fn every_program_and_every_command_explains_itself_with_examples() {
    let mut without = Vec::new();
    for name in PROGRAMS {
        let help = run(name, &["--help"]).said();
        assert!(help.contains("Exit codes: 0 "), "{name}: {help}");
        let mut all = vec![(name.to_owned(), help.clone())];
        for command in commands(&help) {
            all.push((format!("{name} {command}"), run(name, &[&command, "--help"]).said()));
        }
        for (what, help) in all {
            if !help.contains("\nExample") && !help.contains("\nCommands:\n") {
                without.push(what.clone());
            }
            let longest = help.lines().map(|line| line.chars().count()).max().unwrap_or_default();
            assert!(longest <= 100, "{what} has a line of {longest}: {help}");
        }
    }
    assert!(without.is_empty(), "no examples: {without:?}");
}

#[test]
fn a_wrong_command_line_is_a_usage_error_everywhere() {
    for name in PROGRAMS {
        let message = run(name, &["--no-such-option"]).complained(2);
        assert!(message.starts_with("error: ") && message.contains("--no-such-option"), "{name}: {message}");
        assert!(!message.contains('\u{1b}'), "{name}: {message}");
        let version = run(name, &["--version"]).said();
        // `deskmate` also says which build it is.
        let expected = format!("{name} {}", env!("CARGO_PKG_VERSION"));
        assert_eq!(version.split(" (").next().map(str::trim_end), Some(expected.as_str()));
    }
}

#[test]
fn every_program_has_completions_that_bash_loads() {
    for name in PROGRAMS {
        let folder = Folder::new();
        let script = folder.as_path().join("completions.bash");
        std::fs::write(&script, run(name, &["completions", "bash"]).said()).expect("a file");
        let function = format!("_{}", name.replace('-', "__"));
        let complete = format!(
            "source {}; f={function}; declare -F \"$f\" >/dev/null || f=_{name}; COMP_WORDS=({name} comp); COMP_CWORD=1; \"$f\" {name} comp {name}; echo \"${{COMPREPLY[@]}}\"",
            script.display()
        );
        let said = finish(Command::new("bash").args(["--norc", "-c", &complete]), "").said();
        assert_eq!(said, "completions\n", "{name}");
        assert!(run(name, &["completions", "zsh"]).said().starts_with(&format!("#compdef {name}")));
        assert!(run(name, &["completions", "fish"]).said().contains(&format!("complete -c {name}")));
        run(name, &["completions", "tcsh"]).complained(2);
    }
}

#[test]
fn every_program_has_a_manual_page_and_one_for_each_command() {
    for name in PROGRAMS {
        let page = run(name, &["man"]).said();
        assert!(page.contains(&format!(".TH {name} 1")) && page.contains(".SH SYNOPSIS"), "{name}: {page}");
        let folder = Folder::new();
        let out = folder.as_path().join("man1");
        run(name, &["man", "--out", out.to_str().expect("text")]).said();
        let pages: Vec<String> = std::fs::read_dir(&out)
            .expect("pages")
            .map(|page| page.expect("a page").file_name().to_string_lossy().into_owned())
            .collect();
        assert!(pages.contains(&format!("{name}.1")), "{name}: {pages:?}");
        assert!(pages.contains(&format!("{name}-completions.1")), "{name}: {pages:?}");
    }
}
