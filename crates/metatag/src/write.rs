//! Writing metadata to a picture: everything is checked and put together in memory before the file is touched.

use std::path::Path;
use std::sync::Once;

use files::{Place, PrivateFolder, Replacement, Roots};

use crate::container::raw;
use crate::error::{Error, Kind};
use crate::model::{Change, Mode, Note, Removal, keywords};
use crate::plan::{self, Draft, LARGEST, Plan, Rewrite};
use crate::preview::Preview;
use crate::report::Report;
use crate::target::{Subject, Target};
use crate::text;
use crate::undo::{BatchId, Journal, RecordKind, Remembered};
use crate::view::view;

/// Reads and writes the metadata of pictures, one change of a picture at a time.
#[derive(Debug)]
pub struct Writer {
    pub(crate) journal: Journal,
    /// How a picture is put together; tests have another way, which makes mistakes.
    rewrite: Rewrite,
    /// Whether files that a killed process was writing in place have been put right.
    recovered: Once,
}

/// How often a change is tried while other programs change the file too.
const MOST_ATTEMPTS: u32 = 5;

/// What a call did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Done {
    /// Whether the file was changed at all.
    pub effect: Effect,
    /// What to tell whoever asked.
    pub notes: Vec<Note>,
    /// How many other names of the file still lead to what it was.
    pub left_behind: u64,
    /// Tags that were there and gave way to others.
    pub replaced: Vec<String>,
    /// Why the change cannot be undone, if it cannot.
    pub not_undoable: Option<String>,
    /// Why it is not known whether the change would survive a power failure, if it is not.
    pub unsynced: Option<String>,
}

/// Whether a call changed the file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Effect {
    /// It has new metadata.
    Written,
    /// It had all of it; not a byte was touched.
    #[default]
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
        Writer { journal, rewrite: |picture, stores| picture.rewrite(stores), recovered: Once::new() }
    }

    /// Makes a change to the picture at this path, if it is under one of the roots.
    pub fn write<'w>(
        &self,
        roots: &Roots,
        path: &Path,
        change: impl Into<Change<'w>>,
    ) -> Result<Done, Error> {
        self.write_in(roots, path, change.into(), None)
    }

    /// The same, as a part of a batch.
    pub(crate) fn write_in(
        &self,
        roots: &Roots,
        path: &Path,
        change: Change<'_>,
        batch: Option<BatchId>,
    ) -> Result<Done, Error> {
        let changed = self.change(roots, path, change, batch);
        changed.map(|(done, _)| done).map_err(|kind| Error::new(path, kind))
    }

    /// Takes values away from the picture at this path, and says which were not there.
    pub fn remove(&self, roots: &Roots, path: &Path, removal: &Removal) -> Result<Removed, Error> {
        let (done, plan) =
            self.change(roots, path, removal.into(), None).map_err(|kind| Error::new(path, kind))?;
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
            let place = roots.resolve(path)?;
            let subject = Target::find(roots, &place)?.read(LARGEST).map_err(Kind::not_read)?;
            let picture = subject.picture().map_err(|error| Kind::not_parsed(&error))?;
            let report = Report::of(path, subject.bytes().len() as u64, &picture);
            if !subject.is_beside() {
                return Ok(report);
            }
            Ok(match raw::stores(place.open()?) {
                Ok(Some(stores)) => report.with_file(&stores),
                Ok(None) => report,
                Err(error) => report.without_file(&error),
            })
        };
        read().map_err(|kind| Error::new(path, kind))
    }

    fn change(
        &self,
        roots: &Roots,
        path: &Path,
        change: Change<'_>,
        batch: Option<BatchId>,
    ) -> Result<(Done, Plan), Kind> {
        self.recover();
        let place = plan::find(roots, path, change)?;
        let mut attempts = 1;
        loop {
            match self.try_change(roots, &place, change, batch) {
                // A program that does not lock files was faster: the change is made to what it wrote.
                Err(Kind::ChangedMeanwhile) if attempts < MOST_ATTEMPTS => attempts += 1,
                done => return done,
            }
        }
    }

    /// Puts files right that a killed process was writing in place, once.
    pub(crate) fn recover(&self) {
        self.recovered.call_once(|| {
            let folder = self.journal.copies().filter(|folder| folder.is_dir());
            if let Some(folder) = folder.and_then(|folder| PrivateFolder::open(&folder).ok()) {
                files::recover(&folder);
            }
        });
    }

    fn try_change(
        &self,
        roots: &Roots,
        place: &Place,
        change: Change<'_>,
        batch: Option<BatchId>,
    ) -> Result<(Done, Plan), Kind> {
        let (target, _guards) = Target::lock(roots, place)?;
        let subject = target.read(LARGEST)?;
        let draft = plan::draft(&subject, change, self.rewrite)?;
        let mut done = Done::default();
        match draft.bytes() {
            Some(bytes) => self.commit(&subject, &draft, bytes, batch, &mut done)?,
            None => draft.verify()?,
        }
        let plan = draft.into_plan();
        subject.done();
        done.notes.clone_from(&plan.notes);
        done.replaced = replaced(&plan, change);
        Ok((done, plan))
    }

    /// The last step. While the new bytes go to the disk, beside the old ones, they are read back and compared, and the
    /// change goes to the journal: so there is none that is wrong, and none that cannot be undone. But none fails because
    /// of the journal. An entry of a change that was not made is forgotten again, so neither waits for the other.
    fn commit(
        &self,
        subject: &Subject,
        draft: &Draft<'_, '_>,
        bytes: &[u8],
        batch: Option<BatchId>,
        done: &mut Done,
    ) -> Result<(), Kind> {
        let copies = self.journal.copies();
        let replacement = Replacement { bytes, modified: draft.modified(), copies: copies.as_deref() };
        let (path, old) = (subject.path(), subject.bytes());
        let remembered = Remembered { path, old, new: bytes, kind: RecordKind::Change, batch };
        let mut kept = None;
        let replaced = subject.replace_while(replacement, || {
            let record = || self.journal.record(remembered);
            let (recorded, verified) = files::at_once(record, || draft.verify());
            match recorded {
                Ok(record) => kept = Some(record),
                Err(error) => done.not_undoable = Some(error.to_string()),
            }
            Ok(verified?)
        });
        let replaced = replaced.inspect_err(|_: &Kind| self.journal.take_back(kept.as_slice()))?;
        done.effect = Effect::Written;
        done.left_behind = replaced.left_behind;
        done.unsynced = replaced.unsynced.map(|error| error.to_string());
        Ok(())
    }

    /// One that puts pictures together in another way.
    #[cfg(test)]
    pub(crate) fn rewriting(rewrite: Rewrite) -> Writer {
        Writer { rewrite, ..Writer::default() }
    }
}

/// The tags that a change takes away although nobody named them.
fn replaced(plan: &Plan, change: Change<'_>) -> Vec<String> {
    let Some(after) = &plan.after else { return Vec::new() };
    match change {
        Change::Write(wish)
            if wish.mode == Mode::Overwrite && wish.tags.as_ref().is_some_and(|tags| !tags.is_empty()) =>
        {
            let after = keywords::keys(&view(&after.stores).keywords);
            let before = view(&plan.before).keywords.into_iter();
            before.filter(|keyword| !after.contains(&text::key(keyword))).collect()
        }
        Change::Write(_) | Change::Remove(_) => Vec::new(),
    }
}

impl Default for Writer {
    /// One that remembers nothing.
    fn default() -> Writer {
        Writer::new(Journal::new(None))
    }
}
