//! Whether the file is the one this machine knows, or a descendant of it.

use super::anchor::{Anchor, Noted};
use super::head::{Head, SignedHead, is_successor, link};
use super::tree::{Digest, Tree};
use crate::error::{Error, Result, Untrusted};
use crate::keys::signing::IdentityPublic;
use crate::store::Store;

/// How far a vault can be ahead of a copy by counting.
const FARTHEST: u64 = 1 << 40;

/// What a session believes, and why.
pub(crate) struct Trust {
    anchor: Anchor,
    /// What the anchor said when it was last looked at, and its bytes.
    noted: Option<(Vec<u8>, Noted)>,
    /// The head that was last checked.
    current: Option<Checked>,
    /// The rows of the owner's state, as far as they were looked at.
    pub(crate) tree: Tree,
    /// A person said that what is there is to be believed, whatever the anchor says.
    accepting: bool,
}

/// A head whose signature is good, and against which anchor it was compared.
struct Checked {
    signed: SignedHead,
    head: Head,
    link: Digest,
    against: Option<(u64, Digest)>,
}

impl Trust {
    pub(crate) fn new(anchor: Anchor) -> Trust {
        Trust { anchor, noted: None, current: None, tree: Tree::default(), accepting: false }
    }

    /// Believes what is there until [`Trust::settle`] is called. Signatures and credentials are checked as ever.
    pub(crate) fn accepting(anchor: Anchor) -> Trust {
        Trust { accepting: true, ..Trust::new(anchor) }
    }

    pub(crate) fn anchor(&self) -> &Anchor {
        &self.anchor
    }

    /// Looks at the anchor. To be called before the snapshot that is checked begins: what is noted was committed before.
    pub(crate) fn look(&mut self) -> Result<()> {
        let read = match self.anchor.bytes() {
            Ok(Some(bytes)) => {
                if self.noted.as_ref().is_some_and(|(known, _)| *known == bytes) {
                    return Ok(());
                }
                self.anchor.understand(&bytes).map(|noted| Some((bytes, noted)))
            }
            Ok(None) => Err(Untrusted::NoAnchor(self.anchor.file().to_owned()).into()),
            Err(error) => Err(error),
        };
        match read {
            Ok(noted) => self.noted = noted,
            // What is accepted now has to be noted where nobody else can change it.
            Err(Error::Untrusted(Untrusted::OpenAnchor(place))) => {
                return Err(Untrusted::OpenAnchor(place).into());
            }
            Err(_) if self.accepting => self.noted = None,
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// What is noted.
    pub(crate) fn noted(&self) -> Option<&Noted> {
        self.noted.as_ref().map(|(_, noted)| noted)
    }

    /// The head in the file: signed by the identity it names, and as new as the anchor.
    pub(crate) fn check(&mut self, store: &Store, vault: &[u8; 16]) -> Result<&Head> {
        let signed = store.head()?;
        let noted = self.noted.as_ref().map(|(_, noted)| (noted.version, noted.link));
        let known = self.current.as_ref().is_some_and(|checked| checked.signed == signed);
        if !known {
            let head = signed.open(vault).ok_or(Untrusted::BadHead)?;
            if let Some(before) = &self.current
                && !self.accepting
            {
                // What this session has seen is as good as an anchor.
                compare(
                    store,
                    vault,
                    (before.head.identity, before.head.version, before.link),
                    (&head, &signed),
                )?;
            }
            self.tree = Tree::new(head.tree);
            let link = signed.link(vault);
            self.current = Some(Checked { signed, head, link, against: None });
        }
        let checked = self.current.as_ref().ok_or(Untrusted::BadHead)?;
        if checked.against != noted || noted.is_none() {
            match self.noted() {
                Some(noted) if !self.accepting => {
                    if noted.vault != *vault {
                        return Err(Untrusted::OtherVault(self.anchor.file().to_owned()).into());
                    }
                    let seen = (noted.identity, noted.version, noted.link);
                    compare(store, vault, seen, (&checked.head, &checked.signed))?;
                }
                Some(_) => {}
                None if self.accepting => {}
                None => return Err(Untrusted::NoAnchor(self.anchor.file().to_owned()).into()),
            }
        }
        let checked = self.current.as_mut().ok_or(Untrusted::BadHead)?;
        checked.against = noted;
        Ok(&checked.head)
    }

    /// The head that was checked, and its link.
    pub(crate) fn head(&self) -> Result<(&Head, Digest)> {
        self.current
            .as_ref()
            .map(|checked| (&checked.head, checked.link))
            .ok_or_else(|| Untrusted::BadHead.into())
    }

    /// The version that a new head gets: above what is in the file and above what was seen. Anybody can make an anchor that
    /// says they saw the last version of all, after which there could be no other, so one that is too far ahead is not asked.
    pub(crate) fn next_version(&self) -> Result<u64> {
        let (head, _) = self.head()?;
        let seen = self.noted().map(|noted| noted.version);
        let seen = seen.filter(|seen| seen.saturating_sub(head.version) <= FARTHEST);
        Ok(head.version.max(seen.unwrap_or(0)).saturating_add(1))
    }

    /// Takes over a head this session has just committed.
    pub(crate) fn committed(&mut self, vault: &[u8; 16], signed: SignedHead, head: Head) {
        let link = signed.link(vault);
        let against = self.noted().map(|noted| (noted.version, noted.link));
        self.current = Some(Checked { signed, head, link, against });
    }

    /// Notes a head in the anchor after its commit.
    pub(crate) fn note(&mut self, noted: Noted) -> Result<()> {
        if self.accepting {
            self.anchor.set(&noted)?;
            self.accepting = false;
            self.noted = None;
            return Ok(());
        }
        self.anchor.advance(noted)
    }

    /// Forgets a change that was not committed.
    pub(crate) fn forget(&mut self) {
        if let Some(checked) = &self.current {
            self.tree = Tree::new(checked.head.tree);
        }
    }
}

/// Whether a head is the one that was seen, or a descendant of it.
fn compare(
    store: &Store,
    vault: &[u8; 16],
    (identity, version, seen): (IdentityPublic, u64, Digest),
    (head, signed): (&Head, &SignedHead),
) -> Result<()> {
    if identity != head.identity && !succeeds(store, vault, identity, &head.identity)? {
        return Err(Untrusted::Rival.into());
    }
    if head.version < version {
        return Err(Untrusted::Behind { found: head.version, seen: version }.into());
    }
    let mut reached = seen;
    for digest in store.lineage(version, head.version)? {
        reached = link(vault, &reached, &digest);
    }
    if reached != signed.link(vault) {
        return Err(Untrusted::Forked { version: head.version }.into());
    }
    Ok(())
}

/// Whether the file has a line of successors from one identity to another.
fn succeeds(store: &Store, vault: &[u8; 16], from: IdentityPublic, to: &IdentityPublic) -> Result<bool> {
    let mut at = from;
    for (old, new, certificate) in store.successions()? {
        if old == at && is_successor(vault, &old, &new, &certificate) {
            at = new;
        }
    }
    Ok(at == *to)
}
