//! What grants leave for the owner: secrets stored and removed, which the owner's next operation takes over.

use std::collections::{BTreeMap, BTreeSet};

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
        // Rules say where a value may go, and which programs are run with it: the owner makes those, and no grant, whatever
        // program it writes with.
        let attributes = attributes.filter(Attributes::are_words);
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
            let mut foreign = Vec::new();
            self.store.each_pending_of(holder.id.0, 0, |row| {
                if row.code != code(&holder.key, &self.keys.vault, &row) {
                    foreign.push(row.number);
                }
                Ok(())
            })?;
            for number in foreign {
                self.store.delete_pending_of(holder.id.0, number)?;
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
        let mut own = None;
        self.store.each_pending_under(holder.id.0, &lookup, holder.folded, |row| {
            // One that the grant did not write was put there by somebody else, and stands for nothing.
            if own.is_none() && row.code == code(&holder.key, &self.keys.vault, &row) {
                own = Some(row);
            }
            Ok(())
        })?;
        match own {
            None => Ok(None),
            // Who may not read does not read what it wrote itself.
            Some(row) if row.own.is_empty() => Err(Error::NotShared(name.clone())),
            Some(row) => self.read_own(&row).map(Some),
        }
    }

    /// All names that this grant itself left something under.
    pub(super) fn own_names(&mut self) -> Result<Vec<(SecretName, OwnPending)>> {
        let Some(holder) = &self.keys.holder else { return Ok(Vec::new()) };
        let (mut names, mut rows) = (Vec::new(), Vec::new());
        self.store.each_pending_of(holder.id.0, holder.folded, |row| {
            if !row.own.is_empty() && row.code == code(&holder.key, &self.keys.vault, &row) {
                rows.push(row);
            }
            Ok(())
        })?;
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
        let store = self.store;
        let mut thrown_away = self.marks_in_trash()?;
        store.each_pending(|row| {
            let id = GrantId(row.holder);
            match self.take_over_one(&row, &mut thrown_away) {
                Ok(()) => taken += 1,
                Err(Error::Damaged { reason, .. }) => dropped.push(format!("{id}: {reason}")),
                Err(error @ (Error::OutsideScope(_) | Error::Lacks(_) | Error::TooMuch(_))) => {
                    dropped.push(format!("{id}: {error}"));
                }
                Err(error) => return Err(error),
            }
            Ok(())
        })?;
        self.store.delete_pending()?;
        Ok((taken, dropped))
    }

    /// Of the secrets that were removed, what was said about their values. If there are several of a name, all of it counts.
    fn marks_in_trash(&mut self) -> Result<ThrownAway> {
        let (mut thrown_away, mut whole) = (ThrownAway::default(), BTreeSet::new());
        for row in self.store.records()? {
            match self.known_record(&row) {
                Ok(info) => {
                    whole.insert(row.lookup);
                    if info.removed.is_some() {
                        thrown_away.add(info.name, &info.attributes);
                    }
                }
                Err(Error::Damaged { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        let expected = self.trust.head()?.0.records.saturating_add_signed(self.records);
        if whole.len() as u64 != expected {
            thrown_away.others = Marks { never_reveal: true, approve_each_use: true };
        }
        Ok(thrown_away)
    }

    fn take_over_one(&mut self, row: &PendingRow, thrown_away: &mut ThrownAway) -> Result<()> {
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
                    // One that is damaged would be deleted, with all that was said about it: that is for the owner to do.
                    self.check_values(&opened)?;
                    thrown_away.add(name, &opened.info.attributes);
                    self.throw_away(opened)?;
                }
            }
            Left::Stored { name, value, attributes, .. } => {
                if let Some(opened) = self.look_up_kept(&name)? {
                    self.put_version(opened, &value, None)?;
                } else {
                    let mut attributes = attributes.unwrap_or_default();
                    thrown_away.marks_of(&name).put_on(&mut attributes);
                    self.put_new(&name, &value, Some(&attributes))?;
                }
            }
        }
        Ok(())
    }
}

/// The marks of secrets that were removed.
#[derive(Default)]
struct ThrownAway {
    named: BTreeMap<SecretName, Marks>,
    /// Those of all other names: every mark there is, if a record is damaged or missing. It may have been one in the trash, and
    /// nobody knows of which name.
    others: Marks,
}

impl ThrownAway {
    fn add(&mut self, name: SecretName, attributes: &Attributes) {
        self.named.entry(name).or_default().add(attributes);
    }

    fn marks_of(&self, name: &SecretName) -> Marks {
        let Marks { never_reveal, approve_each_use } = self.named.get(name).copied().unwrap_or_default();
        Marks {
            never_reveal: never_reveal || self.others.never_reveal,
            approve_each_use: approve_each_use || self.others.approve_each_use,
        }
    }
}

/// What the owner said about the value of a secret. A grant does not get rid of it by removing the secret and storing one of that
/// name.
#[derive(Debug, Clone, Copy, Default)]
struct Marks {
    never_reveal: bool,
    approve_each_use: bool,
}

impl Marks {
    fn add(&mut self, attributes: &Attributes) {
        self.never_reveal |= attributes.never_reveal;
        self.approve_each_use |= attributes.approve_each_use;
    }

    fn put_on(self, attributes: &mut Attributes) {
        attributes.never_reveal |= self.never_reveal;
        attributes.approve_each_use |= self.approve_each_use;
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

#[cfg(test)]
mod tests {
    use super::super::scratch::{Scratch, grant, policy_for_all};
    use super::Left;
    use crate::audit::Operation;
    use crate::capability::Capability;
    use crate::credential::Credential;
    use crate::name::SecretName;
    use crate::secret::Attributes;
    use crate::time::Timestamp;
    use crate::value::SecretValue;

    /// Who holds a token can write with another program what this one refuses: a rule that lets a shell have the secret would
    /// let them run whatever they like as the person, through the server.
    #[test]
    fn a_grant_makes_no_rules_for_what_it_stored_whatever_it_wrote_it_with() {
        let scratch = Scratch::new("pending");
        let (vault, owner) = scratch.vault();
        let policy = policy_for_all(&owner);
        let issued = grant(&owner, &policy, [Capability::List, Capability::Use, Capability::Store]);
        let agent = vault.unlock(&Credential::Token(issued.token)).expect("unlocked");
        let name = SecretName::new("mine").expect("a name");
        let attributes = Attributes {
            commands: vec!["sh -c **".to_owned()],
            hosts: vec!["example.com".to_owned()],
            ..Attributes::default()
        };
        let left = Left::Stored {
            name: name.clone(),
            value: SecretValue::new("value").expect("a value"),
            attributes: Some(attributes),
            stored: Timestamp::now(),
        };
        agent.change(Operation::Store, None, |work| work.leave(&left)).expect("left");
        assert_eq!(agent.usable(&name).expect("there").attributes, Attributes::default());
        assert_eq!(owner.usable(&name).expect("taken over").attributes, Attributes::default());
    }
}
