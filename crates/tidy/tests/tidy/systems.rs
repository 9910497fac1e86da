//! What differs between operating systems is in modules called `sys`. Elsewhere code asks for a system only where a dependency exists
//! on one alone.

use crate::problem::{Problem, none};
use crate::repository::{File, files};

/// Files that have it because of a dependency.
const FORCED: [&str; 5] = [
    // The accounts of Windows, which other `sys` modules use.
    "crates/files/src/lib.rs",
    // Notifications over D-Bus, the tree of accessible windows, pictures from X11 and from the portal.
    "crates/fotos/src/announce.rs",
    "crates/fotos/src/ui.rs",
    "crates/fotos/src/capture.rs",
    "crates/fotos/src/capture/",
];

fn check(files: &[File]) -> Vec<Problem> {
    let sources = files.iter().filter(|file| {
        let path = file.path.as_str();
        let ships = ["apps/", "crates/", "programs/"].iter().any(|folder| path.starts_with(folder));
        let is_sys = path.ends_with("/sys.rs") || path.contains("/sys/");
        ships
            && path.contains("/src/")
            && file.extension() == Some("rs")
            && !is_sys
            && !FORCED.iter().any(|forced| path.starts_with(forced))
    });
    sources.flat_map(in_file).collect()
}

fn in_file(file: &File) -> Vec<Problem> {
    let text = file.text().unwrap_or_default();
    let questions = ["cfg(", "cfg!(", "cfg_attr("].into_iter().flat_map(|start| text.match_indices(start));
    let mut lines: Vec<usize> = questions
        .filter(|(at, start)| {
            let asked = in_brackets(&text[at + start.len()..]);
            ["unix", "windows", "target_os", "target_family"].iter().any(|name| asked.contains(name))
        })
        .map(|(at, _)| text[..at].lines().count().max(1))
        .collect();
    lines.sort_unstable();
    let problem = |line| {
        Problem::new(
            format!("{}:{line}", file.path),
            "it asks which operating system this is",
            "move what differs into the module `sys` of the crate",
        )
    };
    lines.into_iter().map(problem).collect()
}

/// A text up to the bracket that closes one which is open before it.
fn in_brackets(text: &str) -> &str {
    let mut open = 1;
    let end = text.find(|letter| {
        match letter {
            '(' => open += 1,
            ')' => open -= 1,
            _ => {}
        }
        open == 0
    });
    &text[..end.unwrap_or(text.len())]
}

#[test]
fn only_sys_modules_ask_for_the_system() {
    none(check(files()));
}

#[test]
fn a_question_outside_is_found() {
    let files = [
        File::example("crates/web/src/sys.rs", "#[cfg(unix)]\nmod unix;\n"),
        File::example("crates/web/src/sys/linux.rs", "#[cfg(target_os = \"linux\")]\n"),
        File::example("crates/web/src/gate.rs", "#[cfg(test)]\nlet a = cfg!(windows);\n"),
        File::example("crates/web/tests/gate.rs", "#[cfg(unix)]\n"),
        File::example("apps/fotos-desktop/src/tray.rs", "#[cfg(windows)]\n"),
        File::example("programs/authy/src/main.rs", "#[cfg(all(unix, test))]\n"),
        File::example(
            "programs/authy/src/run.rs",
            "\n#[cfg(all(\n    test,\n    not(windows),\n))]\nmod unix;\n",
        ),
        File::example("programs/authy/src/edit.rs", "#[cfg_attr(windows, allow(dead_code))]\n"),
        File::example("programs/authy/src/plain.rs", "#[cfg(test)]\nmod windows;\n"),
    ];
    let places: Vec<String> = check(&files).into_iter().map(|problem| problem.place).collect();
    let expected = [
        "crates/web/src/gate.rs:2",
        "apps/fotos-desktop/src/tray.rs:1",
        "programs/authy/src/main.rs:1",
        "programs/authy/src/run.rs:2",
        "programs/authy/src/edit.rs:1",
    ];
    assert_eq!(places, expected);
}
