//! What clients see of the server `fotos`.
#![allow(clippy::expect_used, reason = "a test that cannot go on has failed, and says why")]

use std::sync::Arc;

use fotos::bridge::Guard;
use fotos::{Config, Host};
use mcp::{Selected, ToolEntry};
use mcp_testkit::{Folder, surface};

#[test]
fn the_surface_is_what_its_snapshots_say() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/surface");
    surface::check(fotos::server(Config::default()), folder);
}

#[test]
fn what_only_the_application_offers_is_what_its_snapshots_say() {
    const ONLY: [&str; 3] = ["undo_edit", "redo_edit", "open_in_fotos"];
    let folder = Folder::new();
    let host = Arc::new(Host::open(Config::default(), &folder.path("fotos")).expect("a host"));
    let only =
        Selected::new(Arc::new(Guard::new(host)), |tool: &ToolEntry| ONLY.contains(&tool.name.as_str()));
    surface::check(only, concat!(env!("CARGO_MANIFEST_DIR"), "/surface-application"));
}
