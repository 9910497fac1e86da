//! The requests under way. Who takes an entry out answers for it: so each is answered once.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::task::AbortHandle;

use crate::bell::Bell;
use crate::cancel::Cancel;
use crate::changes::Listening;
use crate::id::{Id, IdRef};

#[derive(Default)]
pub(crate) struct Inflight {
    entries: Mutex<HashMap<Id, Entry>>,
    /// So that a request answered at once need not take the lock.
    count: AtomicUsize,
    changed: Bell,
    /// Work that is no request of its own but must be done before we go.
    held: AtomicUsize,
}

/// Keeps the end of input waiting until dropped.
pub(crate) struct Hold(Arc<Inflight>);

impl Drop for Hold {
    fn drop(&mut self) {
        self.0.held.fetch_sub(1, Ordering::SeqCst);
        if self.0.changed.has_listeners() {
            // With the lock, so that a listener is either before its look or asleep.
            drop(self.0.entries());
            self.0.changed.ring();
        }
    }
}

pub(crate) enum Entry {
    Call {
        cancel: Cancel,
        task: AbortHandle,
    },
    /// Held for what dropping it does.
    Subscription(#[allow(dead_code)] Listening),
}

impl Inflight {
    fn entries(&self) -> MutexGuard<'_, HashMap<Id, Entry>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn len(&self) -> usize {
        self.count.load(Ordering::Acquire)
    }

    pub(crate) fn contains(&self, id: IdRef<'_>) -> bool {
        self.len() > 0 && self.entries().contains_key(id.as_json())
    }

    /// Adds what `start` makes, and returns what else it made. The lock is held meanwhile: the entry is
    /// there before it can end.
    pub(crate) fn start<T, E>(&self, id: Id, start: impl FnOnce() -> Result<(Entry, T), E>) -> Result<T, E> {
        let mut entries = self.entries();
        let (entry, made) = start()?;
        entries.insert(id, entry);
        self.count.store(entries.len(), Ordering::Release);
        Ok(made)
    }

    pub(crate) fn insert(&self, id: Id, entry: Entry) {
        let _: Result<(), std::convert::Infallible> = self.start(id, || Ok((entry, ())));
    }

    /// Takes a request out to answer it; like [`take`](Inflight::take), and the end of input waits until
    /// the answer is handed over.
    pub(crate) fn take_to_answer(self: &Arc<Self>, id: IdRef<'_>) -> Option<Hold> {
        let hold = self.hold();
        self.take(id).map(|_| hold)
    }

    pub(crate) fn hold(self: &Arc<Self>) -> Hold {
        self.held.fetch_add(1, Ordering::SeqCst);
        Hold(Arc::clone(self))
    }

    /// Takes a request out; `None` when somebody else answered for it, or cancelled it.
    pub(crate) fn take(&self, id: IdRef<'_>) -> Option<Entry> {
        let mut entries = self.entries();
        let entry = entries.remove(id.as_json());
        if entries.capacity() > 1_024 && entries.len() < entries.capacity() / 8 {
            entries.shrink_to_fit();
        }
        self.count.store(entries.len(), Ordering::Release);
        self.changed.ring();
        entry
    }

    /// Stops everything.
    #[cfg(feature = "http")]
    pub(crate) fn stop_all(&self) {
        let all: Vec<Entry> = self.entries().drain().map(|(_, entry)| entry).collect();
        self.count.store(0, Ordering::Release);
        all.into_iter().for_each(Entry::stop);
    }

    /// Takes out every subscription.
    pub(crate) fn take_subscriptions(&self) -> Vec<Id> {
        let mut entries = self.entries();
        let ids: Vec<Id> = entries
            .iter()
            .filter(|(_, entry)| matches!(entry, Entry::Subscription(_)))
            .map(|(id, _)| id.clone())
            .collect();
        for id in &ids {
            entries.remove(id);
        }
        self.count.store(entries.len(), Ordering::Release);
        ids
    }

    /// Waits until nothing is under way, at most for `patience`, and takes out what is left then.
    pub(crate) fn drain(&self, patience: Duration) -> Vec<(Id, Entry)> {
        let busy = |entries: &mut HashMap<Id, Entry>| !entries.is_empty() || self.is_held();
        let mut entries = self.changed.wait_while(self.entries(), Some(patience), busy);
        self.count.store(0, Ordering::Release);
        entries.drain().collect()
    }

    /// Waits until nothing is held, at most for `patience`.
    pub(super) fn settle(&self, patience: Duration) {
        drop(self.changed.wait_while(self.entries(), Some(patience), |_| self.is_held()));
    }

    fn is_held(&self) -> bool {
        self.held.load(Ordering::SeqCst) > 0
    }
}

impl Entry {
    /// Stops the work; nothing more is sent for it.
    pub(crate) fn stop(self) {
        if let Entry::Call { cancel, task } = self {
            cancel.set();
            task.abort();
        }
    }
}
