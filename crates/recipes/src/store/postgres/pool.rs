//! A few connections that take turns. Ours is small because a transaction gives its connection back in one place only.

use std::ops::Deref;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::runtime::Handle;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio_postgres::Config;
use tokio_postgres::config::SslMode;

use crate::error::Error;

use super::connection::{Connection, Sockets};

/// Connections to one server at most; who comes later waits.
const MOST: usize = 10;

#[derive(Debug)]
pub(super) struct Pool {
    config: Config,
    sockets: Arc<Sockets>,
    idle: Mutex<Vec<Connection>>,
    places: Semaphore,
}

impl Pool {
    /// `variable` is where the address was set, for messages; the address itself may hold a password.
    pub(super) fn new(variable: &'static str, url: &str, sockets: &Arc<Sockets>) -> Result<Pool, Error> {
        let mut config: Config = url.parse().map_err(|_| {
            Error::invalid(variable, "is not an address such as `postgres://user:password@host/database`")
        })?;
        if matches!(config.get_ssl_mode(), SslMode::Require) {
            let reason = "asks for TLS, which this build does not speak to PostgreSQL; use a Unix socket or a private \
                          network, and leave `sslmode` out";
            return Err(Error::invalid(variable, reason));
        }
        config.ssl_mode(SslMode::Disable).application_name("recipe-vault");
        let (sockets, idle) = (Arc::clone(sockets), Mutex::default());
        Ok(Pool { config, sockets, idle, places: Semaphore::new(MOST) })
    }

    /// Another one to the same server, for work that takes long.
    pub(super) fn another(&self) -> Pool {
        let (config, sockets) = (self.config.clone(), Arc::clone(&self.sockets));
        Pool { config, sockets, idle: Mutex::default(), places: Semaphore::new(1) }
    }

    /// Where tasks of ours run.
    pub(super) fn handle(&self) -> Result<Handle, Error> {
        self.sockets.handle()
    }

    /// A connection nobody else has.
    pub(super) async fn take(&self) -> Result<Taken<'_>, Error> {
        let place = self.places.acquire().await.map_err(Error::unavailable)?;
        loop {
            let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
            match idle {
                Some(connection) if connection.client.is_closed() => {}
                Some(connection) => return Ok(Taken { pool: self, connection, used: true, _place: place }),
                None => {
                    let connection = Connection::open(&self.config, &self.sockets).await?;
                    return Ok(Taken { pool: self, connection, used: false, _place: place });
                }
            }
        }
    }
}

/// A connection in use. One that is dropped is closed, with whatever was begun on it.
#[derive(Debug)]
pub(super) struct Taken<'a> {
    pool: &'a Pool,
    connection: Connection,
    used: bool,
    _place: SemaphorePermit<'a>,
}

impl Taken<'_> {
    /// Whether somebody had it before.
    pub(super) fn was_used(&self) -> bool {
        self.used
    }

    /// For the next one: nothing is under way on it.
    pub(super) fn give_back(self) {
        let Taken { pool, connection, .. } = self;
        pool.idle.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
    }
}

impl Deref for Taken<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        &self.connection
    }
}
