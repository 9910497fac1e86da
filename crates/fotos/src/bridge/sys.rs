//! What connections come in by: a Unix socket, on Windows a named pipe. One module for each, with the same items.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

use std::fs::File;
use std::io::{Read, Seek, Write};
use std::path::Path;

use files::{FolderError, PrivateFolder};

use super::claim::ClaimError;
use super::place::Place;

#[cfg(unix)]
use unix as system;
#[cfg(windows)]
use windows as system;

pub(crate) use system::{LocalDoor, address, connect};

/// The file whose lock makes a process the host.
const LOCK: &str = "fotos.lock";

/// Takes the lock that makes a process the host, for as long as the file is open, and notes who has it.
fn take_lock(place: &Place) -> Result<File, ClaimError> {
    let folder = PrivateFolder::make(place.folder())?;
    let Some(mut lock) = folder.try_open_alone(LOCK)? else {
        return Err(ClaimError::Taken { owner: owner(place.folder()) });
    };
    let note = format!("{} {}\n", std::process::id(), env!("CARGO_PKG_VERSION"));
    let write = |lock: &mut File| {
        lock.set_len(0)?;
        lock.rewind()?;
        lock.write_all(note.as_bytes())
    };
    // A pipe can be locked, but not written to like a file.
    write(&mut lock).map_err(|source| FolderError::Io { path: place.folder().join(LOCK), source })?;
    Ok(lock)
}

/// Whoever holds the lock wrote this into it.
fn owner(folder: &Path) -> String {
    let mut text = String::new();
    let read = File::open(folder.join(LOCK)).and_then(|file| file.take(200).read_to_string(&mut text));
    let mut words = text.split_whitespace();
    match (read, words.next(), words.next()) {
        (Ok(_), Some(pid), Some(version)) => format!("process {pid}, version {version}"),
        _ => "another process".to_owned(),
    }
}
