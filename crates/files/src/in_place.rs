//! Writing over a file's bytes, with a copy of the old ones aside until the new ones are safe. If the process is killed
//! in between, [`recover`] puts the old ones back.

use std::fs::{self, File};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

use crate::home::PrivateFolder;
use crate::open::Original;
use crate::replace::{Replacement, random_name};
use crate::sys;

/// Begins every copy, with the version of the format.
const MAGIC: &[u8; 8] = b"DMcopy01";
/// A copy has the old and the new bytes; larger ones were not made by us.
const MOST_BYTES: u64 = 1 << 30;

/// Why writing over a file failed.
#[derive(Debug, thiserror::Error)]
pub enum InPlaceError {
    /// There is no place for the copy.
    #[error("cannot keep a copy of `{}`: {source}; it is as it was", path.display())]
    NoCopy {
        /// The file.
        path: PathBuf,
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
    /// Another file has its name now.
    #[error("`{}` was replaced by another program meanwhile; try again", .0.display())]
    Replaced(PathBuf),
    /// Writing failed, and the old bytes are back.
    #[error("cannot write `{}`: {source}; it is as it was: make room on the disk or try again", path.display())]
    Restored {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// Writing failed, and putting the old bytes back did, too.
    #[error(
        "cannot write `{}`: {source}; it is damaged, and its old bytes are kept in `{}`: make room or give write access, \
         start this program again, and they come back with its first change", path.display(), copy.display()
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Where its old bytes are.
        copy: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
}

pub(crate) fn write(original: &Original, replacement: &Replacement<'_>) -> Result<(), InPlaceError> {
    let path = original.path().to_owned();
    let mut file = match sys::open_to_write(&path) {
        Ok(file) => file,
        Err(source) => return Err(InPlaceError::Denied { path, source }),
    };
    // The name may lead to another file since it was read, whose bytes must not be written over.
    if !sys::stat(&file).is_ok_and(|opened| opened.id() == original.stat.id()) {
        return Err(InPlaceError::Replaced(path));
    }
    let kept = replacement
        .copies
        .ok_or_else(|| io::Error::other("there is no state folder to keep it in; set `DESKMATE_HOME`"))
        .and_then(|folder| PrivateFolder::make(folder).map_err(io::Error::other))
        .and_then(|folder| Copy::make(&folder, original, replacement.bytes));
    let copy = match kept {
        Ok(copy) => copy,
        Err(source) => return Err(InPlaceError::NoCopy { path, source }),
    };
    let written = overwrite(&mut file, replacement.bytes);
    if let Err(source) = written {
        return Err(match overwrite(&mut file, original.bytes()) {
            Ok(()) => {
                copy.remove();
                InPlaceError::Restored { path, source }
            }
            Err(_) => InPlaceError::Damaged { path, copy: copy.path, source },
        });
    }
    // The new bytes are safe; neither a copy that cannot be removed nor a date that cannot be set does any harm.
    copy.remove();
    let _ = original.date(&file, replacement.modified);
    Ok(())
}

fn overwrite(file: &mut File, bytes: &[u8]) -> io::Result<()> {
    file.rewind()?;
    file.write_all(bytes)?;
    file.set_len(bytes.len() as u64)?;
    file.sync_all()
}

/// A copy of a file that is being overwritten, locked by the process that does it.
struct Copy {
    path: PathBuf,
    _file: File,
}

impl Copy {
    fn make(folder: &PrivateFolder, original: &Original, new: &[u8]) -> io::Result<Copy> {
        let path = folder.path().join(random_name());
        let mut file = sys::create_private(&path)?;
        sys::try_lock(&file)?;
        let name = sys::encode_path(original.path());
        let mut write = || {
            file.write_all(MAGIC)?;
            for part in [&*name, original.bytes(), new] {
                file.write_all(&(part.len() as u64).to_le_bytes())?;
                file.write_all(part)?;
            }
            file.sync_all()
        };
        if let Err(error) = write() {
            let _ = fs::remove_file(&path);
            return Err(error);
        }
        folder.sync().map_err(io::Error::other)?;
        Ok(Copy { path, _file: file })
    }

    fn remove(&self) {
        let _ = fs::remove_file(&self.path);
    }
}

/// Puts the old bytes of files back that a killed process was writing over, and says which files those are. Copies of
/// processes that still run are left alone.
pub fn recover(folder: &PrivateFolder) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder.path()) else { return Vec::new() };
    let copies = entries.filter_map(Result::ok).map(|entry| entry.path());
    copies.filter_map(|copy| recover_from(&copy)).collect()
}

/// The file that was damaged and is whole again.
fn recover_from(copy: &Path) -> Option<PathBuf> {
    let mut file = File::open(copy).ok()?;
    sys::try_lock(&file).ok()?;
    let mut bytes = Vec::new();
    (&mut file).take(MOST_BYTES).read_to_end(&mut bytes).ok()?;
    let Some((path, old, new)) = parse(&bytes) else {
        // It was not finished, so nothing was written over yet.
        let _ = fs::remove_file(copy);
        return None;
    };
    let mut target = match sys::open_to_change(&path) {
        Ok(target) => target,
        // Where there is no such file any more, there is nothing to put right.
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let _ = fs::remove_file(copy);
            return None;
        }
        Err(_) => return None,
    };
    // Somebody may be changing it right now.
    sys::try_lock(&target).ok()?;
    let mut now = Vec::new();
    (&mut target).take(MOST_BYTES).read_to_end(&mut now).ok()?;
    let damaged = now != old && now != new && is_mixture(&now, old, new);
    if damaged {
        overwrite(&mut target, old).ok()?;
    }
    let _ = fs::remove_file(copy);
    damaged.then_some(path)
}

/// Whether a file is what a write that was cut short leaves. If somebody has changed it since, it is not.
fn is_mixture(now: &[u8], old: &[u8], new: &[u8]) -> bool {
    let may_be = |(at, byte): (usize, &u8)| {
        let is_in = |bytes: &[u8]| bytes.get(at) == Some(byte);
        // Blocks that were added but not written yet are zeros.
        is_in(old) || is_in(new) || (*byte == 0 && at >= old.len())
    };
    now.len() <= old.len().max(new.len()) && now.iter().enumerate().all(may_be)
}

fn parse(copy: &[u8]) -> Option<(PathBuf, &[u8], &[u8])> {
    let mut rest = copy.strip_prefix(MAGIC)?;
    let mut part = || {
        let (length, after) = rest.split_first_chunk::<8>()?;
        let (part, after) = after.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
        rest = after;
        Some(part)
    };
    let (path, old, new) = (part()?, part()?, part()?);
    if !rest.is_empty() {
        return None;
    }
    Some((sys::decode_path(path)?, old, new))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{Copy, InPlaceError, recover, write};
    use crate::home::PrivateFolder;
    use crate::replace::{Modified, Replacement};
    use crate::roots::Roots;
    use crate::scratch::Scratch;

    /// What a file becomes that has these bytes after a write from "old bytes" to "new and longer" was cut short.
    #[track_caller]
    fn check(left: &[u8], expected: &[u8]) {
        let scratch = Scratch::new();
        let path = scratch.file("a", b"old bytes");
        let folder = PrivateFolder::make(&scratch.path("copies")).expect("a folder");
        let original =
            Roots::new([scratch.path("")]).resolve(&path).expect("a place").read(99).expect("a file");
        let copy = Copy::make(&folder, &original, b"new and longer").expect("a copy");
        fs::write(&path, left).expect("written");
        assert!(recover(&folder).is_empty(), "the process still runs");
        assert_eq!(fs::read(&path).expect("a file"), left);
        drop(copy);
        let recovered = recover(&folder);
        assert_eq!(fs::read(&path).expect("a file"), expected);
        assert_eq!(recovered, if left == expected { vec![] } else { vec![path] });
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 0);
    }

    #[test]
    fn a_file_that_took_the_name_meanwhile_is_left_alone() {
        let scratch = Scratch::new();
        let path = scratch.file("a", b"old bytes");
        let roots = Roots::new([scratch.path("")]);
        let original = roots.resolve(&path).expect("a place").read(99).expect("a file");
        fs::rename(scratch.file("b", b"of somebody else"), &path).expect("renamed");
        let copies = scratch.path("copies");
        let replacement = Replacement { bytes: b"new", modified: Modified::Now, copies: Some(&copies) };
        assert!(matches!(write(&original, &replacement), Err(InPlaceError::Replaced(_))));
        assert_eq!(fs::read(&path).expect("a file"), b"of somebody else");
    }

    #[test]
    fn a_write_that_was_cut_short_is_taken_back() {
        check(b"new bytes", b"old bytes");
        check(b"new and lon", b"old bytes");
        check(b"new and lo\0\0\0\0", b"old bytes");
        check(b"", b"old bytes");
    }

    #[test]
    fn what_is_whole_or_was_changed_since_stays() {
        check(b"old bytes", b"old bytes");
        check(b"new and longer", b"new and longer");
        check(b"something else", b"something else");
    }
}
