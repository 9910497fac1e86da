//! Replacing a file so that whoever looks, now or after a crash, finds the old one or the new one.

use std::ffi::OsStr;
use std::fs::File;
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::SystemTime;

use rustix::fs::{AtFlags, Mode, OFlags, RenameFlags, Stat, Timespec, Timestamps, UTIME_OMIT};
use rustix::io::Errno;

use crate::at_once::at_once;
use crate::attributes;
use crate::in_place::{self, InPlaceError};
use crate::leftovers;
use crate::open::{Original, open};

/// How a file got its new bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// In one step, by giving a finished file its name.
    Renamed,
    /// By writing over the old bytes, because the folder takes no new file or the new file could not have had the old
    /// one's owner and attributes.
    InPlace,
}

/// What a file is to become.
#[derive(Debug, Clone, Copy)]
pub struct Replacement<'a> {
    /// All of its bytes.
    pub bytes: &'a [u8],
    /// When it was last modified.
    pub modified: Modified,
    /// The private folder in which a copy is kept while bytes are written in place; without it, none are.
    pub copies: Option<&'a Path>,
}

/// When a file was last modified, once it has been replaced.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Modified {
    /// When it was replaced. Programs that back up or index files see the change by that.
    #[default]
    Now,
    /// When it was modified before.
    Kept,
    /// At this time.
    At(SystemTime),
}

/// What a replacement did.
#[derive(Debug)]
pub struct Replaced {
    /// How the file got its new bytes.
    pub how: How,
    /// How many other names the old file had that still lead to the old bytes.
    pub left_behind: u64,
    /// Why it is not known whether the change would survive a power failure, if it is not.
    pub unsynced: Option<io::Error>,
}

/// Why a file was not replaced. It is as it was, unless the error says otherwise.
#[derive(Debug, thiserror::Error)]
pub enum ReplaceError {
    /// This user may not.
    #[error("cannot write `{}`: {source}; give this user write access or choose another file", path.display())]
    Denied {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// Nobody may: the file system is mounted read-only.
    #[error("`{}` is on a file system that is mounted read-only; copy the file to another folder and change it there", .0.display())]
    ReadOnly(PathBuf),
    /// Somebody else changed, replaced or removed it since it was read.
    #[error("`{}` was changed by another program meanwhile; try again", .0.display())]
    ChangedMeanwhile(PathBuf),
    /// There is no room, or the disk failed.
    #[error("cannot write `{}`: {source}; it is as it was", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// Writing over the old bytes failed.
    #[error(transparent)]
    InPlace(#[from] InPlaceError),
}

impl ReplaceError {
    /// What the answer of the operating system means for the file at this path.
    pub(crate) fn of(path: &Path, errno: Errno) -> ReplaceError {
        let path = path.to_owned();
        match errno {
            Errno::ROFS => ReplaceError::ReadOnly(path),
            Errno::ACCESS | Errno::PERM => ReplaceError::Denied { path, source: errno.into() },
            errno => ReplaceError::Io { path, source: errno.into() },
        }
    }
}

impl Original {
    /// Gives the file new bytes, durably. Owner, mode and extended attributes stay; a link that led here still does.
    pub fn replace(&self, bytes: &[u8]) -> Result<Replaced, ReplaceError> {
        self.replace_while(Replacement { bytes, modified: Modified::Now, copies: None }, || Ok(()))
    }

    /// Like [`replace`](Original::replace). `meanwhile` runs while the new bytes are on their way to the disk, beside the
    /// old ones: what must be done, and what must be known, before the change costs no time of its own. If it fails, the
    /// file stays as it was.
    pub fn replace_while<E: From<ReplaceError>>(
        &self,
        replacement: Replacement<'_>,
        meanwhile: impl FnOnce() -> Result<(), E>,
    ) -> Result<Replaced, E> {
        let folder = self.folder();
        let write =
            || self.write_beside(folder.as_ref().map_err(|errno| self.trouble(*errno))?, &replacement);
        let (new, agreed) = at_once(write, meanwhile);
        agreed?;
        match new.and_then(|new| self.give_way_to(new)) {
            Ok(unsynced) => Ok(Replaced { how: How::Renamed, left_behind: self.other_names(), unsynced }),
            Err(Trouble::NoNewFile | Trouble::Attributes) => {
                self.check_unchanged()?;
                in_place::write(self, &replacement).map_err(ReplaceError::from)?;
                Ok(Replaced { how: How::InPlace, left_behind: 0, unsynced: None })
            }
            Err(Trouble::Other(error)) => Err(error.into()),
        }
    }

    /// Takes the file away, if it still is what was read, and says why that would not survive a power failure, if so.
    pub fn remove(&self) -> Result<Option<io::Error>, ReplaceError> {
        let trouble = |errno| match self.trouble(errno) {
            Trouble::Other(error) => error,
            Trouble::NoNewFile | Trouble::Attributes => {
                ReplaceError::Io { path: self.path().to_owned(), source: errno.into() }
            }
        };
        let name = self.path().file_name().ok_or(Errno::INVAL).map_err(trouble)?;
        let folder = self.folder().map_err(trouble)?;
        self.check_unchanged()?;
        rustix::fs::unlinkat(&folder.fd, name, AtFlags::empty()).map_err(trouble)?;
        Ok(folder.sync().err())
    }

    fn folder(&self) -> Result<Folder, Errno> {
        Folder::open(self.path().parent().ok_or(Errno::INVAL)?)
    }

    /// A file beside this one that has the new bytes, on the disk, and everything else of this one but its name.
    fn write_beside<'f>(
        &self,
        folder: &'f Folder,
        replacement: &Replacement<'_>,
    ) -> Result<NewFile<'f>, Trouble> {
        leftovers::sweep(folder, self.path().parent());
        let new = NewFile::create(folder).map_err(|errno| match errno {
            Errno::ACCESS | Errno::PERM => Trouble::NoNewFile,
            errno => self.trouble(errno),
        })?;
        write_early(&new.file, replacement.bytes).map_err(|error| self.failed(error))?;
        self.file()
            .and_then(|old| attributes::copy(old, &self.stat, &new.file))
            .map_err(|_| Trouble::Attributes)?;
        self.date(&new.file, replacement.modified).map_err(|error| self.failed(error))?;
        new.file.sync_all().map_err(|error| self.failed(error))?;
        Ok(new)
    }

    /// Sets when a file with the new bytes was last modified.
    pub(crate) fn date(&self, file: &File, modified: Modified) -> io::Result<()> {
        let kept = Timespec {
            tv_sec: self.stat.st_mtime,
            tv_nsec: i64::try_from(self.stat.st_mtime_nsec).unwrap_or(0),
        };
        let leave = Timespec { tv_sec: 0, tv_nsec: UTIME_OMIT };
        match modified {
            Modified::Now => Ok(()),
            Modified::Kept => {
                let times = Timestamps { last_access: leave, last_modification: kept };
                Ok(rustix::fs::futimens(file, &times)?)
            }
            Modified::At(time) => file.set_modified(time),
        }
    }

    /// Gives the new file the name of this one. From then on the change has happened: if the folder cannot be synced, that
    /// is no failure to change it, but must be said.
    fn give_way_to(&self, new: NewFile<'_>) -> Result<Option<io::Error>, Trouble> {
        let name = self.path().file_name().ok_or(Trouble::NoNewFile)?;
        let folder = new.folder;
        self.check_unchanged().map_err(Trouble::Other)?;
        new.rename(name).map_err(|errno| match errno {
            // A folder with the sticky bit lets only the owner of a file replace it.
            Errno::ACCESS | Errno::PERM => Trouble::NoNewFile,
            errno => self.trouble(errno),
        })?;
        self.is_replaced.store(true, Ordering::Relaxed);
        Ok(folder.sync().err())
    }

    /// Looks whether the name still leads to the file that was read, and nobody touched that.
    pub(crate) fn check_unchanged(&self) -> Result<(), ReplaceError> {
        let now = rustix::fs::lstat(self.path());
        if now.is_ok_and(|now| same(&now, &self.stat)) {
            return Ok(());
        }
        Err(ReplaceError::ChangedMeanwhile(self.path().to_owned()))
    }

    fn trouble(&self, errno: Errno) -> Trouble {
        Trouble::Other(ReplaceError::of(self.path(), errno))
    }

    fn failed(&self, source: io::Error) -> Trouble {
        Trouble::Other(ReplaceError::Io { path: self.path().to_owned(), source })
    }
}

/// Writes all of it, and has the disk begin with the first bytes before the last ones are there.
fn write_early(mut file: &File, bytes: &[u8]) -> io::Result<()> {
    const PIECE: usize = 1 << 20;
    let mut at = 0;
    for piece in bytes.chunks(PIECE) {
        file.write_all(piece)?;
        // What nobody needs in memory goes to the disk at once; what is on its way there stays in memory. It is advice:
        // whether it was taken, `fsync` finds out.
        #[cfg(target_os = "linux")]
        if let Some(length) = std::num::NonZeroU64::new(piece.len() as u64) {
            let _ = rustix::fs::fadvise(file, at, Some(length), rustix::fs::Advice::DontNeed);
        }
        at += piece.len() as u64;
    }
    Ok(())
}

/// Why renaming was given up.
enum Trouble {
    /// The folder takes none.
    NoNewFile,
    /// The new file cannot have what the old one has.
    Attributes,
    Other(ReplaceError),
}

/// The time of the last change of the inode tells of writes that put the time of modification back.
fn same(now: &Stat, then: &Stat) -> bool {
    let key = |stat: &Stat| {
        let times = (stat.st_mtime, stat.st_mtime_nsec, stat.st_ctime, stat.st_ctime_nsec);
        (stat.st_dev, stat.st_ino, stat.st_size, times)
    };
    key(now) == key(then)
}

pub(crate) struct Folder {
    pub(crate) fd: OwnedFd,
    can_sync: bool,
}

impl Folder {
    pub(crate) fn open(path: &Path) -> Result<Folder, Errno> {
        match open(path, OFlags::RDONLY | OFlags::DIRECTORY) {
            Ok(fd) => Ok(Folder { fd, can_sync: true }),
            // One that may be used but not listed.
            #[cfg(target_os = "linux")]
            Err(Errno::ACCESS) => {
                Ok(Folder { fd: open(path, OFlags::PATH | OFlags::DIRECTORY)?, can_sync: false })
            }
            Err(error) => Err(error),
        }
    }

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
}

/// A file that is removed unless it gets its final name.
pub(crate) struct NewFile<'a> {
    folder: &'a Folder,
    name: String,
    file: File,
    is_temporary: bool,
}

impl<'a> NewFile<'a> {
    /// Makes one, locked for as long as it is open: so others can tell it from one that a killed process left behind.
    pub(crate) fn create(folder: &'a Folder) -> Result<NewFile<'a>, Errno> {
        loop {
            let name = random_name();
            let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC | OFlags::NOFOLLOW;
            match rustix::fs::openat(&folder.fd, &name, flags, Mode::RUSR | Mode::WUSR) {
                Ok(fd) => {
                    let new = NewFile { folder, name, file: File::from(fd), is_temporary: true };
                    // Somebody who sweeps may have found it before it was locked.
                    if leftovers::keep(&new.file) {
                        return Ok(new);
                    }
                }
                Err(Errno::EXIST) => {}
                Err(error) => return Err(error),
            }
        }
    }

    pub(crate) fn file(&self) -> &File {
        &self.file
    }

    /// Writes all of it, durably.
    pub(crate) fn fill(&self, bytes: &[u8]) -> io::Result<()> {
        (&self.file).write_all(bytes)?;
        self.file.sync_all()
    }

    pub(crate) fn rename(mut self, to: &OsStr) -> Result<(), Errno> {
        rustix::fs::renameat(&self.folder.fd, &self.name, &self.folder.fd, to)?;
        self.is_temporary = false;
        Ok(())
    }
}

impl NewFile<'_> {
    /// Gives the file its final name, which nothing may have yet.
    pub(crate) fn rename_to_new(mut self, to: &OsStr) -> Result<(), Errno> {
        let folder = &self.folder.fd;
        match rustix::fs::renameat_with(folder, &self.name, folder, to, RenameFlags::NOREPLACE) {
            // The file system cannot tell in the same step, so we look first.
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
                match rustix::fs::statat(folder, to, AtFlags::SYMLINK_NOFOLLOW) {
                    Err(Errno::NOENT) => rustix::fs::renameat(folder, &self.name, folder, to)?,
                    Ok(_) => return Err(Errno::EXIST),
                    Err(error) => return Err(error),
                }
            }
            renamed => renamed?,
        }
        self.is_temporary = false;
        Ok(())
    }
}

impl Drop for NewFile<'_> {
    fn drop(&mut self) {
        if self.is_temporary {
            let _ = rustix::fs::unlinkat(&self.folder.fd, &self.name, AtFlags::empty());
        }
    }
}

/// A name nobody else uses; `RandomState` is seeded by the operating system.
pub(crate) fn random_name() -> String {
    format!("{}{:016x}{}", leftovers::BEGIN, RandomState::new().hash_one(std::process::id()), leftovers::END)
}

#[cfg(test)]
mod tests;
