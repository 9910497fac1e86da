//! Words that must not be in the repository.

use crate::problem::{Problem, none};
use crate::repository::{File, files};

/// (word, what is wrong with it, remedy). Written in two pieces each, so that this file does not contain them.
const FORBIDDEN: &[(&str, &str, &str)] = &[
    (concat!("..", "/shared"), "a path outside the repository", "say it here: the repository stands alone"),
    (
        concat!("/wo", "rk/"),
        "a path of one machine",
        "use a path relative to the repository, or another example",
    ),
    (concat!("todo", "!("), "unfinished code", "finish it, or leave it out"),
    (concat!("unimpl", "emented!("), "unfinished code", "finish it, or leave it out"),
    (concat!("#[ig", "nore"), "a test that does not run", "make it pass, or remove it"),
];

fn check(files: &[File]) -> Vec<Problem> {
    let mut problems = Vec::new();
    for file in files {
        let Some(text) = file.text() else { continue };
        for (number, line) in (1..).zip(text.lines()) {
            for (word, reason, remedy) in FORBIDDEN {
                if line.contains(word) {
                    let place = format!("{}:{number}", file.path);
                    problems.push(Problem::new(place, format!("`{word}`: {reason}"), *remedy));
                }
            }
        }
    }
    problems
}

#[test]
fn no_file_has_a_forbidden_word() {
    none(check(files()));
}

#[test]
fn every_forbidden_word_is_found() {
    let words: Vec<&str> = FORBIDDEN.iter().map(|(word, ..)| *word).collect();
    let text = format!("before\n\tx {} y", words.join(" y\nbefore\n\tx "));
    let places: Vec<String> =
        check(&[File::example("a.md", &text)]).into_iter().map(|problem| problem.place).collect();
    assert_eq!(places, ["a.md:2", "a.md:4", "a.md:6", "a.md:8", "a.md:10"]);
}
