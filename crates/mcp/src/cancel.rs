//! Telling a running handler that nobody waits for it any more.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Notify;

/// Shared between a call and whoever may cancel it.
#[derive(Clone, Default, Debug)]
pub(crate) struct Cancel(Arc<State>);

#[derive(Default, Debug)]
struct State {
    cancelled: AtomicBool,
    wake: Notify,
}

impl Cancel {
    pub(crate) fn set(&self) {
        self.0.cancelled.store(true, Ordering::Release);
        self.0.wake.notify_waiters();
    }

    pub(crate) fn is_set(&self) -> bool {
        self.0.cancelled.load(Ordering::Acquire)
    }

    pub(crate) async fn wait(&self) {
        let wake = self.0.wake.notified();
        if !self.is_set() {
            wake.await;
        }
    }
}
