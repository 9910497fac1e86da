//! No file is too long to be read at once.

use crate::problem::{Problem, none};
use crate::repository::{File, files};

/// Over this many lines a file needs a reason.
const THINK: usize = 500;
/// Over this many there is none.
const MOST: usize = 800;

const EXTENSIONS: &[&str] = &["rs", "js", "mjs", "py"];

/// Files that may be longer than `THINK` lines: (path, reason).
const LONG: &[(&str, &str)] = &[];

fn check(files: &[File], long: &[(&str, &str)]) -> Vec<Problem> {
    let mut problems = Vec::new();
    for file in files.iter().filter(|file| file.extension().is_some_and(|e| EXTENSIONS.contains(&e))) {
        let lines = file.lines();
        let listed = long.iter().any(|(path, _)| *path == file.path);
        if lines > MOST {
            problems.push(Problem::new(
                &file.path,
                format!("{lines} lines; no file has more than {MOST}"),
                "split it by subject",
            ));
        } else if lines > THINK && !listed {
            problems.push(Problem::new(
                &file.path,
                format!("{lines} lines; over {THINK} a file needs a reason"),
                "split it by subject, or list it with the reason in `LONG` of crates/tidy/tests/tidy/sizes.rs",
            ));
        }
    }
    for (path, _) in long {
        if !files.iter().any(|file| file.path == *path && file.lines() > THINK) {
            problems.push(Problem::new(
                *path,
                format!("listed as long, but there is no such file of more than {THINK} lines"),
                "remove the row from `LONG` of crates/tidy/tests/tidy/sizes.rs",
            ));
        }
    }
    problems
}

#[test]
fn no_source_file_is_too_long() {
    none(check(files(), LONG));
}

#[test]
fn long_files_and_stale_rows_are_found() {
    let lines = |count: usize| "line\n".repeat(count);
    let files = [
        File::example("a.rs", &lines(500)),
        File::example("b.rs", &lines(501)),
        File::example("c.py", &lines(501)),
        File::example("d.mjs", &lines(801)),
        File::example("e.md", &lines(900)),
    ];
    let long = [("a.rs", "stale"), ("c.py", "a table"), ("d.mjs", "too long for any reason")];
    let places: Vec<String> = check(&files, &long).into_iter().map(|problem| problem.place).collect();
    assert_eq!(places, ["b.rs", "d.mjs", "a.rs"]);
}
