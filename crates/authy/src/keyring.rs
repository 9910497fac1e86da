//! The keys a session holds, and how they are kept up to date while others change the vault.

use crate::capability::{Capabilities, Capability};
use crate::credential::Credential;
use crate::error::{Error, Result, SlotError, WrongCredential};
use crate::keys::sealing::{Public, Secret};
use crate::keys::{Bundle, Identity, Key, Place, Root, Stretching, Token, WriterKeys};
use crate::name::{GrantId, SecretName};
use crate::policy::Matcher;
use crate::slot::SlotKind;
use crate::store::{GrantRow, SlotRow, Store};
use crate::time::Timestamp;

/// What a session was opened with, and what that opened.
pub(crate) struct Keyring {
    pub(crate) vault: [u8; 16],
    slot: Option<(i64, Secret)>,
    pub(crate) holder: Option<Holder>,
    pub(crate) owner: Option<Owner>,
    pub(crate) next_entry: Option<NextEntry>,
}

/// The key of the log's next entry, and the head in which this session wrapped it: while the vault has that very head, it
/// need not be opened.
pub(crate) struct NextEntry {
    pub(crate) seq: u64,
    pub(crate) wrapped: Vec<u8>,
    pub(crate) key: Key,
}

/// The owner's keys.
pub(crate) struct Owner {
    pub(crate) epoch: u64,
    pub(crate) vault_key: Key,
    pub(crate) root: Root,
}

/// The keys of a grant.
pub(crate) struct Holder {
    pub(crate) id: GrantId,
    pub(crate) key: Key,
    revision: u64,
    pub(crate) bundle: Bundle,
    matcher: Matcher,
    pub(crate) used: u64,
    pub(crate) shares: u64,
}

impl Keyring {
    pub(crate) fn new(vault: [u8; 16], owner: Owner) -> Keyring {
        Keyring { vault, slot: None, holder: None, owner: Some(owner), next_entry: None }
    }

    /// Opens with what a person or a program has.
    pub(crate) fn open(store: &Store, credential: &Credential) -> Result<Keyring> {
        match credential {
            Credential::Token(token) => Keyring::open_grant(store, token),
            Credential::Passphrase(passphrase) => {
                let wrong = WrongCredential::Passphrase;
                Keyring::open_slot(store, &[SlotKind::Passphrase], wrong, |slot| {
                    stretching(slot)?.pair(passphrase)
                })
            }
            Credential::Keyfile(path) => {
                let identity = Identity::read(path)?;
                let wrong = WrongCredential::Keyfile;
                Keyring::open_slot(store, &[SlotKind::Keyfile], wrong, |_| Ok(identity.pair().clone()))
            }
            Credential::Recovery(code) => {
                let kinds = [SlotKind::Recovery, SlotKind::Keychain];
                Keyring::open_slot(store, &kinds, WrongCredential::Recovery, |_| Ok(code.pair()))
            }
        }
    }

    fn open_slot(
        store: &Store,
        kinds: &[SlotKind],
        wrong: WrongCredential,
        pair: impl Fn(&SlotRow) -> Result<Secret>,
    ) -> Result<Keyring> {
        let vault = store.header()?.vault_id;
        for slot in store.slots()?.iter().filter(|slot| kinds.iter().any(|kind| kind.as_str() == slot.kind)) {
            let pair = pair(slot)?;
            if pair.public() == slot.public {
                let owner = Owner::open(store, &vault_key(&vault, slot, &pair)?)?;
                let slot = Some((slot.id, pair));
                return Ok(Keyring { vault, slot, holder: None, owner: Some(owner), next_entry: None });
            }
        }
        Err(Error::WrongCredential(wrong))
    }

    fn open_grant(store: &Store, token: &Token) -> Result<Keyring> {
        let vault = store.header()?.vault_id;
        let row = store.grant(token.id().0)?.ok_or(Error::TokenRevoked)?;
        if row.revoked {
            return Err(Error::TokenRevoked);
        }
        let pair = token.pair();
        if pair.public() != row.public {
            return Err(Error::InvalidToken("it does not open this grant"));
        }
        let place = Place { vault: &vault, table: "grant key", row: &row.id, version: 0 };
        let key = pair.open(place, &row.key_for_holder).and_then(|key| Key::read(&key));
        let holder = Holder::open(&vault, key.ok_or_else(damaged_grant)?, &row)?;
        let owner = match &holder.bundle.vault_key {
            Some(vault_key) => Some(Owner::open(store, vault_key)?),
            None => None,
        };
        let keyring = Keyring { vault, slot: None, holder: Some(holder), owner, next_entry: None };
        keyring.check_expiry(Timestamp::now())?;
        Ok(keyring)
    }

    /// Catches up with what others changed; called at the start of every operation. Gives the generation.
    pub(crate) fn refresh(&mut self, store: &Store, now: Timestamp) -> Result<u64> {
        let (epoch, generation) = store.clocks()?;
        if let Some(holder) = &mut self.holder {
            let terms = store.grant_terms(holder.id.0)?.ok_or(Error::TokenRevoked)?;
            if terms.revoked {
                return Err(Error::TokenRevoked);
            }
            if terms.revision != holder.revision {
                let row = store.grant(holder.id.0)?.ok_or(Error::TokenRevoked)?;
                *holder = Holder::open(&self.vault, holder.key.clone(), &row)?;
            }
            holder.used = terms.used;
            holder.shares = terms.shares;
        }
        self.check_expiry(now)?;
        if self.owner.as_ref().is_some_and(|owner| owner.epoch != epoch) {
            let key = match (&self.slot, &self.holder) {
                (Some((id, pair)), _) => {
                    vault_key(&self.vault, &store.slot(*id)?.ok_or(SlotError::NotFound(*id))?, pair)?
                }
                (None, Some(holder)) => {
                    holder.bundle.vault_key.clone().ok_or(Error::Lacks(Capability::Admin))?
                }
                // Only the process that has just made the vault, and knows no credential.
                (None, None) => self.owner()?.vault_key.clone(),
            };
            self.owner = Some(Owner::open(store, &key)?);
        }
        Ok(generation)
    }

    fn check_expiry(&self, now: Timestamp) -> Result<()> {
        match self.holder.as_ref().and_then(|holder| holder.bundle.terms.expires) {
            Some(expires) if expires <= now => Err(Error::TokenExpired(expires)),
            _ => Ok(()),
        }
    }

    /// Takes over keys that this session has just changed. If its transaction fails, the epoch tells, and they are read anew.
    pub(crate) fn set_owner(&mut self, owner: Owner) {
        self.owner = Some(owner);
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
        match (&self.owner, &self.holder) {
            (None, Some(holder)) if !holder.covers(name) => Err(Error::OutsideScope(name.clone())),
            _ => Ok(()),
        }
    }

    /// What it takes to add and take away records.
    pub(crate) fn writer(&self) -> Result<WriterKeys> {
        match (&self.owner, &self.holder) {
            (Some(owner), _) => {
                Ok(WriterKeys { names: owner.root.names.clone(), contents: owner.root.contents.clone() })
            }
            (None, Some(holder)) => holder.bundle.writer.clone().ok_or(Error::Lacks(Capability::Store)),
            (None, None) => Err(Error::Lacks(Capability::Store)),
        }
    }

    /// Who writes the log: the bytes that name it, the key for its words, and the key of the head.
    pub(crate) fn log_writer(&self) -> Result<(Vec<u8>, Key, Key)> {
        match (&self.holder, &self.owner) {
            (Some(Holder { id, bundle, .. }), owner) => {
                // Who administers may have changed the key of the head in this very transaction.
                let head = owner.as_ref().map_or(&bundle.audit_head, |owner| &owner.root.audit_head);
                Ok((id.0.to_vec(), bundle.audit_words.clone(), head.clone()))
            }
            (None, Some(owner)) => {
                Ok((Vec::new(), owner.root.own_words.clone(), owner.root.audit_head.clone()))
            }
            (None, None) => Err(Error::Lacks(Capability::List)),
        }
    }
}

impl Owner {
    pub(crate) fn open(store: &Store, vault_key: &Key) -> Result<Owner> {
        let header = store.header()?;
        let root = Root::unwrap(vault_key, &header.vault_id, header.epoch, &header.root)
            .ok_or_else(|| store.damaged("its root keys do not open"))?;
        Ok(Owner { epoch: header.epoch, vault_key: vault_key.clone(), root })
    }

    /// The owner's copy of a grant's key.
    pub(crate) fn grant_key(&self, vault: &[u8; 16], grant: &GrantRow) -> Result<Key> {
        let place = Place { vault, table: "grant key for owner", row: &grant.id, version: 0 };
        self.vault_key.unwrap_key(place, &grant.key_for_owner).ok_or_else(damaged_grant)
    }
}

impl Holder {
    fn open(vault: &[u8; 16], key: Key, row: &GrantRow) -> Result<Holder> {
        let id = GrantId(row.id);
        let bundle = Bundle::unwrap(&key, vault, id, row.revision, &row.bundle).ok_or_else(damaged_grant)?;
        let matcher = Matcher::new(&bundle.terms.allow, &bundle.terms.deny)?;
        Ok(Holder { id, key, revision: row.revision, bundle, matcher, used: row.used, shares: row.shares })
    }

    pub(crate) fn covers(&self, name: &SecretName) -> bool {
        self.matcher.covers(name)
    }

    /// Refuses when the uses are spent.
    pub(crate) fn check_uses(&self) -> Result<()> {
        match self.bundle.terms.uses {
            Some(uses) if self.used >= uses => Err(Error::TokenUsedUp(uses)),
            _ => Ok(()),
        }
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

fn vault_key(vault: &[u8; 16], slot: &SlotRow, pair: &Secret) -> Result<Key> {
    let id = slot.id.to_be_bytes();
    let key = pair.open(slot_place(vault, &id), &slot.sealed).and_then(|key| Key::read(&key));
    key.ok_or_else(|| Error::Damaged {
        what: format!("key slot {}", slot.id),
        reason: "the vault key in it does not open",
    })
}

/// Where the vault key of a slot belongs.
pub(crate) fn slot_place<'a>(vault: &'a [u8; 16], id: &'a [u8; 8]) -> Place<'a> {
    Place { vault, table: "slot", row: id, version: 0 }
}

/// Says that a slot is one the owner added. A public key that somebody put in would get the next vault key.
pub(crate) fn slot_mac(key: &Key, slot: &SlotRow) -> [u8; 32] {
    let public: &Public = &slot.public;
    key.mac(
        "slot",
        &[
            &slot.id.to_be_bytes(),
            slot.kind.as_bytes(),
            slot.stretching.as_deref().unwrap_or_default(),
            public,
            &slot.created.to_be_bytes(),
        ],
    )
}

fn damaged_grant() -> Error {
    Error::Damaged { what: "the grant".into(), reason: "its keys do not open" }
}
