//! What happens, told to whoever listens.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use serde::Serialize;
use tokio::sync::broadcast;
use uuid::Uuid;

/// Something happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "event", content = "id")]
pub enum Event {
    /// It is new.
    Added(Uuid),
    /// It was read.
    Read(Uuid),
    /// It is gone: somebody deleted it, or there was no room.
    Removed(Uuid),
    /// It looks different, or is shared or not any more.
    Changed(Uuid),
    /// An agent wants the person to look at it.
    Opened(Uuid),
    /// The person took it, by a key or on the screen itself: it is to be shown, and copied where that is wanted.
    Taken(Uuid),
    /// The settings changed.
    Settings,
    /// What is kept for the next run cannot be written, or can be again.
    History,
    /// An agent did something, or agents are paused or not any more.
    Agents,
}

type Listener = dyn Fn(&Event) + Send + Sync;

/// As many events wait for a subscriber; one that falls further behind learns that it missed some.
const BACKLOG: usize = 256;

/// Tells what happens. A listener is called on the thread where it happens, and must only pass it on.
pub struct Events {
    listeners: Mutex<Vec<Weak<Listener>>>,
    subscribers: broadcast::Sender<Event>,
}

impl Default for Events {
    fn default() -> Events {
        Events { listeners: Mutex::default(), subscribers: broadcast::Sender::new(BACKLOG) }
    }
}

/// Listens until dropped.
pub struct Listening {
    _listener: Arc<Listener>,
}

impl Events {
    /// Calls `listener` at every event until the handle is dropped.
    pub fn listen(&self, listener: impl Fn(&Event) + Send + Sync + 'static) -> Listening {
        let listener: Arc<Listener> = Arc::new(listener);
        let mut all = self.listeners.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|old| old.strong_count() > 0);
        all.push(Arc::downgrade(&listener));
        Listening { _listener: listener }
    }

    /// Every event from now on, for a task.
    pub fn subscribe(&self) -> broadcast::Receiver<Event> {
        self.subscribers.subscribe()
    }

    /// Tells everybody.
    pub(crate) fn tell(&self, event: &Event) {
        // Without subscribers, nobody hears it.
        let _ = self.subscribers.send(*event);
        // Called outside the lock: a listener may start or stop listening.
        let all: Vec<Arc<Listener>> = {
            let listeners = self.listeners.lock().unwrap_or_else(PoisonError::into_inner);
            listeners.iter().filter_map(Weak::upgrade).collect()
        };
        for listener in all {
            listener(event);
        }
    }
}
