//! Names, what is known about secrets, and their values: shown or used.

use std::collections::BTreeMap;

use super::Session;
use super::log::{chain, check_not_cut};
use super::pending::OwnPending;
use super::record::Found;
use super::work::Work;
use crate::audit::Operation;
use crate::capability::Capability;
use crate::error::{Error, Result};
use crate::name::{PolicyName, SecretName};
use crate::secret::{Consent, SecretInfo};
use crate::store::Durability;
use crate::value::SecretValue;

/// What a value is wanted for, as the person who approves it reads it.
pub(super) const SHOWING: &str = "show the value";

impl Session {
    /// The value, to be shown. Needs `reveal`.
    pub fn get(&self, name: &SecretName, consent: Consent) -> Result<SecretValue> {
        let got = self.read(Operation::Get, Some(name.as_str()), |work| {
            let found = work.revealable(name, SHOWING, consent)?;
            work.value(&found)
        });
        self.or_ask(got, SHOWING)
    }

    /// The same if nothing has to be waited for; otherwise nothing was done.
    #[cfg(feature = "server")]
    pub(crate) fn get_at_once(&self, name: &SecretName, consent: Consent) -> Option<Result<SecretValue>> {
        let got = self.read_at_once(Operation::Get, Some(name.as_str()), |work| {
            let found = work.revealable(name, SHOWING, consent)?;
            work.value(&found)
        })?;
        Some(self.or_ask(got, SHOWING))
    }

    /// The value, to be used and not shown. Needs `use`. Whoever calls this must not hand it to the caller of a tool. The
    /// purpose names the whole of what is done with it: a yes is for exactly this purpose.
    pub fn use_value(&self, name: &SecretName, purpose: &str, consent: Consent) -> Result<SecretValue> {
        let mut values = self.use_values(std::slice::from_ref(name), purpose, consent)?;
        values.pop().ok_or_else(|| Error::NotFound(name.clone()))
    }

    /// The values of several secrets that are used together, all or none. A yes that some of them want is one yes, for all.
    pub fn use_values(
        &self,
        names: &[SecretName],
        purpose: &str,
        consent: Consent,
    ) -> Result<Vec<SecretValue>> {
        let target = names.iter().map(SecretName::as_str).collect::<Vec<_>>().join(", ");
        let used = self.read(Operation::Use, Some(&target), |work| {
            names.iter().try_for_each(|name| work.keys.require_scope(name))?;
            work.keys.require(Capability::Use)?;
            work.detail = Some(purpose.chars().take(200).collect());
            let found = work.counted(names, purpose, consent)?;
            found.iter().map(|found| work.value(found)).collect()
        });
        self.or_ask(used, purpose)
    }

    /// The value, to be looked for in files. Needs `scan`. Not given for what is never shown or needs a yes.
    pub fn scan_value(&self, name: &SecretName) -> Result<SecretValue> {
        self.read(Operation::Use, Some(name.as_str()), |work| {
            work.keys.require_scope(name)?;
            work.keys.require(Capability::Scan)?;
            work.detail = Some("look for it in files".to_owned());
            let found = work.find(name)?;
            let attributes = &found.info().attributes;
            if attributes.never_reveal || attributes.approve_each_use {
                return Err(Error::NeverRevealed(name.clone()));
            }
            work.value(&found)
        })
    }

    /// What is known about a secret. Needs `list`.
    pub fn info(&self, name: &SecretName) -> Result<SecretInfo> {
        self.read(Operation::Info, Some(name.as_str()), |work| {
            work.keys.require(Capability::List)?;
            Ok(work.find(name)?.into_info())
        })
    }

    /// What is known about a secret that is about to be used. Needs `use`: whoever may use a secret may know what its owner
    /// says about using it.
    pub fn usable(&self, name: &SecretName) -> Result<SecretInfo> {
        self.read(Operation::Info, Some(name.as_str()), |work| {
            work.keys.require_scope(name)?;
            work.keys.require(Capability::Use)?;
            Ok(work.find(name)?.into_info())
        })
    }

    /// The names this session can see, or those of them that a policy covers, in order. Needs `list`.
    pub fn list(&self, scope: Option<&PolicyName>) -> Result<Vec<SecretName>> {
        self.each(scope, |info| info.name.clone())
    }

    /// What is known about all secrets this session can see, or those of them that a policy covers. Needs `list`.
    pub fn infos(&self, scope: Option<&PolicyName>) -> Result<Vec<SecretInfo>> {
        self.each(scope, Clone::clone)
    }

    fn each<T>(&self, scope: Option<&PolicyName>, take: impl Fn(&SecretInfo) -> T) -> Result<Vec<T>> {
        self.read(Operation::List, scope.map(PolicyName::as_str), |work| {
            work.keys.require(Capability::List)?;
            let matcher =
                scope.map(|scope| work.policy_named(scope)?.matcher().map_err(Error::from)).transpose()?;
            let covered =
                |info: &&SecretInfo| matcher.as_ref().is_none_or(|matcher| matcher.covers(&info.name));
            let own = work.own_names()?;
            let names = work.load_names()?;
            if own.is_empty() {
                return Ok(names.infos.values().filter(covered).map(&take).collect());
            }
            let mut infos: BTreeMap<&SecretName, &SecretInfo> = names.infos.iter().collect();
            for (name, pending) in &own {
                match pending {
                    OwnPending::Is(info, _) => drop(infos.insert(name, info)),
                    OwnPending::Removed => drop(infos.remove(name)),
                }
            }
            Ok(infos.into_values().filter(covered).map(&take).collect())
        })
    }
}

impl Work<'_> {
    /// Finds a secret whose value this session may show.
    pub(super) fn revealable(&mut self, name: &SecretName, purpose: &str, consent: Consent) -> Result<Found> {
        self.keys.require_scope(name)?;
        if !self.keys.capabilities().has(Capability::Reveal) {
            return Err(match self.keys.require(Capability::Use) {
                Ok(()) => Error::RunOnly(name.clone()),
                Err(_) => Error::Lacks(Capability::Reveal),
            });
        }
        let mut found = self.counted(std::slice::from_ref(name), purpose, consent)?;
        let found = found.pop().ok_or_else(|| Error::NotFound(name.clone()))?;
        if found.info().attributes.never_reveal {
            return Err(Error::NeverRevealed(name.clone()));
        }
        Ok(found)
    }

    /// Finds secrets, counts a use of each, and sees to it that a person agreed where one must.
    fn counted(&mut self, names: &[SecretName], purpose: &str, consent: Consent) -> Result<Vec<Found>> {
        if let Some(limit) = self.keys.holder.as_ref().and_then(|holder| holder.bundle.terms.uses) {
            self.must_be_durable()?;
            let (row, state) = chain(self.store, self.keys)?;
            check_not_cut(self.trust, self.keys, &row)?;
            if state.uses.saturating_add(names.len() as u64) > limit {
                return Err(Error::TokenUsedUp(limit));
            }
        }
        let found: Vec<Found> = names.iter().map(|name| self.find(name)).collect::<Result<_>>()?;
        let infos = found.iter().map(Found::info);
        let asking: Vec<SecretName> =
            infos.filter(|info| info.attributes.approve_each_use).map(|info| info.name.clone()).collect();
        if !asking.is_empty() {
            let how = match (consent, &self.keys.holder) {
                (Consent::Given, None) => "approved at the terminal".to_owned(),
                (Consent::Asked, None) => "approved through the client".to_owned(),
                (Consent::Asked, Some(holder)) if holder.bundle.terms.asks_client => {
                    "approved through the client of the grant".to_owned()
                }
                (Consent::Unasked | Consent::Given | Consent::Asked, _) => {
                    self.must_be_durable()?;
                    self.take_approval(&asking, purpose)?
                }
            };
            let detail = self.detail.take();
            self.detail = Some(detail.into_iter().chain([how]).collect::<Vec<_>>().join("; "));
        }
        if self.keys.holder.is_some() {
            self.remembered.used = names.len() as u64;
        }
        Ok(found)
    }

    /// What is noted outside the file has to be on the disk first.
    fn must_be_durable(&self) -> Result<()> {
        match self.durability {
            Durability::Power => Ok(()),
            Durability::Process => Err(Error::NotDurable),
        }
    }
}
