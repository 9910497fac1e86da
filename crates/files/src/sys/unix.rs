//! Unix: descriptors, modes and `flock`.

mod attributes;
mod folder;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{
    Access, AtFlags, Dir, FileType, FlockOperation, Mode, OFlags, Timespec, Timestamps, UTIME_OMIT, flock,
    fstat, lstat,
};
use rustix::io::Errno;

use super::{EntriesError, Entry, NotYet};
use crate::closing;
use crate::home::FolderError;
use crate::replace::random_name;

pub(crate) use attributes::{copy_access, copy_all};
pub(crate) use folder::Folder;

/// How absolute paths begin.
pub(crate) const ROOT: &str = "/";
/// What is between the paths of a list.
pub(crate) const SEPARATORS: &str = "colons";

/// What tells a file from all others: its device and its inode.
pub(crate) type Id = (u64, u64);

/// What the system knows about a file.
#[derive(Debug, Clone)]
pub(crate) struct Stat(rustix::fs::Stat);

impl Stat {
    pub(crate) fn is_regular(&self) -> bool {
        FileType::from_raw_mode(self.0.st_mode) == FileType::RegularFile
    }

    pub(crate) fn size(&self) -> u64 {
        u64::try_from(self.0.st_size).unwrap_or_default()
    }

    pub(crate) fn names(&self) -> u64 {
        #[allow(clippy::useless_conversion, reason = "the type differs between systems")]
        u64::from(self.0.st_nlink)
    }

    pub(crate) fn id(&self) -> Id {
        (self.0.st_dev, self.0.st_ino)
    }

    /// Whether nobody touched the file between two looks. The time of the last change of the inode tells of writes that put the
    /// time of modification back.
    pub(crate) fn is_same(&self, other: &Stat) -> bool {
        let key = |Stat(stat): &Stat| {
            let times = (stat.st_mtime, stat.st_mtime_nsec, stat.st_ctime, stat.st_ctime_nsec);
            (stat.st_dev, stat.st_ino, stat.st_size, times)
        };
        key(self) == key(other)
    }
}

pub(crate) fn stat(file: &File) -> io::Result<Stat> {
    Ok(Stat(fstat(file)?))
}

/// Looks at a path; a link is itself, and not what it leads to.
pub(crate) fn stat_at(path: &Path) -> io::Result<Stat> {
    Ok(Stat(lstat(path)?))
}

/// Sets the time of modification to that of another file.
pub(crate) fn set_modified(file: &File, like: &Stat) -> io::Result<()> {
    let kept =
        Timespec { tv_sec: like.0.st_mtime, tv_nsec: i64::try_from(like.0.st_mtime_nsec).unwrap_or(0) };
    let leave = Timespec { tv_sec: 0, tv_nsec: UTIME_OMIT };
    Ok(rustix::fs::futimens(file, &Timestamps { last_access: leave, last_modification: kept })?)
}

/// Opens a real path. A link anywhere in it was put there after it was resolved, and is not followed.
fn open(path: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
    let flags = flags | OFlags::CLOEXEC;
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{CWD, ResolveFlags, openat2};
        // Without `NOFOLLOW`, which says nothing more: the file system of the documents portal, through which a Flatpak sees files of
        // the person, takes it for a question about links of its own, and refuses every file.
        match openat2(CWD, path, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS) {
            // Old kernels and some sandboxes do not have the call.
            Err(Errno::NOSYS | Errno::PERM) => {}
            opened => return opened,
        }
    }
    rustix::fs::open(path, flags | OFlags::NOFOLLOW, Mode::empty())
}

/// Opens a real path without waiting: for a pipe, that would be for somebody who writes to it.
pub(crate) fn open_to_read(path: &Path) -> io::Result<File> {
    Ok(File::from(open(path, OFlags::RDONLY | OFlags::NONBLOCK)?))
}

pub(crate) fn open_to_write(path: &Path) -> io::Result<File> {
    Ok(File::from(open(path, OFlags::WRONLY | OFlags::NONBLOCK)?))
}

pub(crate) fn open_to_change(path: &Path) -> io::Result<File> {
    Ok(File::from(open(path, OFlags::RDWR | OFlags::NONBLOCK)?))
}

/// A file that is open can be replaced.
pub(crate) const KEEPS_OPEN: bool = true;

/// Has the disk begin with bytes that were just written.
pub(crate) fn write_back(file: &File, at: u64, length: u64) {
    #[cfg(target_os = "linux")]
    if let Some(length) = std::num::NonZeroU64::new(length) {
        let _ = rustix::fs::fadvise(file, at, Some(length), rustix::fs::Advice::DontNeed);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (file, at, length);
}

/// Whether the system refused because there is something else than a file or a folder: a link where none was a moment ago, a
/// socket, a device without a driver.
pub(crate) fn is_special(error: &io::Error) -> bool {
    matches!(Errno::from_io_error(error), Some(Errno::LOOP | Errno::NXIO | Errno::NODEV))
}

pub(crate) fn check_writable(path: &Path) -> io::Result<()> {
    Ok(rustix::fs::access(path, Access::WRITE_OK)?)
}

/// Whether this path may be looked at without consequences. Every path may.
pub(crate) fn may_be_touched(_: &Path, _: &[PathBuf]) -> bool {
    true
}

/// The path without links.
pub(crate) fn real_path(path: &Path) -> io::Result<PathBuf> {
    fs::canonicalize(path)
}

/// What is in a folder, links left out.
pub(crate) fn entries(path: &Path, limit: usize) -> Result<Vec<Entry>, EntriesError> {
    let failed = |errno: Errno| EntriesError::Io(errno.into());
    let folder = open(path, OFlags::RDONLY | OFlags::DIRECTORY).map_err(failed)?;
    let mut found = Vec::new();
    for (count, entry) in Dir::read_from(&folder).map_err(failed)?.enumerate() {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name();
        if matches!(name.to_bytes(), b"." | b"..") {
            continue;
        }
        // The two above are entries, too.
        if count >= limit.saturating_add(2) {
            return Err(EntriesError::TooMany);
        }
        let kind = match entry.file_type() {
            // Some file systems do not say.
            FileType::Unknown => rustix::fs::statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW)
                .map_or(FileType::Unknown, |stat| FileType::from_raw_mode(stat.st_mode)),
            known => known,
        };
        let is_folder = match kind {
            FileType::RegularFile => false,
            FileType::Directory => true,
            _ => continue,
        };
        found.push(Entry { name: OsStr::from_bytes(name.to_bytes()).to_owned(), is_folder });
    }
    Ok(found)
}

/// A lock on the file itself, until it is dropped.
#[derive(Debug)]
pub(crate) struct Held {
    /// Always there until it is dropped.
    file: Option<File>,
}

impl Drop for Held {
    fn drop(&mut self) {
        if let Some(file) = self.file.take() {
            let _ = flock(&file, FlockOperation::Unlock);
            closing::close(file);
        }
    }
}

/// Takes the file at this path for one who changes it, if nobody else has it.
pub(crate) fn take_turn<E>(
    path: &Path,
    open: impl FnOnce() -> Result<File, E>,
) -> Result<Result<Held, NotYet>, E> {
    let file = open()?;
    Ok(match exclusive(&file, path) {
        // Whoever had the lock may have put another file in this place.
        Ok(file) if is_at(&file, path) => Ok(Held { file: Some(file) }),
        Ok(_) => Err(NotYet::Replaced),
        Err(Errno::WOULDBLOCK) => Err(NotYet::Busy),
        // This file system has no locks. What changes meanwhile is still noticed, as with programs that lock nothing.
        Err(_) => Ok(Held { file: Some(file) }),
    })
}

/// Takes the lock, if nobody has it.
fn exclusive(file: &File, path: &Path) -> Result<File, Errno> {
    let take =
        |file: &File| rustix::io::retry_on_intr(|| flock(file, FlockOperation::NonBlockingLockExclusive));
    match take(file) {
        // NFS wants a file that is open for writing.
        Err(Errno::BADF) => {
            let file = File::from(open(path, OFlags::RDWR | OFlags::NONBLOCK)?);
            take(&file).map(|()| file)
        }
        taken => {
            taken?;
            file.try_clone().map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))
        }
    }
}

/// Whether the path still leads to this file.
fn is_at(file: &File, path: &Path) -> bool {
    match (fstat(file), lstat(path)) {
        (Ok(open), Ok(there)) => (open.st_dev, open.st_ino) == (there.st_dev, there.st_ino),
        _ => false,
    }
}

/// Waits for the lock of a file.
pub(crate) fn lock(file: &File) -> io::Result<()> {
    Ok(rustix::io::retry_on_intr(|| flock(file, FlockOperation::LockExclusive))?)
}

/// Takes the lock of a file; another one has it where the error is `WouldBlock`.
pub(crate) fn try_lock(file: &File) -> io::Result<()> {
    Ok(rustix::io::retry_on_intr(|| flock(file, FlockOperation::NonBlockingLockExclusive))?)
}

pub(crate) fn unlock(file: &File) -> io::Result<()> {
    Ok(flock(file, FlockOperation::Unlock)?)
}

/// Whether a file belongs to this user.
pub(crate) fn is_own(file: &File) -> bool {
    fstat(file).is_ok_and(|stat| stat.st_uid == rustix::process::geteuid().as_raw())
}

/// Makes a folder for this user alone, and those above it as far as they are missing.
pub(crate) fn make_private(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Checks that a folder belongs to this user, and lets nobody else into it.
pub(crate) fn close_to_others(path: &Path) -> Result<(), FolderError> {
    let io = |source| FolderError::Io { path: path.to_owned(), source };
    let found = fs::symlink_metadata(path).map_err(io)?;
    let user = rustix::process::geteuid().as_raw();
    if found.uid() != user {
        return Err(FolderError::ForeignOwner {
            path: path.to_owned(),
            owner: found.uid().to_string(),
            user: user.to_string(),
        });
    }
    if found.mode() & 0o077 != 0 {
        fs::set_permissions(path, Permissions::from_mode(0o700)).map_err(io)?;
    }
    Ok(())
}

/// Opens a file in a private folder, or makes it.
pub(crate) fn open_or_create(path: &Path) -> io::Result<File> {
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    Ok(rustix::fs::open(path, flags, Mode::RUSR | Mode::WUSR).map(File::from)?)
}

/// Takes everybody else's rights from a file.
pub(crate) fn close_file_to_others(path: &Path) -> io::Result<()> {
    fs::set_permissions(path, Permissions::from_mode(0o600))
}

/// Makes a file that is not there yet, for this user alone.
pub(crate) fn create_private(path: &Path) -> io::Result<File> {
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    Ok(rustix::fs::open(path, flags, Mode::RUSR | Mode::WUSR).map(File::from)?)
}

/// Waits until the names in a folder are on the disk.
pub(crate) fn sync_folder(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

/// A path as bytes that stay the same from version to version.
pub(crate) fn encode_path(path: &Path) -> Cow<'_, [u8]> {
    Cow::Borrowed(path.as_os_str().as_bytes())
}

#[allow(clippy::unnecessary_wraps, reason = "not all bytes are a path on Windows")]
pub(crate) fn decode_path(bytes: &[u8]) -> Option<PathBuf> {
    Some(OsString::from_vec(bytes.to_vec()).into())
}

/// The home folder of this user.
pub(crate) fn home_folder(variable: impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    variable("HOME")
}

/// Where programs keep their state below the home folder.
pub(crate) fn state_folder(variable: impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    variable("HOME").map(|home| home.join(".local/share/deskmate"))
}

/// A file that has no name any more.
pub(crate) fn unnamed(folder: &Path) -> io::Result<File> {
    let (path, file) = loop {
        let path = folder.join(random_name());
        match OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(&path) {
            Ok(file) => break (path, file),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    };
    // Before there is anything in it that somebody could read.
    fs::remove_file(path)?;
    Ok(file)
}

/// Whether others than this user can use what is at a path.
pub(crate) fn is_open_to_others(path: &Path) -> io::Result<bool> {
    Ok(fs::metadata(path)?.mode() & 0o077 != 0)
}

pub(crate) fn is_own_path(path: &Path) -> io::Result<bool> {
    Ok(fs::metadata(path)?.uid() == rustix::process::geteuid().as_raw())
}

/// Makes a symbolic link.
#[cfg(test)]
pub(crate) fn link(target: impl AsRef<Path>, path: impl AsRef<Path>) {
    std::os::unix::fs::symlink(target, path).expect("a link");
}
