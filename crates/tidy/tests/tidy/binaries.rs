//! Binaries put libraries together and do nothing else.

use crate::problem::{Problem, none};
use crate::repository::{File, files};

/// A binary has fewer lines than this.
const LINES: usize = 80;

fn check(files: &[File]) -> Vec<Problem> {
    let too_long = files.iter().filter(|file| is_binary(file) && file.lines() >= LINES);
    too_long
        .map(|file| {
            Problem::new(
                &file.path,
                format!("{} lines; a binary has fewer than {LINES}", file.lines()),
                "move the logic into a library, where it can be tested",
            )
        })
        .collect()
}

fn is_binary(file: &File) -> bool {
    let Some(path) = file.path.strip_prefix("crates/deskmate/src/") else { return false };
    path == "main.rs" || (path.starts_with("bin/") && file.extension() == Some("rs"))
}

#[test]
fn binaries_are_short() {
    none(check(files()));
}

#[test]
fn a_long_binary_is_found() {
    let files = [
        File::example("crates/deskmate/src/main.rs", &"line\n".repeat(80)),
        File::example("crates/deskmate/src/bin/fotos-mcp.rs", &"line\n".repeat(79)),
        File::example("crates/deskmate/src/serve.rs", &"line\n".repeat(300)),
    ];
    let places: Vec<String> = check(&files).into_iter().map(|problem| problem.place).collect();
    assert_eq!(places, ["crates/deskmate/src/main.rs"]);
}
