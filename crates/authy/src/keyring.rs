//! The keys a session holds, and how they are kept up to date while others change the vault.

use crate::capability::{Capabilities, Capability};
use crate::credential::Credential;
use crate::error::{Error, Result, SlotError, Untrusted, WrongCredential};
use crate::keys::crypto::hash;
use crate::keys::sealing::Secret;
use crate::keys::signing::IdentityPublic;
use crate::keys::{Bundle, Identity, Key, Place, Root, Stretching, Token};
use crate::name::{GrantId, SecretName};
use crate::policy::Matcher;
use crate::slot::SlotKind;
use crate::store::{GrantRow, SlotRow, Store};
use crate::time::Timestamp;
use crate::trust::{Head, Trust};

/// What a session was opened with, and what that opened.
pub(crate) struct Keyring {
    pub(crate) vault: [u8; 16],
    /// The identity that the credential has authenticated.
    identity: IdentityPublic,
    /// The version of the owner's state that these keys were read from.
    version: u64,
    slot: Option<(i64, Secret)>,
    pub(crate) holder: Option<Holder>,
    pub(crate) owner: Option<Owner>,
    pub(crate) chain: Option<Chain>,
}

/// Where this session is in the log: what it wrapped last need not be opened again.
pub(crate) struct Chain {
    pub(crate) wrapped: Vec<u8>,
    pub(crate) position: u64,
    pub(crate) state: ChainState,
}

/// What a writer of the log has to remember.
#[derive(Clone)]
pub(crate) struct ChainState {
    /// The key of its next entry.
    pub(crate) key: Key,
    /// How often it used or revealed values.
    pub(crate) uses: u64,
    /// The approvals it has used, by number, each with its end; and under [`OVER`] when the last that is forgotten ended.
    pub(crate) answered: Vec<(i64, i64)>,
}

/// The number of no approval: it stands for all that ended by then.
const OVER: i64 = 0;

impl ChainState {
    /// Whether an approval was used, or may have been: nothing that had ended comes back when a clock is set back.
    pub(crate) fn is_answered(&self, id: i64, end: i64) -> bool {
        self.answered.iter().any(|(other, ended)| *other == id || (*other == OVER && end <= *ended))
    }

    /// What is remembered if nothing is known: that every approval that ends by then was used.
    pub(crate) fn all_answered_by(end: Timestamp) -> Vec<(i64, i64)> {
        vec![(OVER, end.millis())]
    }

    /// Forgets the approvals that have ended by now, but for when.
    pub(crate) fn forget_ended(&mut self, now: i64) {
        let last = self.answered.iter().map(|(_, end)| *end).filter(|end| *end <= now).max();
        self.answered.retain(|(_, end)| *end > now);
        self.answered.extend(last.map(|end| (OVER, end)));
    }
}

/// The owner's keys.
#[derive(Clone)]
pub(crate) struct Owner {
    pub(crate) epoch: u64,
    pub(crate) vault_key: Key,
    pub(crate) root: Root,
}

/// The keys of a grant.
pub(crate) struct Holder {
    pub(crate) id: GrantId,
    pair: Secret,
    pub(crate) key: Key,
    pub(crate) bundle: Bundle,
    matcher: Matcher,
    pub(crate) shares: u64,
    pub(crate) folded: u64,
}

/// Passphrases are slow to try, so only so many slots are.
pub(crate) const MOST_PASSPHRASES: usize = 4;

impl Keyring {
    pub(crate) fn new(vault: [u8; 16], version: u64, owner: Owner) -> Keyring {
        let identity = owner.root.identity.public();
        Keyring { vault, identity, version, slot: None, holder: None, owner: Some(owner), chain: None }
    }

    /// Opens with what a person or a program has. To be called in a transaction.
    pub(crate) fn open(store: &Store, trust: &mut Trust, credential: &Credential) -> Result<Keyring> {
        let vault = store.header()?.vault_id;
        let head = trust.check(store, &vault)?.clone();
        match credential {
            Credential::Token(token) => Keyring::open_grant(store, trust, (vault, &head), token),
            Credential::Passphrase(passphrase) => {
                let wrong = WrongCredential::Passphrase;
                let kinds = [SlotKind::Passphrase];
                Keyring::open_slot((store, trust), (vault, &head), &kinds, wrong, |slot| {
                    stretching(slot)?.pair(passphrase)
                })
            }
            Credential::Keyfile(path) => {
                let identity = Identity::read(path)?;
                let wrong = WrongCredential::Keyfile;
                Keyring::open_slot((store, trust), (vault, &head), &[SlotKind::Keyfile], wrong, |_| {
                    Ok(identity.pair().clone())
                })
            }
            Credential::Recovery(code) => {
                let kinds = [SlotKind::Recovery, SlotKind::Keychain];
                let wrong = WrongCredential::Recovery;
                Keyring::open_slot((store, trust), (vault, &head), &kinds, wrong, |_| Ok(code.pair()))
            }
        }
    }

    fn open_slot(
        (store, trust): (&Store, &mut Trust),
        (vault, head): ([u8; 16], &Head),
        kinds: &[SlotKind],
        wrong: WrongCredential,
        pair: impl Fn(&SlotRow) -> Result<Secret>,
    ) -> Result<Keyring> {
        let mut slots = store.slots()?;
        // First those that the head knows, then those that it says nothing about: those of a vault that is new, and rows that
        // somebody added.
        slots.sort_by_cached_key(|slot| match trust.tree.find(store, &SlotRow::leaf(slot.id)) {
            Ok(Some(known)) if known == slot.digest() => 0,
            Ok(None) | Err(_) => 1,
            Ok(Some(_)) => 2,
        });
        let fitting = slots.iter().filter(|slot| kinds.iter().any(|kind| kind.as_str() == slot.kind));
        let most = if kinds.contains(&SlotKind::Passphrase) { MOST_PASSPHRASES } else { usize::MAX };
        let mut untrusted = None;
        for slot in fitting.take(most) {
            // Neither a row that somebody put in, nor one that is damaged, keeps the real one from being found.
            let pair = match pair(slot) {
                Ok(pair) => pair,
                Err(error) => {
                    untrusted = untrusted.or(Some(error));
                    continue;
                }
            };
            if pair.public() != slot.public {
                continue;
            }
            match open_owner(store, (&vault, head), slot, &pair) {
                Ok(owner) => {
                    return Ok(Keyring {
                        vault,
                        identity: head.identity,
                        version: head.version,
                        slot: Some((slot.id, pair)),
                        holder: None,
                        owner: Some(owner),
                        chain: None,
                    });
                }
                Err(error) => untrusted = untrusted.or(Some(error)),
            }
        }
        Err(untrusted.unwrap_or(Error::WrongCredential(wrong)))
    }

    fn open_grant(
        store: &Store,
        trust: &mut Trust,
        (vault, head): ([u8; 16], &Head),
        token: &Token,
    ) -> Result<Keyring> {
        let holder = Holder::open(store, trust, (&vault, head), token.id(), token.pair())?;
        let keyring = Keyring {
            vault,
            identity: head.identity,
            version: head.version,
            slot: None,
            holder: Some(holder),
            owner: None,
            chain: None,
        };
        keyring.check_expiry(Timestamp::now())?;
        Ok(keyring)
    }

    /// Catches up with what others changed; called at the start of every operation. Gives the version of the owner's state.
    pub(crate) fn refresh(&mut self, store: &Store, trust: &mut Trust, now: Timestamp) -> Result<u64> {
        let head = trust.check(store, &self.vault)?;
        if head.version == self.version && head.identity == self.identity {
            self.check_expiry(now)?;
            return Ok(self.version);
        }
        let head = head.clone();
        if let Some(holder) = &mut self.holder {
            let opened = Holder::open(store, trust, (&self.vault, &head), holder.id, holder.pair.clone())?;
            if opened.key.bytes() != holder.key.bytes() {
                self.chain = None;
            }
            *holder = opened;
        }
        self.check_expiry(now)?;
        if self.owner.as_ref().is_some_and(|owner| owner.epoch != head.epoch) {
            self.chain = None;
            self.owner = Some(match &self.slot {
                Some((id, pair)) => {
                    let slot = store.slot(*id)?.ok_or(SlotError::NotFound(*id))?;
                    open_owner(store, (&self.vault, &head), &slot, pair)?
                }
                // Only the process that has just made the vault, and knows no credential.
                None => Owner::open(store, &head, &self.vault, &self.owner()?.vault_key)?,
            });
        }
        self.identity = head.identity;
        self.version = head.version;
        Ok(self.version)
    }

    fn check_expiry(&self, now: Timestamp) -> Result<()> {
        match self.holder.as_ref().and_then(|holder| holder.bundle.terms.expires) {
            Some(expires) if expires <= now => Err(Error::TokenExpired(expires)),
            _ => Ok(()),
        }
    }

    /// Takes over keys that this session has just changed. If its transaction fails, the epoch tells, and they are read anew.
    pub(crate) fn set_owner(&mut self, owner: Owner) {
        self.chain = None;
        self.owner = Some(owner);
    }

    /// Keys that were changed in a transaction that was undone are read anew.
    pub(crate) fn forget_changes(&mut self, changed: bool) {
        self.chain = None;
        if changed {
            self.version = 0;
            if let Some(owner) = &mut self.owner {
                // No head has this epoch. The creator of a vault, who has no slot, needs its vault key until then.
                owner.epoch = u64::MAX;
            }
        }
    }

    /// What this session has just committed is what it has read.
    pub(crate) fn committed(&mut self, head: &Head) {
        (self.identity, self.version) = (head.identity, head.version);
    }

    /// The identity of the vault, which the credential has authenticated.
    pub(crate) fn identity(&self) -> &IdentityPublic {
        &self.identity
    }

    /// The owner's keys, or that they are lacking.
    pub(crate) fn owner(&self) -> Result<&Owner> {
        self.owner.as_ref().ok_or(Error::Lacks(Capability::Admin))
    }

    pub(crate) fn capabilities(&self) -> Capabilities {
        self.holder.as_ref().map_or(Capabilities::OWNER, |holder| holder.bundle.terms.capabilities())
    }

    pub(crate) fn require(&self, capability: Capability) -> Result<()> {
        if self.capabilities().has(capability) { Ok(()) } else { Err(Error::Lacks(capability)) }
    }

    /// Whether the session reaches this name at all.
    pub(crate) fn require_scope(&self, name: &SecretName) -> Result<()> {
        match &self.holder {
            Some(holder) if !holder.covers(name) => Err(Error::OutsideScope(name.clone())),
            _ => Ok(()),
        }
    }

    /// Who writes the log: the bytes that name it, and the key for its words.
    pub(crate) fn log_writer(&self) -> Result<(Vec<u8>, Key)> {
        match (&self.holder, &self.owner) {
            (Some(Holder { id, bundle, .. }), _) => Ok((id.0.to_vec(), bundle.words.clone())),
            (None, Some(owner)) => Ok((Vec::new(), owner.root.own_words.clone())),
            (None, None) => Err(Error::Lacks(Capability::List)),
        }
    }
}

impl Owner {
    pub(crate) fn open(store: &Store, head: &Head, vault: &[u8; 16], vault_key: &Key) -> Result<Owner> {
        let wrapped = store.root()?;
        let root = Root::unwrap(vault_key, vault, head.epoch, &wrapped)
            .filter(|_| bundle_digest(&wrapped) == head.bundle)
            .ok_or_else(|| store.damaged("its root keys do not open"))?;
        if root.identity.public() != head.identity {
            return Err(Untrusted::Counterfeit.into());
        }
        Ok(Owner { epoch: head.epoch, vault_key: vault_key.clone(), root })
    }

    /// The owner's copy of a grant's key, and of the key that authenticates the vault to its token.
    pub(crate) fn grant_keys(&self, vault: &[u8; 16], grant: &GrantRow) -> Result<(Key, Key)> {
        let opened = self.vault_key.open(owners_copy_place(vault, &grant.id), &grant.key_for_owner);
        let keys = opened.and_then(|bytes| {
            let (key, authentication) = bytes.split_at_checked(32)?;
            Some((Key::read(key)?, Key::read(authentication)?))
        });
        keys.ok_or_else(damaged_grant)
    }
}

/// What the head says about the root bundle.
pub(crate) fn bundle_digest(wrapped: &[u8]) -> [u8; 32] {
    hash("authy root bundle", &[wrapped])
}

pub(crate) fn owners_copy_place<'a>(vault: &'a [u8; 16], id: &'a [u8; 8]) -> Place<'a> {
    Place { vault, table: "grant key for owner", row: id, version: 0 }
}

pub(crate) fn holders_copy_place<'a>(vault: &'a [u8; 16], id: &'a [u8; 8]) -> Place<'a> {
    Place { vault, table: "grant key", row: id, version: 0 }
}

/// Opens a slot, once the vault has shown that it is the one the credential was added to.
fn open_owner(
    store: &Store,
    (vault, head): (&[u8; 16], &Head),
    slot: &SlotRow,
    pair: &Secret,
) -> Result<Owner> {
    if slot.code != slot_code(&pair.authentication(), vault, &head.identity, slot) {
        return Err(Untrusted::Counterfeit.into());
    }
    let id = slot.id.to_be_bytes();
    let key = pair.open(slot_place(vault, &id), &slot.sealed).and_then(|key| Key::read(&key));
    let key = key.ok_or_else(|| Error::Damaged {
        what: format!("key slot {}", slot.id),
        reason: "the vault key in it does not open",
    })?;
    let owner = Owner::open(store, head, vault, &key)?;
    // A slot the owner does not know is none, whatever it opens.
    match owner.root.slot(slot.id) {
        Some(known) if known.public == slot.public => Ok(owner),
        _ => Err(Untrusted::Counterfeit.into()),
    }
}

impl Holder {
    fn open(
        store: &Store,
        trust: &mut Trust,
        (vault, head): (&[u8; 16], &Head),
        id: GrantId,
        pair: Secret,
    ) -> Result<Holder> {
        let row = store.grant(id.0)?.ok_or(Error::TokenRevoked)?;
        if pair.public() != row.public {
            return Err(Error::InvalidToken("it does not open this grant"));
        }
        // First the vault shows that it is the right one; then its head says what the grant is.
        if row.code != grant_code(&pair.authentication(), vault, &head.identity, &row) {
            return Err(Untrusted::Counterfeit.into());
        }
        if trust.tree.find(store, &GrantRow::leaf(id.0))? != Some(row.digest()) {
            return Err(damaged_grant());
        }
        if row.revoked {
            return Err(Error::TokenRevoked);
        }
        let key = pair.open(holders_copy_place(vault, &row.id), &row.key_for_holder);
        let key = key.and_then(|key| Key::read(&key)).ok_or_else(damaged_grant)?;
        let bundle = Bundle::unwrap(&key, vault, id, row.revision, &row.bundle).ok_or_else(damaged_grant)?;
        let matcher = Matcher::new(&bundle.terms.allow, &bundle.terms.deny)?;
        Ok(Holder { id, pair, key, bundle, matcher, shares: row.shares, folded: row.folded })
    }

    pub(crate) fn covers(&self, name: &SecretName) -> bool {
        self.matcher.covers(name)
    }

    /// How the grant finds a record.
    pub(crate) fn lookup(&self, name: &SecretName) -> [u8; 32] {
        share_lookup(&self.key, name)
    }
}

/// How a grant with this key finds a record.
pub(crate) fn share_lookup(grant_key: &Key, name: &SecretName) -> [u8; 32] {
    grant_key.mac("share", &[name.as_str().as_bytes()])
}

/// How Argon2id is to be run for a slot.
fn stretching(slot: &SlotRow) -> Result<Stretching> {
    let damaged =
        || Error::Damaged { what: "a passphrase slot".into(), reason: "its parameters cannot be read" };
    let bytes = slot.stretching.as_ref().ok_or_else(damaged)?;
    serde_json::from_slice(bytes).map_err(|_| damaged())
}

/// Where the vault key of a slot belongs.
pub(crate) fn slot_place<'a>(vault: &'a [u8; 16], id: &'a [u8; 8]) -> Place<'a> {
    Place { vault, table: "slot", row: id, version: 0 }
}

/// Authenticates the vault to who opens a slot: nobody makes it who has neither the credential nor the owner's keys.
pub(crate) fn slot_code(
    authentication: &Key,
    vault: &[u8; 16],
    identity: &IdentityPublic,
    slot: &SlotRow,
) -> [u8; 32] {
    authentication.mac(
        "slot",
        &[
            vault,
            identity,
            &slot.id.to_be_bytes(),
            slot.kind.as_bytes(),
            slot.stretching.as_deref().unwrap_or_default(),
            &slot.public,
            &slot.created.to_be_bytes(),
            &slot.sealed,
        ],
    )
}

/// The same for a token.
pub(crate) fn grant_code(
    authentication: &Key,
    vault: &[u8; 16],
    identity: &IdentityPublic,
    grant: &GrantRow,
) -> [u8; 32] {
    authentication.mac("grant", &[vault, identity, &grant.id, &grant.public])
}

fn damaged_grant() -> Error {
    Error::Damaged { what: "the grant".into(), reason: "it was changed, or its keys do not open" }
}

#[cfg(test)]
mod tests {
    use super::ChainState;
    use crate::keys::Key;

    /// An approval that was used, and forgotten because it had ended, would be current again.
    #[test]
    fn a_clock_that_is_set_back_brings_no_used_approval_back() {
        let mut state =
            ChainState { key: Key::random().expect("random"), uses: 0, answered: vec![(7, 100), (8, 300)] };
        state.forget_ended(200);
        assert_eq!(state.answered.len(), 2);
        for (id, end, answered) in [(7, 100, true), (8, 300, true), (9, 100, true), (9, 101, false)] {
            assert_eq!(state.is_answered(id, end), answered, "{id} {end}");
        }
        state.forget_ended(50);
        assert!(state.is_answered(7, 100), "the clock was set back");
        state.forget_ended(400);
        assert_eq!(state.answered.len(), 1, "it does not grow");
        assert!(state.is_answered(7, 100) && state.is_answered(8, 300) && !state.is_answered(9, 301));
    }
}
