//! Unix: reading and writing at a place, without moving the file's own.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;

pub(crate) fn read_exact_at(file: &File, bytes: &mut [u8], at: u64) -> io::Result<()> {
    file.read_exact_at(bytes, at)
}

pub(crate) fn write_all_at(file: &File, bytes: &[u8], at: u64) -> io::Result<()> {
    file.write_all_at(bytes, at)
}

/// Makes a file in a private folder, empty if it was there.
pub(crate) fn create(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create(true).truncate(true).mode(0o600).open(path)
}

/// Makes a symbolic link.
#[cfg(test)]
pub(crate) fn link(target: impl AsRef<Path>, path: impl AsRef<Path>) {
    std::os::unix::fs::symlink(target, path).expect("a link");
}
