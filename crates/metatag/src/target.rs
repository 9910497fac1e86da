//! Which file holds the metadata of another: the picture itself, or a sidecar beside it.

use std::ffi::OsStr;
use std::path::Path;

use files::{Guard, How, OpenError, Original, Place, ReplaceError, Replaced, Replacement, Roots};

use crate::container::{FormatError, Picture, sidecar};
use crate::error::Kind;
use crate::memory;
use crate::xmp;

/// A sidecar is one packet.
const LONGEST_SIDECAR: u64 = xmp::MOST_BYTES as u64;

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
    /// Into the XMP file that was named itself.
    Xmp(Place),
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
    /// An XMP file that was named itself.
    Xmp(Original),
}

impl Target {
    /// Finds out where the metadata of a file goes: by its name, its first bytes, and what is beside it.
    pub fn find(roots: &Roots, place: &Place) -> Result<Target, Kind> {
        let path = place.path();
        if sidecar::is_xmp(path) {
            return Ok(Target::Xmp(place.clone()));
        }
        // Most files are neither, and are read only once.
        let may_be_beside = path.extension().and_then(OsStr::to_str).is_some_and(sidecar::is_known);
        if !may_be_beside || !sidecar::is_kept_beside(path, &place.begin(sidecar::HEAD as u64)?.bytes) {
            return Ok(Target::Inside(place.clone()));
        }
        for name in sidecar::names(path) {
            let Some(beside) = place.beside(&name) else { continue };
            // It may be a link, which must not lead out of the roots.
            if std::fs::symlink_metadata(beside.path()).is_ok() {
                let sidecar = roots.resolve(beside.path());
                // The path that was given is not the one to blame.
                return sidecar.map(Target::Sidecar).map_err(|error| Kind::NotReadable(error.to_string()));
            }
        }
        let new = sidecar::names(path).first().and_then(|name| place.beside(name)).ok_or(Kind::NotFound)?;
        Ok(Target::NewSidecar { place: new, of: place.clone() })
    }

    /// The same, with the file locked, and the sidecar too if there is one: several files may share it.
    pub fn lock(roots: &Roots, place: &Place) -> Result<(Target, Vec<Guard>), Kind> {
        let mut guards = vec![place.lock()?];
        let target = Target::find(roots, place)?;
        match &target {
            Target::Sidecar(sidecar) => guards.push(sidecar.lock()?),
            Target::Inside(_) | Target::NewSidecar { .. } | Target::Xmp(_) => {}
        }
        Ok((target, guards))
    }

    /// The same for a sidecar that is not there, since it was taken back: its file is, and leads to it.
    pub(crate) fn lock_missing(roots: &Roots, sidecar: &Path) -> Result<(Target, Vec<Guard>), Kind> {
        let of = sidecar.with_extension("");
        if !sidecar::is_xmp(sidecar) || of == sidecar {
            return Err(Kind::NotFound);
        }
        let (target, guards) = Target::lock(roots, &roots.resolve(&of)?)?;
        match &target {
            Target::NewSidecar { place, .. } if place.path().file_name() == sidecar.file_name() => {
                Ok((target, guards))
            }
            Target::Inside(_) | Target::Sidecar(_) | Target::NewSidecar { .. } | Target::Xmp(_) => {
                Err(Kind::NotFound)
            }
        }
    }

    /// The file that changes.
    pub fn place(&self) -> &Place {
        match self {
            Target::Inside(place)
            | Target::Sidecar(place)
            | Target::NewSidecar { place, .. }
            | Target::Xmp(place) => place,
        }
    }

    /// Reads the file, if it has at most `limit` bytes.
    pub fn read(self, limit: u64) -> Result<Subject, OpenError> {
        Ok(match self {
            Target::Inside(place) => Subject::Picture(place.read_into(limit, memory::take)?),
            Target::Sidecar(place) => Subject::Sidecar(place.read(limit.min(LONGEST_SIDECAR))?),
            Target::NewSidecar { place, of } => Subject::NewSidecar { place, of },
            Target::Xmp(place) => Subject::Xmp(place.read(limit.min(LONGEST_SIDECAR))?),
        })
    }
}

impl Subject {
    /// What is in it.
    pub fn bytes(&self) -> &[u8] {
        match self {
            Subject::Picture(original) | Subject::Sidecar(original) | Subject::Xmp(original) => {
                original.bytes()
            }
            Subject::NewSidecar { .. } => &[],
        }
    }

    /// Nothing needs what was read any more.
    pub fn done(self) {
        match self {
            Subject::Picture(original) | Subject::Sidecar(original) | Subject::Xmp(original) => {
                memory::give(original.into_bytes());
            }
            Subject::NewSidecar { .. } => {}
        }
    }

    /// Where it is, or will be.
    pub fn path(&self) -> &Path {
        match self {
            Subject::Picture(original) | Subject::Sidecar(original) | Subject::Xmp(original) => {
                original.path()
            }
            Subject::NewSidecar { place, .. } => place.path(),
        }
    }

    /// It, taken apart.
    pub fn picture(&self) -> Result<Picture<'_>, FormatError> {
        match self {
            Subject::Sidecar(_) | Subject::NewSidecar { .. } => Ok(Picture::sidecar(self.bytes())),
            Subject::Xmp(original) if sidecar::begins_like_xmp(original.bytes()) => {
                Ok(Picture::sidecar(original.bytes()))
            }
            Subject::Picture(original) | Subject::Xmp(original) => Picture::parse(original.bytes()),
        }
    }

    /// Whether it holds the metadata of another file.
    pub fn is_beside(&self) -> bool {
        match self {
            Subject::Sidecar(_) | Subject::NewSidecar { .. } => true,
            Subject::Picture(_) | Subject::Xmp(_) => false,
        }
    }

    /// Whether this process may write to it. Of one that is not there yet, only the attempt tells.
    pub fn check_writable(&self) -> Result<(), ReplaceError> {
        match self {
            Subject::Picture(original) | Subject::Sidecar(original) | Subject::Xmp(original) => {
                original.check_writable()
            }
            Subject::NewSidecar { .. } => Ok(()),
        }
    }

    /// Gives it new bytes. `meanwhile` runs before the change, while the new bytes are written; if it fails, there is no
    /// change. A sidecar without bytes goes.
    pub fn replace_while(
        &self,
        replacement: Replacement<'_>,
        meanwhile: impl FnOnce() -> Result<(), Kind>,
    ) -> Result<Replaced, Kind> {
        match self {
            Subject::Sidecar(original) | Subject::Xmp(original) if replacement.bytes.is_empty() => {
                meanwhile()?;
                let unsynced = original.remove()?;
                Ok(Replaced { how: How::Renamed, left_behind: original.other_names(), unsynced })
            }
            Subject::Picture(original) | Subject::Sidecar(original) | Subject::Xmp(original) => {
                original.replace_while(replacement, meanwhile)
            }
            Subject::NewSidecar { place, of } => {
                meanwhile()?;
                Ok(place.create(replacement.bytes, of)?)
            }
        }
    }
}
