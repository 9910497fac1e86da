//! The tests that `SECURITY.md` names for what the vault promises.

use crate::problem::{Problem, none};
use crate::repository::{File, files};

const PATH: &str = "SECURITY.md";
/// Where those tests are.
const FOLDERS: [&str; 2] = ["programs/authy/tests/", "crates/authy/"];

/// The names of tests in a text: words in backticks with several `_`, the end of which may be left out.
fn named(text: &str) -> impl Iterator<Item = &str> {
    let part = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_' || c == '…';
    text.split('`')
        .skip(1)
        .step_by(2)
        .filter(move |name| name.matches('_').count() > 1 && name.chars().all(part))
}

fn check(text: &str, files: &[File]) -> Vec<Problem> {
    let sources = files.iter().filter(|file| FOLDERS.iter().any(|folder| file.path.starts_with(folder)));
    let sources: Vec<&str> = sources.filter_map(File::text).collect();
    let is_there = |name: &str| {
        let function = match name.strip_suffix('…') {
            Some(start) => format!("fn {start}"),
            None => format!("fn {name}("),
        };
        sources.iter().any(|source| source.contains(&function))
    };
    let missing = named(text).filter(|name| !is_there(name));
    missing
        .map(|name| {
            Problem::new(
                PATH,
                format!("there is no test `{name}`"),
                "name the test that shows the promise as it is called now, or take the promise out",
            )
        })
        .collect()
}

#[test]
fn every_promise_of_the_vault_has_the_tests_it_names() {
    let text = files().iter().find(|file| file.path == PATH).and_then(File::text).expect("it is there");
    let vault = text.split("\n## ").find(|section| section.starts_with("The vault\n"));
    let vault = vault.expect("the section about the vault");
    assert!(named(vault).count() > 40, "the names are found");
    none(check(vault, files()));
}

#[test]
fn a_test_that_is_gone_is_missed() {
    let source = "#[test]\nfn a_value_is_kept() {}\n#[test]\nfn a_thief_sees_nothing_of_it() {}\n";
    let files = [File::example("programs/authy/tests/authy/a.rs", source)];
    let text = "A promise (`a_value_is_kept`, `a_thief_…`, `an_idea_of_…`, `a_value_is`), with `AUTHY_HOME` and `get_secret`.";
    let missing: Vec<String> = check(text, &files).into_iter().map(|problem| problem.reason).collect();
    assert_eq!(missing, ["there is no test `an_idea_of_…`", "there is no test `a_value_is`"]);
}
