//! Every crate takes the lints of the workspace and says what it is.

use crate::problem::{Problem, none};
use crate::repository::{File, files, package_folders};

fn check(files: &[File]) -> Vec<Problem> {
    package_folders(files)
        .into_iter()
        .flat_map(|folder| [check_lints(files, folder), check_docs(files, folder)])
        .flatten()
        .collect()
}

fn check_lints(files: &[File], folder: &str) -> Option<Problem> {
    let path = format!("{folder}/Cargo.toml");
    let text = files.iter().find(|file| file.path == path)?.text()?;
    let manifest = match toml::from_str::<toml::Table>(text) {
        Ok(manifest) => manifest,
        Err(error) => return Some(Problem::new(path, format!("not TOML: {error}"), "mend it")),
    };
    let workspace = manifest.get("lints").and_then(|lints| lints.get("workspace"));
    if workspace.and_then(toml::Value::as_bool) == Some(true) {
        return None;
    }
    Some(Problem::new(path, "the lints of the workspace are not in force", "add `[lints] workspace = true`"))
}

fn check_docs(files: &[File], folder: &str) -> Option<Problem> {
    let src = format!("{folder}/src");
    let root = ["lib.rs", "main.rs"]
        .iter()
        .find_map(|root| files.iter().find(|file| file.path == format!("{src}/{root}")));
    let Some(root) = root else {
        return Some(Problem::new(src, "neither lib.rs nor main.rs is there", "add one"));
    };
    if root.text().is_some_and(|text| text.trim_start().starts_with("//!")) {
        return None;
    }
    Some(Problem::new(
        &root.path,
        "the file does not open with a crate doc comment",
        "say on its first line, after `//!`, what the crate is for",
    ))
}

#[test]
fn every_crate_has_the_lints_and_a_doc_comment() {
    none(check(files()));
}

#[test]
fn a_bare_crate_is_found() {
    let files = [
        File::example("crates/good/Cargo.toml", "lints.workspace = true"),
        File::example("crates/good/src/lib.rs", "//! Good.\n"),
        File::example("crates/bare/Cargo.toml", "[package]\nname = 'bare'"),
        File::example("crates/bare/src/main.rs", "fn main() {}\n"),
        File::example("programs/hollow/Cargo.toml", "[lints]\nworkspace = true"),
    ];
    let places: Vec<String> = check(&files).into_iter().map(|problem| problem.place).collect();
    assert_eq!(places, ["crates/bare/Cargo.toml", "crates/bare/src/main.rs", "programs/hollow/src"]);
}
