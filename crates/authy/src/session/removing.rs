//! Secrets removed.

use super::Session;
use super::work::News;
use crate::audit::Operation;
use crate::capability::Capability;
use crate::error::Result;
use crate::name::SecretName;

impl Session {
    /// Removes a secret with all its versions. Gives whether there was one. Needs `remove`.
    pub fn remove(&self, name: &SecretName) -> Result<bool> {
        self.change(Operation::Remove, Some(name.as_str()), |work| {
            work.keys.require_scope(name)?;
            work.keys.require(Capability::Remove)?;
            let Some(opened) = work.look_up(name)? else {
                work.check_absent(name)?;
                work.detail = Some("not there".into());
                return Ok(false);
            };
            let contents = work.keys.writer()?.contents;
            work.changed.went(&contents, "record", &opened.row.lookup, opened.row.revision);
            work.store.delete_record(opened.row.id)?;
            work.news.push(News::Gone(name.clone()));
            Ok(true)
        })
    }
}
