//! Requests that the far side says nothing about are given up. One task looks at all of them from time to time: a timer for
//! each would wake a thread for each.

use std::sync::{Arc, Weak};

use tokio::time::{Instant, sleep};

use super::{Error, Shared, State};

/// How often it looks within the time that the far side may be silent.
const LOOKS: u32 = 8;

impl Shared {
    /// Sees to it that somebody watches, now that there is a request.
    pub(super) fn watch(self: &Arc<Self>, state: &mut State) {
        if state.watching.is_none() {
            let task = self.runtime.spawn(look_until_nothing_waits(Arc::downgrade(self)));
            state.watching = Some(task.abort_handle());
        }
    }

    /// Whether anything still waits.
    fn give_up_silent(&self) -> bool {
        let patience = self.limits.silence;
        let now = Instant::now();
        let mut state = self.state();
        let silent: Vec<_> =
            state.waiting.extract_if(|_, waiting| now.duration_since(waiting.heard) >= patience).collect();
        let any = !state.waiting.is_empty();
        if !any {
            state.watching = None;
        }
        drop(state);
        for (id, waiting) in silent {
            let _ = waiting.answer.send(Err(Error::Silent(patience)));
            self.cancel(id);
        }
        any
    }
}

async fn look_until_nothing_waits(shared: Weak<Shared>) {
    while let Some(interval) = shared.upgrade().map(|shared| shared.limits.silence / LOOKS) {
        sleep(interval).await;
        if !shared.upgrade().is_some_and(|shared| shared.give_up_silent()) {
            return;
        }
    }
}
