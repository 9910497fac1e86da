//! The tests that `SECURITY.md` names for what the vault promises.

use crate::problem::{Problem, none};
use crate::repository::{File, files};

const PATH: &str = "SECURITY.md";
/// Where those tests are.
const FOLDERS: [&str; 2] = ["programs/authy/tests/", "crates/authy/"];
/// Where each tool of the vault has a file of its own name.
const TOOLS: &str = "crates/authy/surface/";

/// The names of tests in a text: words in backticks with several `_` that are no tools.
///
/// A name of which a part was left out with `…` is one, too, and missed: it would go on matching whatever is called
/// similarly after its own test is gone.
fn named<'a>(text: &'a str, files: &'a [File]) -> impl Iterator<Item = &'a str> {
    let part = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_' || c == '…';
    let is_tool =
        move |name: &str| files.iter().any(|file| file.path.starts_with(TOOLS) && file.stem() == Some(name));
    text.split('`')
        .skip(1)
        .step_by(2)
        .filter(move |name| name.matches('_').count() > 1 && name.chars().all(part) && !is_tool(name))
}

/// Whether a source has a test of this name, and not just a function.
fn has_test(source: &str, name: &str) -> bool {
    let function = format!("fn {name}(");
    let mut attributes = Vec::new();
    for line in source.lines().map(str::trim) {
        if line.starts_with("#[") {
            attributes.push(line);
        } else {
            if line.starts_with(&function) && attributes.contains(&"#[test]") {
                return true;
            }
            attributes.clear();
        }
    }
    false
}

fn check(text: &str, files: &[File]) -> Vec<Problem> {
    let sources = files.iter().filter(|file| FOLDERS.iter().any(|folder| file.path.starts_with(folder)));
    let sources: Vec<&str> = sources.filter_map(File::text).collect();
    let missing = named(text, files).filter(|name| !sources.iter().any(|source| has_test(source, name)));
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
    assert!(named(vault, files()).count() > 40, "the names are found");
    none(check(vault, files()));
}

#[test]
fn a_test_that_is_gone_is_missed() {
    let source = "#[test]\nfn a_value_is_kept() {}\nfn a_value_is_made() {}\n    #[test]\n    fn a_thief_sees_nothing() {}\n";
    let files = [
        File::example("programs/authy/tests/authy/a.rs", source),
        File::example("crates/authy/surface/run_with_secrets.json", "{}"),
    ];
    let text = "A promise (`a_value_is_kept`, `a_thief_sees_nothing`, `a_thief_…`, `a_value_is`, `a_value_is_made`), with \
                `AUTHY_HOME`, `get_secret` and `run_with_secrets`.";
    let missing: Vec<String> = check(text, &files).into_iter().map(|problem| problem.reason).collect();
    let expected = ["a_thief_…", "a_value_is", "a_value_is_made"];
    assert_eq!(missing, expected.map(|name| format!("there is no test `{name}`")));
}
