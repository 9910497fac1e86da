//! The vault's own row, the lineage of its heads, the tree, and the key slots.

use rusqlite::{OptionalExtension, Row, params};

use super::Store;
use super::bound::Bound;
use crate::error::Result;
use crate::keys::crypto::hash;
use crate::keys::signing::{IdentityPublic, Signed};
use crate::trust::{Digest, SignedHead};

/// What there is one of in a vault.
pub(crate) struct HeaderRow {
    pub(crate) vault_id: [u8; 16],
    pub(crate) created: i64,
    pub(crate) head: SignedHead,
    pub(crate) root: Vec<u8>,
}

/// One way to unlock.
pub(crate) struct SlotRow {
    pub(crate) id: i64,
    pub(crate) kind: String,
    pub(crate) stretching: Option<Vec<u8>>,
    pub(crate) public: [u8; 32],
    pub(crate) sealed: Vec<u8>,
    pub(crate) created: i64,
    /// Authenticates the vault to whoever opens the slot.
    pub(crate) code: [u8; 32],
}

impl SlotRow {
    pub(crate) fn leaf(id: i64) -> Digest {
        hash("authy slot leaf", &[&id.to_be_bytes()])
    }

    pub(crate) fn digest(&self) -> Digest {
        let stretching = self.stretching.as_deref().unwrap_or_default();
        hash(
            "authy slot",
            &[
                &self.id.to_be_bytes(),
                self.kind.as_bytes(),
                stretching,
                &self.public,
                &self.sealed,
                &self.created.to_be_bytes(),
                &self.code,
            ],
        )
    }
}

impl Store {
    pub(crate) fn insert_header(&self, header: &HeaderRow) -> Result<()> {
        let HeaderRow { vault_id, created, head, root } = header;
        self.change(
            "INSERT INTO vault VALUES (1, ?, ?, ?, ?, ?, ?)",
            params![vault_id, created, head.body, head.previous, head.signature, root],
        )
    }

    pub(crate) fn header(&self) -> Result<HeaderRow> {
        self.one("SELECT head, previous, signature, vault_id, created, root FROM vault", [], |row| {
            Ok(HeaderRow {
                head: read_head(row)?,
                vault_id: row.get(3)?,
                created: row.get(4)?,
                root: row.get(5)?,
            })
        })
    }

    pub(crate) fn head(&self) -> Result<SignedHead> {
        self.one("SELECT head, previous, signature FROM vault", [], read_head)
    }

    /// Writes a new head, and keeps its digest for those who know an older one.
    pub(crate) fn set_head(&self, version: u64, head: &SignedHead) -> Result<()> {
        self.change(
            "UPDATE vault SET head = ?, previous = ?, signature = ?",
            params![head.body, head.previous, head.signature],
        )?;
        self.change("INSERT OR REPLACE INTO lineage VALUES (?, ?)", params![version, head.digest()])
    }

    /// The digests of all heads after one version and up to another, in order.
    pub(crate) fn lineage(&self, after: u64, to: u64) -> Result<Vec<Digest>> {
        let sql = "SELECT digest FROM lineage WHERE version > ? AND version <= ? ORDER BY version";
        self.all(sql, [after, to], |row| row.get(0))
    }

    pub(crate) fn root(&self) -> Result<Vec<u8>> {
        self.one("SELECT root FROM vault", [], |row| row.get(0))
    }

    pub(crate) fn set_root(&self, root: &[u8]) -> Result<()> {
        self.change("UPDATE vault SET root = ?", [root])
    }

    pub(crate) fn insert_succession(
        &self,
        old: &IdentityPublic,
        new: &IdentityPublic,
        certificate: &Signed,
    ) -> Result<()> {
        self.change(
            "INSERT INTO succession (old, new, certificate) VALUES (?, ?, ?)",
            params![old, new, certificate],
        )
    }

    /// Each identity with the one that came after it, oldest first.
    pub(crate) fn successions(&self) -> Result<Vec<(IdentityPublic, IdentityPublic, Signed)>> {
        let sql = "SELECT old, new, certificate FROM succession
                   WHERE length(old) = 32 AND length(new) = 32 AND length(certificate) = 64 ORDER BY number";
        self.all(sql, [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
    }

    pub(crate) fn node(&self, number: i64) -> Result<Option<Vec<u8>>> {
        self.maybe("SELECT body FROM node WHERE number = ?", [number], |row| row.get(0))
    }

    pub(crate) fn set_node(&self, number: i64, body: &[u8]) -> Result<()> {
        self.change("INSERT OR REPLACE INTO node VALUES (?, ?)", params![number, body])
    }

    pub(crate) fn delete_nodes(&self) -> Result<()> {
        self.change("DELETE FROM node", [])
    }

    /// Deletes rows that no program of ours has written: they cannot even be read to be found bad.
    pub(crate) fn delete_malformed(&self) -> Result<()> {
        self.change(
            "DELETE FROM holder WHERE length(id) <> 8 OR length(public) <> 32 OR length(code) <> 32 OR revision < 0
             OR revoked NOT IN (0, 1) OR shares < 0 OR folded < 0 OR entries < 0",
            [],
        )?;
        self.change(
            "DELETE FROM record WHERE length(lookup) <> 32 OR version NOT BETWEEN 0 AND 4294967295 OR revision < 0
             OR length(value_digest) <> 32",
            [],
        )?;
        self.change("DELETE FROM policy WHERE length(lookup) <> 32 OR revision < 0", [])
    }

    pub(crate) fn slots(&self) -> Result<Vec<SlotRow>> {
        // More than there can be are not even read, nor those that are not of the form of ours.
        let sql = "SELECT id, kind, stretching, public, sealed, created, code FROM slot
                   WHERE id > 0 AND length(public) = 32 AND length(code) = 32 ORDER BY id LIMIT 64";
        self.all(sql, [], read_slot)
    }

    pub(crate) fn slot(&self, id: i64) -> Result<Option<SlotRow>> {
        let sql = "SELECT id, kind, stretching, public, sealed, created, code FROM slot WHERE id = ?";
        self.maybe(sql, [id], read_slot)
    }

    /// Makes the slots of the file these.
    pub(crate) fn set_slots(&self, slots: &[SlotRow]) -> Result<()> {
        self.change("DELETE FROM slot", [])?;
        for slot in slots {
            self.change(
                "INSERT INTO slot VALUES (?, ?, ?, ?, ?, ?, ?)",
                params![
                    slot.id,
                    slot.kind,
                    slot.stretching,
                    slot.public,
                    slot.sealed,
                    slot.created,
                    slot.code
                ],
            )?;
        }
        Ok(())
    }

    pub(super) fn change(&self, sql: &str, values: impl rusqlite::Params) -> Result<()> {
        self.count_changed(sql, values).map(|_| ())
    }

    /// Changes rows, and tells how many.
    pub(super) fn count_changed(&self, sql: &str, values: impl rusqlite::Params) -> Result<usize> {
        let changed = self.connection.prepare_cached(sql).and_then(|mut statement| statement.execute(values));
        changed.map_err(|error| self.error(error))
    }

    pub(super) fn one<T>(
        &self,
        sql: &str,
        values: impl rusqlite::Params,
        read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<T> {
        let mut statement = self.connection.prepare_cached(sql).map_err(|error| self.error(error))?;
        statement.query_row(values, read).map_err(|error| self.error(error))
    }

    pub(super) fn maybe<T>(
        &self,
        sql: &str,
        values: impl rusqlite::Params,
        read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Option<T>> {
        let mut statement = self.connection.prepare_cached(sql).map_err(|error| self.error(error))?;
        statement.query_row(values, read).optional().map_err(|error| self.error(error))
    }

    /// Hands rows to `each`, one at a time.
    pub(super) fn each<T>(
        &self,
        sql: &str,
        values: impl rusqlite::Params,
        read: impl Fn(&Row<'_>) -> rusqlite::Result<T>,
        mut each: impl FnMut(T) -> Result<()>,
    ) -> Result<()> {
        let mut statement = self.connection.prepare_cached(sql).map_err(|error| self.error(error))?;
        let mut rows = statement.query(values).map_err(|error| self.error(error))?;
        let mut bound = Bound::new(self);
        while let Some(row) = rows.next().map_err(|error| self.error(error))? {
            bound.count(row)?;
            each(read(row).map_err(|error| self.error(error))?)?;
        }
        Ok(())
    }

    pub(super) fn all<T>(
        &self,
        sql: &str,
        values: impl rusqlite::Params,
        read: impl Fn(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>> {
        let mut all = Vec::new();
        self.each(sql, values, read, |row| {
            all.push(row);
            Ok(())
        })?;
        Ok(all)
    }
}

fn read_head(row: &Row<'_>) -> rusqlite::Result<SignedHead> {
    Ok(SignedHead { body: row.get(0)?, previous: row.get(1)?, signature: row.get(2)? })
}

fn read_slot(row: &Row<'_>) -> rusqlite::Result<SlotRow> {
    Ok(SlotRow {
        id: row.get(0)?,
        kind: row.get(1)?,
        stretching: row.get(2)?,
        public: row.get(3)?,
        sealed: row.get(4)?,
        created: row.get(5)?,
        code: row.get(6)?,
    })
}
