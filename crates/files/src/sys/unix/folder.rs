//! A folder that is open: names in it lead where they led when it was opened.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{AtFlags, FlockOperation, Mode, OFlags, RenameFlags, flock, fstat, openat, unlinkat};
use rustix::io::Errno;

use super::{Id, open};

pub(crate) struct Folder {
    pub(super) fd: OwnedFd,
    pub(super) can_sync: bool,
}

impl Folder {
    /// Opens a real path.
    pub(crate) fn open(path: &Path) -> io::Result<Folder> {
        match open(path, OFlags::RDONLY | OFlags::DIRECTORY) {
            Ok(fd) => Ok(Folder { fd, can_sync: true }),
            // One that may be used but not listed.
            #[cfg(target_os = "linux")]
            Err(Errno::ACCESS) => {
                Ok(Folder { fd: open(path, OFlags::PATH | OFlags::DIRECTORY)?, can_sync: false })
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Opens a path that this user chose.
    pub(crate) fn open_chosen(path: &Path) -> io::Result<Folder> {
        Folder::open(path)
    }

    pub(crate) fn id(&self) -> io::Result<Id> {
        let stat = fstat(&self.fd)?;
        Ok((stat.st_dev, stat.st_ino))
    }

    /// Waits until the names in it are on the disk.
    pub(crate) fn sync(&self) -> io::Result<()> {
        if !self.can_sync {
            return Ok(());
        }
        match rustix::fs::fsync(&self.fd) {
            // Some network file systems cannot, and keep names safe in their own way.
            Err(Errno::INVAL | Errno::NOTSUP) | Ok(()) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Makes a new file, locked for as long as it is open: so others can tell it from one that a killed process left behind.
    /// None where somebody took it for that before it was locked.
    pub(crate) fn create(&self, name: &str) -> io::Result<Option<File>> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        let file = File::from(openat(&self.fd, name, flags, Mode::RUSR | Mode::WUSR)?);
        let is_kept = match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Err(Errno::WOULDBLOCK) => false,
            // Without locks nobody takes it for one.
            Err(_) => true,
            Ok(()) => fstat(&file).is_ok_and(|stat| stat.st_nlink > 0),
        };
        Ok(is_kept.then_some(file))
    }

    /// Opens a file that nobody has locked, to see whether it may be removed.
    pub(crate) fn open_unused(&self, name: &OsStr) -> io::Result<File> {
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = File::from(openat(&self.fd, name, flags, Mode::empty())?);
        flock(&file, FlockOperation::NonBlockingLockExclusive)?;
        Ok(file)
    }

    pub(crate) fn remove(&self, name: &OsStr) -> io::Result<()> {
        Ok(unlinkat(&self.fd, name, AtFlags::empty())?)
    }

    /// Gives a file another name; what has that name gives way.
    pub(crate) fn rename(&self, from: &str, to: &OsStr) -> io::Result<()> {
        Ok(rustix::fs::renameat(&self.fd, from, &self.fd, to)?)
    }

    /// Gives a file another name, which nothing may have yet.
    pub(crate) fn rename_to_new(&self, from: &str, to: &OsStr) -> io::Result<()> {
        let folder = &self.fd;
        match rustix::fs::renameat_with(folder, from, folder, to, RenameFlags::NOREPLACE) {
            // The file system cannot tell in the same step, so we look first.
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
                match rustix::fs::statat(folder, to, AtFlags::SYMLINK_NOFOLLOW) {
                    Err(Errno::NOENT) => Ok(rustix::fs::renameat(folder, from, folder, to)?),
                    Ok(_) => Err(Errno::EXIST.into()),
                    Err(error) => Err(error.into()),
                }
            }
            renamed => Ok(renamed?),
        }
    }
}
