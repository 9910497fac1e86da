//! What a file has besides its bytes: owner, mode, extended attributes.

use std::ffi::CStr;
use std::fs::File;
use std::io;

use rustix::fs::{Gid, Mode, Uid, XattrFlags};
use rustix::io::Errno;

use super::Stat;

/// The POSIX access control list, which a new file inherits from the default ACL of its folder.
const ACL: &CStr = c"system.posix_acl_access";

/// Gives `to` the owner, the extended attributes (the ACL and tags of file managers among them) and the mode of `from`.
pub(crate) fn copy_all(from: &File, Stat(stat): &Stat, to: &File) -> io::Result<()> {
    let have = rustix::fs::fstat(to)?;
    if (have.st_uid, have.st_gid) != (stat.st_uid, stat.st_gid) {
        rustix::fs::fchown(to, Some(Uid::from_raw(stat.st_uid)), Some(Gid::from_raw(stat.st_gid)))?;
    }
    remove_acl(to)?;
    copy_extended(from, to)?;
    // Last, since a change of owner takes the set-user bits away and an ACL changes the group's bits.
    Ok(rustix::fs::fchmod(to, Mode::from_raw_mode(stat.st_mode))?)
}

/// Lets those use `to` who may use `from`, and nobody else: gives it the same ACL and the same read and write bits.
/// The owner stays, and may always read and write.
pub(crate) fn copy_access(from: &File, to: &File) -> io::Result<()> {
    let mode = Mode::from_raw_mode(rustix::fs::fstat(from)?.st_mode) & READ_AND_WRITE;
    remove_acl(to)?;
    match value(from, ACL) {
        Ok(list) => rustix::fs::fsetxattr(to, ACL, &list, XattrFlags::empty())?,
        Err(Errno::NODATA | Errno::NOTSUP | Errno::NOSYS) => {}
        Err(error) => return Err(error.into()),
    }
    match rustix::fs::fchmod(to, mode | Mode::RUSR | Mode::WUSR) {
        // Some file systems have no modes.
        Err(Errno::PERM | Errno::NOTSUP) | Ok(()) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

const READ_AND_WRITE: Mode =
    Mode::RUSR.union(Mode::WUSR).union(Mode::RGRP).union(Mode::WGRP).union(Mode::ROTH).union(Mode::WOTH);

/// Takes away what the file inherited from its folder. Otherwise the mode we set next would put that list in force.
fn remove_acl(file: &File) -> Result<(), Errno> {
    match rustix::fs::fremovexattr(file, ACL) {
        Err(Errno::NODATA | Errno::NOTSUP | Errno::NOSYS) | Ok(()) => Ok(()),
        Err(error) => Err(error),
    }
}

fn copy_extended(from: &File, to: &File) -> Result<(), Errno> {
    let names = match list(from) {
        Ok(names) => names,
        // This file system has none.
        Err(Errno::NOTSUP | Errno::NOSYS) => return Ok(()),
        Err(error) => return Err(error),
    };
    for name in names.split_inclusive(|byte| *byte == 0) {
        let Ok(name) = CStr::from_bytes_with_nul(name) else { continue };
        let set =
            value(from, name).and_then(|value| rustix::fs::fsetxattr(to, name, &value, XattrFlags::empty()));
        match set {
            // Labels of the system are its own to give.
            Err(_) if !is_the_persons(name) => {}
            Err(Errno::NODATA) | Ok(()) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn is_the_persons(name: &CStr) -> bool {
    let name = name.to_bytes();
    !(name.starts_with(b"security.") || name.starts_with(b"trusted."))
}

fn list(file: &File) -> Result<Vec<u8>, Errno> {
    read(|buffer| rustix::fs::flistxattr(file, buffer))
}

fn value(file: &File, name: &CStr) -> Result<Vec<u8>, Errno> {
    read(|buffer| rustix::fs::fgetxattr(file, name, buffer))
}

/// Calls again with more room as long as there is too little.
fn read(call: impl Fn(&mut [u8]) -> Result<usize, Errno>) -> Result<Vec<u8>, Errno> {
    let mut buffer = vec![0; 1024];
    loop {
        match call(&mut buffer) {
            Ok(length) => {
                buffer.truncate(length);
                return Ok(buffer);
            }
            // The kernel allows 64 KiB.
            Err(Errno::RANGE) if buffer.len() < 1 << 20 => buffer.resize(buffer.len() * 4, 0),
            Err(error) => return Err(error),
        }
    }
}
