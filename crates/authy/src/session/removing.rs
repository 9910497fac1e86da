//! Secrets removed.

use super::Session;
use super::pending::Left;
use super::record::Opened;
use super::work::Work;
use crate::audit::Operation;
use crate::capability::Capability;
use crate::error::Result;
use crate::name::SecretName;
use crate::store::RecordRow;

impl Session {
    /// Removes a secret with all its versions: it goes to the trash, where [`Session::restore`] finds it for 30 days. Gives
    /// whether there was one. Needs `remove`.
    pub fn remove(&self, name: &SecretName) -> Result<bool> {
        self.change(Operation::Remove, Some(name.as_str()), |work| {
            work.keys.require_scope(name)?;
            work.keys.require(Capability::Remove)?;
            let there = if work.keys.holder.is_some() {
                let there = work.look_up(name)?.is_some();
                if there {
                    work.leave(&Left::Removed { name: name.clone() })?;
                }
                there
            } else {
                let opened = work.look_up_kept(name)?;
                let there = opened.is_some();
                if let Some(opened) = opened {
                    work.throw_away(opened)?;
                    work.sweep()?;
                }
                there
            };
            if !there {
                work.detail = Some("not there".into());
            }
            Ok(there)
        })
    }
}

impl Work<'_> {
    /// Takes a record out of the vault for good.
    pub(super) fn discard(&mut self, opened: &Opened) -> Result<()> {
        self.unshare(opened.row.id)?;
        self.store.delete_record(opened.row.id)?;
        self.set_leaf(RecordRow::leaf(&opened.row.lookup), None);
        self.records -= 1;
        Ok(())
    }
}
