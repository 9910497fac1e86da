//! The root bundle: the keys that stay when the vault key changes.

use zeroize::Zeroizing;

use super::crypto::{Key, Place};
use super::sealing::Secret;
use crate::error::Result;

/// Everything the owner has besides the vault key, which wraps it.
#[derive(Clone)]
pub(crate) struct Root {
    /// Finds records and policies by name.
    pub(crate) names: Key,
    /// Seals the sum of the contents.
    pub(crate) contents: Key,
    /// Encrypts policies.
    pub(crate) policies: Key,
    /// Says which slots are ours.
    pub(crate) slots: Key,
    /// Where the ratchet of the audit log starts.
    pub(crate) audit_seed: Key,
    /// Gives each writer the key for what its entries say.
    pub(crate) audit_words: Key,
    /// The owner's own of these. It is not kept in the vault but made once for a session, as every entry needs it.
    pub(crate) own_words: Key,
    /// Opens the head of the log: held by everybody who may write. New after each revocation.
    pub(crate) audit_head: Key,
    /// Opens what grants stored.
    pub(crate) pair: Secret,
}

impl Root {
    const KEYS: usize = 8;

    pub(crate) fn random() -> Result<Root> {
        let audit_words = Key::random()?;
        Ok(Root {
            names: Key::random()?,
            contents: Key::random()?,
            policies: Key::random()?,
            slots: Key::random()?,
            audit_seed: Key::random()?,
            own_words: words_of(&audit_words, b""),
            audit_words,
            audit_head: Key::random()?,
            pair: Secret::random()?,
        })
    }

    pub(crate) fn wrap(&self, vault_key: &Key, vault: &[u8; 16], epoch: u64) -> Result<Vec<u8>> {
        let mut bytes = Zeroizing::new(Vec::with_capacity(32 * Root::KEYS));
        for key in [
            &self.names,
            &self.contents,
            &self.policies,
            &self.slots,
            &self.audit_seed,
            &self.audit_words,
            &self.audit_head,
            &self.pair.key(),
        ] {
            bytes.extend_from_slice(key.bytes());
        }
        vault_key.seal(place(vault, epoch), &bytes)
    }

    pub(crate) fn unwrap(vault_key: &Key, vault: &[u8; 16], epoch: u64, wrapped: &[u8]) -> Option<Root> {
        let bytes = vault_key.open(place(vault, epoch), wrapped)?;
        let mut keys = bytes.chunks_exact(32).map_while(Key::read);
        let (names, contents, policies) = (keys.next()?, keys.next()?, keys.next()?);
        let (slots, audit_seed, audit_words) = (keys.next()?, keys.next()?, keys.next()?);
        Some(Root {
            names,
            contents,
            policies,
            slots,
            audit_seed,
            own_words: words_of(&audit_words, b""),
            audit_words,
            audit_head: keys.next()?,
            pair: Secret::from_key(&keys.next()?),
        })
    }

    /// The key for what a writer's entries say. The owner can make everybody's.
    pub(crate) fn words_of(&self, writer: &[u8]) -> Key {
        if writer.is_empty() { self.own_words.clone() } else { words_of(&self.audit_words, writer) }
    }
}

fn words_of(audit_words: &Key, writer: &[u8]) -> Key {
    audit_words.derive("audit words", writer)
}

fn place(vault: &[u8; 16], epoch: u64) -> Place<'_> {
    Place { vault, table: "root", row: b"", version: epoch }
}
