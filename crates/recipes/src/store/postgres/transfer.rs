//! Moving what is kept: export, restore, and a copy into a file.

use std::path::Path;
use std::sync::Arc;

use crate::auth::Scope;
use crate::error::Error;
use crate::record::{OnConflict, Restored, Source};
use crate::store::sqlite::{Place, Sqlite};
use crate::store::{Answer, Families, Records, Transfer};

use super::{Postgres, export, restore};

/// Records that go into a copy at once.
const AT_ONCE: usize = 500;

impl Transfer for Postgres {
    fn export<'a>(&'a self, scope: &'a Scope) -> Answer<'a, Records> {
        Box::pin(async move { export::start(self.primary().await?.another(), scope.clone()) })
    }

    fn restore<'a>(
        &'a self,
        scope: &'a Scope,
        records: Arc<dyn Source>,
        on_conflict: OnConflict,
    ) -> Answer<'a, Restored> {
        self.write(scope, move |tx| {
            let records = Arc::clone(&records);
            Box::pin(async move { restore::restore(tx, scope, &*records, on_conflict).await })
        })
    }

    /// The copy is a SQLite cookbook with everything an archive has: families, members, recipes, photos, plans and lists.
    /// Keys, links and sessions are not in it; `pg_dump` takes those as well.
    fn backup<'a>(&'a self, scope: &'a Scope, to: &'a Path) -> Answer<'a, ()> {
        Box::pin(async move {
            scope.must_be_god()?;
            if to.exists() {
                let reason = format!("`{}` is there already; choose another name", to.display());
                return Err(Error::invalid("path", reason));
            }
            let mut records = self.export(scope).await?;
            let copy = Sqlite::new(Place::File(to.to_owned()));
            let empty = copy.families(scope).await?;
            let mut waiting = Vec::with_capacity(AT_ONCE);
            while let Some(record) = records.recv().await {
                waiting.push(record?);
                if waiting.len() == AT_ONCE {
                    copy.restore(scope, Arc::new(std::mem::take(&mut waiting)), OnConflict::Skip).await?;
                }
            }
            copy.restore(scope, Arc::new(waiting), OnConflict::Skip).await?;
            // A new file has a family of its own, which is not one of ours.
            for family in empty {
                copy.delete_family(scope, family.id).await?;
            }
            Ok(())
        })
    }
}
