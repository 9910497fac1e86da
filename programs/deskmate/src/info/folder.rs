//! Where Deskmate keeps its state. Looks and makes nothing: the first server that has something to keep does.

use std::fs;
use std::io;

use files::{Home, HomeError};

use super::report::{ChosenBy, Folder, Missing};

/// What is missing if there is no place at all.
pub(super) fn missing(error: &HomeError) -> Missing {
    let (what, fix) = match error {
        HomeError::Relative(path) => (
            format!("a state folder: `DESKMATE_HOME` is not an absolute path: `{}`", path.display()),
            "set `DESKMATE_HOME` to a path that starts at the root, or unset it",
        ),
        HomeError::Unset => (
            "a state folder: none of `DESKMATE_HOME`, `XDG_DATA_HOME` and `HOME` is set to an absolute path"
                .into(),
            "set `DESKMATE_HOME` to the folder Deskmate should keep its state in",
        ),
    };
    Missing { what, fix: fix.into() }
}

/// Looks at what is there.
pub(super) fn look(home: &Home) -> Result<Folder, Missing> {
    let chosen_by = match home.chosen_by() {
        files::ChosenBy::DeskmateHome => ChosenBy::DeskmateHome,
        files::ChosenBy::XdgDataHome => ChosenBy::XdgDataHome,
        files::ChosenBy::UserHome => ChosenBy::Home,
    };
    let shown = home.path().display().to_string();
    match fs::metadata(home.path()) {
        Ok(found) if found.is_dir() => Ok(Folder { path: shown, exists: true, chosen_by }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Ok(Folder { path: shown, exists: false, chosen_by })
        }
        Ok(_) => Err(Missing {
            what: format!("a state folder: `{shown}` is a file"),
            fix: "move that file away, or set `DESKMATE_HOME` to another folder".into(),
        }),
        Err(error) => Err(Missing {
            what: format!("a state folder: cannot look at `{shown}`: {error}"),
            fix: "give this user access to it, or set `DESKMATE_HOME` to another folder".into(),
        }),
    }
}
