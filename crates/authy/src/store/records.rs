//! Secrets and their old versions.

use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use rusqlite::{Row, params};

use super::Store;
use crate::error::Result;

/// One secret.
pub(crate) struct RecordRow {
    pub(crate) id: i64,
    pub(crate) lookup: [u8; 32],
    /// Counts values.
    pub(crate) version: u32,
    /// Counts changes of any kind.
    pub(crate) revision: u64,
    pub(crate) key_kind: KeyKind,
    pub(crate) key: Vec<u8>,
    pub(crate) meta: Vec<u8>,
    pub(crate) value: Vec<u8>,
}

/// How the record's key is kept for the owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeyKind {
    /// Wrapped by the vault key.
    Wrapped,
    /// Sealed to the owner's public key, by a grant that stored it.
    Sealed,
}

const BY_LOOKUP: &str =
    "SELECT id, lookup, version, revision, key_kind, key, meta, value FROM record WHERE lookup = ?";
const BY_ID: &str =
    "SELECT id, lookup, version, revision, key_kind, key, meta, value FROM record WHERE id = ?";

impl Store {
    pub(crate) fn record(&self, lookup: &[u8; 32]) -> Result<Option<RecordRow>> {
        self.maybe(BY_LOOKUP, [lookup], read)
    }

    pub(crate) fn record_by_id(&self, id: i64) -> Result<Option<RecordRow>> {
        self.maybe(BY_ID, [id], read)
    }

    /// Hands every record to `each`, without its value.
    pub(crate) fn each_record(&self, mut each: impl FnMut(RecordRow) -> Result<()>) -> Result<()> {
        let sql = "SELECT id, lookup, version, revision, key_kind, key, meta, x'' FROM record ORDER BY id";
        let mut statement = self.connection.prepare_cached(sql).map_err(|error| self.error(error))?;
        let mut rows = statement.query([]).map_err(|error| self.error(error))?;
        while let Some(row) = rows.next().map_err(|error| self.error(error))? {
            each(read(row).map_err(|error| self.error(error))?)?;
        }
        Ok(())
    }

    /// The records that grants stored and the owner has not seen.
    pub(crate) fn foreign_records(&self) -> Result<Vec<i64>> {
        self.all("SELECT id FROM record WHERE key_kind = 1 ORDER BY id", [], |row| row.get(0))
    }

    pub(crate) fn insert_record(&self, record: &RecordRow) -> Result<i64> {
        let RecordRow { id: _, lookup, version, revision, key_kind, key, meta, value } = record;
        self.change(
            "INSERT INTO record (lookup, version, revision, key_kind, key, meta, value) VALUES (?, ?, ?, ?, ?, ?, ?)",
            params![lookup, version, revision, key_kind, key, meta, value],
        )?;
        Ok(self.connection.last_insert_rowid())
    }

    pub(crate) fn update_record(&self, record: &RecordRow) -> Result<()> {
        let RecordRow { id, lookup: _, version, revision, key_kind, key, meta, value } = record;
        self.change(
            "UPDATE record SET version = ?, revision = ?, key_kind = ?, key = ?, meta = ?, value = ? WHERE id = ?",
            params![version, revision, key_kind, key, meta, value, id],
        )
    }

    /// Wraps the record's key anew; nothing else about it changes.
    pub(crate) fn set_record_key(&self, id: i64, kind: KeyKind, key: &[u8]) -> Result<()> {
        self.change("UPDATE record SET key_kind = ?, key = ? WHERE id = ?", params![kind, key, id])
    }

    /// Removes a record with its old versions and all shares of it.
    pub(crate) fn delete_record(&self, id: i64) -> Result<()> {
        self.delete_shares_of(id)?;
        self.change("DELETE FROM history WHERE record = ?", [id])?;
        self.change("DELETE FROM record WHERE id = ?", [id])
    }

    /// Keeps the current value as an old version, and no more than `keep` old ones.
    pub(crate) fn keep_version(&self, id: i64, version: u32, keep: u32) -> Result<()> {
        self.change(
            "INSERT INTO history (record, version, value) SELECT id, version, value FROM record WHERE id = ?",
            [id],
        )?;
        self.change(
            "DELETE FROM history WHERE record = ? AND version <= ?",
            params![id, i64::from(version) - i64::from(keep)],
        )
    }

    pub(crate) fn old_versions(&self, record: i64) -> Result<Vec<(u32, Vec<u8>)>> {
        let sql = "SELECT version, value FROM history WHERE record = ? ORDER BY version";
        self.all(sql, [record], |row| Ok((row.get(0)?, row.get(1)?)))
    }

    pub(crate) fn old_version(&self, record: i64, version: u32) -> Result<Option<Vec<u8>>> {
        let sql = "SELECT value FROM history WHERE record = ? AND version = ?";
        self.maybe(sql, params![record, version], |row| row.get(0))
    }

    pub(crate) fn set_old_version(&self, record: i64, version: u32, value: &[u8]) -> Result<()> {
        self.change(
            "UPDATE history SET value = ? WHERE record = ? AND version = ?",
            params![value, record, version],
        )
    }
}

fn read(row: &Row<'_>) -> rusqlite::Result<RecordRow> {
    Ok(RecordRow {
        id: row.get(0)?,
        lookup: row.get(1)?,
        version: row.get(2)?,
        revision: row.get(3)?,
        key_kind: row.get(4)?,
        key: row.get(5)?,
        meta: row.get(6)?,
        value: row.get(7)?,
    })
}

impl FromSql for KeyKind {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<KeyKind> {
        match value.as_i64()? {
            0 => Ok(KeyKind::Wrapped),
            1 => Ok(KeyKind::Sealed),
            other => Err(FromSqlError::OutOfRange(other)),
        }
    }
}

impl ToSql for KeyKind {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::from(match self {
            KeyKind::Wrapped => 0_i64,
            KeyKind::Sealed => 1,
        }))
    }
}
