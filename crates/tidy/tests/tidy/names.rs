//! Module names say what is inside.

use crate::problem::{Problem, none};
use crate::repository::{File, files};

/// Names that fit everything, and therefore say nothing.
const EMPTY_NAMES: &[&str] = &["util", "utils", "helper", "helpers", "common"];

fn check(files: &[File]) -> Vec<Problem> {
    files.iter().filter(|file| file.extension() == Some("rs")).flat_map(check_file).collect()
}

fn check_file(file: &File) -> Vec<Problem> {
    let mut problems = Vec::new();
    if file.stem() == Some("mod") {
        problems.push(Problem::new(
            &file.path,
            "modules are `name.rs` and `name/`, without `mod.rs`",
            "rename it to the name of its folder, one level up",
        ));
    }
    let Some((_, inside)) = file.path.split_once("src/") else { return problems };
    let in_path = inside.trim_end_matches(".rs").split('/');
    let in_text = file.text().unwrap_or_default().lines().filter_map(inline_module);
    for name in in_path.chain(in_text).filter(|name| EMPTY_NAMES.contains(name)) {
        problems.push(Problem::new(
            &file.path,
            format!("a module called `{name}` says nothing about what is in it"),
            "name it after its subject, or move each item to the module that uses it",
        ));
    }
    problems
}

/// The name of a module that has its body in this file; others are seen by their own file.
fn inline_module(line: &str) -> Option<&str> {
    let (before, after) = line.trim().split_once("mod ")?;
    let is_module = before.is_empty() || before.starts_with("pub");
    let name = after.strip_suffix('{')?.trim();
    is_module.then_some(name)
}

#[test]
fn modules_have_telling_names() {
    none(check(files()));
}

#[test]
fn empty_names_are_found() {
    let files = [
        File::example("crates/a/src/wire.rs", "mod tests {\n}\n// the common mod {\n"),
        File::example("crates/a/src/wire/mod.rs", ""),
        File::example("crates/a/src/utils.rs", ""),
        File::example("crates/a/src/common/io.rs", ""),
        File::example("crates/a/src/lib.rs", "pub(crate) mod helpers {\n"),
        File::example("crates/a/tests/common.rs", ""),
    ];
    let places: Vec<String> = check(&files).into_iter().map(|problem| problem.place).collect();
    assert_eq!(
        places,
        [
            "crates/a/src/wire/mod.rs",
            "crates/a/src/utils.rs",
            "crates/a/src/common/io.rs",
            "crates/a/src/lib.rs"
        ]
    );
}
