//! Opening and reading a file a client named.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{Access, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;

use crate::closing;
use crate::replace::ReplaceError;
use crate::roots::Place;

/// A file as it was read, and what tells whether it is still the same.
#[derive(Debug)]
pub struct Original {
    pub(crate) place: Place,
    /// Always there until it is dropped.
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
        Ok(Beginning { bytes, size: u64::try_from(stat.st_size).unwrap_or_default() })
    }

    pub(crate) fn open_regular(&self) -> Result<(File, Stat), OpenError> {
        let path = self.path();
        let failed = |errno: Errno| match errno {
            Errno::NOENT | Errno::NOTDIR => OpenError::NotFound(path.to_owned()),
            Errno::ACCESS | Errno::PERM => OpenError::Denied(path.to_owned()),
            // A link where none was a moment ago, a socket, a device without a driver.
            Errno::LOOP | Errno::NXIO | Errno::NODEV => OpenError::NotRegular(path.to_owned()),
            _ => OpenError::Io { path: path.to_owned(), source: errno.into() },
        };
        // Without NONBLOCK, opening a pipe would wait for somebody to write to it.
        let file = File::from(open(path, OFlags::RDONLY | OFlags::NONBLOCK).map_err(failed)?);
        let stat = rustix::fs::fstat(&file).map_err(failed)?;
        if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
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
        let size = u64::try_from(stat.st_size).unwrap_or_default();
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
            file: Some(file),
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

    pub(crate) fn file(&self) -> Result<&File, Errno> {
        self.file.as_ref().ok_or(Errno::BADF)
    }

    /// Where it was read.
    pub fn path(&self) -> &Path {
        self.place.path()
    }

    /// Whether this process may write to the file. A file that may not be written is not replaced either, even where
    /// its folder would allow it.
    pub fn check_writable(&self) -> Result<(), ReplaceError> {
        let path = || self.path().to_owned();
        match rustix::fs::access(self.path(), Access::WRITE_OK) {
            Err(Errno::ROFS) => Err(ReplaceError::ReadOnly(path())),
            Err(errno) => Err(ReplaceError::Denied { path: path(), source: errno.into() }),
            Ok(()) => Ok(()),
        }
    }

    /// How many names the file has besides this one.
    pub fn other_names(&self) -> u64 {
        #[allow(clippy::useless_conversion, reason = "the type differs between systems")]
        u64::from(self.stat.st_nlink).saturating_sub(1)
    }
}

impl Drop for Original {
    fn drop(&mut self) {
        if self.is_replaced.load(Ordering::Relaxed) {
            self.file.take().into_iter().for_each(closing::close);
        }
    }
}

/// Opens a real path. A link anywhere in it was put there after it was resolved, and is not followed.
pub(crate) fn open(path: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
    let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{CWD, ResolveFlags, openat2};
        match openat2(CWD, path, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS) {
            // Old kernels and some sandboxes do not have the call.
            Err(Errno::NOSYS | Errno::PERM) => {}
            opened => return opened,
        }
    }
    rustix::fs::open(path, flags, Mode::empty())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;

    use rustix::fs::{CWD, FileType, Mode};

    use super::OpenError;
    use crate::roots::{Place, Roots};
    use crate::scratch::Scratch;

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
    fn pipes_folders_sockets_and_devices_are_refused_without_waiting() {
        let scratch = Scratch::new();
        fs::create_dir(scratch.path("folder")).expect("a folder");
        rustix::fs::mknodat(CWD, scratch.path("pipe"), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0)
            .expect("a pipe");
        let _socket = UnixListener::bind(scratch.path("socket")).expect("a socket");
        for name in ["folder", "pipe", "socket"] {
            let refused = place(&scratch, name).read(10);
            assert!(matches!(refused, Err(OpenError::NotRegular(_))), "{name}: {refused:?}");
        }
        let device = Roots::new(["/dev".into()]).resolve("/dev/zero".as_ref()).expect("a device");
        assert!(matches!(device.read(10), Err(OpenError::NotRegular(_))));
    }

    #[test]
    fn a_link_that_appears_after_resolving_is_not_followed() {
        let scratch = Scratch::new();
        scratch.file("folder/a", b"ours");
        scratch.file("elsewhere/a", b"theirs");
        let place = place(&scratch, "folder/a");
        fs::rename(scratch.path("folder"), scratch.path("was")).expect("renamed");
        symlink(scratch.path("elsewhere"), scratch.path("folder")).expect("a link");
        assert!(place.read(10).is_err());
    }
}
