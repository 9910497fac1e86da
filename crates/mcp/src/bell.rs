//! A condition variable that is silent while nobody listens: ringing it for nobody costs a system call
//! otherwise, several times a request.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, MutexGuard};
use std::time::{Duration, Instant};

use crate::lock::unpoisoned;

#[derive(Default)]
pub(crate) struct Bell {
    changed: Condvar,
    listeners: AtomicUsize,
}

impl Bell {
    /// Whether anybody waits. Whoever changes what they wait for must look after the change.
    pub(crate) fn has_listeners(&self) -> bool {
        self.listeners.load(Ordering::SeqCst) > 0
    }

    /// Wakes those who wait, if there are any.
    pub(crate) fn ring(&self) {
        if self.has_listeners() {
            self.changed.notify_all();
        }
    }

    /// Waits as long as `busy` says, at most for `patience`.
    pub(crate) fn wait_while<'a, T>(
        &self,
        mut guard: MutexGuard<'a, T>,
        patience: Option<Duration>,
        mut busy: impl FnMut(&mut T) -> bool,
    ) -> MutexGuard<'a, T> {
        let deadline = patience.map(|patience| Instant::now() + patience);
        // Counted before the first look: a change after it is a change with a listener.
        self.listeners.fetch_add(1, Ordering::SeqCst);
        while busy(&mut guard) {
            guard = match deadline.map(|deadline| deadline.saturating_duration_since(Instant::now())) {
                None => unpoisoned(self.changed.wait(guard)),
                Some(left) if left.is_zero() => break,
                Some(left) => unpoisoned(self.changed.wait_timeout(guard, left)).0,
            };
        }
        self.listeners.fetch_sub(1, Ordering::SeqCst);
        guard
    }
}
