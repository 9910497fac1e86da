//! The socket of the Fotos app: whether it runs, and whether only this user can reach it.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::UnixStream;
use std::path::Path;

use fotos::bridge::Place;

use super::check::Check;

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
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Check::ok(NAME, "not running; screenshots are kept by the process that takes them");
        }
        Err(error) => {
            let found = format!("cannot look at `{shown}`: {error}");
            return Check::problem(NAME, found, "give this user access to it");
        }
        Ok(_) => {}
    }
    let us = rustix::process::geteuid().as_raw();
    if fs::metadata(folder).is_ok_and(|found| found.uid() != us || found.mode() & 0o077 != 0) {
        let found = format!("others can reach its socket `{shown}`");
        return Check::problem(
            NAME,
            found,
            format!("run `chmod go-rwx {}`, and start the app again", folder.display()),
        );
    }
    match UnixStream::connect(path) {
        Ok(_) => Check::ok(NAME, "running; screenshots go through it"),
        Err(error) => {
            let found = format!("nobody answers at its socket `{shown}`: {error}");
            Check::problem(NAME, found, format!("start the app again, or remove `{shown}`"))
        }
    }
}
