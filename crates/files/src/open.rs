//! Opening and reading a file a client named.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::closing;
use crate::replace::ReplaceError;
use crate::roots::Place;
use crate::sys::{self, Stat};

/// A file as it was read, and what tells whether it is still the same.
#[derive(Debug)]
pub struct Original {
    pub(crate) place: Place,
    /// Open until this is dropped, on systems where a file that is open can be replaced.
    file: Option<File>,
    pub(crate) stat: Stat,
    bytes: Vec<u8>,
    /// Whether another file has the name now.
    pub(crate) is_replaced: AtomicBool,
}

/// Why a file cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// It is gone.
    #[error("`{}` does not exist; check the path", .0.display())]
    NotFound(PathBuf),
    /// It may not be read.
    #[error("cannot read `{}`: permission denied; give this user read access or choose another file", .0.display())]
    Denied(PathBuf),
    /// It is a folder, a pipe, a device or a socket.
    #[error("`{}` is not a regular file; choose one", .0.display())]
    NotRegular(PathBuf),
    /// It has more bytes than are read at once.
    #[error("`{}` has {size} bytes, and at most {limit} are read; choose a smaller file", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Its size in bytes.
        size: u64,
        /// The bound in bytes.
        limit: u64,
    },
    /// Another program has locked it.
    #[error("`{}` is locked by another program; wait until that is done and try again", .0.display())]
    Busy(PathBuf),
    /// Reading failed.
    #[error("cannot read `{}`: {source}; try again or choose another file", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
}

/// How a file begins, and how long it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Beginning {
    /// Its first bytes.
    pub bytes: Vec<u8>,
    /// Its size in bytes.
    pub size: u64,
}

impl Place {
    /// Reads the first bytes of the regular file that is here, `most` of them if it has as many.
    pub fn begin(&self, most: u64) -> Result<Beginning, OpenError> {
        let (mut file, stat) = self.open_regular()?;
        let mut bytes = Vec::new();
        let io = |source| OpenError::Io { path: self.path().to_owned(), source };
        (&mut file).take(most).read_to_end(&mut bytes).map_err(io)?;
        Ok(Beginning { bytes, size: stat.size() })
    }

    /// Opens the regular file that is here, for reading parts of it.
    pub fn open(&self) -> Result<File, OpenError> {
        Ok(self.open_regular()?.0)
    }

    pub(crate) fn open_regular(&self) -> Result<(File, Stat), OpenError> {
        let path = self.path();
        let failed = |error: io::Error| match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => OpenError::NotFound(path.to_owned()),
            io::ErrorKind::PermissionDenied => OpenError::Denied(path.to_owned()),
            _ if sys::is_special(&error) => OpenError::NotRegular(path.to_owned()),
            _ => OpenError::Io { path: path.to_owned(), source: error },
        };
        let file = sys::open_to_read(path).map_err(failed)?;
        let stat = sys::stat(&file).map_err(failed)?;
        if !stat.is_regular() {
            return Err(OpenError::NotRegular(path.to_owned()));
        }
        Ok((file, stat))
    }

    /// Reads the regular file that is here, if it has at most `limit` bytes.
    pub fn read(&self, limit: u64) -> Result<Original, OpenError> {
        self.read_into(limit, Vec::with_capacity)
    }

    /// The same, into memory that was used before: `memory` is told how much is needed. Memory that is new to a process
    /// costs more than reading a file does.
    pub fn read_into(
        &self,
        limit: u64,
        memory: impl FnOnce(usize) -> Vec<u8>,
    ) -> Result<Original, OpenError> {
        let path = self.path();
        let (mut file, stat) = self.open_regular()?;
        let size = stat.size();
        if size > limit {
            return Err(OpenError::TooLarge { path: path.to_owned(), size, limit });
        }
        let io = |source| OpenError::Io { path: path.to_owned(), source };
        // One more, so that the end is found without asking for room.
        let mut bytes = memory(usize::try_from(size).unwrap_or_default() + 1);
        bytes.clear();
        // It may grow while it is read: the bound holds all the same.
        (&mut file).take(limit + 1).read_to_end(&mut bytes).map_err(io)?;
        if bytes.len() as u64 > limit {
            return Err(OpenError::TooLarge { path: path.to_owned(), size: bytes.len() as u64, limit });
        }
        Ok(Original {
            place: self.clone(),
            file: sys::KEEPS_OPEN.then_some(file),
            stat,
            bytes,
            is_replaced: AtomicBool::new(false),
        })
    }
}

impl Original {
    /// What was read.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// What was read, without a copy.
    pub fn into_bytes(mut self) -> Vec<u8> {
        std::mem::take(&mut self.bytes)
    }

    /// Gives a new file everything of this one but its bytes and its name.
    pub(crate) fn copy_to(&self, new: &File) -> io::Result<()> {
        match &self.file {
            Some(file) => sys::copy_all(file, &self.stat, new),
            None => sys::copy_all(&sys::open_to_read(self.path())?, &self.stat, new),
        }
    }

    /// Where it was read.
    pub fn path(&self) -> &Path {
        self.place.path()
    }

    /// Whether this process may write to the file. A file that may not be written is not replaced either, even where
    /// its folder would allow it.
    pub fn check_writable(&self) -> Result<(), ReplaceError> {
        let path = || self.path().to_owned();
        match sys::check_writable(self.path()) {
            Err(error) if error.kind() == io::ErrorKind::ReadOnlyFilesystem => {
                Err(ReplaceError::ReadOnly(path()))
            }
            Err(source) => Err(ReplaceError::Denied { path: path(), source }),
            Ok(()) => Ok(()),
        }
    }

    /// How many names the file has besides this one.
    pub fn other_names(&self) -> u64 {
        self.stat.names().saturating_sub(1)
    }
}

impl Drop for Original {
    fn drop(&mut self) {
        if self.is_replaced.load(Ordering::Relaxed) {
            self.file.take().into_iter().for_each(closing::close);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::OpenError;
    use crate::roots::{Place, Roots};
    use crate::scratch::Scratch;
    use crate::sys;

    fn place(scratch: &Scratch, name: &str) -> Place {
        Roots::new([scratch.path("")]).resolve(&scratch.path(name)).expect(name)
    }

    #[test]
    fn a_regular_file_is_read_up_to_the_bound() {
        let scratch = Scratch::new();
        scratch.file("a", b"12345");
        let place = place(&scratch, "a");
        assert_eq!(place.read(5).expect("five bytes").bytes(), b"12345");
        let beginning = place.begin(2).expect("two bytes");
        assert_eq!((beginning.bytes.as_slice(), beginning.size), (&b"12"[..], 5));
        assert!(matches!(place.read(4), Err(OpenError::TooLarge { size: 5, limit: 4, .. })));
    }

    #[test]
    fn a_folder_is_refused() {
        let scratch = Scratch::new();
        fs::create_dir(scratch.path("folder")).expect("a folder");
        let refused = place(&scratch, "folder").read(10);
        assert!(matches!(refused, Err(OpenError::NotRegular(_))), "{refused:?}");
    }

    #[test]
    fn a_link_that_appears_after_resolving_is_not_followed() {
        let scratch = Scratch::new();
        scratch.file("folder/a", b"ours");
        scratch.file("elsewhere/a", b"theirs");
        let place = place(&scratch, "folder/a");
        fs::rename(scratch.path("folder"), scratch.path("was")).expect("renamed");
        sys::link(scratch.path("elsewhere"), scratch.path("folder"));
        assert!(place.read(10).is_err());
    }
}
