//! Binaries put libraries together and do nothing else.

use crate::problem::{Problem, none};
use crate::repository::{File, files};

/// A binary has fewer lines than this.
const LINES: usize = 80;

fn check(files: &[File]) -> Vec<Problem> {
    let binaries: Vec<&File> = files.iter().filter(|file| is_binary(file)).collect();
    if binaries.is_empty() {
        return vec![Problem::new(
            "programs",
            "no `src/main.rs` of a program was found, so nothing was checked",
            "tell `is_binary` in crates/tidy/tests/tidy/binaries.rs where the programs are now",
        )];
    }
    let too_long = binaries.into_iter().filter(|file| file.lines() >= LINES);
    too_long
        .map(|file| {
            Problem::new(
                &file.path,
                format!("{} lines; a binary has fewer than {LINES}", file.lines()),
                "move the logic into a module, where it can be tested",
            )
        })
        .collect()
}

/// `programs/NAME/src/main.rs`, or a further binary in `src/bin`.
fn is_binary(file: &File) -> bool {
    let Some((_, path)) = file.path.strip_prefix("programs/").and_then(|path| path.split_once('/')) else {
        return false;
    };
    path == "src/main.rs" || (path.starts_with("src/bin/") && file.extension() == Some("rs"))
}

#[test]
fn binaries_are_short() {
    none(check(files()));
}

#[test]
fn a_long_binary_is_found() {
    let files = [
        File::example("programs/deskmate/src/main.rs", &"line\n".repeat(80)),
        File::example("programs/fotos-mcp/src/main.rs", &"line\n".repeat(79)),
        File::example("programs/deskmate/src/serve.rs", &"line\n".repeat(300)),
    ];
    let places: Vec<String> = check(&files).into_iter().map(|problem| problem.place).collect();
    assert_eq!(places, ["programs/deskmate/src/main.rs"]);
}

#[test]
fn it_is_a_problem_if_there_are_no_binaries() {
    let files = [File::example("crates/deskmate/src/main.rs", "fn main() {}\n")];
    assert_eq!(check(&files).len(), 1);
}
