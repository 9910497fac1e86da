//! The trash: what was removed, brought back or deleted for good.
//!
//! A record in the trash is found by no name and shared with no grant, and it has got a new key: whoever shared it has no
//! key to it when it comes back.

use std::time::Duration;

use super::Session;
use super::record::{Opened, owners_key, record_lookup, trash_lookup};
use super::work::{News, Work};
use crate::audit::Operation;
use crate::capability::Capability;
use crate::error::{Error, Result};
use crate::keys::Key;
use crate::name::SecretName;
use crate::secret::SecretInfo;

/// How long a removed secret is kept.
const KEPT_FOR: Duration = Duration::from_secs(30 * 24 * 3600);

impl Session {
    /// What is in the trash, the last removed first. Needs the owner.
    pub fn trash(&self) -> Result<Vec<SecretInfo>> {
        self.read(Operation::List, Some("trash"), |work| {
            work.keys.require(Capability::Admin)?;
            let mut infos: Vec<SecretInfo> = work.trash()?.into_iter().map(|opened| opened.info).collect();
            infos.sort_by_key(|info| std::cmp::Reverse(info.removed));
            Ok(infos)
        })
    }

    /// Brings a removed secret back, the last removed of that name, with its versions and all that was said about it. Needs
    /// the owner.
    pub fn restore(&self, name: &SecretName) -> Result<()> {
        self.change(Operation::Restore, Some(name.as_str()), |work| {
            work.keys.require(Capability::Admin)?;
            if work.look_up_kept(name)?.is_some() {
                return Err(Error::AlreadyExists(name.clone()));
            }
            let removed = work.trash()?.into_iter().filter(|opened| opened.info.name == *name);
            let mut opened = removed
                .max_by_key(|opened| opened.info.removed)
                .ok_or_else(|| Error::NotInTrash(name.clone()))?;
            opened.info.removed = None;
            let (id, key) = (opened.row.id, Key::random()?);
            let lookup = record_lookup(&work.keys.owner()?.root.names, name);
            work.reseal_record(opened, &key, &lookup)?;
            work.share_with_all(name, id, &key)
        })
    }

    /// Deletes what is in the trash for good, or only what had this name. Gives how many there were. Needs the owner.
    pub fn empty_trash(&self, name: Option<&SecretName>) -> Result<usize> {
        self.change(Operation::Purge, name.map(SecretName::as_str), |work| {
            work.keys.require(Capability::Admin)?;
            let mut count = 0;
            for opened in work.trash()? {
                if name.is_none_or(|name| opened.info.name == *name) {
                    work.discard(&opened)?;
                    count += 1;
                }
            }
            work.detail = Some(format!("{count} deleted"));
            Ok(count)
        })
    }
}

impl Work<'_> {
    /// Moves a record to the trash. One that does not open any more is deleted instead: nothing could be brought back.
    pub(super) fn throw_away(&mut self, mut opened: Opened) -> Result<()> {
        let (id, before, name) = (opened.row.id, opened.row.lookup, opened.info.name.clone());
        self.unshare(id)?;
        opened.info.removed = Some(self.now);
        opened.row.value = self.store.record_by_id(id)?.map(|row| row.value).unwrap_or_default();
        let lookup = trash_lookup(&self.keys.owner()?.root.names, id);
        match self.reseal_record(opened, &Key::random()?, &lookup) {
            Err(Error::Damaged { .. }) => {
                self.store.delete_record(id)?;
                self.set_leaf(crate::store::RecordRow::leaf(&before), None);
                self.records -= 1;
                self.news.push(News::Gone(name));
                Ok(())
            }
            done => done,
        }
    }

    /// Everything in the trash, with values. What is damaged is left out.
    pub(super) fn trash(&mut self) -> Result<Vec<Opened>> {
        let mut trash = Vec::new();
        for row in self.store.records()? {
            let info = match self.known_record(&row) {
                Ok(info) if info.removed.is_some() => info,
                Ok(_) | Err(Error::Damaged { .. }) => continue,
                Err(error) => return Err(error),
            };
            let Some(row) = self.store.record_by_id(row.id)? else { continue };
            let key = owners_key(self.keys, &row)?;
            trash.push(Opened { row, key, info });
        }
        Ok(trash)
    }

    /// Deletes what has been in the trash for long enough.
    pub(super) fn sweep(&mut self) -> Result<()> {
        for opened in self.trash()? {
            if opened.info.removed.is_some_and(|removed| removed.after(KEPT_FOR) <= self.now) {
                self.discard(&opened)?;
            }
        }
        Ok(())
    }
}
