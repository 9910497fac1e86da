//! What cargo knows about the workspace and everything it depends on.

use std::process::{Command, Output};
use std::sync::LazyLock;

use serde::Deserialize;

use crate::repository::root;

#[derive(Deserialize)]
pub(crate) struct Metadata {
    pub(crate) packages: Vec<Package>,
    pub(crate) workspace_members: Vec<String>,
}

#[derive(Deserialize)]
pub(crate) struct Package {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) license: Option<String>,
    pub(crate) source: Option<String>,
    pub(crate) dependencies: Vec<Dependency>,
}

#[derive(Deserialize)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    /// Nothing for a normal dependency.
    pub(crate) kind: Option<Kind>,
    pub(crate) optional: bool,
}

#[derive(Deserialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    Dev,
    Build,
}

impl Metadata {
    pub(crate) fn members(&self) -> impl Iterator<Item = &Package> {
        self.packages.iter().filter(|package| self.workspace_members.contains(&package.id))
    }
}

pub(crate) fn metadata() -> &'static Metadata {
    static METADATA: LazyLock<Metadata> = LazyLock::new(ask_cargo);
    &METADATA
}

fn ask_cargo() -> Metadata {
    // Cargo also wants the packages of other systems, which a build for this one has not downloaded: when they are
    // missing, it may fetch them.
    let mut output = cargo_metadata(&["--offline"]);
    if !output.status.success() {
        output = cargo_metadata(&[]);
    }
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "`cargo metadata` failed; run it by hand at the root: {errors}");
    serde_json::from_slice(&output.stdout).expect("cargo metadata speaks format version 1")
}

fn cargo_metadata(more: &[&str]) -> Output {
    Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--all-features", "--locked"])
        .args(more)
        .current_dir(root())
        .output()
        .expect("the cargo that built this test can be started")
}
