//! A vault of format 1 made into one of today.
//!
//! Format 1 could be put back row by row, and opened for whoever forged it. So it is read once, on purpose, and what cannot
//! be vouched for is made anew: other credentials than the one at hand, and the tokens of grants.

use std::fs;
use std::path::PathBuf;

use serde::Deserialize;

use crate::audit::Operation;
use crate::credential::Credential;
use crate::error::{Error, Result, Untrusted, WrongCredential};
use crate::keys::sealing::Secret;
use crate::keys::{Identity, Key, Place, RecoveryCode, Stretching};
use crate::name::{GrantId, SecretName};
use crate::policy::Policy;
use crate::secret::{Attributes, SecretInfo};
use crate::session::take_in::{Kept, TakenIn};
use crate::slot::{NewSlot, SlotKind};
use crate::store::Store;
use crate::store::format1::{OldHeader, OldRecordRow};
use crate::time::Timestamp;
use crate::vault::Vault;

/// What became of the old vault.
pub struct Upgraded {
    /// How many secrets were taken over.
    pub secrets: usize,
    /// How many policies were.
    pub policies: usize,
    /// The new recovery code; the old one opens nothing any more.
    pub recovery: RecoveryCode,
    /// The grants that stood: their tokens have to be issued again.
    pub grants: Vec<String>,
    /// Other ways to unlock that have to be added again.
    pub slots: Vec<SlotKind>,
    /// The old file, which nothing uses any more.
    pub old_file: PathBuf,
}

/// The owner's keys of an old vault.
struct OldKeys {
    vault: [u8; 16],
    vault_key: Key,
    contents: Key,
    policies: Key,
    pair: Secret,
}

#[derive(Deserialize)]
struct OldMeta {
    name: SecretName,
    created: Timestamp,
    modified: Timestamp,
    #[serde(flatten)]
    attributes: Attributes,
}

#[derive(Deserialize)]
struct OldTerms {
    label: String,
    policy: String,
}

impl Vault {
    /// Makes a vault of format 1 into one of today. The credential must be the owner's, and is the one that stays.
    pub fn upgrade(&self, credential: &Credential) -> Result<Upgraded> {
        if !self.exists() {
            return Err(Error::NotInitialized);
        }
        let old = Store::connect(&self.file())?;
        let unit = old.begin_format_1()?;
        // A machine that knows a vault of today here is being shown an old one.
        if self.is_anchored() {
            return Err(Untrusted::Downgrade.into());
        }
        let (keys, own) = OldKeys::open(&old, credential)?;
        let (taken, grants) = (keys.read(&old)?, keys.grants(&old)?);
        let others = old.old_slots()?;
        let slots: Vec<SlotKind> = others
            .iter()
            .filter(|slot| slot.id != own && slot.kind != SlotKind::Recovery.as_str())
            .filter_map(|slot| SlotKind::named(&slot.kind))
            .collect();
        let recovery = RecoveryCode::random()?;
        let new = match credential {
            Credential::Passphrase(passphrase) => NewSlot::Passphrase(passphrase.clone()),
            Credential::Keyfile(path) => NewSlot::Keyfile(Identity::read(path)?),
            Credential::Recovery(code) => NewSlot::Recovery(code.clone()),
            Credential::Token(_) => return Err(Error::Lacks(crate::capability::Capability::Admin)),
        };
        let draft = Vault::at(self.folder().join("upgrade"));
        let _ = fs::remove_dir_all(draft.folder());
        let (secrets, policies) = (taken.records.len(), taken.policies.len());
        {
            let session = draft.create(&[new, NewSlot::Recovery(recovery.clone())])?.with_actor("authy");
            session.take_in(&taken)?;
            session.note(Operation::Upgrade, Some(format!("{secrets} secrets, {policies} policies")))?;
        }
        Store::connect(&draft.file())?.into_one_file()?;
        drop(unit);
        old.into_one_file()?;
        let old_file = self.folder().join("vault-format-1.db");
        let io = |path: &PathBuf| {
            let path = path.clone();
            move |source| Error::Io { path, source }
        };
        fs::hard_link(self.file(), &old_file).map_err(io(&old_file))?;
        fs::rename(draft.file(), self.file()).map_err(io(&self.file()))?;
        let _ = fs::remove_dir_all(draft.folder());
        // The new vault is the first of today that this machine sees here.
        self.trust(credential)?;
        Ok(Upgraded { secrets, policies, recovery, grants, slots, old_file })
    }
}

impl OldKeys {
    /// Opens a slot; gives its number, too.
    fn open(store: &Store, credential: &Credential) -> Result<(OldKeys, i64)> {
        let header = store.old_header()?;
        let (kinds, wrong): (&[SlotKind], _) = match credential {
            Credential::Passphrase(_) => (&[SlotKind::Passphrase], WrongCredential::Passphrase),
            Credential::Keyfile(_) => (&[SlotKind::Keyfile], WrongCredential::Keyfile),
            Credential::Recovery(_) => (&[SlotKind::Recovery, SlotKind::Keychain], WrongCredential::Recovery),
            Credential::Token(_) => return Err(Error::Lacks(crate::capability::Capability::Admin)),
        };
        let slots = store.old_slots()?;
        let fitting = slots.iter().filter(|slot| kinds.iter().any(|kind| kind.as_str() == slot.kind));
        for slot in fitting.take(crate::keyring::MOST_PASSPHRASES.max(16)) {
            let pair = match credential {
                Credential::Passphrase(passphrase) => {
                    let stretching: Option<Stretching> =
                        slot.stretching.as_ref().and_then(|bytes| serde_json::from_slice(bytes).ok());
                    stretching.ok_or_else(|| damaged("a passphrase slot"))?.pair(passphrase)?
                }
                Credential::Keyfile(path) => Identity::read(path)?.pair().clone(),
                Credential::Recovery(code) => code.pair(),
                Credential::Token(_) => continue,
            };
            if pair.public() != slot.public {
                continue;
            }
            let id = slot.id.to_be_bytes();
            let place = Place { vault: &header.vault_id, table: "slot", row: &id, version: 0 };
            let vault_key = pair.open(place, &slot.sealed).and_then(|key| Key::read(&key));
            let vault_key = vault_key.ok_or_else(|| damaged("a key slot"))?;
            return Ok((OldKeys::of(&header, vault_key)?, slot.id));
        }
        Err(Error::WrongCredential(wrong))
    }

    fn of(header: &OldHeader, vault_key: Key) -> Result<OldKeys> {
        let place = Place { vault: &header.vault_id, table: "root", row: b"", version: header.epoch };
        let root = vault_key.open(place, &header.root).ok_or_else(|| damaged("the root bundle"))?;
        let keys: Vec<Key> = root.chunks_exact(32).map_while(Key::read).collect();
        match keys.as_slice() {
            [_, contents, policies, _, _, _, _, pair] => Ok(OldKeys {
                vault: header.vault_id,
                vault_key,
                contents: contents.clone(),
                policies: policies.clone(),
                pair: Secret::from_key(pair),
            }),
            _ => Err(damaged("the root bundle")),
        }
    }

    /// Everything in it; an old vault that does not add up is refused.
    fn read(&self, store: &Store) -> Result<TakenIn> {
        let (mut records, mut policies) = (Vec::new(), Vec::new());
        let (mut count, mut sum) = (0_i64, [0_u8; 32]);
        let mut counted = |table: &[u8], row: &[u8], revision: u64| {
            let code = self.contents.mac("contents", &[table, row, &revision.to_be_bytes()]);
            count += 1;
            sum.iter_mut().zip(code).for_each(|(sum, code)| *sum ^= code);
        };
        for row in store.old_records()? {
            counted(b"record", &row.lookup, row.revision);
            records.push(self.record(store, &row)?);
        }
        for crate::store::PolicyRow { lookup, revision, body } in store.old_policies()? {
            counted(b"policy", &lookup, revision);
            let place = Place { vault: &self.vault, table: "policy", row: &lookup, version: revision };
            let plain = self.policies.open(place, &body).ok_or_else(|| damaged("a policy"))?;
            let policy: Policy = serde_json::from_slice(&plain).map_err(|_| damaged("a policy"))?;
            policies.push(policy);
        }
        for grant in store.old_grants()? {
            counted(b"grant", &grant.id, grant.revision);
        }
        let header = store.old_header()?;
        let place = Place { vault: &self.vault, table: "contents", row: b"", version: header.generation };
        let expected = self.contents.open(place, &header.contents).ok_or_else(|| damaged("the old vault"))?;
        if *expected != [count.to_be_bytes().as_slice(), &sum].concat() {
            return Err(Error::Damaged {
                what: "the old vault".to_owned(),
                reason: "records, policies or grants are missing or were put back",
            });
        }
        Ok(TakenIn { records, policies })
    }

    fn record(&self, store: &Store, row: &OldRecordRow) -> Result<Kept> {
        let bad = || damaged("a record of the old vault");
        let place = Place { vault: &self.vault, table: "record key", row: &row.lookup, version: 0 };
        let key = if row.sealed {
            self.pair.open(place, &row.key).and_then(|key| Key::read(&key))
        } else {
            self.vault_key.unwrap_key(place, &row.key)
        };
        let key = key.ok_or_else(bad)?;
        let at = [row.lookup.as_slice(), &row.version.to_be_bytes()].concat();
        let place = Place { vault: &self.vault, table: "record", row: &at, version: row.revision };
        let meta = key.open(place, &row.meta).ok_or_else(bad)?;
        let OldMeta { name, created, modified, attributes } =
            serde_json::from_slice(&meta).map_err(|_| bad())?;
        let mut versions = store.old_history(row.id)?;
        versions.push((row.version, row.value.clone()));
        let versions = versions
            .into_iter()
            .map(|(version, sealed)| {
                let opened = crate::session::open_old_value(&self.vault, &key, &row.lookup, version, &sealed);
                opened.map(|(value, stored)| (version, value, stored)).ok_or_else(bad)
            })
            .collect::<Result<_>>()?;
        let info = SecretInfo { name, version: row.version, created, modified, attributes, removed: None };
        Ok(Kept { info, versions })
    }

    /// The grants that stood, in words.
    fn grants(&self, store: &Store) -> Result<Vec<String>> {
        let mut grants = Vec::new();
        for grant in store.old_grants()?.into_iter().filter(|grant| !grant.revoked) {
            let place =
                Place { vault: &self.vault, table: "grant key for owner", row: &grant.id, version: 0 };
            let terms = self.vault_key.unwrap_key(place, &grant.key_for_owner).and_then(|key| {
                let place = Place {
                    vault: &self.vault,
                    table: "grant bundle",
                    row: &grant.id,
                    version: grant.revision,
                };
                let plain = key.open(place, &grant.bundle)?;
                serde_json::from_slice::<OldTerms>(plain.get(2 + 32 * 6..)?).ok()
            });
            let id = GrantId(grant.id);
            grants.push(match terms {
                Some(OldTerms { label, policy }) => format!("{id} on `{policy}` for {label}"),
                None => id.to_string(),
            });
        }
        Ok(grants)
    }
}

fn damaged(what: &str) -> Error {
    Error::Damaged { what: what.to_owned(), reason: "it does not open" }
}
