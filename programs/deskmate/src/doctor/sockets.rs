//! The socket of the Fotos app: whether it runs, and whether only this user can reach it.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use files::Home;

use super::check::Check;

const NAME: &str = "Fotos app";

/// The folder of the app's socket, in the runtime folder of the session.
const FOLDER: &str = "app/io.github.charly.fotos";

pub(super) fn look() -> Vec<Check> {
    let runtime = super::set("XDG_RUNTIME_DIR").map(PathBuf::from).filter(|path| path.is_absolute());
    let own = || Home::from_environment(super::set).ok().map(|home| home.path_of(fotos::NAME).join("run"));
    let Some(folder) = runtime.map(|runtime| runtime.join(FOLDER)).or_else(own) else { return Vec::new() };
    vec![socket(&folder)]
}

fn socket(folder: &Path) -> Check {
    let path = folder.join("fotos.sock");
    let shown = path.display();
    match fs::symlink_metadata(&path) {
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
    match UnixStream::connect(&path) {
        Ok(_) => Check::ok(NAME, "running; screenshots go through it"),
        Err(error) => {
            let found = format!("nobody answers at its socket `{shown}`: {error}");
            Check::problem(NAME, found, format!("start the app again, or remove `{shown}`"))
        }
    }
}
