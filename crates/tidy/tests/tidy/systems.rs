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
        let ships = ["crates/", "programs/"].iter().any(|folder| path.starts_with(folder));
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
    let asks = |line: &str| {
        let asked = line.split_once("cfg(").or_else(|| line.split_once("cfg!(")).map(|(_, rest)| rest);
        asked.is_some_and(|asked| ["unix", "windows", "target_os"].iter().any(|name| asked.contains(name)))
    };
    let lines = file.text().unwrap_or_default().lines().enumerate();
    lines
        .filter(|(_, line)| asks(line))
        .map(|(index, _)| {
            Problem::new(
                format!("{}:{}", file.path, index + 1),
                "it asks which operating system this is",
                "move what differs into the module `sys` of the crate",
            )
        })
        .collect()
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
        File::example("programs/authy/src/main.rs", "#[cfg(all(unix, test))]\n"),
    ];
    let places: Vec<String> = check(&files).into_iter().map(|problem| problem.place).collect();
    assert_eq!(places, ["crates/web/src/gate.rs:2", "programs/authy/src/main.rs:1"]);
}
