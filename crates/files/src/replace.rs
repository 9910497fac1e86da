//! Replacing a file so that whoever looks, now or after a crash, finds the old one or the new one.

use std::ffi::OsStr;
use std::fs::File;
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::SystemTime;

use crate::at_once::at_once;
use crate::in_place::{self, InPlaceError};
use crate::leftovers;
use crate::open::Original;
use crate::sys::{self, Folder};

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
    /// The private folder in which a copy is kept while bytes are written in place; without it, none are. It is for nothing else:
    /// [`PrivateFolder::write`](crate::PrivateFolder::write) takes a copy for a file that never got its name.
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
    #[error("cannot write `{}`: {source}; it is as it was: make room on the disk or try again", path.display())]
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
    pub(crate) fn of(path: &Path, source: io::Error) -> ReplaceError {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::ReadOnlyFilesystem => ReplaceError::ReadOnly(path),
            io::ErrorKind::PermissionDenied => ReplaceError::Denied { path, source },
            _ => ReplaceError::Io { path, source },
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
        let folder = self.folder().map_err(|error| ReplaceError::of(self.path(), error))?;
        self.replace_in(&folder, replacement, meanwhile)
    }

    /// The same in the folder that the file is in.
    pub(crate) fn replace_in<E: From<ReplaceError>>(
        &self,
        folder: &Folder,
        replacement: Replacement<'_>,
        meanwhile: impl FnOnce() -> Result<(), E>,
    ) -> Result<Replaced, E> {
        let write = || self.write_beside(folder, &replacement);
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
        let failed = |error| ReplaceError::of(self.path(), error);
        let name = self.path().file_name().ok_or_else(|| failed(io::ErrorKind::InvalidInput.into()))?;
        let folder = self.folder().map_err(failed)?;
        self.check_unchanged()?;
        folder.remove(name).map_err(failed)?;
        Ok(folder.sync().err())
    }

    fn folder(&self) -> io::Result<Folder> {
        Folder::open(self.path().parent().ok_or(io::ErrorKind::InvalidInput)?)
    }

    /// A file beside this one that has the new bytes, on the disk, and everything else of this one but its name.
    fn write_beside<'f>(
        &self,
        folder: &'f Folder,
        replacement: &Replacement<'_>,
    ) -> Result<NewFile<'f>, Trouble> {
        leftovers::sweep(folder, self.path().parent());
        let new = NewFile::create(folder).map_err(|error| self.trouble(error))?;
        write_early(&new.file, replacement.bytes).map_err(|error| self.failed(error))?;
        self.copy_to(&new.file).map_err(|_| Trouble::Attributes)?;
        self.date(&new.file, replacement.modified).map_err(|error| self.failed(error))?;
        new.file.sync_all().map_err(|error| self.failed(error))?;
        Ok(new)
    }

    /// Sets when a file with the new bytes was last modified.
    pub(crate) fn date(&self, file: &File, modified: Modified) -> io::Result<()> {
        match modified {
            Modified::Now => Ok(()),
            Modified::Kept => sys::set_modified(file, &self.stat),
            Modified::At(time) => file.set_modified(time),
        }
    }

    /// Gives the new file the name of this one. From then on the change has happened: if the folder cannot be synced, that
    /// is no failure to change it, but must be said.
    fn give_way_to(&self, new: NewFile<'_>) -> Result<Option<io::Error>, Trouble> {
        let name = self.path().file_name().ok_or(Trouble::NoNewFile)?;
        let folder = new.folder;
        self.check_unchanged().map_err(Trouble::Other)?;
        // A folder with the sticky bit lets only the owner of a file replace it.
        new.rename(name).map_err(|error| self.trouble(error))?;
        self.is_replaced.store(true, Ordering::Relaxed);
        Ok(folder.sync().err())
    }

    /// Looks whether the name still leads to the file that was read, and nobody touched that.
    pub(crate) fn check_unchanged(&self) -> Result<(), ReplaceError> {
        if sys::stat_at(self.path()).is_ok_and(|now| now.is_same(&self.stat)) {
            return Ok(());
        }
        Err(ReplaceError::ChangedMeanwhile(self.path().to_owned()))
    }

    fn trouble(&self, error: io::Error) -> Trouble {
        match error.kind() {
            io::ErrorKind::PermissionDenied => Trouble::NoNewFile,
            _ => Trouble::Other(ReplaceError::of(self.path(), error)),
        }
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
        sys::write_back(file, at, piece.len() as u64);
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

/// A file that is removed unless it gets its final name.
pub(crate) struct NewFile<'a> {
    folder: &'a Folder,
    name: String,
    file: File,
    is_temporary: bool,
}

impl<'a> NewFile<'a> {
    /// Makes one, locked for as long as it is open: so others can tell it from one that a killed process left behind.
    pub(crate) fn create(folder: &'a Folder) -> io::Result<NewFile<'a>> {
        loop {
            let name = random_name();
            match folder.create(&name) {
                Ok(Some(file)) => return Ok(NewFile { folder, name, file, is_temporary: true }),
                // Somebody who sweeps found it before it was locked.
                Ok(None) => {
                    let _ = folder.remove(name.as_ref());
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
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

    pub(crate) fn rename(mut self, to: &OsStr) -> io::Result<()> {
        self.folder.rename(&self.name, to)?;
        self.is_temporary = false;
        Ok(())
    }

    /// Gives the file its final name, which nothing may have yet.
    pub(crate) fn rename_to_new(mut self, to: &OsStr) -> io::Result<()> {
        self.folder.rename_to_new(&self.name, to)?;
        self.is_temporary = false;
        Ok(())
    }
}

impl Drop for NewFile<'_> {
    fn drop(&mut self) {
        if self.is_temporary {
            let _ = self.folder.remove(self.name.as_ref());
        }
    }
}

/// A name for a temporary file that nobody else uses.
pub fn random_name() -> String {
    // `RandomState` is seeded by the operating system.
    format!("{}{:016x}{}", leftovers::BEGIN, RandomState::new().hash_one(std::process::id()), leftovers::END)
}

#[cfg(test)]
mod tests;
