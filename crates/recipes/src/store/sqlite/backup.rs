//! Moving what is kept: export, restore, and a copy of the whole file.

use std::path::Path;
use std::sync::{Arc, Mutex};

use tokio::sync::mpsc::channel;

use crate::auth::Scope;
use crate::error::Error;
use crate::record::{OnConflict, Restored, Source};
use crate::store::sql::{Engine, How, Sql};
use crate::store::transfer::WAITING;
use crate::store::{Answer, Records, Transfer, export, restore};

use super::database::{Access, connect};
use super::{Sqlite, locked};

impl Transfer for Sqlite {
    /// A thread reads, until everything was read or nobody listens any more.
    fn export<'a>(&'a self, scope: &'a Scope) -> Answer<'a, Records> {
        Box::pin(async move {
            let (out, records) = channel(WAITING);
            let (path, scope) = (self.database()?.path.clone(), scope.clone());
            let started = std::thread::Builder::new().name("recipes-export".to_owned()).spawn(move || {
                if let Err(error) = read(&path, &scope, &out) {
                    let _ = out.blocking_send(Err(error));
                }
            });
            started.map_err(|error| Error::unavailable(format!("cannot start a thread: {error}")))?;
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

    fn backup<'a>(&'a self, scope: &'a Scope, to: &'a Path) -> Answer<'a, ()> {
        let to = to.to_owned();
        if let Err(error) = scope.must_be_god() {
            return Box::pin(async move { Err(error) });
        }
        self.read_long(move |connection| {
            let connection = locked(connection);
            let path =
                to.to_str().ok_or_else(|| Error::invalid("path", "must be UTF-8; choose another name"))?;
            if to.exists() {
                return Err(Error::invalid(
                    "path",
                    format!("`{path}` is there already; choose another name"),
                ));
            }
            connection.pragma_update(None, "query_only", false)?;
            let copied = connection.execute("VACUUM INTO ?1", [path]);
            connection.pragma_update(None, "query_only", true)?;
            copied?;
            let copy = files::close_to_others(&to)
                .and_then(|()| std::fs::File::options().write(true).open(&to))
                .and_then(|file| file.sync_all());
            copy.map_err(|error| Error::unavailable(format!("cannot finish the backup `{path}`: {error}")))
        })
    }
}

fn read(path: &Path, scope: &Scope, out: &export::Out) -> Result<(), Error> {
    let connection = connect(path, Access::Read)?;
    connection.execute_batch("BEGIN")?;
    let runtime = tokio::runtime::Builder::new_current_thread().build().map_err(Error::unavailable)?;
    let connection = Mutex::new(connection);
    Ok(runtime.block_on(export::everything(&Sql::Sqlite(&connection), scope, out))?)
}
