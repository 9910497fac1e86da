//! Changes told to a client on a pair of pipes: to its session from the handshake on, and to each subscription.

use std::sync::{Arc, Mutex};

use crate::changes::{Change, Listening};
use crate::cx::Outlet;
use crate::engine::{Engine, Filter};
use crate::id::Id;
use crate::inflight::Inflight;
use crate::lock::unpoisoned;
use crate::notify;
use crate::session::Session;

use super::out::Out;

pub(super) struct Subscriptions {
    out: Arc<Out>,
    /// What the session listens with.
    session: Mutex<Option<Listening>>,
}

impl Subscriptions {
    pub(super) fn new(out: Arc<Out>) -> Subscriptions {
        Subscriptions { out, session: Mutex::new(None) }
    }

    /// From now on the session hears about changes.
    pub(super) fn tell_session(&self, engine: &Engine, session: &Arc<Session>) {
        let (session, out) = (Arc::clone(session), Arc::clone(&self.out));
        let listening = engine.service.changes().listen(move |change| {
            let wanted = match change {
                Change::Resource(uri) => session.watches(uri),
                Change::Tools | Change::Prompts | Change::Resources => true,
            };
            if wanted {
                out.notify(notify::change(change, None));
            }
        });
        *unpoisoned(self.session.lock()) = Some(listening);
    }

    /// Opens a subscription: the answer to `subscriptions/listen` comes when it ends.
    pub(super) fn open(&self, engine: &Engine, inflight: &Inflight, id: Id, filter: Filter) {
        let acknowledgement = filter.acknowledgement((&id).into());
        let (out, subscription) = (Arc::clone(&self.out), id.clone());
        let watching = filter.watch(engine.service.changes());
        // Who was told that the subscription is there hears of every change from then on. One that comes before is told after.
        let early = Arc::new(Mutex::new(Some(Vec::new())));
        let kept = Arc::clone(&early);
        let tell = move |change: &Change| out.notify(notify::change(change, Some((&subscription).into())));
        let late = tell.clone();
        let listening = engine.service.changes().listen(move |change| {
            let _watching = &watching;
            if !filter.admits(change) {
                return;
            }
            match &mut *unpoisoned(kept.lock()) {
                Some(changes) if changes.contains(change) => {}
                Some(changes) => changes.push(change.clone()),
                None => tell(change),
            }
        });
        inflight.subscribe(id, listening);
        self.out.send_frame(acknowledgement);
        let mut early = unpoisoned(early.lock());
        for change in early.take().into_iter().flatten() {
            late(&change);
        }
    }

    /// Ends all of them from our side.
    pub(super) fn close(&self, engine: &Engine, inflight: &Inflight) {
        unpoisoned(self.session.lock()).take();
        for id in inflight.take_subscriptions() {
            self.out.send_frame(notify::cancelled((&id).into()));
            let mut frame = Vec::new();
            engine.end_subscription(&mut frame, (&id).into());
            self.out.send_frame(frame);
        }
    }
}
