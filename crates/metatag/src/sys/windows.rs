//! Windows: reading and writing at a place, which moves the file's own; nobody here uses that.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::windows::fs::FileExt;
use std::path::Path;

pub(crate) fn read_exact_at(file: &File, mut bytes: &mut [u8], mut at: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match file.seek_read(bytes, at)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            count => {
                bytes = &mut bytes[count..];
                at += count as u64;
            }
        }
    }
    Ok(())
}

pub(crate) fn write_all_at(file: &File, mut bytes: &[u8], mut at: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match file.seek_write(bytes, at)? {
            0 => return Err(io::ErrorKind::WriteZero.into()),
            count => {
                bytes = &bytes[count..];
                at += count as u64;
            }
        }
    }
    Ok(())
}

/// Makes a file in a private folder, which is for whom the folder is for; empty if it was there.
pub(crate) fn create(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create(true).truncate(true).open(path)
}

/// Makes a symbolic link.
#[cfg(test)]
pub(crate) fn link(target: impl AsRef<Path>, path: impl AsRef<Path>) {
    std::os::windows::fs::symlink_file(target, path).expect("a link");
}
