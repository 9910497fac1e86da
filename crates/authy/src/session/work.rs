//! One operation: what it may, does and logs, in one transaction.

use std::collections::BTreeMap;
use std::sync::{MutexGuard, PoisonError};

use super::log::{self, Remembered, Said};
use super::names::{Names, Sharing};
use super::{Session, State};
use crate::audit::{Operation, Outcome};
use crate::error::{Error, Result};
use crate::keyring::{Keyring, Owner, bundle_digest};
use crate::name::{GrantId, SecretName};
use crate::secret::SecretInfo;
use crate::store::{Durability, GrantRow, Store, Unit};
use crate::time::Timestamp;
use crate::trust::{Changes, Digest, Head, Noted, Place, SignedHead, Trust};

/// What an operation works with.
pub(super) struct Work<'a> {
    pub(super) store: &'a Store,
    pub(super) keys: &'a mut Keyring,
    pub(super) trust: &'a mut Trust,
    pub(super) names: &'a mut Option<Names>,
    pub(super) sharing: &'a mut Option<Sharing>,
    pub(super) now: Timestamp,
    /// By which program.
    pub(super) via: Option<&'a str>,
    /// The version of the owner's state before this operation.
    pub(super) generation: u64,
    /// What the commit survives.
    pub(super) durability: Durability,
    /// Said in the log.
    pub(super) detail: Option<String>,
    /// Rows of the owner's state that change, and by how much the numbers of them do.
    pub(super) leaves: Changes,
    pub(super) records: i64,
    pub(super) grants: i64,
    pub(super) policies: i64,
    /// By how much the number of records changes that grants share.
    pub(super) shares: BTreeMap<GrantId, i64>,
    /// The owner's state changes, if only its keys.
    pub(super) changed: bool,
    /// The digest of the root bundle, if this operation writes another.
    pub(super) bundle: Option<Digest>,
    /// The owner has been told what the log lost, and goes on with what is left.
    pub(super) log_mended: bool,
    /// Where writers begin in the log, to be noted outside the file.
    pub(super) places: Vec<Place>,
    /// What the writer remembers besides the entry.
    pub(super) remembered: Remembered,
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

    /// Reads something: the entry in the log survives this process and, if a value leaves the vault and the session says so,
    /// the loss of power.
    pub(super) fn read<T>(
        &self,
        operation: Operation,
        target: Option<&str>,
        act: impl FnMut(&mut Work<'_>) -> Result<T>,
    ) -> Result<T> {
        let mut act = act;
        let title = Title { operation, target };
        let durability = if operation.gives_values() { self.reads } else { Durability::Process };
        match self.perform(durability, title, &mut act) {
            // What is anchored must be on the disk first.
            Err(Error::NotDurable) => self.perform(Durability::Power, title, act),
            other => other,
        }
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

    /// Reads something if that needs no waiting: nobody uses this session, no process writes to the vault, and nothing is
    /// pending. Otherwise nothing was done.
    #[cfg(feature = "server")]
    pub(super) fn read_at_once<T>(
        &self,
        operation: Operation,
        target: Option<&str>,
        act: impl FnOnce(&mut Work<'_>) -> Result<T>,
    ) -> Option<Result<T>> {
        let mut state = self.state.try_lock().ok()?;
        let State { store, keys, trust, names, sharing } = &mut *state;
        if keys.owner.is_some() && store.has_pending().unwrap_or(true) {
            return None;
        }
        if let Err(error) = trust.look() {
            return Some(Err(error));
        }
        let unit = match store.begin_at_once(Durability::Process) {
            Ok(unit) => unit?,
            Err(error) => return Some(Err(error)),
        };
        let parts = Parts { store, keys, trust, names, sharing, via: self.via.as_deref() };
        match operate(parts, (unit, Durability::Process), Title { operation, target }, act) {
            Err(Error::NotDurable) => None,
            done => Some(done),
        }
    }

    fn perform<T>(
        &self,
        durability: Durability,
        title: Title<'_>,
        act: impl FnOnce(&mut Work<'_>) -> Result<T>,
    ) -> Result<T> {
        if title.operation != Operation::Adopt {
            self.fold()?;
        }
        let mut state = self.locked();
        let State { store, keys, trust, names, sharing } = &mut *state;
        trust.look()?;
        let unit = store.begin(durability)?;
        let parts = Parts { store, keys, trust, names, sharing, via: self.via.as_deref() };
        operate(parts, (unit, durability), title, act)
    }
}

/// What a session lends to an operation.
struct Parts<'a> {
    store: &'a Store,
    keys: &'a mut Keyring,
    trust: &'a mut Trust,
    names: &'a mut Option<Names>,
    sharing: &'a mut Option<Sharing>,
    via: Option<&'a str>,
}

/// Does something in a transaction that was begun for it.
fn operate<T>(
    parts: Parts<'_>,
    (unit, durability): (Unit<'_>, Durability),
    title: Title<'_>,
    act: impl FnOnce(&mut Work<'_>) -> Result<T>,
) -> Result<T> {
    let Parts { store, keys, trust, names, sharing, via } = parts;
    let now = Timestamp::now();
    let generation = keys.refresh(store, trust, now)?;
    let mut work = Work {
        store,
        keys,
        trust,
        names,
        sharing,
        now,
        via,
        generation,
        durability,
        detail: None,
        leaves: Changes::new(),
        records: 0,
        grants: 0,
        policies: 0,
        shares: BTreeMap::new(),
        changed: false,
        bundle: None,
        log_mended: false,
        places: Vec::new(),
        remembered: Remembered::default(),
        news: Vec::new(),
        sharing_changed: false,
    };
    let done = act(&mut work).and_then(|done| {
        let head = work.settle()?;
        let position = say(&mut work, title, Outcome::Done)?;
        Ok((done, head, position))
    });
    match done.and_then(|done| unit.commit().map(|()| done)) {
        Ok((done, head, position)) => {
            work.catch_up(head, position)?;
            Ok(done)
        }
        Err(error) => {
            // The transaction was undone when its unit was dropped, and what was read after a change in it is not so.
            work.trust.forget();
            work.keys.forget_changes(work.changed);
            if work.changed || work.sharing_changed {
                (*work.names, *work.sharing) = (None, None);
            }
            if let Some(outcome) = outcome_of(&error) {
                work.remembered = Remembered::default();
                // The refusal stands whether or not it can be logged.
                let _ = log_refusal(&mut work, title, outcome);
            }
            Err(error)
        }
    }
}

fn log_refusal(work: &mut Work<'_>, title: Title<'_>, outcome: Outcome) -> Result<()> {
    let unit = work.store.begin(Durability::Process)?;
    // The keys may be those of a change that is undone.
    work.keys.refresh(work.store, work.trust, work.now)?;
    say(work, title, outcome)?;
    unit.commit()
}

/// Writes the entry for an operation. Gives the writer's position in the log.
pub(super) fn say(work: &mut Work<'_>, title: Title<'_>, outcome: Outcome) -> Result<u64> {
    let said = Said {
        time: work.now,
        via: work.via,
        operation: title.operation,
        target: title.target,
        outcome,
        detail: work.detail.as_deref(),
    };
    log::append(work.store, work.keys, &said, &work.remembered)
}

impl Work<'_> {
    /// What the owner's state says about a row, this operation's own changes included.
    pub(super) fn leaf(&mut self, leaf: &Digest) -> Result<Option<Digest>> {
        match self.leaves.get(leaf) {
            Some(changed) => Ok(*changed),
            None => self.trust.tree.find(self.store, leaf),
        }
    }

    /// Checks a row that was read, or that none was found, against the owner's state.
    pub(super) fn check(
        &mut self,
        leaf: &Digest,
        found: Option<Digest>,
        what: impl FnOnce() -> String,
    ) -> Result<()> {
        let known = self.leaf(leaf)?;
        if known == found {
            return Ok(());
        }
        let reason = match (known, found) {
            (Some(_), None) => "it is missing, or no index finds it",
            (None, _) => "it was put there by somebody else",
            (Some(_), Some(_)) => "it was changed, or put back to what it was",
        };
        Err(Error::Damaged { what: what(), reason })
    }

    /// Notes that a row of the owner's state is now this, or with `None`, is gone.
    pub(super) fn set_leaf(&mut self, leaf: Digest, digest: Option<Digest>) {
        self.changed = true;
        self.leaves.insert(leaf, digest);
    }

    /// Writes the owner's keys, changed; sessions learn it by the epoch.
    pub(super) fn replace_owner(&mut self, mut owner: Owner) -> Result<()> {
        owner.epoch += 1;
        let wrapped = owner.root.wrap(&owner.vault_key, &self.keys.vault, owner.epoch)?;
        self.store.set_root(&wrapped)?;
        self.bundle = Some(bundle_digest(&wrapped));
        self.keys.set_owner(owner);
        self.changed = true;
        Ok(())
    }

    /// Writes the new head, if the owner's state changed.
    fn settle(&mut self) -> Result<Option<(SignedHead, Head)>> {
        for (id, change) in std::mem::take(&mut self.shares) {
            if let Some(mut row) = self.store.grant(id.0)? {
                self.check(&GrantRow::leaf(id.0), Some(row.digest()), || format!("grant {id}"))?;
                row.shares = row.shares.saturating_add_signed(change);
                self.store.update_grant(&row)?;
                self.set_leaf(GrantRow::leaf(id.0), Some(row.digest()));
            }
        }
        if !self.changed {
            return Ok(None);
        }
        let log_end = self.log_end()?;
        let (before, link) = self.trust.head()?;
        let records = before.records.saturating_add_signed(self.records);
        let grants = before.grants.saturating_add_signed(self.grants);
        let policies = before.policies.saturating_add_signed(self.policies);
        // Not what the file says: somebody else may have written there since it was read.
        let bundle = self.bundle.unwrap_or(before.bundle);
        let version = self.trust.next_version()?;
        let tree = self.trust.tree.change(self.store, &self.leaves)?;
        let owner = self.keys.owner()?;
        let (entry, entry_code) = log_end;
        let head = Head {
            version,
            epoch: owner.epoch,
            identity: owner.root.identity.public(),
            tree,
            records,
            grants,
            policies,
            bundle,
            entry,
            entry_code,
            time: self.now.millis(),
        };
        let signed = head.sign(&owner.root.identity, &self.keys.vault, link);
        self.store.set_head(version, &signed)?;
        Ok(Some((signed, head)))
    }

    /// The end of the log, which the new head names. If what the head before it named is not there, that stays named: a log
    /// that was cut off is not made good by the owner's next change.
    fn log_end(&self) -> Result<(u64, [u8; 32])> {
        let before = self.trust.head()?.0;
        let whole = self.log_mended
            || before.entry == 0
            || self.store.audit_code(before.entry)? == Some(before.entry_code);
        if whole { self.store.audit_end() } else { Ok((before.entry, before.entry_code)) }
    }

    /// Takes this operation's own changes into what is remembered, so that only those of others need to be read; and notes
    /// outside the file what must not be taken back.
    fn catch_up(self, head: Option<(SignedHead, Head)>, position: u64) -> Result<()> {
        let Work { store, keys, trust, names, sharing, generation, places, remembered, news, .. } = self;
        if self.sharing_changed {
            *sharing = None;
        }
        let next = head.as_ref().map_or(generation, |(_, head)| head.version);
        if let Some(sharing) = sharing.as_mut().filter(|sharing| sharing.generation == generation) {
            sharing.generation = next;
        }
        if let Some(names) = names.as_mut().filter(|names| names.generation == generation) {
            names.generation = next;
            for news in news {
                match news {
                    News::Is(info) => drop(names.infos.insert(info.name.clone(), info)),
                    News::Gone(name) => drop(names.infos.remove(&name)),
                }
            }
        }
        if let Some((signed, head)) = head {
            // It is committed; that the log is left beside it would be no failure of this.
            let _ = store.leave_log(false);
            keys.committed(&head);
            let noted =
                Noted::new(&keys.owner()?.root.identity, keys.vault, head.version, signed.link(&keys.vault));
            trust.committed(&keys.vault, signed, head);
            trust.note(noted.with(places))?;
        }
        let counted = keys.holder.as_ref().is_some_and(|holder| holder.bundle.terms.uses.is_some());
        if remembered.answered.is_some() || (remembered.used > 0 && counted) {
            let (writer, words) = keys.log_writer()?;
            trust.anchor().advance_writer(log::noted_place(&words, &keys.vault, &writer, position))?;
        }
        Ok(())
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
        | Error::NotInTrash(_)
        | Error::AlreadyExists(_)
        | Error::NoSuchVersion { .. }
        | Error::PolicyNotFound(_)
        | Error::PolicyExists(_)
        | Error::PolicyInUse { .. }
        | Error::GrantNotFound(_)
        | Error::ApprovalNotFound(_)
        | Error::ApprovalChanged(_)
        | Error::Damaged { .. }
        | Error::DamagedRecords { .. }
        | Error::Pattern(_)
        | Error::Slot(_)
        | Error::TooMuch(_) => Some(Outcome::Failed),
        Error::NotInitialized
        | Error::AlreadyInitialized(_)
        | Error::NoCredentials
        | Error::InvalidToken(_)
        | Error::TokenRevoked
        | Error::WrongCredential(_)
        | Error::Untrusted(_)
        | Error::OldFormat
        | Error::AlreadyUpgraded
        | Error::NotDurable
        | Error::Keyfile(_)
        | Error::DamagedLog(_)
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
