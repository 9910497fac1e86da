//! The embedded engine: one SQLite file, one thread that writes, readers beside it.

mod backup;
mod database;
mod inspect;
mod readers;
mod schema;
mod values;
mod writer;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use files::PrivateFolder;
use rusqlite::Connection;

use crate::auth::Scope;
use crate::error::Error;

use super::Answer;
use super::list_cache::ListCache;
use super::sql::{Engine, How, Sql, Work, at_once};

use database::Database;
pub(crate) use inspect::inspect;

/// A store in one SQLite file. Nothing is opened before the first call; what cannot be opened is tried again at the next.
#[derive(Debug)]
pub struct Sqlite {
    place: Place,
    database: Mutex<Option<Arc<Database>>>,
    lists: Mutex<ListCache>,
}

/// The file in a folder of ours.
const NAME: &str = "recipes.db";

/// Where the file is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// A file somebody named; its folder must be there.
    File(PathBuf),
    /// `recipes.db` in a private folder of ours, which is made.
    Folder(PathBuf),
}

impl Place {
    /// The file, whether it is there or not.
    pub fn file(&self) -> PathBuf {
        match self {
            Place::File(path) => path.clone(),
            Place::Folder(path) => path.join(NAME),
        }
    }
}

impl Sqlite {
    /// A store at this place.
    pub fn new(place: Place) -> Sqlite {
        Sqlite { place, database: Mutex::new(None), lists: Mutex::default() }
    }

    fn database(&self) -> Result<Arc<Database>, Error> {
        let mut open = self.database.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(database) = &*open {
            return Ok(Arc::clone(database));
        }
        let path = match &self.place {
            Place::File(path) => path.clone(),
            Place::Folder(path) => PrivateFolder::make(path).map_err(Error::unavailable)?.path().join(NAME),
        };
        let database = Arc::new(Database::open(&path)?);
        *open = Some(Arc::clone(&database));
        Ok(database)
    }

    /// A read that may take long, on a thread for it.
    fn read_long<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Mutex<Connection>) -> Result<T, Error> + Send + 'static,
    ) -> Answer<'_, T> {
        Box::pin(async move { self.database()?.readers.read_long(work).await })
    }
}

impl Engine for Sqlite {
    fn run<'a, A, T>(&'a self, how: How, scope: &'a Scope, what: A, work: Work<A, T>) -> Answer<'a, T>
    where
        A: Clone + Send + Sync + 'static,
        T: Send + 'static,
    {
        match how {
            // A matter of microseconds, done where it is asked for.
            How::Read | How::ReadNewest => Box::pin(async move {
                self.database()?.readers.read(|connection| of_one_moment(connection, scope, what, work))
            }),
            How::ReadLong => {
                let scope = scope.clone();
                self.read_long(move |connection| of_one_moment(connection, &scope, what, work))
            }
            How::Write => {
                let scope = scope.clone();
                Box::pin(async move {
                    let write = move |connection: &_| at_once(work(&Sql::Sqlite(connection), &scope, what));
                    self.database()?.writer.write(write).await
                })
            }
        }
    }

    fn lists(&self) -> &Mutex<ListCache> {
        &self.lists
    }
}

fn of_one_moment<A, T>(
    connection: &Mutex<Connection>,
    scope: &Scope,
    what: A,
    work: Work<A, T>,
) -> Result<T, Error> {
    let say = |sql| locked(connection).prepare_cached(sql)?.execute([]);
    say("BEGIN")?;
    let done = at_once(work(&Sql::Sqlite(connection), scope, what));
    say("COMMIT")?;
    done
}

/// The connection, which has one user at a time.
fn locked(connection: &Mutex<Connection>) -> MutexGuard<'_, Connection> {
    connection.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Place {
    /// The file, for messages.
    pub fn path(&self) -> &Path {
        match self {
            Place::File(path) | Place::Folder(path) => path,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use rusqlite::Connection;

    use super::{locked, schema};
    use crate::id::FamilyId;
    use crate::store::{cards, sight};

    /// What every page asks for takes as long for a family among many as for one alone.
    #[test]
    fn of_one_family_the_others_are_not_read() {
        let connection = Mutex::new(Connection::open_in_memory().expect("a database"));
        schema::migrate(&connection).expect("migrated");
        let one = Some(FamilyId::new());
        for sql in [cards::counts_sql(one), sight::revision_sql(one)] {
            let connection = locked(&connection);
            let mut plan = connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).expect("a plan");
            let steps = plan.query_map([one], |row| row.get::<_, String>(3)).expect("its steps");
            let steps: Vec<String> = steps.map(|step| step.expect("a step")).collect();
            assert!(!steps.iter().any(|step| step.starts_with("SCAN")), "{steps:?}");
        }
    }
}
