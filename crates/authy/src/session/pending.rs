//! What grants leave for the owner: secrets stored and removed, which the owner's next operation takes over.

use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use super::Session;
use super::log::STEP;
use super::record::Found;
use super::work::Work;
use crate::audit::Operation;
use crate::capability::Capability;
use crate::error::{Error, Result};
use crate::keys::sealing::seal_to;
use crate::keys::{Key, Place};
use crate::name::{GrantId, SecretName};
use crate::policy::Matcher;
use crate::secret::{Attributes, SecretInfo};
use crate::store::{GrantRow, PendingRow};
use crate::time::Timestamp;
use crate::value::SecretValue;

/// How much a grant may leave before the owner has to come by.
const MOST: u64 = 10_000;

/// A number that no grant comes to by counting.
const HIGHEST: u64 = 1 << 40;

/// Something a grant did.
pub(super) enum Left {
    Stored { name: SecretName, value: SecretValue, attributes: Option<Attributes>, stored: Timestamp },
    Removed { name: SecretName },
}

/// The same without the value, which follows it.
#[derive(Serialize, Deserialize)]
struct Words {
    name: SecretName,
    stored: Option<Timestamp>,
    attributes: Option<Attributes>,
}

/// What a grant finds of its own.
pub(super) enum OwnPending {
    Is(Box<SecretInfo>, SecretValue),
    Removed,
}

impl OwnPending {
    pub(super) fn into_found(self) -> Option<Found> {
        match self {
            OwnPending::Is(info, value) => Some(Found::Pending(*info, value)),
            OwnPending::Removed => None,
        }
    }
}

impl Left {
    fn name(&self) -> &SecretName {
        match self {
            Left::Stored { name, .. } | Left::Removed { name } => name,
        }
    }

    fn needs(&self) -> Capability {
        match self {
            Left::Stored { .. } => Capability::Store,
            Left::Removed { .. } => Capability::Remove,
        }
    }

    fn write(&self) -> Result<Zeroizing<Vec<u8>>> {
        let (words, value) = match self {
            Left::Stored { name, value, attributes, stored } => {
                let words =
                    Words { name: name.clone(), stored: Some(*stored), attributes: attributes.clone() };
                (words, value.as_bytes())
            }
            Left::Removed { name } => {
                (Words { name: name.clone(), stored: None, attributes: None }, [].as_slice())
            }
        };
        let words = serde_json::to_vec(&words).map_err(|_| Error::TooMuch("the attributes are too long"))?;
        let length = 16 + words.len() + value.len();
        let mut plain = Zeroizing::new(Vec::with_capacity(length.next_multiple_of(STEP)));
        plain.extend_from_slice(&(words.len() as u64).to_be_bytes());
        plain.extend_from_slice(&(value.len() as u64).to_be_bytes());
        plain.extend_from_slice(&words);
        plain.extend_from_slice(value);
        plain.resize(length.next_multiple_of(STEP), 0);
        Ok(plain)
    }

    fn read(plain: &[u8]) -> Option<Left> {
        let (words, rest) = plain.split_first_chunk::<8>()?;
        let (value, rest) = rest.split_first_chunk::<8>()?;
        let length = |bytes: &[u8; 8]| usize::try_from(u64::from_be_bytes(*bytes)).ok();
        let (words, rest) = rest.split_at_checked(length(words)?)?;
        let value = rest.get(..length(value)?)?;
        let Words { name, stored, attributes } = serde_json::from_slice(words).ok()?;
        Some(match stored {
            Some(stored) => Left::Stored { name, value: SecretValue::new(value).ok()?, attributes, stored },
            None => Left::Removed { name },
        })
    }
}

/// Says that a grant left this.
fn code(grant_key: &Key, vault: &[u8; 16], row: &PendingRow) -> [u8; 32] {
    let number = row.number.to_be_bytes();
    grant_key.mac("pending", &[vault, &row.holder, &number, &row.lookup, &row.sealed, &row.own])
}

fn place<'a>(vault: &'a [u8; 16], holder: &'a [u8; 8], number: u64) -> Place<'a> {
    Place { vault, table: "pending", row: holder, version: number }
}

impl Work<'_> {
    /// Leaves something for the owner. Needs a grant.
    pub(super) fn leave(&mut self, left: &Left) -> Result<()> {
        let Some(holder) = &self.keys.holder else { return Err(Error::Lacks(left.needs())) };
        let (mut count, mut last) = self.store.pending_end(holder.id.0)?;
        if count >= MOST || last > HIGHEST {
            // Somebody may have put rows there to be in the way.
            for row in self.store.pending_of(holder.id.0, 0)? {
                if row.code != code(&holder.key, &self.keys.vault, &row) {
                    self.store.delete_pending_of(holder.id.0, row.number)?;
                }
            }
            (count, last) = self.store.pending_end(holder.id.0)?;
        }
        if count >= MOST {
            return Err(Error::TooMuch(
                "this grant has stored more than the owner has seen; let the owner of the vault unlock it once",
            ));
        }
        let number = last.max(holder.folded) + 1;
        let plain = left.write()?;
        let at = place(&self.keys.vault, &holder.id.0, number);
        let own = if holder.bundle.terms.opens_records() { holder.key.seal(at, &plain)? } else { Vec::new() };
        let mut row = PendingRow {
            holder: holder.id.0,
            number,
            lookup: holder.lookup(left.name()),
            sealed: seal_to(&holder.bundle.owner, at, &plain)?,
            own,
            code: [0; 32],
        };
        row.code = code(&holder.key, &self.keys.vault, &row);
        self.store.insert_pending(&row)
    }

    /// What this grant itself left under a name, and the owner has not taken over.
    pub(super) fn own_pending(&mut self, name: &SecretName) -> Result<Option<OwnPending>> {
        let Some(holder) = &self.keys.holder else { return Ok(None) };
        let lookup = holder.lookup(name);
        let rows = self.store.pending_under(holder.id.0, &lookup, holder.folded)?;
        // One that the grant did not write was put there by somebody else, and stands for nothing.
        match rows.into_iter().find(|row| row.code == code(&holder.key, &self.keys.vault, row)) {
            None => Ok(None),
            // Who may not read does not read what it wrote itself.
            Some(row) if row.own.is_empty() => Err(Error::NotShared(name.clone())),
            Some(row) => self.read_own(&row).map(Some),
        }
    }

    /// All names that this grant itself left something under.
    pub(super) fn own_names(&mut self) -> Result<Vec<(SecretName, OwnPending)>> {
        let Some(holder) = &self.keys.holder else { return Ok(Vec::new()) };
        let mut names = Vec::new();
        let mut rows = self.store.pending_of(holder.id.0, holder.folded)?;
        rows.retain(|row| !row.own.is_empty() && row.code == code(&holder.key, &self.keys.vault, row));
        for row in &rows {
            let name = self.open_own(row)?.name().clone();
            names.push((name, self.read_own(row)?));
        }
        Ok(names)
    }

    fn open_own(&self, row: &PendingRow) -> Result<Left> {
        let damaged = |reason| Error::Damaged { what: "something this grant stored".to_owned(), reason };
        let Some(holder) = &self.keys.holder else { return Err(damaged("there is no grant")) };
        if row.code != code(&holder.key, &self.keys.vault, row) {
            return Err(damaged("it was changed"));
        }
        let plain = holder.key.open(place(&self.keys.vault, &row.holder, row.number), &row.own);
        plain.and_then(|plain| Left::read(&plain)).ok_or_else(|| damaged("it does not decrypt"))
    }

    fn read_own(&mut self, row: &PendingRow) -> Result<OwnPending> {
        Ok(match self.open_own(row)? {
            Left::Removed { .. } => OwnPending::Removed,
            Left::Stored { name, value, attributes, stored } => {
                let kept = self.look_up_kept(&name)?;
                let info = match kept.map(|kept| kept.info) {
                    Some(info) => SecretInfo { version: info.version + 1, modified: stored, ..info },
                    None => SecretInfo {
                        name,
                        version: 1,
                        created: stored,
                        modified: stored,
                        attributes: attributes.unwrap_or_default(),
                        removed: None,
                    },
                };
                OwnPending::Is(Box::new(info), value)
            }
        })
    }

    /// Takes over what grants have left since this operation's session last looked, as part of this operation.
    pub(super) fn take_over_now(&mut self) -> Result<()> {
        if !self.store.has_pending()? {
            return Ok(());
        }
        let before = self.detail.take();
        let (taken, dropped) = self.take_over()?;
        let words = before.into_iter().chain([format!("{taken} taken over, {} dropped", dropped.len())]);
        self.detail = Some(words.collect::<Vec<_>>().join("; "));
        Ok(())
    }

    /// Takes over everything that grants left: what its grant may do, once each, in order.
    fn take_over(&mut self) -> Result<(usize, Vec<String>)> {
        let (mut taken, mut dropped) = (0, Vec::new());
        for row in self.store.pending()? {
            let id = GrantId(row.holder);
            match self.take_over_one(&row) {
                Ok(()) => taken += 1,
                Err(Error::Damaged { reason, .. }) => dropped.push(format!("{id}: {reason}")),
                Err(error @ (Error::OutsideScope(_) | Error::Lacks(_) | Error::TooMuch(_))) => {
                    dropped.push(format!("{id}: {error}"));
                }
                Err(error) => return Err(error),
            }
        }
        self.store.delete_pending()?;
        Ok((taken, dropped))
    }

    fn take_over_one(&mut self, row: &PendingRow) -> Result<()> {
        let dropped = |reason| Error::Damaged { what: "something a grant stored".to_owned(), reason };
        let Some(grant) = self.store.grant(row.holder)? else {
            return Err(dropped("there is no such grant"));
        };
        let mut grant = self.open_grant(grant)?;
        let terms = &grant.bundle.terms;
        if grant.row.revoked {
            return Err(dropped("the grant was revoked"));
        }
        if row.code != code(&grant.key, &self.keys.vault, row) {
            return Err(dropped("the grant did not write it"));
        }
        if row.number <= grant.row.folded {
            return Err(dropped("it was taken over before"));
        }
        let at = place(&self.keys.vault, &row.holder, row.number);
        let plain = self.keys.owner()?.root.pair.open(at, &row.sealed);
        let left =
            plain.and_then(|plain| Left::read(&plain)).ok_or_else(|| dropped("it does not decrypt"))?;
        if row.number > grant.row.folded + 1 {
            let gap =
                format!("what grant {} stored before number {} is missing", GrantId(row.holder), row.number);
            self.detail = Some(gap);
        }
        if !terms.capabilities().has(left.needs()) {
            return Err(Error::Lacks(left.needs()));
        }
        if !Matcher::new(&terms.allow, &terms.deny)?.covers(left.name()) {
            return Err(Error::OutsideScope(left.name().clone()));
        }
        grant.row.folded = row.number;
        self.store.update_grant(&grant.row)?;
        self.set_leaf(GrantRow::leaf(row.holder), Some(grant.row.digest()));
        match left {
            Left::Removed { name } => {
                if let Some(opened) = self.look_up_kept(&name)? {
                    self.throw_away(opened)?;
                }
            }
            Left::Stored { name, value, attributes, .. } => {
                if let Some(opened) = self.look_up_kept(&name)? {
                    self.put_version(opened, &value, None)?;
                } else {
                    let attributes = attributes.filter(Attributes::are_words);
                    self.put_new(&name, &value, attributes.as_ref())?;
                }
            }
        }
        Ok(())
    }
}

impl Session {
    /// Takes over what grants have left, if there is anything and this is the owner.
    pub(super) fn fold(&self) -> Result<()> {
        {
            let state = self.locked();
            if state.keys.owner.is_none() || !state.store.has_pending()? {
                return Ok(());
            }
        }
        self.change(Operation::Adopt, None, |work| {
            let (taken, dropped) = work.take_over()?;
            let mut words = vec![format!("{taken} taken over")];
            words.extend(work.detail.take());
            words.extend(dropped.iter().map(|each| format!("dropped: {each}")));
            work.detail = Some(words.join("; ").chars().take(2000).collect());
            work.sharing_changed = true;
            Ok(())
        })
    }
}
