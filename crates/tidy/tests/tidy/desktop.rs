//! The desktop application is a workspace of its own, since nothing else needs `WebKit`. It is built with the versions and profiles of
//! the main one, so that little is built twice and what was tested there is what is used here.

use std::collections::{BTreeMap, BTreeSet};

use toml::{Table, Value};

use crate::problem::{Problem, none};
use crate::repository::root;

const FOLDER: &str = "apps/fotos-desktop";

fn read(path: &str) -> Table {
    let text = std::fs::read_to_string(root().join(path)).expect("the file is there");
    text.parse().expect("the file is TOML")
}

type Versions = BTreeMap<String, BTreeSet<String>>;

/// The versions of each package in a lock file.
fn versions(lock: &Table) -> Versions {
    let mut versions = Versions::new();
    for package in lock.get("package").and_then(Value::as_array).into_iter().flatten() {
        let text = |key: &str| package.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        versions.entry(text("name")).or_default().insert(text("version"));
    }
    versions
}

/// What a version is compatible with: the same major one, or minor one before the first major.
fn line(version: &str) -> &str {
    let mut dots = version.match_indices('.').map(|(at, _)| at);
    let (first, second) = (dots.next(), dots.next());
    let end = if version.starts_with("0.") { second } else { first };
    &version[..end.unwrap_or(version.len())]
}

fn differences(main: &Versions, other: &Versions) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (name, versions) in other {
        let Some(known) = main.get(name) else { continue };
        for version in versions.difference(known) {
            if let Some(wanted) = known.iter().find(|known| line(known) == line(version)) {
                problems.push(Problem::new(
                    format!("{FOLDER}/Cargo.lock"),
                    format!("`{name}` is {version} there, and {wanted} in the main workspace"),
                    format!("in {FOLDER}, run `cargo update --package {name}@{version} --precise {wanted}`"),
                ));
            }
        }
    }
    problems
}

#[test]
fn the_desktop_application_has_the_versions_of_the_main_workspace() {
    none(differences(&versions(&read("Cargo.lock")), &versions(&read(&format!("{FOLDER}/Cargo.lock")))));
}

#[test]
fn the_desktop_application_has_the_profiles_and_lints_of_the_main_workspace() {
    let (main, other) = (read("Cargo.toml"), read(&format!("{FOLDER}/Cargo.toml")));
    let mut profiles = main.get("profile").cloned().expect("profiles");
    // Cargo warns of packages that a workspace does not have.
    let there = versions(&read(&format!("{FOLDER}/Cargo.lock")));
    for (_, profile) in profiles.as_table_mut().into_iter().flatten() {
        if let Some(packages) = profile.get_mut("package").and_then(Value::as_table_mut) {
            packages.retain(|name, _| name == "*" || there.contains_key(name));
        }
    }
    assert_eq!(
        Some(&profiles),
        other.get("profile"),
        "copy the profiles of Cargo.toml to {FOLDER}/Cargo.toml"
    );
    let lints = main.get("workspace").and_then(|workspace| workspace.get("lints"));
    assert_eq!(lints, other.get("lints"), "copy the lints of Cargo.toml to {FOLDER}/Cargo.toml");
}

#[test]
fn another_patch_of_the_same_version_is_found_and_another_version_is_not() {
    let lock = |versions_: &[(&str, &str)]| {
        let packages: Vec<String> = versions_
            .iter()
            .map(|(name, version)| format!("[[package]]\nname = \"{name}\"\nversion = \"{version}\"\n"))
            .collect();
        versions(&packages.concat().parse().expect("TOML"))
    };
    let main = lock(&[("a", "1.2.0"), ("b", "0.3.1"), ("c", "2.0.0")]);
    let other = lock(&[("a", "1.3.0"), ("b", "0.3.2"), ("b", "0.4.0"), ("c", "3.0.0"), ("d", "1.0.0")]);
    let found: Vec<String> = differences(&main, &other).into_iter().map(|problem| problem.reason).collect();
    assert_eq!(
        found,
        [
            "`a` is 1.3.0 there, and 1.2.0 in the main workspace",
            "`b` is 0.3.2 there, and 0.3.1 in the main workspace"
        ]
    );
}
