//! The requests a client has under way: which ids are admitted, and who answers. Whoever takes an entry out answers for
//! it, so each is answered once.

use std::collections::HashMap;
use std::collections::hash_map::Entry as Slot;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::{AbortHandle, JoinHandle};

use crate::bell::Bell;
use crate::cancel::Cancel;
use crate::changes::Listening;
use crate::code;
use crate::echo::shown;
use crate::engine::Pending;
use crate::fail::Fail;
use crate::frame::Frame;
use crate::id::{Id, IdRef};
use crate::lock::unpoisoned;
use crate::wire::Params;
use crate::workers::Workers;

pub(crate) struct Inflight {
    entries: Mutex<HashMap<Id, Entry>>,
    /// So that a request answered at once need not take the lock.
    count: AtomicUsize,
    /// How many there may be.
    most: usize,
    /// How many there may be together with those of other clients.
    shared: Option<Arc<Semaphore>>,
    changed: Bell,
    /// Work that is no request of its own but must be done before we go.
    held: AtomicUsize,
    /// Whether everything was stopped. Written and read with the lock: what is not entered by then never is.
    stopped: AtomicBool,
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
        /// Its place among those of all clients.
        _place: Option<OwnedSemaphorePermit>,
    },
    /// Held for what dropping it does.
    Subscription(#[allow(dead_code)] Listening),
}

impl Inflight {
    /// Admits at most so many requests at a time.
    pub(crate) fn new(most: usize) -> Inflight {
        Inflight {
            entries: Mutex::default(),
            count: AtomicUsize::new(0),
            most,
            shared: None,
            changed: Bell::default(),
            held: AtomicUsize::new(0),
            stopped: AtomicBool::new(false),
        }
    }

    /// Shares this room with other clients.
    #[cfg(feature = "http")]
    pub(crate) fn within(mut self, room: &Arc<Semaphore>) -> Inflight {
        self.shared = Some(Arc::clone(room));
        self
    }

    fn entries(&self) -> MutexGuard<'_, HashMap<Id, Entry>> {
        unpoisoned(self.entries.lock())
    }

    pub(crate) fn len(&self) -> usize {
        self.count.load(Ordering::Acquire)
    }

    /// Whether a request may be served: its id is not in use, and there is room. That is looked at before a handler
    /// runs; [`start`](Inflight::start) makes sure of the id once more, with the lock that it then enters it under.
    pub(crate) fn admit(&self, id: IdRef<'_>) -> Result<(), Fail> {
        let count = self.len();
        if count > 0 && self.entries().contains_key(id.as_json()) {
            return Err(under_way(id));
        }
        if count >= self.most || self.shared.as_ref().is_some_and(|shared| shared.available_permits() == 0) {
            return Err(too_many());
        }
        Ok(())
    }

    /// Starts what is not answered at once. `deliver` gets the response, unless somebody else answered.
    pub(crate) fn start<T: Send + 'static>(
        self: &Arc<Self>,
        workers: &Workers,
        pending: Pending,
        deliver: impl FnOnce(Frame) -> T + Send + 'static,
    ) -> Result<JoinHandle<Option<T>>, (Id, Fail)> {
        let (id, cancel) = (pending.id().clone(), pending.cancel());
        let (inflight, own_id) = (Arc::clone(self), id.clone());
        // On the heap by itself: what is moved into a task and awaited there is in it twice.
        let response = Box::pin(pending.finish());
        let work = async move {
            let response = response.await;
            let _held = inflight.take_to_answer((&own_id).into())?;
            Some(deliver(response.frame))
        };
        // The lock is held meanwhile: the entry is there before it can end.
        let mut entries = self.entries();
        let slot = match entries.entry(id) {
            Slot::Vacant(slot) => slot,
            Slot::Occupied(taken) => {
                let fail = under_way(taken.key().into());
                return Err((taken.key().clone(), fail));
            }
        };
        if self.stopped.load(Ordering::Relaxed) {
            let fail =
                Fail::rpc(code::INTERNAL_ERROR, "The session ended before this was begun; open another");
            return Err((slot.key().clone(), fail));
        }
        let place = match &self.shared {
            None => None,
            Some(shared) => match Arc::clone(shared).try_acquire_owned() {
                Ok(place) => Some(place),
                Err(_) => return Err((slot.key().clone(), too_many())),
            },
        };
        let task = workers.spawn(work).map_err(|error| {
            let fail = Fail::rpc(code::INTERNAL_ERROR, format!("Cannot start a thread: {error}"));
            (slot.key().clone(), fail)
        })?;
        slot.insert(Entry::Call { cancel, task: task.abort_handle(), _place: place });
        self.count.store(entries.len(), Ordering::Release);
        Ok(task)
    }

    /// Enters a subscription, which lasts until it is taken out.
    pub(crate) fn subscribe(&self, id: Id, listening: Listening) {
        let mut entries = self.entries();
        entries.insert(id, Entry::Subscription(listening));
        self.count.store(entries.len(), Ordering::Release);
    }

    /// Does what `notifications/cancelled` says.
    pub(crate) fn cancel(&self, params: &Params<'_>) {
        if let Some(entry) = params.request_id.and_then(IdRef::from_raw).and_then(|id| self.take(id)) {
            entry.stop();
        }
    }

    /// Takes a request out to answer it; like [`take`](Inflight::take), and the end of input waits until
    /// the answer is handed over.
    fn take_to_answer(self: &Arc<Self>, id: IdRef<'_>) -> Option<Hold> {
        let hold = self.hold();
        self.take(id).map(|_| hold)
    }

    pub(crate) fn hold(self: &Arc<Self>) -> Hold {
        self.held.fetch_add(1, Ordering::SeqCst);
        Hold(Arc::clone(self))
    }

    /// Takes a request out; `None` when somebody else answered for it, or cancelled it.
    fn take(&self, id: IdRef<'_>) -> Option<Entry> {
        let mut entries = self.entries();
        let entry = entries.remove(id.as_json());
        if entries.capacity() > 1_024 && entries.len() < entries.capacity() / 8 {
            entries.shrink_to_fit();
        }
        self.count.store(entries.len(), Ordering::Release);
        self.changed.ring();
        entry
    }

    /// Stops everything, also what would come later.
    pub(crate) fn stop_all(&self) {
        let mut entries = self.entries();
        self.stopped.store(true, Ordering::Relaxed);
        let all: Vec<Entry> = entries.drain().map(|(_, entry)| entry).collect();
        self.count.store(0, Ordering::Release);
        drop(entries);
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
        if let Entry::Call { cancel, task, .. } = self {
            cancel.set();
            task.abort();
        }
    }
}

fn too_many() -> Fail {
    Fail::rpc(code::BUSY, "Too many requests are under way already; wait for some of them, or cancel them")
}

fn under_way(id: IdRef<'_>) -> Fail {
    let text = format!("Invalid request: a request with the id {} is under way already", shown(id.as_json()));
    Fail::rpc(code::INVALID_REQUEST, text)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use schemars::JsonSchema;
    use serde::Deserialize;

    use super::Inflight;
    use crate::cx::Caller;
    use crate::engine::{Engine, Flow, Link};
    use crate::session::{RESPONSE_TIME, Session};
    use crate::wire::{self, Line, Message};
    use crate::workers::Workers;
    use crate::{About, Cx, Server, Stop, Tool};

    struct Waits;

    #[derive(Deserialize, JsonSchema)]
    struct Nothing {}

    impl Tool<()> for Waits {
        type In = Nothing;
        type Out = String;
        const ABOUT: About = About::new("waits", "Waits", "Never answers.");

        async fn call(&self, (): &(), _: &Cx, _: Nothing) -> Result<String, Stop> {
            std::future::pending().await
        }
    }

    /// A session may be closed between the moment a request finds it and the moment its call starts. Nobody would ever
    /// stop that call.
    #[test]
    fn what_comes_when_everything_was_stopped_is_not_started() {
        let server = Server::new("waiting", "1", ()).tool(Waits);
        let engine = Engine::new(Arc::new(server), Workers::own(), None);
        let session = Arc::new(Session::new(Inflight::new(9), RESPONSE_TIME));
        let (outlet, caller) = (Cx::detached().outlet, Arc::new(Caller::default()));
        let link = Link { session: Arc::clone(&session), outlet, caller };
        let sent = br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"waits"}}"#;
        let Ok(Line::One(Message::Request(mut request))) = wire::parse(sent) else { panic!("no request") };
        let Flow::Later(pending) = engine.serve(&mut request, &link, &mut Vec::new()) else {
            panic!("answered at once")
        };
        session.inflight.stop_all();
        assert!(session.inflight.start(&engine.workers, pending, drop).is_err());
        assert_eq!(session.inflight.len(), 0);
    }
}
