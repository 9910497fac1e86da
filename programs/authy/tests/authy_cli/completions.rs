//! `authy completions`.

use std::process::Command;

use crate::home::{Home, finish};

#[test]
fn bash_loads_them_and_completes() {
    let home = Home::empty();
    let script = home.file("authy.bash", home.run(&["completions", "bash"]).said());
    let mut bash = Command::new("bash");
    let complete = format!(
        "source {script}; COMP_WORDS=(authy gra); COMP_CWORD=1; _authy authy gra authy; echo \"${{COMPREPLY[@]}}\""
    );
    assert_eq!(finish(bash.args(["--norc", "-c", &complete]), "").said(), "grant\n");
    assert!(home.run(&["completions", "zsh"]).said().starts_with("#compdef authy"));
    assert!(home.run(&["completions", "fish"]).said().contains("complete -c authy"));
    home.run(&["completions", "tcsh"]).complained(2);
}
