//! Lists of tests that a command other than `./dev test` ran, with the commit they ran on.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use serde::Deserialize;

use crate::problem::{Problem, none};
use crate::repository::{File, files, root};
use crate::test_names::TestName;

/// What runs a test that the gate does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Runs {
    Package,
    Windows,
}

impl Runs {
    const ALL: [Runs; 2] = [Runs::Package, Runs::Windows];

    pub(crate) fn path(self) -> &'static str {
        match self {
            Runs::Package => "specs/ran-package.txt",
            Runs::Windows => "specs/ran-windows.txt",
        }
    }

    pub(crate) fn command(self) -> &'static str {
        match self {
            Runs::Package => "./dev package all",
            Runs::Windows => "./dev windows",
        }
    }

    /// What a list tells about: other files can change without making it old.
    fn covers(self, path: &str) -> bool {
        let is_text = Path::new(path).extension().is_some_and(|extension| extension == "md");
        let is_under = |folders: &[&str]| folders.iter().any(|folder| path.starts_with(folder));
        let tries = match self {
            Runs::Package => {
                is_under(&["packaging/", "crates/packages/", "apps/fotos-desktop/"])
                    && !is_under(&["packaging/windows/"])
            }
            Runs::Windows => is_under(&["packaging/windows/", "packaging/ran.py", "crates/on-windows/"]),
        };
        !is_text && (tries || is_program(path))
    }
}

/// Whether programs are made of a file. Tests, and what only they use, are not part of them.
fn is_program(path: &str) -> bool {
    let for_tests = ["crates/tidy/", "crates/packages/", "crates/on-windows/"];
    let is_crate = ["crates/", "programs/"].iter().any(|folder| path.starts_with(folder))
        && !for_tests.iter().any(|folder| path.starts_with(folder))
        && !path.contains("-testkit/")
        && !path.contains("/tests/");
    matches!(path, "Cargo.toml" | "Cargo.lock" | "rust-toolchain.toml")
        || path.starts_with(".cargo/")
        || is_crate
}

/// One list: a test and a commit in each line.
pub(crate) struct Ran<'a> {
    lines: Vec<(&'a str, &'a str)>,
}

impl<'a> Ran<'a> {
    /// A list that is not there has nothing in it.
    pub(crate) fn read(runs: Runs, files: &'a [File]) -> Ran<'a> {
        let text =
            files.iter().find(|file| file.path == runs.path()).and_then(File::text).unwrap_or_default();
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        Ran { lines: lines.filter_map(|line| line.split_once(' ')).collect() }
    }

    pub(crate) fn has(&self, test: &str) -> bool {
        self.lines.iter().any(|(name, _)| *name == test)
    }

    fn commits(&self) -> BTreeSet<&'a str> {
        self.lines.iter().map(|(_, commit)| *commit).collect()
    }
}

/// What became of the repository since a commit: the files that differ, or nothing where the commit is not in its history.
fn changed_since(commit: &str) -> Option<Vec<String>> {
    // One that was left behind by another history may still lie about, and tells as little.
    git(&["merge-base", "--is-ancestor", commit, "HEAD"])?;
    let changed = git(&["diff", "--name-only", "--no-renames", commit])?;
    Some(changed.lines().map(str::to_owned).collect())
}

/// What git says, if it succeeds.
fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git")
        .args(["-c", "safe.directory=*"])
        .args(arguments)
        .current_dir(root())
        .output()
        .ok()
        .filter(|output| output.status.success())?;
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// What there is to say about a list, where `changed` tells what differs since a commit.
fn reports(runs: Runs, files: &[File], changed: impl Fn(&str) -> Option<Vec<String>>) -> Vec<String> {
    let report = |commit: &str| {
        let (path, command) = (runs.path(), runs.command());
        let Some(changed) = changed(commit) else {
            return Some(format!(
                "{path}: commit {commit} is not in the history here, so what its tests ran on cannot be seen; `{command}` makes a new list"
            ));
        };
        let covered = changed.iter().filter(|path| runs.covers(path)).count();
        (covered > 0).then(|| {
            format!("{path} is older than what it covers: {covered} file(s) changed since {commit}; `{command}` makes a new list")
        })
    };
    Ran::read(runs, files).commits().into_iter().filter_map(report).collect()
}

/// Lines that name no test that is there: whoever reads the list would take it for more than was seen.
fn check(runs: Runs, files: &[File]) -> Vec<Problem> {
    let list = Ran::read(runs, files);
    let gone = list.lines.iter().filter_map(|(test, _)| {
        let reason = TestName::parse(test).and_then(|name| name.find(files)).err()?;
        let remedy = format!("remove the line, or run `{}`, which writes the list anew", runs.command());
        Some(Problem::new(runs.path(), format!("`{test}`: {reason}"), remedy))
    });
    gone.collect()
}

#[test]
fn lists_name_tests_that_exist() {
    none(Runs::ALL.into_iter().flat_map(|runs| check(runs, files())).collect());
}

#[test]
fn a_test_that_is_gone_is_found_in_a_list() {
    let files = [
        File::example("crates/packages/Cargo.toml", "[package]\nname = \"packages\"\n"),
        File::example("crates/packages/tests/packages/deb.rs", "#[test]\nfn serves() {}\n"),
        File::example(
            "specs/ran-package.txt",
            "# Written.\npackages::packages::deb::serves 1a\npackages::packages::deb::served 1a\nnonsense 1a\n",
        ),
    ];
    let reasons: Vec<String> =
        check(Runs::Package, &files).into_iter().map(|problem| problem.reason).collect();
    assert_eq!(reasons.len(), 2, "{reasons:?}");
    assert!(reasons[0].contains("no test `served`"), "{reasons:?}");
}

/// A report and no failure: the commands take longer than most changes do. `./dev test tidy` shows it.
#[test]
fn lists_that_are_older_than_the_code_are_reported() {
    for report in Runs::ALL.into_iter().flat_map(|runs| reports(runs, files(), changed_since)) {
        println!("note: {report}");
    }
}

#[test]
fn a_list_is_old_when_what_it_covers_changed() {
    let files =
        [File::example("specs/ran-package.txt", "# Written.\na::b::c 1111\na::b::d 2222\na::b::e 3333\n")];
    let changed = |commit: &str| match commit {
        "1111" => Some(vec!["packaging/README.md".to_owned(), "crates/mcp/tests/legacy.rs".to_owned()]),
        "2222" => Some(vec!["packaging/programs".to_owned(), "crates/mcp/src/lib.rs".to_owned()]),
        _ => None,
    };
    let found = reports(Runs::Package, &files, changed);
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found[0].contains("2 file(s) changed since 2222"), "{found:?}");
    assert!(found[1].contains("commit 3333 is not in the history here"), "{found:?}");
    assert!(reports(Runs::Windows, &files, changed).is_empty());
    assert!(
        Ran::read(Runs::Package, &files).has("a::b::d") && !Ran::read(Runs::Package, &files).has("a::b::f")
    );
}

#[test]
fn only_a_commit_of_this_history_tells_what_changed() {
    // Without git, or in a copy without its history, nothing is known.
    if let Some(head) = git(&["rev-parse", "HEAD"]) {
        assert!(changed_since(head.trim()).is_some());
    }
    let nobodys = "0123456789012345678901234567890123456789";
    for commit in [nobodys, "HEAD:specs", ""] {
        assert_eq!(changed_since(commit), None, "{commit}");
    }
}

#[test]
fn a_list_covers_what_programs_are_made_of_and_what_tries_them() {
    for path in
        ["Cargo.lock", "crates/mcp/src/lib.rs", "crates/mcp/Cargo.toml", "crates/recipes/templates/page.html"]
    {
        assert!(Runs::ALL.iter().all(|runs| runs.covers(path)), "{path}");
    }
    for path in
        ["README.md", "crates/mcp/README.md", "crates/mcp/tests/legacy.rs", "crates/tidy/tests/tidy/ran.rs"]
    {
        assert!(!Runs::ALL.iter().any(|runs| runs.covers(path)), "{path}");
    }
    let by_windows = |path: &str| (Runs::Package.covers(path), Runs::Windows.covers(path));
    assert_eq!(by_windows("crates/on-windows/tests/windows/main.rs"), (false, true));
    assert_eq!(by_windows("crates/packages/tests/packages/main.rs"), (true, false));
    assert_eq!(by_windows("packaging/windows/run"), (false, true));
    assert_eq!(by_windows("packaging/windows/README.md"), (false, false));
}
