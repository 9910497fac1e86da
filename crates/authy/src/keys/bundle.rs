//! The bundle of a grant: its terms, and the keys its holder has.

use serde::{Deserialize, Serialize};

use super::crypto::{Key, Place};
use super::pack::{Pack, Unpack};
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
    /// Whether the holder's own client may ask its user for a yes.
    #[serde(default)]
    pub(crate) asks_client: bool,
}

/// All a holder has besides the grant key, which wraps it.
#[derive(Clone)]
pub(crate) struct Bundle {
    pub(crate) terms: Terms,
    /// For what this grant's entries of the log say, and for its place in the log.
    pub(crate) words: Key,
    /// What is left for the owner is sealed to.
    pub(crate) owner: Public,
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
        let pack = Pack::with_room(64 + terms.len()).key(&self.words).fixed(&self.owner).fixed(&terms);
        key.seal(place(vault, &id, revision), pack.bytes())
    }

    pub(crate) fn unwrap(
        key: &Key,
        vault: &[u8; 16],
        id: GrantId,
        revision: u64,
        wrapped: &[u8],
    ) -> Option<Bundle> {
        let bytes = key.open(place(vault, &id, revision), wrapped)?;
        let mut fields = Unpack::new(&bytes);
        let (words, owner) = (fields.key()?, fields.fixed()?);
        Some(Bundle { terms: serde_json::from_slice(fields.rest()).ok()?, words, owner })
    }
}

fn place<'a>(vault: &'a [u8; 16], id: &'a GrantId, revision: u64) -> Place<'a> {
    Place { vault, table: "grant bundle", row: &id.0, version: revision }
}
