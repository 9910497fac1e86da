//! The head: one signed statement about the whole of the owner's state.

use crate::keys::crypto::hash;
use crate::keys::pack::{Pack, Unpack};
use crate::keys::signing::{IdentityPublic, Signed, VaultIdentity, verifies};

use super::tree::Digest;

/// What the owner says about the vault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Head {
    /// Grows with every change of the owner's.
    pub(crate) version: u64,
    /// Grows when the keys that sessions hold change.
    pub(crate) epoch: u64,
    /// Who signs.
    pub(crate) identity: IdentityPublic,
    /// The root of the tree over all rows.
    pub(crate) tree: Digest,
    /// How many secrets, grants and policies there are, so that none can be hidden from who lists them.
    pub(crate) records: u64,
    pub(crate) grants: u64,
    pub(crate) policies: u64,
    /// The digest of the wrapped root bundle.
    pub(crate) bundle: Digest,
    /// The last entry of the log before this change, and its code.
    pub(crate) entry: u64,
    pub(crate) entry_code: [u8; 32],
    /// When.
    pub(crate) time: i64,
}

/// A head as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SignedHead {
    pub(crate) body: Vec<u8>,
    /// The link of the head before it.
    pub(crate) previous: Digest,
    pub(crate) signature: Signed,
}

/// What a head and all before it come to. Two heads with the same link have the same past.
pub(crate) fn link(vault: &[u8; 16], previous: &Digest, body: &Digest) -> Digest {
    hash("authy link", &[vault, previous, body])
}

/// What the retiring identity signs about its successor.
pub(crate) fn certify(old: &VaultIdentity, vault: &[u8; 16], new: &IdentityPublic) -> Signed {
    old.sign("authy successor", &[vault, &old.public(), new])
}

/// Whether an identity named another its successor.
pub(super) fn is_successor(
    vault: &[u8; 16],
    old: &IdentityPublic,
    new: &IdentityPublic,
    certificate: &Signed,
) -> bool {
    verifies(old, "authy successor", &[vault, old, new], certificate)
}

impl Head {
    pub(crate) fn read(body: &[u8]) -> Option<Head> {
        let mut fields = Unpack::new(body);
        let head = Head {
            version: fields.number()?,
            epoch: fields.number()?,
            identity: fields.fixed()?,
            tree: fields.fixed()?,
            records: fields.number()?,
            grants: fields.number()?,
            policies: fields.number()?,
            bundle: fields.fixed()?,
            entry: fields.number()?,
            entry_code: fields.fixed()?,
            time: fields.number()?.cast_signed(),
        };
        fields.is_empty().then_some(head)
    }

    pub(crate) fn sign(&self, identity: &VaultIdentity, vault: &[u8; 16], previous: Digest) -> SignedHead {
        let pack = Pack::with_room(256)
            .number(self.version)
            .number(self.epoch)
            .fixed(&self.identity)
            .fixed(&self.tree)
            .number(self.records)
            .number(self.grants)
            .number(self.policies)
            .fixed(&self.bundle)
            .number(self.entry)
            .fixed(&self.entry_code)
            .number(self.time.cast_unsigned());
        let body = pack.bytes().to_vec();
        let signature = identity.sign("authy head", &[&link(vault, &previous, &body_digest(&body))]);
        SignedHead { body, previous, signature }
    }
}

impl SignedHead {
    /// The link of this head.
    pub(crate) fn link(&self, vault: &[u8; 16]) -> Digest {
        link(vault, &self.previous, &self.digest())
    }

    /// What the lineage keeps of it.
    pub(crate) fn digest(&self) -> Digest {
        body_digest(&self.body)
    }

    /// What it says, if the identity it names signed it. Whether that identity is the right one is another question.
    pub(crate) fn open(&self, vault: &[u8; 16]) -> Option<Head> {
        let head = Head::read(&self.body)?;
        verifies(&head.identity, "authy head", &[&self.link(vault)], &self.signature).then_some(head)
    }
}

fn body_digest(body: &[u8]) -> Digest {
    hash("authy head body", &[body])
}
