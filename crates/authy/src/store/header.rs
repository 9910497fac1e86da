//! The vault's own row, and the key slots.

use rusqlite::{OptionalExtension, Row, params};

use super::Store;
use super::audit::read_head;
use crate::error::Result;

/// What there is one of in a vault.
pub(crate) struct HeaderRow {
    pub(crate) vault_id: [u8; 16],
    pub(crate) created: i64,
    /// Counts changes of the keys that sessions hold.
    pub(crate) epoch: u64,
    /// Counts changes of what is in the vault.
    pub(crate) generation: u64,
    /// A sealed sum of everything that must be there.
    pub(crate) contents: Vec<u8>,
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
    pub(crate) mac: [u8; 32],
}

impl Store {
    pub(crate) fn insert_header(&self, header: &HeaderRow) -> Result<()> {
        self.change(
            "INSERT INTO vault VALUES (1, ?, ?, ?, ?, ?, ?)",
            params![
                header.vault_id,
                header.created,
                header.epoch,
                header.generation,
                header.contents,
                header.root
            ],
        )
    }

    pub(crate) fn header(&self) -> Result<HeaderRow> {
        self.one("SELECT vault_id, created, epoch, generation, contents, root FROM vault", [], |row| {
            Ok(HeaderRow {
                vault_id: row.get(0)?,
                created: row.get(1)?,
                epoch: row.get(2)?,
                generation: row.get(3)?,
                contents: row.get(4)?,
                root: row.get(5)?,
            })
        })
    }

    /// Epoch and generation, in a transaction. The head of the log is read along with them: nearly every operation goes on
    /// to need it, and one question costs less than two.
    pub(crate) fn clocks(&self) -> Result<(u64, u64)> {
        let sql = "SELECT epoch, generation, head.seq, head.key, head.mac
                   FROM vault LEFT JOIN audit_head AS head ON head.id = 1";
        let (clocks, head) = self.one(sql, [], |row| {
            let head = row.get::<_, Option<u64>>(2)?.map(|_| read_head(row, 2)).transpose()?;
            Ok(((row.get(0)?, row.get(1)?), head))
        })?;
        self.head_seen.set(head);
        Ok(clocks)
    }

    pub(crate) fn contents(&self) -> Result<Vec<u8>> {
        self.one("SELECT contents FROM vault", [], |row| row.get(0))
    }

    pub(crate) fn set_contents(&self, generation: u64, contents: &[u8]) -> Result<()> {
        self.change("UPDATE vault SET generation = ?, contents = ?", params![generation, contents])
    }

    pub(crate) fn set_root(&self, epoch: u64, root: &[u8]) -> Result<()> {
        self.change("UPDATE vault SET epoch = ?, root = ?", params![epoch, root])
    }

    pub(crate) fn slots(&self) -> Result<Vec<SlotRow>> {
        self.all(
            "SELECT id, kind, stretching, public, sealed, created, mac FROM slot ORDER BY id",
            [],
            read_slot,
        )
    }

    pub(crate) fn slot(&self, id: i64) -> Result<Option<SlotRow>> {
        self.maybe(
            "SELECT id, kind, stretching, public, sealed, created, mac FROM slot WHERE id = ?",
            [id],
            read_slot,
        )
    }

    /// The number the next slot gets.
    pub(crate) fn next_slot(&self) -> Result<i64> {
        let last: Option<i64> =
            self.maybe("SELECT seq FROM sqlite_sequence WHERE name = 'slot'", [], |row| row.get(0))?;
        Ok(last.unwrap_or(0) + 1)
    }

    pub(crate) fn insert_slot(&self, slot: &SlotRow) -> Result<()> {
        self.change(
            "INSERT INTO slot VALUES (?, ?, ?, ?, ?, ?, ?)",
            params![slot.id, slot.kind, slot.stretching, slot.public, slot.sealed, slot.created, slot.mac],
        )
    }

    pub(crate) fn reseal_slot(&self, id: i64, sealed: &[u8]) -> Result<()> {
        self.change("UPDATE slot SET sealed = ? WHERE id = ?", params![sealed, id])
    }

    pub(crate) fn delete_slot(&self, id: i64) -> Result<()> {
        self.change("DELETE FROM slot WHERE id = ?", [id])
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

    pub(super) fn all<T>(
        &self,
        sql: &str,
        values: impl rusqlite::Params,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>> {
        let mut statement = self.connection.prepare_cached(sql).map_err(|error| self.error(error))?;
        let rows = statement.query_map(values, read).map_err(|error| self.error(error))?;
        rows.collect::<rusqlite::Result<_>>().map_err(|error| self.error(error))
    }
}

fn read_slot(row: &Row<'_>) -> rusqlite::Result<SlotRow> {
    Ok(SlotRow {
        id: row.get(0)?,
        kind: row.get(1)?,
        stretching: row.get(2)?,
        public: row.get(3)?,
        sealed: row.get(4)?,
        created: row.get(5)?,
        mac: row.get(6)?,
    })
}
