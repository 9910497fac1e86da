//! The bundle of a grant: its terms, and the keys its holder has.

use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use super::crypto::{Key, Place};
use super::sealing::Public;
use crate::capability::{Capabilities, Capability};
use crate::error::{Error, Result};
use crate::name::{GrantId, PolicyName};
use crate::time::Timestamp;

/// What the owner agreed to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Terms {
    pub(crate) label: String,
    pub(crate) policy: PolicyName,
    pub(crate) allow: Vec<String>,
    pub(crate) deny: Vec<String>,
    pub(crate) run_only: bool,
    pub(crate) capabilities: Capabilities,
    pub(crate) created: Timestamp,
    pub(crate) expires: Option<Timestamp>,
    pub(crate) uses: Option<u64>,
}

/// What a holder needs to add and take away records.
#[derive(Clone)]
pub(crate) struct WriterKeys {
    pub(crate) names: Key,
    pub(crate) contents: Key,
}

/// All a holder has besides the grant key, which wraps it.
#[derive(Clone)]
pub(crate) struct Bundle {
    pub(crate) terms: Terms,
    /// As in the root bundle.
    pub(crate) audit_head: Key,
    /// For what this grant's entries say.
    pub(crate) audit_words: Key,
    /// What new records are sealed to.
    pub(crate) owner: Public,
    /// With `store` or `remove`.
    pub(crate) writer: Option<WriterKeys>,
    /// With `admin`.
    pub(crate) vault_key: Option<Key>,
}

impl Terms {
    /// What may be done: a policy that is run-only takes sight away.
    pub(crate) fn capabilities(&self) -> Capabilities {
        if self.run_only { self.capabilities.without(Capability::Reveal) } else { self.capabilities }
    }

    /// Whether the holder gets keys of records. One who may only store gets none: it writes what it cannot read.
    pub(crate) fn opens_records(&self) -> bool {
        [Capability::List, Capability::Use, Capability::Reveal]
            .into_iter()
            .any(|capability| self.capabilities().has(capability))
    }

    pub(crate) fn writes(&self) -> bool {
        [Capability::Store, Capability::Remove]
            .into_iter()
            .any(|capability| self.capabilities().has(capability))
    }
}

impl Bundle {
    pub(crate) fn wrap(&self, key: &Key, vault: &[u8; 16], id: GrantId, revision: u64) -> Result<Vec<u8>> {
        let terms =
            serde_json::to_vec(&self.terms).map_err(|_| Error::TooMuch("the grant's terms are too long"))?;
        let none = Key::new([0; 32]);
        let (names, contents) =
            self.writer.as_ref().map_or((&none, &none), |writer| (&writer.names, &writer.contents));
        let keys = [
            self.audit_head.bytes(),
            self.audit_words.bytes(),
            &self.owner,
            names.bytes(),
            contents.bytes(),
            self.vault_key.as_ref().unwrap_or(&none).bytes(),
        ];
        let mut bytes = Zeroizing::new(Vec::with_capacity(2 + 32 * keys.len() + terms.len()));
        bytes.push(u8::from(self.writer.is_some()));
        bytes.push(u8::from(self.vault_key.is_some()));
        for key in keys {
            bytes.extend_from_slice(key);
        }
        bytes.extend_from_slice(&terms);
        key.seal(place(vault, &id, revision), &bytes)
    }

    pub(crate) fn unwrap(
        key: &Key,
        vault: &[u8; 16],
        id: GrantId,
        revision: u64,
        wrapped: &[u8],
    ) -> Option<Bundle> {
        let bytes = key.open(place(vault, &id, revision), wrapped)?;
        let ([writes, admin], rest) = bytes.split_first_chunk::<2>()?;
        let (keys, terms) = rest.split_at_checked(32 * 6)?;
        let mut keys = keys.chunks_exact(32).map_while(Key::read);
        let (audit_head, audit_words, owner) = (keys.next()?, keys.next()?, *keys.next()?.bytes());
        let (names, contents, vault_key) = (keys.next()?, keys.next()?, keys.next()?);
        Some(Bundle {
            terms: serde_json::from_slice(terms).ok()?,
            audit_head,
            audit_words,
            owner,
            writer: (*writes == 1).then_some(WriterKeys { names, contents }),
            vault_key: (*admin == 1).then_some(vault_key),
        })
    }
}

fn place<'a>(vault: &'a [u8; 16], id: &'a GrantId, revision: u64) -> Place<'a> {
    Place { vault, table: "grant bundle", row: &id.0, version: revision }
}
