//! Every source file is compiled. One that no module declares is not, and nobody misses the tests in it: the scenarios find them by
//! their path.

use crate::problem::{Problem, none};
use crate::repository::{File, files};
use crate::test_names::name_after;

fn check(files: &[File]) -> Vec<Problem> {
    let orphans = files.iter().filter(|file| !is_root(&file.path) && !is_declared(&file.path, files));
    orphans
        .filter(|file| file.extension() == Some("rs"))
        .map(|file| {
            Problem::new(
                &file.path,
                "no module declares this file, so it is not compiled",
                "declare it with `mod` in the module above it, or remove it",
            )
        })
        .collect()
}

/// What cargo finds by itself.
fn is_root(path: &str) -> bool {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let own_crates = ["bin", "tests", "examples", "benches"];
    matches!(name, "main.rs" | "lib.rs" | "build.rs")
        || folder.rsplit('/').next().is_some_and(|last| own_crates.contains(&last))
}

fn is_declared(path: &str, files: &[File]) -> bool {
    let Some((folder, name)) = path.strip_suffix(".rs").and_then(|path| path.rsplit_once('/')) else {
        return false;
    };
    let above = [format!("{folder}.rs"), format!("{folder}/main.rs"), format!("{folder}/lib.rs")];
    let declares = |line: &str| {
        !line.trim_start().starts_with("//")
            && line.strip_suffix(';').and_then(|line| name_after(line, "mod")) == Some(name)
    };
    let mut above = files.iter().filter(|file| above.contains(&file.path));
    above.any(|file| file.text().unwrap_or_default().lines().any(declares))
}

#[test]
fn every_source_file_is_a_module() {
    none(check(files()));
}

#[test]
fn a_file_that_no_module_declares_is_found() {
    let files = [
        File::example("crates/mcp/src/lib.rs", "pub mod wire;\n// mod gone;\n"),
        File::example("crates/mcp/src/wire.rs", "mod depth;\n"),
        File::example("crates/mcp/src/wire/depth.rs", ""),
        File::example("crates/mcp/src/wire/scan.rs", ""),
        File::example("crates/mcp/src/gone.rs", ""),
        File::example("crates/mcp/tests/legacy.rs", ""),
        File::example("crates/mcp/tests/http/main.rs", "mod sessions;\n"),
        File::example("crates/mcp/tests/http/sessions.rs", ""),
        File::example("crates/mcp/tests/http/streams.rs", ""),
        File::example("crates/mcp/README.md", ""),
    ];
    let places: Vec<String> = check(&files).into_iter().map(|problem| problem.place).collect();
    assert_eq!(
        places,
        ["crates/mcp/src/wire/scan.rs", "crates/mcp/src/gone.rs", "crates/mcp/tests/http/streams.rs"]
    );
}
