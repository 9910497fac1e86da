//! The root bundle: everything the owner has besides the vault key, which wraps it.

use super::crypto::{Key, Place};
use super::pack::{Pack, Unpack};
use super::sealing::{Public, Secret};
use super::signing::VaultIdentity;
use crate::error::Result;
use crate::slot::SlotKind;

/// The owner's keys.
#[derive(Clone)]
pub(crate) struct Root {
    /// Finds records and policies by name.
    pub(crate) names: Key,
    /// Encrypts policies.
    pub(crate) policies: Key,
    /// Opens what grants left for the owner.
    pub(crate) pair: Secret,
    /// Signs the owner's state.
    pub(crate) identity: VaultIdentity,
    /// The log, from each time its keys were renewed; never empty.
    pub(crate) logs: Vec<LogKeys>,
    /// The owner's key for the words of new entries. It is not kept but made once for a session, as every entry needs it.
    pub(crate) own_words: Key,
    /// What unlocks.
    pub(crate) slots: Vec<KnownSlot>,
    /// The number the next slot gets; numbers are never used again.
    pub(crate) next_slot: i64,
}

/// The keys of a part of the audit log.
#[derive(Clone)]
pub(crate) struct LogKeys {
    /// The first entry of the part.
    pub(crate) first: u64,
    /// The code of the entry before it.
    pub(crate) previous: [u8; 32],
    /// Gives each writer the key for what its entries say.
    pub(crate) words: Key,
    /// Gives each writer the start of its ratchet.
    pub(crate) seed: Key,
    /// Whether it was begun because what is before it was damaged.
    pub(crate) mended: bool,
}

/// A slot as the owner knows it. Rows of the file are made from this, and count for nothing without it.
#[derive(Clone)]
pub(crate) struct KnownSlot {
    pub(crate) id: i64,
    pub(crate) kind: SlotKind,
    pub(crate) stretching: Option<Vec<u8>>,
    pub(crate) public: Public,
    pub(crate) created: i64,
    /// Of the credential's own secret: authenticates the vault to it.
    pub(crate) authentication: Key,
}

impl LogKeys {
    pub(crate) fn random(first: u64, previous: [u8; 32]) -> Result<LogKeys> {
        Ok(LogKeys { first, previous, words: Key::random()?, seed: Key::random()?, mended: false })
    }

    /// The key for what a writer's entries say.
    pub(crate) fn words_of(&self, writer: &[u8]) -> Key {
        self.words.derive("audit words", writer)
    }

    /// The first key of a writer's ratchet.
    pub(crate) fn start_of(&self, writer: &[u8]) -> Key {
        self.seed.derive("audit chain", writer)
    }
}

impl Root {
    pub(crate) fn random() -> Result<Root> {
        let log = LogKeys::random(1, [0; 32])?;
        Ok(Root {
            names: Key::random()?,
            policies: Key::random()?,
            pair: Secret::random()?,
            identity: VaultIdentity::random()?,
            own_words: log.words_of(b""),
            logs: vec![log],
            slots: Vec::new(),
            next_slot: 1,
        })
    }

    /// New keys in the place of all of these; the old parts of the log stay readable, and the slots stay.
    pub(crate) fn renewed(&self, first_entry: u64, previous: [u8; 32]) -> Result<Root> {
        let mut new = Root::random()?;
        new.logs.clone_from(&self.logs);
        new.slots.clone_from(&self.slots);
        new.next_slot = self.next_slot;
        new.begin_log(LogKeys::random(first_entry, previous)?);
        Ok(new)
    }

    /// Begins another part of the log. A part in which nothing was written is replaced.
    pub(crate) fn begin_log(&mut self, log: LogKeys) {
        self.logs.retain(|old| old.first < log.first);
        self.own_words = log.words_of(b"");
        self.logs.push(log);
    }

    /// The keys of new entries.
    pub(crate) fn log(&self) -> Option<&LogKeys> {
        self.logs.last()
    }

    /// The keys of the part an entry is in.
    pub(crate) fn log_of(&self, entry: u64) -> Option<&LogKeys> {
        self.logs.iter().rev().find(|log| log.first <= entry)
    }

    pub(crate) fn slot(&self, id: i64) -> Option<&KnownSlot> {
        self.slots.iter().find(|slot| slot.id == id)
    }

    pub(crate) fn wrap(&self, vault_key: &Key, vault: &[u8; 16], epoch: u64) -> Result<Vec<u8>> {
        let mut pack = Pack::with_room(4096)
            .key(&self.names)
            .key(&self.policies)
            .key(&self.pair.key())
            .key(&self.identity.key())
            .number(self.next_slot.cast_unsigned())
            .number(self.logs.len() as u64);
        for log in &self.logs {
            pack = pack
                .number(log.first)
                .fixed(&log.previous)
                .key(&log.words)
                .key(&log.seed)
                .number(u64::from(log.mended));
        }
        pack = pack.number(self.slots.len() as u64);
        for slot in &self.slots {
            pack = pack
                .number(slot.id.cast_unsigned())
                .text(slot.kind.as_str().as_bytes())
                .number(u64::from(slot.stretching.is_some()))
                .text(slot.stretching.as_deref().unwrap_or_default())
                .fixed(&slot.public)
                .number(slot.created.cast_unsigned())
                .key(&slot.authentication);
        }
        vault_key.seal(place(vault, epoch), pack.bytes())
    }

    pub(crate) fn unwrap(vault_key: &Key, vault: &[u8; 16], epoch: u64, wrapped: &[u8]) -> Option<Root> {
        let bytes = vault_key.open(place(vault, epoch), wrapped)?;
        let mut fields = Unpack::new(&bytes);
        let (names, policies) = (fields.key()?, fields.key()?);
        let (pair, identity) = (Secret::from_key(&fields.key()?), VaultIdentity::from_key(&fields.key()?));
        let next_slot = fields.number()?.cast_signed();
        let mut logs = Vec::new();
        for _ in 0..fields.number()? {
            logs.push(LogKeys {
                first: fields.number()?,
                previous: fields.fixed()?,
                words: fields.key()?,
                seed: fields.key()?,
                mended: fields.number()? == 1,
            });
        }
        let mut slots = Vec::new();
        for _ in 0..fields.number()? {
            let id = fields.number()?.cast_signed();
            let kind = SlotKind::named(std::str::from_utf8(fields.text()?).ok()?)?;
            let stretched = fields.number()? == 1;
            let stretching = fields.text()?.to_vec();
            slots.push(KnownSlot {
                id,
                kind,
                stretching: stretched.then_some(stretching),
                public: fields.fixed()?,
                created: fields.number()?.cast_signed(),
                authentication: fields.key()?,
            });
        }
        let own_words = logs.last()?.words_of(b"");
        fields.is_empty().then_some(Root {
            names,
            policies,
            pair,
            identity,
            logs,
            own_words,
            slots,
            next_slot,
        })
    }
}

fn place(vault: &[u8; 16], epoch: u64) -> Place<'_> {
    Place { vault, table: "root", row: b"", version: epoch }
}
