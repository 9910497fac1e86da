//! What differs between operating systems: what libtesseract is called, and where it is looked for. One module for each, with the same
//! items.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
use unix as system;
#[cfg(windows)]
use windows as system;

use std::ffi::OsStr;

use libloading::{Error, Library};

pub(crate) use system::load_tesseract;

/// The first of these that can be loaded; why the first could not, if none can.
fn first(
    names: impl IntoIterator<Item = impl AsRef<OsStr>>,
    load: impl Fn(&OsStr) -> Result<Library, Error>,
) -> Result<Library, Error> {
    let mut failed = None;
    for name in names {
        match load(name.as_ref()) {
            Ok(library) => return Ok(library),
            Err(error) => failed = failed.or(Some(error)),
        }
    }
    Err(failed.unwrap_or(Error::DlOpenUnknown))
}
