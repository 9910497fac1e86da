//! The folders whose files agents may open.

use std::path::PathBuf;

use files::{Folders, Home};

use super::check::Check;

/// Who opens files that clients name.
const STOPS: &[&str] = &["MetaTagGenie", "zai-mcp-server"];

const ALLOW: &str = "run `deskmate connect --folder DIR`, or `deskmate serve --folder DIR`";

pub(super) fn look() -> Vec<Check> {
    if let Some(list) = super::set("DESKMATE_ROOTS") {
        let folders = std::env::split_paths(&list).collect();
        return vec![named(folders, "set by DESKMATE_ROOTS", "correct `DESKMATE_ROOTS`, or unset it")];
    }
    let Ok(home) = Home::from_environment(super::set) else { return Vec::new() };
    let list = Folders::of(&home);
    let file = list.path();
    match list.read() {
        Err(error) => {
            let found = format!("the list of folders cannot be read, so no file can be opened: {error}");
            vec![
                Check::problem("folders", found, format!("remove `{}`, then {ALLOW}", file.display()))
                    .stops(STOPS),
            ]
        }
        Ok(Some(folders)) => {
            let fix = format!("{ALLOW}; the list is `{}`", file.display());
            vec![named(folders, "for every app", &fix)]
        }
        Ok(None) => {
            let found = "none are set: apps that start Deskmate may open files in your home folder, apps that \
                         connect over HTTP may open none";
            vec![Check::not_set_up("folders", found, ALLOW)]
        }
    }
}

fn named(folders: Vec<PathBuf>, by: &str, fix: &str) -> Check {
    let shown = |folders: &[PathBuf]| {
        folders.iter().map(|folder| format!("`{}`", folder.display())).collect::<Vec<_>>().join(", ")
    };
    let (there, gone): (Vec<_>, Vec<_>) = folders.into_iter().partition(|folder| folder.is_dir());
    match (there.as_slice(), gone.as_slice()) {
        ([], []) => Check::problem("folders", format!("the list is empty ({by})"), fix).stops(STOPS),
        ([], gone) => {
            Check::problem("folders", format!("none is there any more ({by}): {}", shown(gone)), fix)
                .stops(STOPS)
        }
        (there, []) => Check::ok("folders", format!("{} ({by})", shown(there))),
        (_, gone) => Check::problem("folders", format!("not there any more ({by}): {}", shown(gone)), fix),
    }
}
