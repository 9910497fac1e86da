//! The connections there are. When they are too many, the one that gets nowhere goes, not the newcomer.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

/// How far a connection is.
#[derive(Default)]
pub(crate) struct Standing {
    state: AtomicU8,
    end: Notify,
}

/// Nothing whole has arrived yet, or the last answer is not read.
const WAITING_FOR_CLIENT: u8 = 0;
/// Between two requests.
const IDLE: u8 = 1;
/// A request is being served.
const SERVING: u8 = 2;
/// An answer is not being read.
const STALLED: u8 = 3;

impl Standing {
    pub(crate) fn set_arrived(&self) {
        self.state.store(SERVING, Ordering::Relaxed);
    }

    pub(crate) fn set_idle(&self) {
        self.state.store(IDLE, Ordering::Relaxed);
    }

    pub(crate) fn set_arriving(&self) {
        self.state.store(WAITING_FOR_CLIENT, Ordering::Relaxed);
    }

    pub(crate) fn set_stalled(&self, stalled: bool) {
        self.state.store(if stalled { STALLED } else { SERVING }, Ordering::Relaxed);
    }

    /// Who has to go first: those that keep us waiting, then the idle; those being served last.
    fn rank(&self) -> u8 {
        match self.state.load(Ordering::Relaxed) {
            WAITING_FOR_CLIENT | STALLED => 0,
            IDLE => 1,
            _ => 2,
        }
    }

    /// Resolves when this connection has to go.
    pub(crate) async fn ended(&self) {
        self.end.notified().await;
    }
}

/// All connections of a listener.
pub(crate) struct Connections {
    all: Mutex<Table>,
    most: usize,
}

#[derive(Default)]
struct Table {
    next: u64,
    standings: HashMap<u64, Arc<Standing>>,
}

/// A place among the connections, until dropped.
pub(crate) struct Place {
    connections: Arc<Connections>,
    number: u64,
    pub(crate) standing: Arc<Standing>,
}

impl Connections {
    pub(crate) fn new(most: usize) -> Arc<Connections> {
        Arc::new(Connections { all: Mutex::default(), most })
    }

    fn all(&self) -> MutexGuard<'_, Table> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a place; where there is none, somebody has to go.
    pub(crate) fn enter(self: &Arc<Self>) -> Place {
        let standing = Arc::new(Standing::default());
        let mut all = self.all();
        if all.standings.len() >= self.most
            && let Some(number) =
                all.standings.iter().map(|(number, old)| (old.rank(), *number)).min().map(|(_, n)| n)
            && let Some(old) = all.standings.remove(&number)
        {
            old.end.notify_one();
        }
        all.next += 1;
        let number = all.next;
        all.standings.insert(number, Arc::clone(&standing));
        Place { connections: Arc::clone(self), number, standing }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.all().standings.is_empty()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.connections.all().standings.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::Connections;

    #[test]
    fn the_oldest_that_keeps_us_waiting_goes_first() {
        let connections = Connections::new(3);
        let served = connections.enter();
        served.standing.set_arrived();
        let idle = connections.enter();
        idle.standing.set_idle();
        let half_open = connections.enter();
        let newcomer = connections.enter();
        let all = connections.all();
        assert!(!all.standings.contains_key(&half_open.number));
        for kept in [&served, &idle, &newcomer] {
            assert!(all.standings.values().any(|standing| Arc::ptr_eq(standing, &kept.standing)));
        }
        drop(all);
    }
}
