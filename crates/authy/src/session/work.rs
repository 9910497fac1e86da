//! One operation: what it may, does and logs, in one transaction.

use std::sync::{MutexGuard, PoisonError};

use super::contents::Contents;
use super::log::{self, Said};
use super::names::{Names, Sharing};
use super::{Session, State};
use crate::audit::{Operation, Outcome};
use crate::error::{Error, Result};
use crate::keyring::Keyring;
use crate::name::SecretName;
use crate::secret::SecretInfo;
use crate::store::{Durability, Store, Unit};
use crate::time::Timestamp;

/// What an operation works with.
pub(super) struct Work<'a> {
    pub(super) store: &'a Store,
    pub(super) keys: &'a mut Keyring,
    pub(super) names: &'a mut Option<Names>,
    pub(super) sharing: &'a mut Option<Sharing>,
    pub(super) now: Timestamp,
    /// By which program.
    pub(super) via: Option<&'a str>,
    /// Counts changes of what is in the vault, before this one.
    pub(super) generation: u64,
    /// Said in the log.
    pub(super) detail: Option<String>,
    /// What changes about the contents.
    pub(super) changed: Contents,
    /// What changes about the names this session knows; applied when the transaction is through.
    pub(super) news: Vec<News>,
    /// Policies or grants changed: what is shared with whom has to be read anew.
    pub(super) sharing_changed: bool,
}

/// A change of the list of names.
pub(super) enum News {
    Is(SecretInfo),
    Gone(SecretName),
}

/// What an operation is called in the log.
#[derive(Clone, Copy)]
pub(super) struct Title<'t> {
    pub(super) operation: Operation,
    pub(super) target: Option<&'t str>,
}

impl Session {
    pub(super) fn locked(&self) -> MutexGuard<'_, State> {
        // A panic leaves nothing half done here: the transaction was rolled back, and caches carry their generation.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads something: the entry in the log survives this process, not the loss of power.
    pub(super) fn read<T>(
        &self,
        operation: Operation,
        target: Option<&str>,
        act: impl FnOnce(&mut Work<'_>) -> Result<T>,
    ) -> Result<T> {
        self.perform(Durability::Process, Title { operation, target }, act)
    }

    /// Changes something, durably.
    pub(super) fn change<T>(
        &self,
        operation: Operation,
        target: Option<&str>,
        act: impl FnOnce(&mut Work<'_>) -> Result<T>,
    ) -> Result<T> {
        self.perform(Durability::Power, Title { operation, target }, act)
    }

    /// Reads something if that needs no waiting: nobody uses this session, and no process writes to the vault. Otherwise
    /// nothing was done.
    pub(super) fn read_at_once<T>(
        &self,
        operation: Operation,
        target: Option<&str>,
        act: impl FnOnce(&mut Work<'_>) -> Result<T>,
    ) -> Option<Result<T>> {
        let mut state = self.state.try_lock().ok()?;
        let State { store, keys, names, sharing } = &mut *state;
        let unit = match store.begin_at_once(Durability::Process) {
            Ok(unit) => unit?,
            Err(error) => return Some(Err(error)),
        };
        let parts = Parts { store, keys, names, sharing, via: self.via.as_deref() };
        Some(operate(parts, unit, Title { operation, target }, act))
    }

    fn perform<T>(
        &self,
        durability: Durability,
        title: Title<'_>,
        act: impl FnOnce(&mut Work<'_>) -> Result<T>,
    ) -> Result<T> {
        let mut state = self.locked();
        let State { store, keys, names, sharing } = &mut *state;
        let unit = store.begin(durability)?;
        operate(Parts { store, keys, names, sharing, via: self.via.as_deref() }, unit, title, act)
    }
}

/// What a session lends to an operation.
struct Parts<'a> {
    store: &'a Store,
    keys: &'a mut Keyring,
    names: &'a mut Option<Names>,
    sharing: &'a mut Option<Sharing>,
    via: Option<&'a str>,
}

/// Does something in a transaction that was begun for it.
fn operate<T>(
    parts: Parts<'_>,
    unit: Unit<'_>,
    title: Title<'_>,
    act: impl FnOnce(&mut Work<'_>) -> Result<T>,
) -> Result<T> {
    let Parts { store, keys, names, sharing, via } = parts;
    let now = Timestamp::now();
    let generation = keys.refresh(store, now)?;
    let mut work = Work {
        store,
        keys,
        names,
        sharing,
        now,
        via,
        generation,
        detail: None,
        changed: Contents::default(),
        news: Vec::new(),
        sharing_changed: false,
    };
    match act(&mut work) {
        Ok(done) => {
            let next = work.settle()?;
            say(&mut work, title, Outcome::Done)?;
            unit.commit()?;
            work.catch_up(next);
            Ok(done)
        }
        Err(error) => {
            drop(unit);
            if !work.changed.is_unchanged() || work.sharing_changed {
                // What was read after a change that is now undone is not so.
                (*work.names, *work.sharing) = (None, None);
            }
            if let Some(outcome) = outcome_of(&error) {
                // The refusal stands whether or not it can be logged.
                let _ = log_refusal(&mut work, title, outcome);
            }
            Err(error)
        }
    }
}

fn log_refusal(work: &mut Work<'_>, title: Title<'_>, outcome: Outcome) -> Result<()> {
    let unit = work.store.begin(Durability::Process)?;
    say(work, title, outcome)?;
    unit.commit()
}

/// Writes the entry for an operation.
pub(super) fn say(work: &mut Work<'_>, title: Title<'_>, outcome: Outcome) -> Result<()> {
    let said = Said {
        time: work.now,
        via: work.via,
        operation: title.operation,
        target: title.target,
        outcome,
        detail: work.detail.as_deref(),
    };
    log::append(work.store, work.keys, &said)
}

impl Work<'_> {
    /// Writes the new sum of the contents, if they changed. Gives the new generation.
    fn settle(&self) -> Result<u64> {
        if self.changed.is_unchanged() && !self.sharing_changed {
            return Ok(self.generation);
        }
        let next = self.generation + 1;
        let key = self.keys.writer()?.contents;
        self.changed.add_to_sealed(self.store, &key, &self.keys.vault, next)?;
        Ok(next)
    }

    /// Takes this operation's own changes into what is remembered, so that only those of others need to be read.
    fn catch_up(self, next: u64) {
        if self.sharing_changed {
            *self.sharing = None;
        }
        if let Some(sharing) = self.sharing.as_mut().filter(|sharing| sharing.generation == self.generation) {
            sharing.generation = next;
        }
        if let Some(names) = self.names.as_mut().filter(|names| names.generation == self.generation) {
            names.generation = next;
            for news in self.news {
                match news {
                    News::Is(info) => drop(names.infos.insert(info.name.clone(), info)),
                    News::Gone(name) => drop(names.infos.remove(&name)),
                }
            }
        }
    }
}

/// What the log says about a refusal; nothing where the log itself is not to be trusted to take it.
fn outcome_of(error: &Error) -> Option<Outcome> {
    match error {
        Error::OutsideScope(_)
        | Error::NotShared(_)
        | Error::ForeignPolicy { .. }
        | Error::RunOnly(_)
        | Error::NeverRevealed(_)
        | Error::Lacks(_)
        | Error::NeedsApproval { .. }
        | Error::Denied(_)
        | Error::TokenExpired(_)
        | Error::TokenUsedUp(_) => Some(Outcome::Denied),
        Error::NotFound(_)
        | Error::AlreadyExists(_)
        | Error::NoSuchVersion { .. }
        | Error::PolicyNotFound(_)
        | Error::PolicyExists(_)
        | Error::PolicyInUse { .. }
        | Error::GrantNotFound(_)
        | Error::ApprovalNotFound(_)
        | Error::Damaged { .. }
        | Error::Pattern(_)
        | Error::Slot(_)
        | Error::TooMuch(_) => Some(Outcome::Failed),
        Error::NotInitialized
        | Error::AlreadyInitialized(_)
        | Error::NoCredentials
        | Error::InvalidToken(_)
        | Error::TokenRevoked
        | Error::WrongCredential(_)
        | Error::Keyfile(_)
        | Error::NewerFormat { .. }
        | Error::NotAVault(_)
        | Error::Storage { .. }
        | Error::Folder(_)
        | Error::Home(_)
        | Error::Io { .. }
        | Error::NoRandomness
        | Error::Name(_)
        | Error::Variable(_)
        | Error::Value(_) => None,
    }
}
