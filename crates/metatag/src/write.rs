//! Writing metadata to a picture: everything is checked and put together in memory before the file is touched.

use std::path::Path;

use files::{Locks, Roots};

use crate::error::{Error, Kind};
use crate::model::{Change, Note, Removal};
use crate::plan::{self, Draft, LARGEST, Plan, Rewrite};
use crate::preview::Preview;
use crate::report::Report;
use crate::target::{Subject, Target};
use crate::undo::Journal;
use crate::view::view;

/// Reads and writes the metadata of pictures, one change of a picture at a time.
#[derive(Debug)]
pub struct Writer {
    pub(crate) locks: Locks,
    pub(crate) journal: Journal,
    /// How a picture is put together; tests have another way, which makes mistakes.
    rewrite: Rewrite,
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
    /// Why the change cannot be undone, if it cannot.
    pub not_undoable: Option<String>,
}

/// Whether a call changed the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// It has new metadata.
    Written,
    /// It had all of it; not a byte was touched.
    Nothing,
}

/// What taking values away did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Removed {
    /// What became of the file.
    pub done: Done,
    /// What of the values was not there.
    pub missing: Removal,
}

impl Writer {
    /// One that remembers in this journal what it changes.
    pub fn new(journal: Journal) -> Writer {
        Writer { locks: Locks::default(), journal, rewrite: |picture, stores| picture.rewrite(stores) }
    }

    /// Makes a change to the picture at this path, if it is under one of the roots.
    pub fn write<'w>(
        &self,
        roots: &Roots,
        path: &Path,
        change: impl Into<Change<'w>>,
    ) -> Result<Done, Error> {
        self.change(roots, path, change.into()).map(|(done, _)| done).map_err(|kind| Error::new(path, kind))
    }

    /// Takes values away from the picture at this path, and says which were not there.
    pub fn remove(&self, roots: &Roots, path: &Path, removal: &Removal) -> Result<Removed, Error> {
        let (done, plan) = self.change(roots, path, removal.into()).map_err(|kind| Error::new(path, kind))?;
        Ok(Removed { done, missing: removal.missing_in(&view(&plan.before)) })
    }

    /// What a change would make of the picture at this path. Nothing is written.
    pub fn preview<'w>(
        &self,
        roots: &Roots,
        path: &Path,
        change: impl Into<Change<'w>>,
    ) -> Result<Preview, Error> {
        let change = change.into();
        let planned = || {
            let subject = Target::find(roots, &plan::find(roots, path, change)?)?.read(LARGEST)?;
            let draft = plan::draft(&subject, change, self.rewrite)?;
            draft.verify()?;
            Ok((draft.into_plan(), subject.bytes().len() as u64))
        };
        let (plan, size) = planned().map_err(|kind: Kind| Error::new(path, kind))?;
        Ok(Preview::of(path, size, &plan))
    }

    /// What the picture at this path says.
    pub fn read(&self, roots: &Roots, path: &Path) -> Result<Report, Error> {
        let read = || {
            if !path.is_absolute() {
                return Err(Kind::RelativePath);
            }
            let subject =
                Target::find(roots, &roots.resolve(path)?)?.read(LARGEST).map_err(Kind::not_read)?;
            let picture = subject.picture().map_err(|error| Kind::not_parsed(&error))?;
            Ok(Report::of(path, subject.bytes().len() as u64, &picture))
        };
        read().map_err(|kind| Error::new(path, kind))
    }

    fn change(&self, roots: &Roots, path: &Path, change: Change<'_>) -> Result<(Done, Plan), Kind> {
        let place = plan::find(roots, path, change)?;
        let (target, _guard) = Target::lock(roots, &place, &self.locks)?;
        let subject = target.read(LARGEST)?;
        let draft = plan::draft(&subject, change, self.rewrite)?;
        let (left_behind, not_undoable) = match draft.bytes() {
            Some(bytes) => self.commit(&subject, &draft, bytes)?,
            None => draft.verify().map(|()| (0, None))?,
        };
        let plan = draft.into_plan();
        subject.done();
        let effect = if plan.after.is_some() { Effect::Written } else { Effect::Nothing };
        Ok((Done { effect, notes: plan.notes.clone(), left_behind, not_undoable }, plan))
    }

    /// The last step. While the new bytes go to the disk, beside the old ones, they are read back and compared, and the
    /// change goes to the journal: so there is none that is wrong, and none that cannot be undone. But none fails because
    /// of the journal. An entry of a change that was found wrong does no harm, so neither waits for the other.
    fn commit(
        &self,
        subject: &Subject,
        draft: &Draft<'_, '_>,
        bytes: &[u8],
    ) -> Result<(u64, Option<String>), Kind> {
        let mut not_undoable = None;
        let left_behind = subject.replace_while(bytes, || {
            let record = || self.journal.record(subject.path(), subject.bytes(), bytes);
            let (recorded, verified) = files::at_once(record, || draft.verify());
            not_undoable = recorded.err().map(|error| error.to_string());
            Ok(verified?)
        })?;
        Ok((left_behind, not_undoable))
    }

    /// One that puts pictures together in another way.
    #[cfg(test)]
    pub(crate) fn rewriting(rewrite: Rewrite) -> Writer {
        Writer { rewrite, ..Writer::default() }
    }
}

impl Default for Writer {
    /// One that remembers nothing.
    fn default() -> Writer {
        Writer::new(Journal::new(None))
    }
}
