//! What a change makes of a picture: everything up to the last step, with nothing written.

use std::path::Path;

use files::{Place, Roots};

use crate::container::{FormatError, Picture, Rewritten};
use crate::error::Kind;
use crate::model::{self, Change, Note};
use crate::stores::{Container, Stores};
use crate::target::Subject;
use crate::verify::verify;

/// Larger pictures would be held in memory twice.
pub(crate) const LARGEST: u64 = 256 << 20;

/// How a picture is put together.
pub(crate) type Rewrite = fn(&Picture<'_>, &Stores) -> Result<Rewritten, FormatError>;

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
    pub(crate) bytes: Vec<u8>,
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

/// Plans a change. The new file is read back and compared before it counts as planned.
pub(crate) fn plan(subject: &Subject, change: Change<'_>, rewrite: Rewrite) -> Result<Plan, Kind> {
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
        return Ok(plan);
    }
    let new = rewrite(&picture, &applied.stores)?;
    verify(&picture, &new, change)?;
    for note in new.notes {
        if !plan.notes.contains(&note) {
            plan.notes.push(note);
        }
    }
    if new.bytes != subject.bytes() {
        plan.after = Some(After { bytes: new.bytes, stores: new.stores });
    }
    Ok(plan)
}

pub(crate) fn check_writable(subject: &Subject) -> Result<(), Kind> {
    if subject.is_writable() {
        return Ok(());
    }
    Err(Kind::NotWritable("this user may not write it; give write access or choose another file".into()))
}
