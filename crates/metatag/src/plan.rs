//! What a change makes of a picture: everything up to the last step, with nothing written.

use std::path::Path;

use files::{Modified, Place, Roots};

use crate::container::{FormatError, Picture, Rewritten};
use crate::error::Kind;
use crate::memory;
use crate::model::{self, ApplyError, Change, Note};
use crate::stores::{Container, LONGEST_BLOCK, Stores};
use crate::target::Subject;
use crate::verify::{VerifyError, verify};
use crate::xmp::XmpError;

/// Larger pictures would be held in memory twice.
pub(crate) const LARGEST: u64 = 256 << 20;

/// How a picture is put together.
pub(crate) type Rewrite = fn(&Picture<'_>, &Stores) -> Result<Rewritten, FormatError>;

/// What a change makes of a picture, put together and not yet read back.
#[derive(Debug)]
pub(crate) struct Draft<'p, 'c> {
    picture: Picture<'p>,
    change: Change<'c>,
    /// Put together anew, if anything was to change.
    new: Option<Rewritten>,
    /// Whether that has other bytes.
    is_changed: bool,
    notes: Vec<Note>,
}

/// What a change makes of a picture.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) container: Container,
    /// The metadata as it is.
    pub(crate) before: Stores,
    /// The file and its metadata as they would be; nothing if not a byte changes.
    pub(crate) after: Option<After>,
    /// What to tell whoever asked.
    pub(crate) notes: Vec<Note>,
}

#[derive(Debug)]
pub(crate) struct After {
    pub(crate) size: u64,
    pub(crate) stores: Stores,
}

/// Finds the file that a change is about. What is wrong with the change itself comes first.
pub(crate) fn find(roots: &Roots, path: &Path, change: Change<'_>) -> Result<Place, Kind> {
    if !path.is_absolute() {
        return Err(Kind::RelativePath);
    }
    model::check(change)?;
    Ok(roots.resolve(path)?)
}

/// Puts a changed picture together.
pub(crate) fn draft<'p, 'c>(
    subject: &'p Subject,
    change: Change<'c>,
    rewrite: Rewrite,
) -> Result<Draft<'p, 'c>, Kind> {
    let picture = subject.picture();
    if matches!(picture, Err(FormatError::Unsupported)) {
        return Err(Kind::Unsupported);
    }
    check_writable(subject)?;
    let picture = picture?;
    check_lengths(&picture)?;
    let applied = model::apply(picture.container(), picture.stores(), change)?;
    let mut draft = Draft { picture, change, new: None, is_changed: false, notes: applied.notes };
    if !applied.changed {
        return Ok(draft);
    }
    let new = rewrite(&draft.picture, &applied.stores)?;
    for note in &new.notes {
        if !draft.notes.contains(note) {
            draft.notes.push(*note);
        }
    }
    draft.is_changed = new.bytes != subject.bytes();
    if draft.is_changed && subject.is_beside() {
        draft.notes.push(Note::Sidecar);
    }
    draft.new = Some(new);
    Ok(draft)
}

impl Draft<'_, '_> {
    /// When the file was last modified, once it is written.
    pub(crate) fn modified(&self) -> Modified {
        self.change.modified()
    }

    /// What the file would be; nothing if not a byte changes.
    pub(crate) fn bytes(&self) -> Option<&[u8]> {
        self.new.as_ref().filter(|_| self.is_changed).map(|new| new.bytes.as_slice())
    }

    /// Reads the new file back and compares it with the old one and with what was asked for. Nothing that was not may
    /// become the picture.
    pub(crate) fn verify(&self) -> Result<(), VerifyError> {
        self.new.as_ref().map_or(Ok(()), |new| verify(&self.picture, new, self.change))
    }

    /// What there is to say about it, when nothing needs the new bytes any more. Metadata may be large, so it is copied only
    /// now, when nobody reads it back at the same time.
    pub(crate) fn into_plan(self) -> Plan {
        let Draft { picture, new, is_changed, notes, .. } = self;
        let after = new.map(|Rewritten { bytes, stores, .. }| {
            let size = bytes.len() as u64;
            memory::give(bytes);
            After { size, stores }
        });
        Plan {
            container: picture.container(),
            before: picture.stores().clone(),
            after: after.filter(|_| is_changed),
            notes,
        }
    }
}

/// Blocks are held several times while they are changed, so those that are longer than any are refused before.
fn check_lengths(picture: &Picture<'_>) -> Result<(), Kind> {
    let Stores { exif, xmp, extended_xmp, further_xmp, .. } = picture.stores();
    if exif.as_ref().is_some_and(|exif| exif.len() > LONGEST_BLOCK) {
        let reason = "its EXIF block has more than 16 MiB".to_owned();
        return Err(FormatError::Unsafe { format: picture.container().name(), reason }.into());
    }
    if xmp.iter().chain(extended_xmp).chain(further_xmp).any(|packet| packet.len() > LONGEST_BLOCK) {
        return Err(ApplyError::Xmp(XmpError::TooMuch { limit: "16 MiB" }).into());
    }
    Ok(())
}

pub(crate) fn check_writable(subject: &Subject) -> Result<(), Kind> {
    Ok(subject.check_writable()?)
}
