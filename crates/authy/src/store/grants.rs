//! Policies, grants, the record keys that are shared with them, and what they left for the owner.

use rusqlite::{Row, params};

use super::Store;
use crate::error::Result;
use crate::keys::crypto::hash;
use crate::trust::Digest;

/// One grant.
pub(crate) struct GrantRow {
    pub(crate) id: [u8; 8],
    /// Counts changes of its bundle.
    pub(crate) revision: u64,
    pub(crate) public: [u8; 32],
    pub(crate) key_for_holder: Vec<u8>,
    pub(crate) key_for_owner: Vec<u8>,
    pub(crate) bundle: Vec<u8>,
    /// Authenticates the vault to the holder.
    pub(crate) code: [u8; 32],
    pub(crate) revoked: bool,
    /// How many records it opens.
    pub(crate) shares: u64,
    /// The last of its pending entries that the owner took over.
    pub(crate) folded: u64,
    /// How many entries of the log it had written when it was revoked.
    pub(crate) entries: u64,
}

/// One policy.
pub(crate) struct PolicyRow {
    pub(crate) lookup: [u8; 32],
    /// Counts changes.
    pub(crate) revision: u64,
    pub(crate) body: Vec<u8>,
}

/// A record as a grant finds and opens it.
pub(crate) struct ShareRow {
    pub(crate) lookup: [u8; 32],
    pub(crate) record: i64,
    /// Empty for a grant that may know that there is one, and no more.
    pub(crate) key: Vec<u8>,
}

/// Something a grant stored or removed.
pub(crate) struct PendingRow {
    pub(crate) holder: [u8; 8],
    /// Counts what the grant left.
    pub(crate) number: u64,
    /// How the grant finds it.
    pub(crate) lookup: [u8; 32],
    /// For the owner.
    pub(crate) sealed: Vec<u8>,
    /// For the grant itself, if it may read.
    pub(crate) own: Vec<u8>,
    /// Says that the grant wrote it.
    pub(crate) code: [u8; 32],
}

const GRANT: &str =
    "id, revision, public, key_for_holder, key_for_owner, bundle, code, revoked, shares, folded, entries";

/// Rows that are not of this form were put there by somebody else, and go with the rest.
const PENDING: &str = "SELECT holder, number, lookup, sealed, own, code FROM pending
    WHERE length(holder) = 8 AND number > 0 AND length(lookup) = 32 AND length(code) = 32
    AND length(sealed) < 262144 AND length(own) < 262144";

impl GrantRow {
    pub(crate) fn leaf(id: [u8; 8]) -> Digest {
        hash("authy grant leaf", &[&id])
    }

    pub(crate) fn digest(&self) -> Digest {
        hash(
            "authy grant",
            &[
                &self.id,
                &self.revision.to_be_bytes(),
                &self.public,
                &self.key_for_holder,
                &self.key_for_owner,
                &self.bundle,
                &self.code,
                &[u8::from(self.revoked)],
                &self.shares.to_be_bytes(),
                &self.folded.to_be_bytes(),
                &self.entries.to_be_bytes(),
            ],
        )
    }
}

impl PolicyRow {
    pub(crate) fn leaf(lookup: &[u8; 32]) -> Digest {
        hash("authy policy leaf", &[lookup])
    }

    pub(crate) fn digest(&self) -> Digest {
        hash("authy policy", &[&self.lookup, &self.revision.to_be_bytes(), &self.body])
    }
}

impl ShareRow {
    pub(crate) fn leaf(holder: [u8; 8], lookup: &[u8; 32]) -> Digest {
        hash("authy share leaf", &[&holder, lookup])
    }

    pub(crate) fn digest(&self) -> Digest {
        hash("authy share", &[&self.lookup, &self.record.to_be_bytes(), &self.key])
    }
}

impl Store {
    pub(crate) fn grants(&self) -> Result<Vec<GrantRow>> {
        self.all(&format!("SELECT {GRANT} FROM holder ORDER BY rowid"), [], read_grant)
    }

    pub(crate) fn grant(&self, id: [u8; 8]) -> Result<Option<GrantRow>> {
        self.maybe(&format!("SELECT {GRANT} FROM holder WHERE id = ?"), [id], read_grant)
    }

    pub(crate) fn insert_grant(&self, grant: &GrantRow) -> Result<()> {
        self.change(
            "INSERT INTO holder VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            params![
                grant.id,
                grant.revision,
                grant.public,
                grant.key_for_holder,
                grant.key_for_owner,
                grant.bundle,
                grant.code,
                grant.revoked,
                grant.shares,
                grant.folded,
                grant.entries
            ],
        )
    }

    pub(crate) fn update_grant(&self, grant: &GrantRow) -> Result<()> {
        self.change(
            "UPDATE holder SET revision = ?, key_for_holder = ?, key_for_owner = ?, bundle = ?, code = ?,
             revoked = ?, shares = ?, folded = ?, entries = ? WHERE id = ?",
            params![
                grant.revision,
                grant.key_for_holder,
                grant.key_for_owner,
                grant.bundle,
                grant.code,
                grant.revoked,
                grant.shares,
                grant.folded,
                grant.entries,
                grant.id
            ],
        )
    }

    /// Makes the grants of the file these. Rows are not deleted one by one: of two with the same number, an index may know one.
    pub(crate) fn set_grants(&self, grants: &[GrantRow]) -> Result<()> {
        self.change("DELETE FROM holder", [])?;
        grants.iter().try_for_each(|grant| self.insert_grant(grant))
    }

    pub(crate) fn put_share(&self, grant: [u8; 8], share: &ShareRow) -> Result<()> {
        self.change(
            "INSERT OR REPLACE INTO share (holder, lookup, record, key) VALUES (?, ?, ?, ?)",
            params![grant, share.lookup, share.record, share.key],
        )
    }

    pub(crate) fn share(&self, grant: [u8; 8], lookup: &[u8; 32]) -> Result<Option<ShareRow>> {
        let sql = "SELECT lookup, record, key FROM share WHERE holder = ? AND lookup = ?";
        self.maybe(sql, params![grant, lookup], read_share)
    }

    pub(crate) fn shares(&self, grant: [u8; 8]) -> Result<Vec<ShareRow>> {
        let sql = "SELECT lookup, record, key FROM share WHERE holder = ? AND length(lookup) = 32";
        // SQLite would sort them before it gives the first, however many there seem to be.
        let mut shares = self.all(sql, [grant], read_share)?;
        shares.sort_unstable_by_key(|share| share.record);
        Ok(shares)
    }

    /// With whom a record is shared, and under which lookup.
    pub(crate) fn shares_of(&self, record: i64) -> Result<Vec<([u8; 8], [u8; 32])>> {
        // Rows that are not of this form were put there by somebody else, and are shares of nobody.
        let sql = "SELECT holder, lookup FROM share WHERE record = ? AND length(holder) = 8 AND length(lookup) = 32";
        self.all(sql, [record], |row| Ok((row.get(0)?, row.get(1)?)))
    }

    pub(crate) fn delete_share(&self, grant: [u8; 8], lookup: &[u8; 32]) -> Result<()> {
        self.change("DELETE FROM share WHERE holder = ? AND lookup = ?", params![grant, lookup])
    }

    pub(crate) fn delete_shares(&self) -> Result<()> {
        self.change("DELETE FROM share", [])
    }

    pub(crate) fn policies(&self) -> Result<Vec<PolicyRow>> {
        self.all("SELECT lookup, revision, body FROM policy", [], read_policy)
    }

    pub(crate) fn policy(&self, lookup: &[u8; 32]) -> Result<Option<PolicyRow>> {
        self.maybe("SELECT lookup, revision, body FROM policy WHERE lookup = ?", [lookup], read_policy)
    }

    /// Makes the policies of the file these, as [`Store::set_grants`] does it.
    pub(crate) fn set_policies(&self, policies: &[PolicyRow]) -> Result<()> {
        self.change("DELETE FROM policy", [])?;
        policies.iter().try_for_each(|policy| self.put_policy(policy))
    }

    pub(crate) fn put_policy(&self, policy: &PolicyRow) -> Result<()> {
        let values = params![policy.lookup, policy.revision, policy.body];
        self.change("INSERT OR REPLACE INTO policy VALUES (?, ?, ?)", values)
    }

    pub(crate) fn delete_policy(&self, lookup: &[u8; 32]) -> Result<()> {
        self.change("DELETE FROM policy WHERE lookup = ?", [lookup])
    }

    pub(crate) fn has_pending(&self) -> Result<bool> {
        self.recheck()?;
        self.one("SELECT EXISTS (SELECT 1 FROM pending)", [], |row| row.get(0))
    }

    /// Hands everything grants left to `each`, in the order of each, one at a time: nobody knows how much somebody put there.
    pub(crate) fn each_pending(&self, each: impl FnMut(PendingRow) -> Result<()>) -> Result<()> {
        self.each(&format!("{PENDING} ORDER BY written"), [], read_pending, each)
    }

    /// The same for what one grant left after this number, in order.
    pub(crate) fn each_pending_of(
        &self,
        holder: [u8; 8],
        after: u64,
        each: impl FnMut(PendingRow) -> Result<()>,
    ) -> Result<()> {
        let sql = format!("{PENDING} AND holder = ? AND number > ? ORDER BY number");
        self.each(&sql, params![holder, after], read_pending, each)
    }

    /// How many entries a grant has left, and the number of the last.
    pub(crate) fn pending_end(&self, holder: [u8; 8]) -> Result<(u64, u64)> {
        let sql = "SELECT count(*), coalesce(max(number), 0) FROM pending
                   WHERE holder = ? AND number > 0 AND length(lookup) = 32 AND length(code) = 32";
        self.one(sql, [holder], |row| Ok((row.get(0)?, row.get(1)?)))
    }

    /// The same for what it left under a lookup, the last first.
    pub(crate) fn each_pending_under(
        &self,
        holder: [u8; 8],
        lookup: &[u8; 32],
        after: u64,
        each: impl FnMut(PendingRow) -> Result<()>,
    ) -> Result<()> {
        let sql = format!("{PENDING} AND holder = ? AND lookup = ? AND number > ? ORDER BY number DESC");
        self.each(&sql, params![holder, lookup, after], read_pending, each)
    }

    pub(crate) fn delete_pending_of(&self, holder: [u8; 8], number: u64) -> Result<()> {
        self.change("DELETE FROM pending WHERE holder = ? AND number = ?", params![holder, number])
    }

    pub(crate) fn insert_pending(&self, row: &PendingRow) -> Result<()> {
        // Somebody may have used up the numbers that rows are counted by.
        self.change("DELETE FROM pending WHERE written NOT BETWEEN 1 AND 1000000000000", [])?;
        self.change(
            "UPDATE sqlite_sequence SET seq = (SELECT coalesce(max(written), 0) FROM pending)
             WHERE name = 'pending' AND seq NOT BETWEEN 0 AND 1000000000000",
            [],
        )?;
        // Only a row that is not of the form of ours can be there already.
        self.change(
            "INSERT OR REPLACE INTO pending (holder, number, lookup, sealed, own, code) VALUES (?, ?, ?, ?, ?, ?)",
            params![row.holder, row.number, row.lookup, row.sealed, row.own, row.code],
        )
    }

    pub(crate) fn delete_pending(&self) -> Result<()> {
        self.change("DELETE FROM pending", [])
    }
}

fn read_grant(row: &Row<'_>) -> rusqlite::Result<GrantRow> {
    Ok(GrantRow {
        id: row.get(0)?,
        revision: row.get(1)?,
        public: row.get(2)?,
        key_for_holder: row.get(3)?,
        key_for_owner: row.get(4)?,
        bundle: row.get(5)?,
        code: row.get(6)?,
        revoked: row.get(7)?,
        shares: row.get(8)?,
        folded: row.get(9)?,
        entries: row.get(10)?,
    })
}

fn read_policy(row: &Row<'_>) -> rusqlite::Result<PolicyRow> {
    Ok(PolicyRow { lookup: row.get(0)?, revision: row.get(1)?, body: row.get(2)? })
}

fn read_share(row: &Row<'_>) -> rusqlite::Result<ShareRow> {
    Ok(ShareRow { lookup: row.get(0)?, record: row.get(1)?, key: row.get(2)? })
}

fn read_pending(row: &Row<'_>) -> rusqlite::Result<PendingRow> {
    Ok(PendingRow {
        holder: row.get(0)?,
        number: row.get(1)?,
        lookup: row.get(2)?,
        sealed: row.get(3)?,
        own: row.get(4)?,
        code: row.get(5)?,
    })
}
