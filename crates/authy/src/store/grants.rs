//! Policies, grants, and the record keys that are shared with them.

use rusqlite::{Row, params};

use super::Store;
use crate::error::Result;

/// One grant.
pub(crate) struct GrantRow {
    pub(crate) id: [u8; 8],
    /// Counts changes of its bundle.
    pub(crate) revision: u64,
    pub(crate) public: [u8; 32],
    pub(crate) key_for_holder: Vec<u8>,
    pub(crate) key_for_owner: Vec<u8>,
    pub(crate) bundle: Vec<u8>,
    pub(crate) used: u64,
    pub(crate) revoked: bool,
    /// How many records it opens.
    pub(crate) shares: u64,
}

/// What changes about a grant while it is held.
pub(crate) struct GrantTerms {
    pub(crate) revision: u64,
    pub(crate) used: u64,
    pub(crate) revoked: bool,
    pub(crate) shares: u64,
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
    pub(crate) key: Vec<u8>,
}

const GRANT: &str = "id, revision, public, key_for_holder, key_for_owner, bundle, used, revoked, shares";

impl Store {
    pub(crate) fn grants(&self) -> Result<Vec<GrantRow>> {
        self.all(&format!("SELECT {GRANT} FROM holder ORDER BY rowid"), [], read_grant)
    }

    pub(crate) fn grant(&self, id: [u8; 8]) -> Result<Option<GrantRow>> {
        self.maybe(&format!("SELECT {GRANT} FROM holder WHERE id = ?"), [id], read_grant)
    }

    pub(crate) fn grant_terms(&self, id: [u8; 8]) -> Result<Option<GrantTerms>> {
        self.maybe("SELECT revision, used, revoked, shares FROM holder WHERE id = ?", [id], |row| {
            Ok(GrantTerms {
                revision: row.get(0)?,
                used: row.get(1)?,
                revoked: row.get(2)?,
                shares: row.get(3)?,
            })
        })
    }

    pub(crate) fn insert_grant(&self, grant: &GrantRow) -> Result<()> {
        self.change(
            "INSERT INTO holder VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            params![
                grant.id,
                grant.revision,
                grant.public,
                grant.key_for_holder,
                grant.key_for_owner,
                grant.bundle,
                grant.used,
                grant.revoked,
                grant.shares
            ],
        )
    }

    /// Everything but what is counted.
    pub(crate) fn update_grant(&self, grant: &GrantRow) -> Result<()> {
        self.change(
            "UPDATE holder SET revision = ?, key_for_owner = ?, bundle = ?, revoked = ? WHERE id = ?",
            params![grant.revision, grant.key_for_owner, grant.bundle, grant.revoked, grant.id],
        )
    }

    pub(crate) fn count_use(&self, id: [u8; 8]) -> Result<()> {
        self.change("UPDATE holder SET used = used + 1 WHERE id = ?", [id])
    }

    pub(crate) fn insert_share(&self, grant: [u8; 8], share: &ShareRow) -> Result<()> {
        self.change(
            "INSERT INTO share (holder, lookup, record, key) VALUES (?, ?, ?, ?)",
            params![grant, share.lookup, share.record, share.key],
        )?;
        self.change("UPDATE holder SET shares = shares + 1 WHERE id = ?", [grant])
    }

    pub(crate) fn share(&self, grant: [u8; 8], lookup: &[u8; 32]) -> Result<Option<ShareRow>> {
        let sql = "SELECT lookup, record, key FROM share WHERE holder = ? AND lookup = ?";
        self.maybe(sql, params![grant, lookup], read_share)
    }

    pub(crate) fn shares(&self, grant: [u8; 8]) -> Result<Vec<ShareRow>> {
        let sql = "SELECT lookup, record, key FROM share WHERE holder = ? ORDER BY record";
        self.all(sql, [grant], read_share)
    }

    pub(crate) fn delete_shares_of(&self, record: i64) -> Result<()> {
        self.change(
            "UPDATE holder SET shares = shares - 1 WHERE id IN (SELECT holder FROM share WHERE record = ?)",
            [record],
        )?;
        self.change("DELETE FROM share WHERE record = ?", [record])
    }

    pub(crate) fn policies(&self) -> Result<Vec<PolicyRow>> {
        self.all("SELECT lookup, revision, body FROM policy", [], |row| {
            Ok(PolicyRow { lookup: row.get(0)?, revision: row.get(1)?, body: row.get(2)? })
        })
    }

    pub(crate) fn policy(&self, lookup: &[u8; 32]) -> Result<Option<(u64, Vec<u8>)>> {
        self.maybe("SELECT revision, body FROM policy WHERE lookup = ?", [lookup], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
    }

    pub(crate) fn put_policy(&self, lookup: &[u8; 32], revision: u64, body: &[u8]) -> Result<()> {
        self.change("INSERT OR REPLACE INTO policy VALUES (?, ?, ?)", params![lookup, revision, body])
    }

    pub(crate) fn delete_policy(&self, lookup: &[u8; 32]) -> Result<()> {
        self.change("DELETE FROM policy WHERE lookup = ?", [lookup])
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
        used: row.get(6)?,
        revoked: row.get(7)?,
        shares: row.get(8)?,
    })
}

fn read_share(row: &Row<'_>) -> rusqlite::Result<ShareRow> {
    Ok(ShareRow { lookup: row.get(0)?, record: row.get(1)?, key: row.get(2)? })
}
