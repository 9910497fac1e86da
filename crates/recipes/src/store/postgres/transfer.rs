//! Moving what is kept: export, restore, and a copy into a file.

use std::path::Path;
use std::sync::Arc;

use tokio::sync::mpsc::channel;

use crate::auth::Scope;
use crate::error::Error;
use crate::record::{OnConflict, Restored, Source};
use crate::store::sql::{Engine, How, Sql};
use crate::store::sqlite::{Place, Sqlite};
use crate::store::transfer::WAITING;
use crate::store::{Answer, Families, Records, Transfer, export, restore};

use super::Postgres;
use super::pool::Pool;
use super::transaction::{Ended, Mode, Transaction};

/// Records that go into a copy at once.
const AT_ONCE: usize = 500;

impl Transfer for Postgres {
    /// A task reads, until everything was read or nobody listens any more.
    fn export<'a>(&'a self, scope: &'a Scope) -> Answer<'a, Records> {
        Box::pin(async move {
            let (out, records) = channel(WAITING);
            let (pool, scope) = (self.primary().await?.another(), scope.clone());
            pool.handle()?.spawn(async move {
                if let Err(error) = read(&pool, &scope, &out).await {
                    let _ = out.send(Err(error)).await;
                }
            });
            Ok(records)
        })
    }

    fn restore<'a>(
        &'a self,
        scope: &'a Scope,
        records: Arc<dyn Source>,
        on_conflict: OnConflict,
    ) -> Answer<'a, Restored> {
        self.run(How::Write, scope, (records, on_conflict), |tx, scope, what| {
            Box::pin(restore::restore(tx, scope, what))
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

async fn read(pool: &Pool, scope: &Scope, out: &export::Out) -> Result<(), Error> {
    let transaction = Transaction::begin(pool, scope, Mode::Read).await?;
    let done = export::everything(&Sql::Postgres(&transaction), scope, out).await;
    match transaction.end(done).await {
        Ended::Done(answer) => answer,
        Ended::Lost(error) => Err(error.into()),
    }
}
