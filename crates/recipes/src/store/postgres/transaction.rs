//! A transaction in the role of a scope.

use std::sync::{Mutex, PoisonError};

use tokio_postgres::Row;
use tokio_postgres::error::SqlState;
use tokio_postgres::types::ToSql;

use crate::auth::{Reach, Scope};
use crate::error::Error;
use crate::id::FamilyId;
use crate::store::sql::Failure;

use super::pool::{Pool, Taken};

/// What statements take.
type Values<'v> = &'v [&'v (dyn ToSql + Sync)];

/// How a transaction ended.
#[derive(Debug)]
pub(super) enum Ended<T> {
    /// For good.
    Done(Result<T, Error>),
    /// Another one won, or the server hung up; it can be done again.
    Lost(tokio_postgres::Error),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// One moment of the database.
    Read,
    /// Sees what others commit meanwhile, and locks what it decides by.
    Write,
}

#[derive(Debug)]
pub(in crate::store) struct Transaction<'a> {
    connection: Taken<'a>,
    touched: Mutex<Vec<(FamilyId, i64)>>,
}

impl<'a> Transaction<'a> {
    /// Begins, and takes the role: all in one message to the server.
    pub(super) async fn begin(pool: &'a Pool, scope: &Scope, mode: Mode) -> Result<Transaction<'a>, Error> {
        let mode = match mode {
            Mode::Read => "ISOLATION LEVEL REPEATABLE READ READ ONLY",
            Mode::Write => "ISOLATION LEVEL READ COMMITTED READ WRITE",
        };
        // An id is 36 characters of our own making; a name without one sees nothing.
        let (role, family) = match scope.reach() {
            Reach::God { .. } | Reach::Everything => ("recipe_vault_god", String::new()),
            Reach::Family(family, _) | Reach::Recipe(family, _) => {
                ("recipe_vault_family", family.to_string())
            }
            Reach::Nothing => ("recipe_vault_family", String::new()),
        };
        let sql =
            format!("BEGIN {mode}; SET LOCAL ROLE {role}; SELECT set_config('rv.family', '{family}', true)");
        // A connection that lay idle may have been closed by the server. Nothing was done on it yet.
        loop {
            let connection = pool.take().await?;
            match connection.client.batch_execute(&sql).await {
                Ok(()) => return Ok(Transaction { connection, touched: Mutex::default() }),
                Err(error) if connection.was_used() && hung_up(&connection, &error) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    pub(in crate::store) async fn rows(&self, sql: &str, values: Values<'_>) -> Result<Vec<Row>, Failure> {
        self.connection.note_sent();
        let statement = self.connection.statement(sql).await?;
        Ok(self.connection.client.query(&statement, values).await?)
    }

    /// How many rows it concerned.
    pub(in crate::store) async fn execute(&self, sql: &str, values: Values<'_>) -> Result<u64, Failure> {
        self.connection.note_sent();
        let statement = self.connection.statement(sql).await?;
        Ok(self.connection.client.execute(&statement, values).await?)
    }

    pub(in crate::store) fn note_touched(&self, family: FamilyId, revision: i64) {
        self.touched.lock().unwrap_or_else(PoisonError::into_inner).push((family, revision));
    }

    /// The families this one wrote to, and their new revisions.
    pub(super) fn touched(&self) -> Vec<(FamilyId, i64)> {
        self.touched.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Commits what was done, or undoes what failed. The connection is kept if the server says that nothing is open.
    pub(super) async fn end<T>(self, done: Result<T, Failure>) -> Ended<T> {
        let last = if done.is_ok() { "COMMIT" } else { "ROLLBACK" };
        let hung_up = matches!(&done, Err(Failure::Database(error)) if hung_up(&self.connection, error));
        let ended = self.connection.client.batch_execute(last).await;
        if ended.is_ok() {
            self.connection.give_back();
        }
        match (done, ended) {
            (Ok(answer), Ok(())) => Ended::Done(Ok(answer)),
            // Nothing is done before the commit, so it can be done on another connection.
            (Err(Failure::Database(error)), _) if hung_up => Ended::Lost(error),
            (Ok(_), Err(error)) | (Err(Failure::Database(error)), _) => lost_or(error),
            (Err(Failure::Refused(error)), _) => Ended::Done(Err(error)),
        }
    }
}

/// Whether the server ended the connection: it said so, or it is gone.
fn hung_up(connection: &Taken<'_>, error: &tokio_postgres::Error) -> bool {
    match error.code() {
        Some(code) => [SqlState::ADMIN_SHUTDOWN, SqlState::CRASH_SHUTDOWN].contains(code),
        None => connection.client.is_closed(),
    }
}

/// Lost against another transaction, if the server says so.
fn lost_or<T>(error: tokio_postgres::Error) -> Ended<T> {
    let again = [SqlState::T_R_SERIALIZATION_FAILURE, SqlState::T_R_DEADLOCK_DETECTED];
    if error.code().is_some_and(|code| again.contains(code)) {
        Ended::Lost(error)
    } else {
        Ended::Done(Err(error.into()))
    }
}
