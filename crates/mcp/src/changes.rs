//! News about a server's lists and resources, handed to whoever listens. No queue, no task: a listener
//! is called where the change is told, and must only pass it on.

use std::sync::{Arc, Mutex, PoisonError, Weak};

/// Something a client may want to look at again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// The list of tools.
    Tools,
    /// The list of prompts.
    Prompts,
    /// The list of resources.
    Resources,
    /// The resource at this URI.
    Resource(String),
}

type Listener = dyn Fn(&Change) + Send + Sync;

/// Where a server tells its changes. Clones share their listeners.
#[derive(Clone, Default)]
pub struct Changes {
    listeners: Arc<Mutex<Vec<Weak<Listener>>>>,
}

/// Listens until dropped.
pub struct Listening {
    _listener: Arc<Listener>,
}

impl Changes {
    /// Tells every listener.
    pub fn tell(&self, change: &Change) {
        // Called outside the lock: a listener may start or stop listening.
        let listeners: Vec<Arc<Listener>> = {
            let mut all = self.listeners.lock().unwrap_or_else(PoisonError::into_inner);
            all.retain(|listener| listener.strong_count() > 0);
            all.iter().filter_map(Weak::upgrade).collect()
        };
        for listener in listeners {
            listener(change);
        }
    }

    /// Calls `listener` at every change, on the thread that tells it, until the handle is dropped.
    pub fn listen(&self, listener: impl Fn(&Change) + Send + Sync + 'static) -> Listening {
        let listener: Arc<Listener> = Arc::new(listener);
        let mut all = self.listeners.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|old| old.strong_count() > 0);
        all.push(Arc::downgrade(&listener));
        Listening { _listener: listener }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::{Change, Changes};

    #[test]
    fn a_listener_hears_until_it_is_dropped() {
        let changes = Changes::default();
        let heard = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&heard);
        let listening = changes.listen(move |_| {
            counter.fetch_add(1, Ordering::Relaxed);
        });
        changes.tell(&Change::Tools);
        drop(listening);
        changes.tell(&Change::Tools);
        assert_eq!(heard.load(Ordering::Relaxed), 1);
    }
}
