//! The folder with everything Deskmate keeps.

use std::fs;
use std::io;

use files::{ChosenBy, Home, HomeError};

use super::check::Check;
use crate::sys;

/// Who keeps something there, or reads the list of folders from it.
const STOPS: &[&str] = &["authy", "recipe-vault", "MetaTagGenie"];

const ANOTHER: &str = "set `DESKMATE_HOME` to another folder";

pub(super) fn look() -> Vec<Check> {
    let home = match Home::from_environment(super::set) {
        Ok(home) => home,
        Err(error @ HomeError::Relative(_)) => {
            return vec![
                Check::problem_of("state folder", &error.to_string(), "unset `DESKMATE_HOME`").stops(STOPS),
            ];
        }
        Err(error @ HomeError::Unset) => {
            return vec![
                Check::problem_of("state folder", &error.to_string(), "set `DESKMATE_HOME`").stops(STOPS),
            ];
        }
    };
    let by = match home.chosen_by() {
        ChosenBy::DeskmateHome => ", set by DESKMATE_HOME",
        ChosenBy::XdgDataHome => ", below XDG_DATA_HOME",
        ChosenBy::UserHome => "",
    };
    let shown = home.path().display();
    let check = match fs::metadata(home.path()) {
        Ok(found) if !found.is_dir() => Check::problem(
            "state folder",
            format!("`{shown}` is a file{by}"),
            format!("move it away, or {ANOTHER}"),
        ),
        Ok(_) if !files::is_own(home.path()).unwrap_or(false) => Check::problem(
            "state folder",
            format!("`{shown}` belongs to another user{by}"),
            format!("{}, or {ANOTHER}", sys::give_back(shown)),
        ),
        Ok(_) if !sys::is_writable_folder(home.path()) => Check::problem(
            "state folder",
            format!("`{shown}` cannot be written to{by}"),
            sys::make_writable(shown),
        ),
        // The folders of the servers are closed by themselves; a list of what is there is nobody's business either.
        Ok(_) if files::is_open_to_others(home.path()).unwrap_or(true) => Check::problem(
            "state folder",
            format!("others can look into `{shown}`{by}"),
            sys::close_to_others(shown),
        ),
        Ok(_) => return vec![Check::ok("state folder", format!("`{shown}`{by}"))],
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return vec![Check::ok("state folder", format!("`{shown}`, made on first use{by}"))];
        }
        Err(error) => Check::problem(
            "state folder",
            format!("cannot look at `{shown}`: {error}{by}"),
            format!("give this user access to it, or {ANOTHER}"),
        ),
    };
    vec![check.stops(STOPS)]
}
