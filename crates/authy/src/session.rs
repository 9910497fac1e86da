//! A session: an unlocked vault, or the part of it that a grant opens.
//!
//! Every operation is one [`Work`]: it catches up with what others changed, checks what the session may do, does it, and
//! writes what it did into the audit log, all in one transaction. What cannot be logged is not done.

mod approvals;
mod contents;
mod grants;
mod log;
mod names;
mod policies;
mod reading;
mod record;
mod removing;
mod slots;
mod storing;
mod versions;
mod work;

use std::sync::{Arc, Mutex};

use crate::capability::{Capabilities, Capability};
use crate::credential::Credential;
use crate::error::Result;
use crate::grant::GrantInfo;
use crate::keyring::Keyring;
use crate::store::Store;

pub(crate) use contents::Contents;
pub(crate) use log::start as start_log;
use names::{Names, Sharing};
pub(crate) use slots::insert_slot;

/// What reads and writes secrets. Clones are cheap and share one connection; it may be used from any thread.
#[derive(Clone)]
pub struct Session {
    state: Arc<Mutex<State>>,
    via: Option<Arc<str>>,
}

/// What all clones of a session share.
struct State {
    store: Store,
    keys: Keyring,
    names: Option<Names>,
    sharing: Option<Sharing>,
}

impl Session {
    pub(crate) fn open(store: Store, credential: &Credential) -> Result<Session> {
        let keys = Keyring::open(&store, credential)?;
        let session = Session::with_keys(store, keys);
        session.adopt()?;
        Ok(session)
    }

    pub(crate) fn with_keys(store: Store, keys: Keyring) -> Session {
        let state = Arc::new(Mutex::new(State { store, keys, names: None, sharing: None }));
        // The keys lie in it, and it does not move any more.
        crate::harden::keep_out_of_swap(&*state);
        Session { state, via: None }
    }

    /// The same session, whose entries in the audit log say by which program they were made.
    pub fn with_actor(&self, via: &str) -> Session {
        Session { state: Arc::clone(&self.state), via: Some(via.chars().take(64).collect::<String>().into()) }
    }

    /// What the session may do. Whether it may do it to a secret depends on the secret, too.
    pub fn capabilities(&self) -> Capabilities {
        self.locked().keys.capabilities()
    }

    /// Whether the session may do this at all.
    pub fn require(&self, capability: Capability) -> Result<()> {
        self.locked().keys.require(capability)
    }

    /// The grant it was opened with; `None` for the owner.
    pub fn grant(&self) -> Option<GrantInfo> {
        let state = self.locked();
        state.keys.holder.as_ref().map(|holder| {
            grants::describe(holder.id, &holder.bundle.terms, holder.used, grants::Standing::Active)
        })
    }
}
