//! What `./dev package` built, and where it is.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    let here = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    Path::new(&here).ancestors().nth(2).expect("this crate lives in crates/packages").to_owned()
}

/// Something in the folder that packages are made in.
#[track_caller]
pub(crate) fn work(name: &str) -> PathBuf {
    there(root().join(".dev/package").join(name))
}

/// A program, as it is in every package.
#[track_caller]
pub(crate) fn program(name: &str) -> PathBuf {
    work(&format!("programs/{name}"))
}

/// The one download whose name begins and ends so.
#[track_caller]
pub(crate) fn download(begin: &str, end: &str) -> PathBuf {
    let folder = work("out");
    let names = std::fs::read_dir(&folder)
        .expect("a folder")
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let fitting: Vec<String> = names.filter(|name| name.starts_with(begin) && name.ends_with(end)).collect();
    assert_eq!(fitting.len(), 1, "one {begin}…{end} in {}: {fitting:?}", folder.display());
    folder.join(&fitting[0])
}

/// A script of `packaging`.
pub(crate) fn script(name: &str) -> Command {
    Command::new(there(root().join("packaging").join(name)))
}

/// The example `host` of the crate `fotos`: the application without its window.
pub(crate) fn host() -> PathBuf {
    std::env::var_os("FOTOS_HOST").map(PathBuf::from).expect("FOTOS_HOST; `./dev package` sets it")
}

#[track_caller]
fn there(path: PathBuf) -> PathBuf {
    assert!(path.exists(), "`{}` is not there; `./dev package` makes it", path.display());
    path
}

/// Runs a command that must succeed; what it printed.
#[track_caller]
pub(crate) fn said(command: &mut Command) -> String {
    let Output { status, stdout, stderr } =
        command.output().unwrap_or_else(|error| panic!("cannot start {command:?}: {error}"));
    let (stdout, stderr) = (String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
    assert!(status.success(), "{command:?}: {status}\n{stdout}\n{stderr}");
    stdout.into_owned()
}

/// The version of all of it.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");
