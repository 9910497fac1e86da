//! Moving what is kept: export, restore, and a copy of the whole file.

use std::path::Path;
use std::sync::Arc;

use crate::auth::Scope;
use crate::error::Error;
use crate::record::{OnConflict, Restored, Source};
use crate::store::{Answer, Records, Transfer};

use super::{Sqlite, export, restore};

impl Transfer for Sqlite {
    fn export<'a>(&'a self, scope: &'a Scope) -> Answer<'a, Records> {
        Box::pin(async move { export::start(&*self.database()?, scope.clone()) })
    }

    fn restore<'a>(
        &'a self,
        scope: &'a Scope,
        records: Arc<dyn Source>,
        on_conflict: OnConflict,
    ) -> Answer<'a, Restored> {
        let scope = scope.clone();
        self.write(move |connection| restore::restore(connection, &scope, &*records, on_conflict))
    }

    fn backup<'a>(&'a self, scope: &'a Scope, to: &'a Path) -> Answer<'a, ()> {
        let to = to.to_owned();
        if let Err(error) = scope.must_be_god() {
            return Box::pin(async move { Err(error) });
        }
        self.read_long(move |connection| {
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
