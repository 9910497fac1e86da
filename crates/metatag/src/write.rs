//! Writing metadata to a picture: everything is checked and put together in memory before the file is touched.

use std::path::Path;

use files::{Locks, Roots};

use crate::container::{FormatError, Picture, Rewritten};
use crate::error::{Error, Kind};
use crate::model::{self, Note, Wish};
use crate::stores::Stores;
use crate::target::Target;
use crate::verify::verify;

/// Larger pictures would be held in memory twice.
const LARGEST: u64 = 256 << 20;

/// Writes metadata to pictures, one call a picture at a time.
#[derive(Debug)]
pub struct Writer {
    locks: Locks,
    /// How a picture is put together; tests have another way, which makes mistakes.
    rewrite: fn(&Picture<'_>, &Stores) -> Result<Rewritten, FormatError>,
}

/// What a call did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Done {
    /// Whether the file was changed at all.
    pub effect: Effect,
    /// What to tell whoever asked.
    pub notes: Vec<Note>,
    /// How many other names of the file still lead to what it was.
    pub left_behind: u64,
}

/// Whether a call changed the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// It has new metadata.
    Written,
    /// It had all of it; not a byte was touched.
    Nothing,
}

impl Default for Writer {
    fn default() -> Writer {
        Writer { locks: Locks::default(), rewrite: |picture, stores| picture.rewrite(stores) }
    }
}

impl Writer {
    /// Fulfils a wish for the picture at this path, if it is under one of the roots.
    pub fn write(&self, roots: &Roots, path: &Path, wish: &Wish) -> Result<Done, Error> {
        self.try_write(roots, path, wish).map_err(|kind| Error::new(path, kind))
    }

    fn try_write(&self, roots: &Roots, path: &Path, wish: &Wish) -> Result<Done, Kind> {
        if !path.is_absolute() {
            return Err(Kind::RelativePath);
        }
        model::check(wish)?;
        let place = roots.resolve(path)?;
        let (target, _guard) = Target::lock(roots, &place, &self.locks)?;
        let original = target.read(LARGEST)?;
        let picture = original.picture();
        if matches!(picture, Err(FormatError::Unsupported)) {
            return Err(Kind::Unsupported);
        }
        if !original.is_writable() {
            return Err(Kind::NotWritable(
                "this user may not write it; give write access or choose another file".into(),
            ));
        }
        let picture = picture?;
        let applied = model::apply(picture.container(), picture.stores(), wish)?;
        let mut notes = applied.notes;
        if !applied.changed {
            return Ok(Done { effect: Effect::Nothing, notes, left_behind: 0 });
        }
        let new = (self.rewrite)(&picture, &applied.stores)?;
        verify(&picture, &new, wish)?;
        notes.extend(new.notes.iter().copied().filter(|note| !notes.contains(note)).collect::<Vec<_>>());
        if new.bytes == original.bytes() {
            return Ok(Done { effect: Effect::Nothing, notes, left_behind: 0 });
        }
        let left_behind = original.replace(&new.bytes)?;
        Ok(Done { effect: Effect::Written, notes, left_behind })
    }

    /// One that puts pictures together in another way.
    #[cfg(test)]
    pub(crate) fn rewriting(rewrite: fn(&Picture<'_>, &Stores) -> Result<Rewritten, FormatError>) -> Writer {
        Writer { locks: Locks::default(), rewrite }
    }
}
