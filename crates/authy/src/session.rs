//! A session: an unlocked vault, or the part of it that a grant opens.
//!
//! Every operation is one [`Work`]: it catches up with what others changed, checks what the session may do, does it, and
//! writes what it did into the audit log, all in one transaction. What cannot be logged is not done.

mod approvals;
mod auditing;
mod grants;
mod log;
mod names;
mod pending;
mod policies;
mod reading;
mod record;
mod removing;
mod renewing;
mod repairing;
#[cfg(test)]
mod scratch;
mod slots;
mod storing;
pub(crate) mod take_in;
mod trash;
mod versions;
mod work;

use std::sync::{Arc, Mutex};

use crate::audit::Operation;
use crate::capability::{Capabilities, Capability};
use crate::credential::Credential;
use crate::error::Result;
use crate::grant::GrantInfo;
use crate::keyring::Keyring;
use crate::store::{Durability, Store};
use crate::trust::Trust;

pub(crate) use log::start as start_log;
use names::{Names, Sharing};
pub(crate) use record::open_value as open_old_value;
pub use renewing::Recovered;
pub use repairing::{Repaired, Salvaged};
pub(crate) use slots::{know_slot, write_slots};

/// What reads and writes secrets. Clones are cheap and share one connection; it may be used from any thread.
#[derive(Clone)]
pub struct Session {
    state: Arc<Mutex<State>>,
    via: Option<Arc<str>>,
    /// What the log's entries about reading survive.
    reads: Durability,
}

/// What all clones of a session share.
struct State {
    store: Store,
    keys: Keyring,
    trust: Trust,
    names: Option<Names>,
    sharing: Option<Sharing>,
}

impl Session {
    pub(crate) fn open(store: Store, mut trust: Trust, credential: &Credential) -> Result<Session> {
        trust.look()?;
        let snapshot = store.snapshot()?;
        let keys = Keyring::open(&store, &mut trust, credential)?;
        drop(snapshot);
        let session = Session::with_keys(store, trust, keys);
        session.fold()?;
        Ok(session)
    }

    pub(crate) fn with_keys(store: Store, trust: Trust, keys: Keyring) -> Session {
        let state = Arc::new(Mutex::new(State { store, keys, trust, names: None, sharing: None }));
        // The keys lie in it, and it does not move any more.
        crate::sys::keep_out_of_swap(&*state);
        Session { state, via: None, reads: Durability::Process }
    }

    /// Believes what is in the file from now on, whatever was noted about it: a version above both is made and noted.
    pub(crate) fn settle(&self) -> Result<()> {
        self.change(Operation::Trust, None, |work| {
            work.keys.require(Capability::Admin)?;
            work.changed = true;
            work.note_places()
        })
    }

    /// The same session, whose entries in the audit log say by which program they were made.
    pub fn with_actor(&self, via: &str) -> Session {
        Session { via: Some(via.chars().take(64).collect::<String>().into()), ..self.clone() }
    }

    /// The same session, which gives no value away before the entry about it is on the disk. It costs a flush of the disk for
    /// each, and for the first of a process SQLite flushes the folder of its log, too, which is new after a change of the owner's and
    /// then flushed once more; without it, entries about reading survive the death of this process, and not always the loss of power.
    pub fn with_durable_reads(&self) -> Session {
        Session { reads: Durability::Power, ..self.clone() }
    }

    /// What the session may do. Whether it may do it to a secret depends on the secret, too.
    pub fn capabilities(&self) -> Capabilities {
        self.locked().keys.capabilities()
    }

    /// Whether the session may do this at all.
    pub fn require(&self, capability: Capability) -> Result<()> {
        self.locked().keys.require(capability)
    }

    /// Whether a client of this session may ask its user for a yes: the owner's may, a grant's where the owner allowed it.
    pub fn may_ask_client(&self) -> bool {
        let state = self.locked();
        state.keys.holder.as_ref().is_none_or(|holder| holder.bundle.terms.asks_client)
    }

    /// The grant it was opened with; `None` for the owner.
    pub fn grant(&self) -> Option<GrantInfo> {
        let state = self.locked();
        state.keys.holder.as_ref().map(|holder| {
            let used = log::chain(&state.store, &state.keys).map_or(0, |(_, remembered)| remembered.uses);
            grants::describe(holder.id, &holder.bundle.terms, used, grants::Standing::Active)
        })
    }
}
