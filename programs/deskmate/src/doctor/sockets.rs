//! The socket of the Fotos app: whether it runs, and whether only this user can reach it.

use std::io;
use std::path::Path;

use fotos::bridge::Place;

use super::check::Check;
use crate::sys;

const NAME: &str = "Fotos app";

pub(super) fn look() -> Vec<Check> {
    // Without a place there is a row about the state folder already.
    Place::from_environment(super::set)
        .map(|place| socket(place.folder(), &place.socket()))
        .into_iter()
        .collect()
}

fn socket(folder: &Path, path: &Path) -> Check {
    let shown = path.display();
    match sys::look_at(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Check::ok(NAME, "not running; screenshots are kept by the process that takes them");
        }
        Err(error) => {
            let found = format!("cannot look at `{shown}`: {error}");
            return Check::problem(NAME, found, "give this user access to it");
        }
        Ok(()) => {}
    }
    let is_ours =
        || files::is_own(folder).unwrap_or(true) && !files::is_open_to_others(folder).unwrap_or(false);
    if !is_ours() {
        let found = format!("others can reach its socket `{shown}`");
        return Check::problem(
            NAME,
            found,
            format!("{}, and start the app again", sys::close_to_others(folder.display())),
        );
    }
    match sys::connect(path) {
        Ok(()) => Check::ok(NAME, "running; screenshots go through it"),
        Err(error) => {
            let found = format!("nobody answers at its socket `{shown}`: {error}");
            Check::problem(NAME, found, format!("start the app again, or remove `{shown}`"))
        }
    }
}
