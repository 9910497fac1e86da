//! Names, what is known about secrets, and their values: shown or used.

use super::Session;
use super::record::Opened;
use super::work::Work;
use crate::audit::Operation;
use crate::capability::Capability;
use crate::error::{Error, Result};
use crate::name::{PolicyName, SecretName};
use crate::secret::{Consent, SecretInfo};
use crate::value::SecretValue;

/// What a value is wanted for, as the person who approves it reads it.
const SHOWING: &str = "show the value";

impl Session {
    /// The value, to be shown. Needs `reveal`.
    pub fn get(&self, name: &SecretName, consent: Consent) -> Result<SecretValue> {
        let got = self.read(Operation::Get, Some(name.as_str()), |work| {
            let opened = work.revealable(name, consent)?;
            work.value(&opened)
        });
        self.or_ask(got, SHOWING)
    }

    /// The same if nothing has to be waited for; otherwise nothing was done.
    pub(crate) fn get_at_once(&self, name: &SecretName, consent: Consent) -> Option<Result<SecretValue>> {
        let got = self.read_at_once(Operation::Get, Some(name.as_str()), |work| {
            let opened = work.revealable(name, consent)?;
            work.value(&opened)
        })?;
        Some(self.or_ask(got, SHOWING))
    }

    /// The value, to be used and not shown. Needs `use`. Whoever calls this must not hand it to the caller of a tool.
    pub fn use_value(&self, name: &SecretName, purpose: &str, consent: Consent) -> Result<SecretValue> {
        let used = self.read(Operation::Use, Some(name.as_str()), |work| {
            work.keys.require_scope(name)?;
            work.keys.require(Capability::Use)?;
            work.detail = Some(purpose.chars().take(200).collect());
            let opened = work.counted(name, purpose, consent)?;
            work.value(&opened)
        });
        self.or_ask(used, purpose)
    }

    /// What is known about a secret. Needs `list`.
    pub fn info(&self, name: &SecretName) -> Result<SecretInfo> {
        self.read(Operation::Info, Some(name.as_str()), |work| {
            work.keys.require(Capability::List)?;
            Ok(work.find(name)?.info)
        })
    }

    /// What is known about a secret that is about to be used. Needs `use`: whoever may use a secret may know what its owner
    /// says about using it.
    pub fn usable(&self, name: &SecretName) -> Result<SecretInfo> {
        self.read(Operation::Info, Some(name.as_str()), |work| {
            work.keys.require_scope(name)?;
            work.keys.require(Capability::Use)?;
            Ok(work.find(name)?.info)
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
            let infos = work.load_names()?.infos.values();
            Ok(infos
                .filter(|info| matcher.as_ref().is_none_or(|matcher| matcher.covers(&info.name)))
                .map(take)
                .collect())
        })
    }
}

impl Work<'_> {
    /// Finds a secret whose value this session may show.
    pub(super) fn revealable(&mut self, name: &SecretName, consent: Consent) -> Result<Opened> {
        self.keys.require_scope(name)?;
        if !self.keys.capabilities().has(Capability::Reveal) {
            return Err(match self.keys.require(Capability::Use) {
                Ok(()) => Error::RunOnly(name.clone()),
                Err(_) => Error::Lacks(Capability::Reveal),
            });
        }
        let opened = self.counted(name, SHOWING, consent)?;
        if opened.info.attributes.never_reveal {
            return Err(Error::NeverRevealed(name.clone()));
        }
        Ok(opened)
    }

    /// Finds a secret, counts a use of it, and sees to it that a person agreed where one must.
    fn counted(&mut self, name: &SecretName, purpose: &str, consent: Consent) -> Result<Opened> {
        if let Some(holder) = &self.keys.holder {
            holder.check_uses()?;
        }
        let opened = self.find(name)?;
        if opened.info.attributes.approve_each_use && consent == Consent::Unasked {
            self.take_approval(name, purpose)?;
        }
        if let Some(holder) = &self.keys.holder {
            self.store.count_use(holder.id.0)?;
        }
        Ok(opened)
    }
}
