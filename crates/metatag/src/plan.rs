//! What a change makes of a picture: everything up to the last step, with nothing written.

use std::path::Path;

use files::{Modified, Place, Roots};

use crate::container::{FormatError, Picture, Rewritten};
use crate::error::Kind;
use crate::memory;
use crate::model::{self, Change, Note};
use crate::stores::{Container, Stores};
use crate::target::Subject;
use crate::verify::{VerifyError, verify};

/// Larger pictures would be held in memory twice.
pub(crate) const LARGEST: u64 = 256 << 20;

/// How a picture is put together.
pub(crate) type Rewrite = fn(&Picture<'_>, &Stores) -> Result<Rewritten, FormatError>;

/// What a change makes of a picture, put together and not yet read back.
#[derive(Debug)]
pub(crate) struct Draft<'p, 'c> {
    picture: Picture<'p>,
    change: Change<'c>,
    new: Option<Rewritten>,
    plan: Plan,
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
    let applied = model::apply(picture.container(), picture.stores(), change)?;
    let mut plan = Plan {
        container: picture.container(),
        before: picture.stores().clone(),
        after: None,
        notes: applied.notes,
    };
    if !applied.changed {
        return Ok(Draft { picture, change, new: None, plan });
    }
    let new = rewrite(&picture, &applied.stores)?;
    for note in &new.notes {
        if !plan.notes.contains(note) {
            plan.notes.push(*note);
        }
    }
    if new.bytes != subject.bytes() {
        if subject.is_beside() {
            plan.notes.push(Note::Sidecar);
        }
        plan.after = Some(After { size: new.bytes.len() as u64, stores: new.stores.clone() });
    }
    Ok(Draft { picture, change, new: Some(new), plan })
}

impl Draft<'_, '_> {
    /// When the file was last modified, once it is written.
    pub(crate) fn modified(&self) -> Modified {
        self.change.modified()
    }

    /// What the file would be; nothing if not a byte changes.
    pub(crate) fn bytes(&self) -> Option<&[u8]> {
        self.plan.after.as_ref().and(self.new.as_ref()).map(|new| new.bytes.as_slice())
    }

    /// Reads the new file back and compares it with the old one and with what was asked for. Nothing that was not may
    /// become the picture.
    pub(crate) fn verify(&self) -> Result<(), VerifyError> {
        self.new.as_ref().map_or(Ok(()), |new| verify(&self.picture, new, self.change))
    }

    /// What there is to say about it, when nothing needs the new bytes any more.
    pub(crate) fn into_plan(self) -> Plan {
        self.new.into_iter().for_each(|new| memory::give(new.bytes));
        self.plan
    }
}

pub(crate) fn check_writable(subject: &Subject) -> Result<(), Kind> {
    Ok(subject.check_writable()?)
}
