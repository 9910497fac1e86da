//! News about a server's lists and resources, handed to whoever listens. No queue, no task: a listener
//! is called where the change is told, and must only pass it on.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, Weak};

use crate::lock::unpoisoned;

/// Something a client may want to look at again.
#[doc(alias(
    "ToolListChangedNotification",
    "PromptListChangedNotification",
    "ResourceListChangedNotification",
    "ResourceUpdatedNotification"
))]
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
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

/// Told that somebody watches a resource now, or that nobody does any more.
type Observer = dyn Fn(&str, Watched) + Send + Sync;

/// Where a server tells its changes. Clones share their listeners.
#[derive(Clone, Default)]
pub struct Changes {
    listeners: Arc<Mutex<Vec<Weak<Listener>>>>,
    watched: Arc<Mutex<Watches>>,
}

#[derive(Default)]
struct Watches {
    /// How many watch a resource.
    counts: HashMap<String, usize>,
    observers: Vec<Weak<Observer>>,
    /// Whose changes are told here too.
    sources: Vec<Changes>,
}

/// Whether anybody watches a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Watched {
    Begins,
    Ends,
}

/// Listens until dropped.
pub struct Listening {
    _listener: Arc<Listener>,
}

/// Observes what is watched until dropped.
pub(crate) struct Observing {
    _observer: Arc<Observer>,
}

/// Watches a resource until dropped.
pub(crate) struct Watching {
    changes: Changes,
    uri: String,
    _at_sources: Vec<Watching>,
}

impl Changes {
    /// Tells every listener.
    pub fn tell(&self, change: &Change) {
        // Called outside the lock: a listener may start or stop listening.
        let listeners: Vec<Arc<Listener>> = {
            let mut all = unpoisoned(self.listeners.lock());
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
        let mut all = unpoisoned(self.listeners.lock());
        all.retain(|old| old.strong_count() > 0);
        all.push(Arc::downgrade(&listener));
        Listening { _listener: listener }
    }

    /// Tells here whatever is told there, until the handle is dropped. Who watches a resource here watches it there.
    pub(crate) fn follow(&self, source: &Changes) -> Listening {
        unpoisoned(self.watched.lock()).sources.push(source.clone());
        let changes = self.clone();
        source.listen(move |change| changes.tell(change))
    }

    /// Says that somebody wants to hear of this resource.
    pub(crate) fn watch(&self, uri: &str) -> Watching {
        let mut watched = unpoisoned(self.watched.lock());
        let count = watched.counts.entry(uri.to_owned()).or_default();
        *count += 1;
        if *count == 1 {
            watched.tell(uri, Watched::Begins);
        }
        let sources = watched.sources.clone();
        drop(watched);
        let at_sources = sources.iter().map(|source| source.watch(uri)).collect();
        Watching { changes: self.clone(), uri: uri.to_owned(), _at_sources: at_sources }
    }

    /// Calls `observer` whenever a resource begins or ceases to be watched; it must only pass that on.
    pub(crate) fn observe(&self, observer: impl Fn(&str, Watched) + Send + Sync + 'static) -> Observing {
        let observer: Arc<Observer> = Arc::new(observer);
        unpoisoned(self.watched.lock()).observers.push(Arc::downgrade(&observer));
        Observing { _observer: observer }
    }
}

impl Watches {
    /// Called with the lock held, so that an end never overtakes a beginning.
    fn tell(&mut self, uri: &str, what: Watched) {
        self.observers.retain(|observer| observer.strong_count() > 0);
        for observer in self.observers.iter().filter_map(Weak::upgrade) {
            observer(uri, what);
        }
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        let mut watched = unpoisoned(self.changes.watched.lock());
        if let Some(count) = watched.counts.get_mut(&self.uri) {
            *count -= 1;
            if *count == 0 {
                watched.counts.remove(&self.uri);
                watched.tell(&self.uri, Watched::Ends);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::{Change, Changes, Watched};

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

    #[test]
    fn who_watches_here_watches_at_the_source() {
        let (source, here) = (Changes::default(), Changes::default());
        let _following = here.follow(&source);
        let (told, heard) = std::sync::mpsc::channel();
        let _observing = source.observe(move |uri, what| drop(told.send((uri.to_owned(), what))));
        let (first, second) = (here.watch("a://b"), here.watch("a://b"));
        drop(first);
        drop(second);
        let heard: Vec<_> = heard.try_iter().collect();
        assert_eq!(heard, [("a://b".to_owned(), Watched::Begins), ("a://b".to_owned(), Watched::Ends)]);
    }
}
