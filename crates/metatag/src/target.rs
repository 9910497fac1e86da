//! Which file holds the metadata of another: the picture itself, or a sidecar beside it.

use std::ffi::OsStr;
use std::path::Path;

use files::{Guard, Locks, OpenError, Original, Place, Roots};

use crate::container::{FormatError, Picture, sidecar};
use crate::error::Kind;
use crate::memory;

/// Where the metadata of a file goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// Into the file.
    Inside(Place),
    /// Into the sidecar that is there.
    Sidecar(Place),
    /// Into a sidecar that has to be made.
    NewSidecar {
        /// Where it will be.
        place: Place,
        /// The file it belongs to.
        of: Place,
    },
}

/// The file that changes, as it is now.
#[derive(Debug)]
pub enum Subject {
    /// A picture.
    Picture(Original),
    /// The sidecar of a file.
    Sidecar(Original),
    /// A sidecar that is not there yet.
    NewSidecar {
        /// Where it will be.
        place: Place,
        /// The file it belongs to.
        of: Place,
    },
}

impl Target {
    /// Finds out where the metadata of a file goes: by its name, its first bytes, and what is beside it.
    pub fn find(roots: &Roots, place: &Place) -> Result<Target, Kind> {
        let path = place.path();
        // Most files are neither, and are read only once.
        let may_be_beside = path.extension().and_then(OsStr::to_str).is_some_and(sidecar::is_known);
        if !may_be_beside || !sidecar::is_kept_beside(path, &place.begin(sidecar::HEAD as u64)?.bytes) {
            return Ok(Target::Inside(place.clone()));
        }
        for name in sidecar::names(path) {
            let Some(beside) = place.beside(&name) else { continue };
            // It may be a link, which must not lead out of the roots.
            if std::fs::symlink_metadata(beside.path()).is_ok() {
                return Ok(Target::Sidecar(roots.resolve(beside.path())?));
            }
        }
        let new = sidecar::names(path).first().and_then(|name| place.beside(name)).ok_or(Kind::NotFound)?;
        Ok(Target::NewSidecar { place: new, of: place.clone() })
    }

    /// The same, with the file that changes locked. While one waits for that, a sidecar may have been made.
    pub fn lock<'l>(roots: &Roots, place: &Place, locks: &'l Locks) -> Result<(Target, Guard<'l>), Kind> {
        loop {
            let target = Target::find(roots, place)?;
            let guard = locks.lock(target.place());
            if Target::find(roots, place)? == target {
                return Ok((target, guard));
            }
        }
    }

    /// The file that changes.
    pub fn place(&self) -> &Place {
        match self {
            Target::Inside(place) | Target::Sidecar(place) | Target::NewSidecar { place, .. } => place,
        }
    }

    /// Reads the file, if it has at most `limit` bytes.
    pub fn read(self, limit: u64) -> Result<Subject, OpenError> {
        Ok(match self {
            Target::Inside(place) => Subject::Picture(place.read_into(limit, memory::take)?),
            Target::Sidecar(place) => Subject::Sidecar(place.read(limit)?),
            Target::NewSidecar { place, of } => Subject::NewSidecar { place, of },
        })
    }
}

impl Subject {
    /// What is in it.
    pub fn bytes(&self) -> &[u8] {
        match self {
            Subject::Picture(original) | Subject::Sidecar(original) => original.bytes(),
            Subject::NewSidecar { .. } => &[],
        }
    }

    /// Nothing needs what was read any more.
    pub fn done(self) {
        match self {
            Subject::Picture(original) | Subject::Sidecar(original) => memory::give(original.into_bytes()),
            Subject::NewSidecar { .. } => {}
        }
    }

    /// Where it is, or will be.
    pub fn path(&self) -> &Path {
        match self {
            Subject::Picture(original) | Subject::Sidecar(original) => original.path(),
            Subject::NewSidecar { place, .. } => place.path(),
        }
    }

    /// It, taken apart.
    pub fn picture(&self) -> Result<Picture<'_>, FormatError> {
        match self {
            Subject::Picture(original) => Picture::parse(original.bytes()),
            Subject::Sidecar(_) | Subject::NewSidecar { .. } => Ok(Picture::sidecar(self.bytes())),
        }
    }

    /// Whether this process may write to it. Of one that is not there yet, only the attempt tells.
    pub fn is_writable(&self) -> bool {
        match self {
            Subject::Picture(original) | Subject::Sidecar(original) => original.is_writable(),
            Subject::NewSidecar { .. } => true,
        }
    }

    /// Gives it new bytes, durably, and says how many other names still lead to the old ones. `meanwhile` runs before the
    /// change, while the new bytes are written; if it fails, there is none.
    pub fn replace_while(
        &self,
        bytes: &[u8],
        meanwhile: impl FnOnce() -> Result<(), Kind>,
    ) -> Result<u64, Kind> {
        match self {
            Subject::Picture(original) | Subject::Sidecar(original) => {
                Ok(original.replace_while(bytes, meanwhile)?.left_behind)
            }
            Subject::NewSidecar { place, of } => {
                meanwhile()?;
                place.create(bytes, of)?;
                Ok(0)
            }
        }
    }

    /// Gives it the bytes it had before. A sidecar that had none was not there, and goes.
    pub fn restore(&self, bytes: &[u8]) -> Result<u64, Kind> {
        match self {
            Subject::Sidecar(original) if bytes.is_empty() => {
                original.remove()?;
                Ok(original.other_names())
            }
            Subject::Picture(_) | Subject::Sidecar(_) | Subject::NewSidecar { .. } => {
                self.replace_while(bytes, || Ok(()))
            }
        }
    }
}
