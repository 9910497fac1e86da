//! Writing over a file's bytes, with a copy of the old ones aside until the new ones are safe.

use std::fs::{self, File};
use std::io::{self, Seek, Write};
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags};

use crate::open::{Original, open};
use crate::replace::random_name;

/// Why writing over a file failed.
#[derive(Debug, thiserror::Error)]
pub enum InPlaceError {
    /// There is no place for the copy.
    #[error("cannot keep a copy of `{}` in `{}`: {source}; it is as it was", path.display(), folder.display())]
    NoCopy {
        /// The file.
        path: PathBuf,
        /// Where the copy should have been.
        folder: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// The file could not be opened for writing.
    #[error("cannot write `{}`: {source}; give this user write access or choose another file", path.display())]
    Denied {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// Writing failed, and the old bytes are back.
    #[error("cannot write `{}`: {source}; it is as it was", path.display())]
    Restored {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// Writing failed, and putting the old bytes back did, too.
    #[error("cannot write `{}`: {source}; it is damaged: copy its old bytes back from `{}`", path.display(), copy.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Where its old bytes are.
        copy: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
}

pub(crate) fn write(original: &Original, bytes: &[u8]) -> Result<(), InPlaceError> {
    let path = original.path().to_owned();
    let opened = open(&path, OFlags::WRONLY);
    let mut file = match opened {
        Ok(file) => File::from(file),
        Err(errno) => return Err(InPlaceError::Denied { path, source: errno.into() }),
    };
    let folder = std::env::temp_dir();
    let copy = match copy_aside(&folder, original.bytes()) {
        Ok(copy) => copy,
        Err(source) => return Err(InPlaceError::NoCopy { path, folder, source }),
    };
    let written = overwrite(&mut file, bytes);
    if let Err(source) = written {
        return Err(match overwrite(&mut file, original.bytes()) {
            Ok(()) => {
                let _ = fs::remove_file(copy);
                InPlaceError::Restored { path, source }
            }
            Err(_) => InPlaceError::Damaged { path, copy, source },
        });
    }
    // The new bytes are safe; a copy that cannot be removed does no harm.
    let _ = fs::remove_file(copy);
    Ok(())
}

fn overwrite(file: &mut File, bytes: &[u8]) -> io::Result<()> {
    file.rewind()?;
    file.write_all(bytes)?;
    file.set_len(bytes.len() as u64)?;
    file.sync_all()
}

fn copy_aside(folder: &Path, bytes: &[u8]) -> io::Result<PathBuf> {
    let path = folder.join(random_name());
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    let mut file = File::from(rustix::fs::open(&path, flags, Mode::RUSR | Mode::WUSR)?);
    let written = file.write_all(bytes).and_then(|()| file.sync_all());
    if let Err(error) = written {
        let _ = fs::remove_file(&path);
        return Err(error);
    }
    Ok(path)
}
