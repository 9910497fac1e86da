//! A transaction of either engine. What the store does is written once, in statements that both engines understand:
//! values are `$1`, `$2`, …, and where the engines differ [`Sql::either`] has a text for each.

use std::pin::{Pin, pin};
use std::sync::{Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

use rusqlite::types::{FromSql, Value as Cell, ValueRef};
use rusqlite::{CachedStatement, Connection, params_from_iter};
use tokio_postgres::types::{FromSql as FromPostgres, ToSql as ToPostgres};

use crate::auth::Scope;
use crate::error::Error;
use crate::id::FamilyId;

use super::Answer;
use super::list_cache::ListCache;
use super::postgres::Transaction;

/// A transaction.
pub(super) enum Sql<'a> {
    /// SQLite answers at once. The lock is for the compiler: a connection has one user at a time.
    Sqlite(&'a Mutex<Connection>),
    Postgres(&'a Transaction<'a>),
}

/// Work in a transaction.
pub(super) type Doing<'t, T> = Pin<Box<dyn Future<Output = Result<T, Failure>> + Send + 't>>;

/// Something to do in a transaction, for a scope, with what it needs. It may be done again: see [`Engine::run`].
pub(super) type Work<A, T> = for<'t> fn(&'t Sql<'t>, &'t Scope, A) -> Doing<'t, T>;

/// What work asks of its transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum How {
    /// A short read. A replica may do it, if it has everything this process has seen of the family.
    Read,
    /// As `Read`, and it may take long.
    ReadLong,
    /// A short read that must be of this moment: who somebody is, what a key opens.
    ReadNewest,
    /// A write; the answer comes when it is on disk.
    Write,
}

/// Where transactions come from.
pub(super) trait Engine: Send + Sync {
    /// Does work in one transaction: all of it at one moment, or nothing of it. Work that lost against another transaction is
    /// done again.
    fn run<'a, A, T>(&'a self, how: How, scope: &'a Scope, what: A, work: Work<A, T>) -> Answer<'a, T>
    where
        A: Clone + Send + Sync + 'static,
        T: Send + 'static;

    /// Whole lists that were read lately.
    fn lists(&self) -> &Mutex<ListCache>;
}

/// Why work in a transaction ends.
#[derive(Debug)]
pub(super) enum Failure {
    /// What was asked cannot be done.
    Refused(Error),
    /// The server did not do it.
    Database(tokio_postgres::Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::Refused(error)
    }
}

impl From<tokio_postgres::Error> for Failure {
    fn from(error: tokio_postgres::Error) -> Failure {
        Failure::Database(error)
    }
}

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Failure {
        Failure::Refused(error.into())
    }
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Error {
        match failure {
            Failure::Refused(error) => error,
            Failure::Database(error) => error.into(),
        }
    }
}

/// What both engines take as a value.
pub(super) trait Value: Sync {
    fn for_sqlite(&self) -> &dyn rusqlite::ToSql;
    fn for_postgres(&self) -> &(dyn ToPostgres + Sync);
}

impl<T: rusqlite::ToSql + ToPostgres + Sync> Value for T {
    fn for_sqlite(&self) -> &dyn rusqlite::ToSql {
        self
    }

    fn for_postgres(&self) -> &(dyn ToPostgres + Sync) {
        self
    }
}

/// What a statement takes.
pub(super) type Values<'v> = &'v [&'v dyn Value];

/// A row of an answer.
pub(super) enum Row {
    Sqlite(Vec<Cell>),
    Postgres(tokio_postgres::Row),
}

impl Row {
    /// The value of a column, by its place.
    pub(super) fn get<T: FromSql + for<'r> FromPostgres<'r>>(&self, column: usize) -> Result<T, Failure> {
        match self {
            Row::Sqlite(cells) => {
                let cell = cells.get(column).map_or(ValueRef::Null, ValueRef::from);
                Ok(T::column_result(cell).map_err(Error::unavailable)?)
            }
            Row::Postgres(row) => Ok(row.try_get(column)?),
        }
    }
}

impl Sql<'_> {
    /// The text for the engine that this is.
    pub(super) fn either<'s>(&self, sqlite: &'s str, postgres: &'s str) -> &'s str {
        match self {
            Sql::Sqlite(_) => sqlite,
            Sql::Postgres(_) => postgres,
        }
    }

    pub(super) async fn rows(&self, sql: &str, values: Values<'_>) -> Result<Vec<Row>, Failure> {
        match self {
            Sql::Sqlite(connection) => Ok(at(connection, sql, |statement| {
                let columns = statement.column_count();
                let mut rows =
                    statement.query(params_from_iter(values.iter().map(|value| value.for_sqlite())))?;
                let mut found = Vec::new();
                while let Some(row) = rows.next()? {
                    let cells = (0..columns).map(|column| row.get(column)).collect::<Result<_, _>>()?;
                    found.push(Row::Sqlite(cells));
                }
                Ok(found)
            })?),
            Sql::Postgres(transaction) => {
                let rows = transaction.rows(sql, &for_postgres(values)).await?;
                Ok(rows.into_iter().map(Row::Postgres).collect())
            }
        }
    }

    /// The first row.
    pub(super) async fn row(&self, sql: &str, values: Values<'_>) -> Result<Option<Row>, Failure> {
        Ok(self.rows(sql, values).await?.into_iter().next())
    }

    /// All rows, each read by `read`.
    pub(super) async fn all<T>(
        &self,
        sql: &str,
        values: Values<'_>,
        read: fn(&Row) -> Result<T, Failure>,
    ) -> Result<Vec<T>, Failure> {
        self.rows(sql, values).await?.iter().map(read).collect()
    }

    /// The first row, read by `read`.
    pub(super) async fn one<T>(
        &self,
        sql: &str,
        values: Values<'_>,
        read: fn(&Row) -> Result<T, Failure>,
    ) -> Result<Option<T>, Failure> {
        self.row(sql, values).await?.as_ref().map(read).transpose()
    }

    /// How many rows it concerned.
    pub(super) async fn execute(&self, sql: &str, values: Values<'_>) -> Result<u64, Failure> {
        match self {
            Sql::Sqlite(connection) => {
                let values = values.iter().map(|value| value.for_sqlite());
                Ok(at(connection, sql, |statement| statement.execute(params_from_iter(values)))? as u64)
            }
            Sql::Postgres(transaction) => transaction.execute(sql, &for_postgres(values)).await,
        }
    }

    /// Notes that a family has this revision now, for who reads from replicas afterwards.
    pub(super) fn note_touched(&self, family: FamilyId, revision: i64) {
        match self {
            Sql::Sqlite(_) => {}
            Sql::Postgres(transaction) => transaction.note_touched(family, revision),
        }
    }
}

fn at<T>(
    connection: &Mutex<Connection>,
    sql: &str,
    work: impl FnOnce(&mut CachedStatement<'_>) -> rusqlite::Result<T>,
) -> rusqlite::Result<T> {
    let connection = connection.lock().unwrap_or_else(PoisonError::into_inner);
    // To SQLite `$1` is a name, and `?1` a number.
    work(&mut connection.prepare_cached(&sql.replace('$', "?"))?)
}

fn for_postgres(values: Values<'_>) -> Vec<&(dyn ToPostgres + Sync)> {
    values.iter().map(|value| value.for_postgres()).collect()
}

/// Does work that never waits: SQLite has answered when it returns.
pub(super) fn at_once<T>(work: impl Future<Output = Result<T, Failure>>) -> Result<T, Error> {
    match pin!(work).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(done) => done.map_err(Error::from),
        Poll::Pending => Err(Error::unavailable("the database waits for something; try again")),
    }
}
