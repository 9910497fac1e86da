//! All open connections. When there are too many, one that makes no progress is closed, not the newcomer.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

/// How far a connection is.
#[derive(Default)]
pub(crate) struct Standing {
    state: AtomicU8,
    /// Whether an answer is not being read; what else the connection is at goes on being recorded.
    stalled: AtomicBool,
    /// How many sweeps it has been there.
    age: AtomicU8,
    /// Whether it is told to close, rather than to finish.
    must_close: AtomicBool,
    told: Notify,
}

/// Nothing whole has arrived yet.
const WAITING_FOR_CLIENT: u8 = 0;
/// Between two requests.
const IDLE: u8 = 1;
/// A request is being served, to the end of its answer.
const SERVING: u8 = 2;

/// What a connection is told from outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    /// Finish the request at hand, and take no other.
    Finish,
    /// Close now.
    Close,
}

impl Standing {
    fn enter(&self, state: u8) {
        self.state.store(state, Ordering::Relaxed);
        self.age.store(0, Ordering::Relaxed);
    }

    pub(crate) fn set_arrived(&self) {
        self.enter(SERVING);
    }

    pub(crate) fn set_idle(&self) {
        self.enter(IDLE);
    }

    pub(crate) fn set_arriving(&self) {
        self.enter(WAITING_FOR_CLIENT);
    }

    /// Whether it is between two requests.
    pub(crate) fn is_idle(&self) -> bool {
        self.state.load(Ordering::Relaxed) == IDLE
    }

    /// More of a body is there: whoever sends steadily may take as long as it takes.
    pub(crate) fn note_progress(&self) {
        self.age.store(0, Ordering::Relaxed);
    }

    pub(crate) fn set_stalled(&self, stalled: bool) {
        self.stalled.store(stalled, Ordering::Relaxed);
        self.note_progress();
    }

    /// Which is closed first: those that keep us waiting, then the idle; those being served last.
    fn rank(&self) -> u8 {
        if self.stalled.load(Ordering::Relaxed) {
            return 0;
        }
        match self.state.load(Ordering::Relaxed) {
            WAITING_FOR_CLIENT => 0,
            IDLE => 1,
            _ => 2,
        }
    }

    /// Whether it was waiting or idle for this many sweeps.
    fn outstays(&self, sweeps: u8) -> bool {
        // One that does not read has a timer of its own.
        matches!(self.state.load(Ordering::Relaxed), WAITING_FOR_CLIENT | IDLE)
            && !self.stalled.load(Ordering::Relaxed)
            && self.age.fetch_add(1, Ordering::Relaxed) >= sweeps
    }

    fn tell(&self, order: Order) {
        self.must_close.fetch_or(order == Order::Close, Ordering::AcqRel);
        self.told.notify_one();
    }

    /// Resolves when this connection is told something.
    pub(crate) async fn order(&self) -> Order {
        self.told.notified().await;
        if self.must_close.load(Ordering::Acquire) { Order::Close } else { Order::Finish }
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

    /// Takes a place; where there is none, another connection is closed.
    pub(crate) fn enter(self: &Arc<Self>) -> Place {
        let standing = Arc::new(Standing::default());
        let mut all = self.all();
        if all.standings.len() >= self.most
            && let Some(number) =
                all.standings.iter().map(|(number, old)| (old.rank(), *number)).min().map(|(_, n)| n)
            && let Some(old) = all.standings.remove(&number)
        {
            old.tell(Order::Close);
        }
        all.next += 1;
        let number = all.next;
        all.standings.insert(number, Arc::clone(&standing));
        Place { connections: Arc::clone(self), number, standing }
    }

    /// Ends those that waited or were idle for this many sweeps. One sweep for all of them is cheaper than
    /// a timer for each request.
    pub(crate) fn sweep(&self, sweeps: u8) {
        for standing in self.all().standings.values().filter(|standing| standing.outstays(sweeps)) {
            standing.tell(Order::Close);
        }
    }

    /// Has all of them finish.
    pub(crate) fn finish(&self) {
        self.all().standings.values().for_each(|standing| standing.tell(Order::Finish));
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
    fn only_those_that_keep_us_waiting_or_are_idle_outstay_their_welcome() {
        let connections = Connections::new(9);
        let (silent, idle, served) = (connections.enter(), connections.enter(), connections.enter());
        idle.standing.set_idle();
        served.standing.set_arrived();
        let outstaying = || [&silent, &idle, &served].map(|place| place.standing.outstays(2));
        assert_eq!(outstaying(), [false; 3]);
        assert_eq!(outstaying(), [false; 3]);
        idle.standing.set_idle();
        assert_eq!(outstaying(), [true, false, false]);
        assert_eq!(outstaying(), [true, false, false]);
        assert_eq!(outstaying(), [true, true, false]);
    }

    #[test]
    fn one_that_stalled_once_is_idle_again_when_it_is() {
        let connections = Connections::new(9);
        let place = connections.enter();
        place.standing.set_arrived();
        place.standing.set_stalled(true);
        // The end of an answer is handed over before it is written.
        place.standing.set_idle();
        assert_eq!(place.standing.rank(), 0);
        place.standing.set_stalled(false);
        assert_eq!((place.standing.rank(), place.standing.outstays(0)), (1, true));
    }

    #[test]
    fn a_body_that_goes_on_arriving_renews_its_time() {
        let connections = Connections::new(9);
        let place = connections.enter();
        place.standing.set_arriving();
        for _ in 0..9 {
            assert!(!place.standing.outstays(1));
            place.standing.note_progress();
        }
        assert!(!place.standing.outstays(1));
        assert!(place.standing.outstays(1));
    }

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
