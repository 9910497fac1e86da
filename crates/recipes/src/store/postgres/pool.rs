//! A few connections that take turns. Ours is small because a transaction gives its connection back in one place only.

use std::ops::Deref;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::runtime::Handle;
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::error::Error;

use super::address::Address;
use super::connection::{Connection, Sockets};

/// Connections to one server at most; who comes later waits.
const MOST: usize = 10;

#[derive(Debug)]
pub(super) struct Pool {
    address: Address,
    sockets: Arc<Sockets>,
    idle: Mutex<Vec<Connection>>,
    places: Semaphore,
    sent: AtomicU64,
}

impl Pool {
    /// `variable` is where the address was set, for messages; the address itself may hold a password.
    pub(super) fn new(variable: &'static str, url: &str, sockets: &Arc<Sockets>) -> Result<Pool, Error> {
        let address = Address::new(variable, url)?;
        let (sockets, idle) = (Arc::clone(sockets), Mutex::default());
        Ok(Pool { address, sockets, idle, places: Semaphore::new(MOST), sent: AtomicU64::new(0) })
    }

    /// Another one to the same server, for work that takes long.
    pub(super) fn another(&self) -> Pool {
        let (address, sockets) = (self.address.clone(), Arc::clone(&self.sockets));
        Pool { address, sockets, idle: Mutex::default(), places: Semaphore::new(1), sent: AtomicU64::new(0) }
    }

    /// How many statements were sent, besides those that begin and end transactions.
    pub(super) fn statements(&self) -> u64 {
        self.sent.load(Ordering::Relaxed)
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
                    let connection = Connection::open(&self.address, &self.sockets).await?;
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

    /// Counts a statement.
    pub(super) fn note_sent(&self) {
        self.pool.sent.fetch_add(1, Ordering::Relaxed);
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
