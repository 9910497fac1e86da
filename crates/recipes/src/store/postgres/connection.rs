//! One connection to a server, and the thread that moves its bytes.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::runtime::{Builder, Handle, Runtime};
use tokio_postgres::error::SqlState;
use tokio_postgres::{Client, Config, NoTls, Statement};

use crate::error::Error;

/// How long to wait for a server to let us in.
const PATIENCE: Duration = Duration::from_secs(10);

/// How many statements a connection keeps ready; there are fewer in all.
const STATEMENTS: usize = 256;

/// What every connection starts with: nothing runs without end, and a transaction nobody goes on with is given up.
const GREETING: &str = "SET statement_timeout = '60s'; SET lock_timeout = '30s'; \
     SET idle_in_transaction_session_timeout = '60s'";

/// A thread for the sockets of all connections. Callers may be in any runtime, or in one without sockets.
#[derive(Debug, Default)]
pub(super) struct Sockets(Mutex<Option<Runtime>>);

impl Sockets {
    pub(super) fn new() -> Arc<Sockets> {
        Arc::default()
    }

    /// Started when the first connection is made.
    pub(super) fn handle(&self) -> Result<Handle, Error> {
        let mut runtime = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(runtime) = &*runtime {
            return Ok(runtime.handle().clone());
        }
        let started = Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("recipes-postgres")
            .enable_all()
            .build()
            .map_err(|error| Error::unavailable(format!("cannot start a thread: {error}")))?;
        Ok(runtime.insert(started).handle().clone())
    }
}

impl Drop for Sockets {
    /// Without waiting: this may happen inside another runtime, which must not be blocked.
    fn drop(&mut self) {
        if let Some(runtime) = self.0.get_mut().unwrap_or_else(PoisonError::into_inner).take() {
            runtime.shutdown_background();
        }
    }
}

#[derive(Debug)]
pub(super) struct Connection {
    pub(super) client: Client,
    statements: Mutex<HashMap<Box<str>, Statement>>,
}

impl Connection {
    pub(super) async fn open(config: &Config, sockets: &Sockets) -> Result<Connection, Error> {
        let handle = sockets.handle()?;
        let config = config.clone();
        let opening = handle.spawn(async move {
            let (client, socket) = config.connect(NoTls).await?;
            // Ends when the client is dropped, or the server hangs up; then the client's calls say so.
            tokio::spawn(async move {
                let _ = socket.await;
            });
            client.batch_execute(GREETING).await?;
            Ok::<Client, tokio_postgres::Error>(client)
        });
        let bounded = handle.spawn(async move { tokio::time::timeout(PATIENCE, opening).await });
        match bounded.await {
            Ok(Ok(Ok(Ok(client)))) => Ok(Connection { client, statements: Mutex::default() }),
            Ok(Ok(Ok(Err(error)))) => Err(error.into()),
            Ok(Err(_)) => Err(Error::unavailable(format!(
                "the PostgreSQL server did not answer within {} s; look whether it runs",
                PATIENCE.as_secs()
            ))),
            Ok(Ok(Err(_))) | Err(_) => Err(Error::unavailable("connecting broke down; try again")),
        }
    }

    /// The statement, prepared at its first use.
    pub(super) async fn statement(&self, sql: &str) -> Result<Statement, tokio_postgres::Error> {
        let known = self.statements.lock().unwrap_or_else(PoisonError::into_inner).get(sql).cloned();
        if let Some(statement) = known {
            return Ok(statement);
        }
        let statement = self.client.prepare(sql).await?;
        let mut statements = self.statements.lock().unwrap_or_else(PoisonError::into_inner);
        if statements.len() < STATEMENTS {
            statements.insert(sql.into(), statement.clone());
        }
        Ok(statement)
    }
}

impl From<tokio_postgres::Error> for Error {
    fn from(error: tokio_postgres::Error) -> Error {
        let Some(answer) = error.as_db_error() else {
            let reason =
                std::error::Error::source(&error).map_or_else(|| error.to_string(), ToString::to_string);
            return Error::unavailable(format!(
                "PostgreSQL: {reason}; look whether the server runs and `DATABASE_URL` names it"
            ));
        };
        let remedy = match *answer.code() {
            SqlState::INVALID_PASSWORD | SqlState::INVALID_AUTHORIZATION_SPECIFICATION => {
                "; correct user and password in `DATABASE_URL`"
            }
            SqlState::INVALID_CATALOG_NAME => "; make the database with `createdb`",
            SqlState::INSUFFICIENT_PRIVILEGE => {
                "; let an administrator make the roles `recipe_vault_family` and `recipe_vault_god` (NOLOGIN) and grant \
                 them, and the database, to the user of `DATABASE_URL`"
            }
            SqlState::READ_ONLY_SQL_TRANSACTION => {
                "; `DATABASE_URL` names a replica: name the primary, and replicas in `DATABASE_REPLICAS`"
            }
            SqlState::TOO_MANY_CONNECTIONS => "; raise `max_connections` of the server or try again",
            SqlState::DISK_FULL => "; make room on the server's disk",
            SqlState::QUERY_CANCELED | SqlState::LOCK_NOT_AVAILABLE => "; the server is busy: try again",
            _ => "",
        };
        Error::unavailable(format!("PostgreSQL: {}{remedy}", answer.message()))
    }
}
