//! Secrets and their old versions.

use rusqlite::{Row, params};

use super::Store;
use crate::error::Result;
use crate::keys::crypto::hash;
use crate::trust::Digest;

/// One secret.
pub(crate) struct RecordRow {
    pub(crate) id: i64,
    pub(crate) lookup: [u8; 32],
    /// Counts values.
    pub(crate) version: u32,
    /// Counts changes of any kind.
    pub(crate) revision: u64,
    /// Wrapped by the vault key.
    pub(crate) key: Vec<u8>,
    pub(crate) meta: Vec<u8>,
    /// Empty where only what is known about the secret was asked for.
    pub(crate) value: Vec<u8>,
    /// The digest of the value, so that the rest can be checked without it.
    pub(crate) value_digest: Digest,
    /// The versions that are kept besides, with the digests of their values.
    pub(crate) old: Vec<u8>,
}

/// What an old version is in the list of a record: its number and the digest of its value.
const OLD: usize = 4 + 32;

impl RecordRow {
    pub(crate) fn leaf(lookup: &[u8; 32]) -> Digest {
        hash("authy record leaf", &[lookup])
    }

    /// Of everything but the value, which has its own.
    pub(crate) fn digest(&self) -> Digest {
        hash(
            "authy record",
            &[
                &self.id.to_be_bytes(),
                &self.lookup,
                &self.version.to_be_bytes(),
                &self.revision.to_be_bytes(),
                &self.key,
                &self.meta,
                &self.value_digest,
                &self.old,
            ],
        )
    }

    pub(crate) fn digest_of_value(value: &[u8]) -> Digest {
        hash("authy value", &[value])
    }

    /// The old versions there must be.
    pub(crate) fn old_versions(&self) -> impl Iterator<Item = (u32, Digest)> + '_ {
        self.old.chunks_exact(OLD).filter_map(|entry| {
            let (number, digest) = entry.split_first_chunk::<4>()?;
            Some((u32::from_be_bytes(*number), digest.try_into().ok()?))
        })
    }

    pub(crate) fn set_old_versions(&mut self, versions: impl IntoIterator<Item = (u32, Digest)>) {
        self.old = versions
            .into_iter()
            .flat_map(|(number, digest)| [number.to_be_bytes().as_slice(), &digest].concat())
            .collect();
    }
}

const BY_LOOKUP: &str =
    "SELECT id, lookup, version, revision, key, meta, value, value_digest, old FROM record WHERE lookup = ?";
const BY_ID: &str =
    "SELECT id, lookup, version, revision, key, meta, value, value_digest, old FROM record WHERE id = ?";

impl Store {
    pub(crate) fn record(&self, lookup: &[u8; 32]) -> Result<Option<RecordRow>> {
        self.maybe(BY_LOOKUP, [lookup], read)
    }

    pub(crate) fn record_by_id(&self, id: i64) -> Result<Option<RecordRow>> {
        self.maybe(BY_ID, [id], read)
    }

    /// All records, without their values.
    pub(crate) fn records(&self) -> Result<Vec<RecordRow>> {
        let sql =
            "SELECT id, lookup, version, revision, key, meta, x'', value_digest, old FROM record ORDER BY id";
        self.all(sql, [], read)
    }

    /// Inserts a record under a number of its own, which it is given.
    pub(crate) fn insert_record(&self, record: &mut RecordRow) -> Result<()> {
        record.id = self.one("SELECT coalesce(max(id), 0) + 1 FROM record", [], |row| row.get(0))?;
        let RecordRow { id, lookup, version, revision, key, meta, value, value_digest, old } = &*record;
        self.change(
            "INSERT INTO record VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            params![id, lookup, version, revision, key, meta, value, value_digest, old],
        )
    }

    pub(crate) fn update_record(&self, record: &RecordRow) -> Result<()> {
        let RecordRow { id, lookup, version, revision, key, meta, value, value_digest, old } = record;
        self.change(
            "UPDATE record SET lookup = ?, version = ?, revision = ?, key = ?, meta = ?, value = ?,
             value_digest = ?, old = ? WHERE id = ?",
            params![lookup, version, revision, key, meta, value, value_digest, old, id],
        )
    }

    /// Removes a record with its old versions.
    pub(crate) fn delete_record(&self, id: i64) -> Result<()> {
        self.change("DELETE FROM history WHERE record = ?", [id])?;
        self.change("DELETE FROM record WHERE id = ?", [id])
    }

    pub(crate) fn insert_old_version(&self, record: i64, version: u32, value: &[u8]) -> Result<()> {
        self.change(
            "INSERT OR REPLACE INTO history (record, version, value) VALUES (?, ?, ?)",
            params![record, version, value],
        )
    }

    pub(crate) fn old_version(&self, record: i64, version: u32) -> Result<Option<Vec<u8>>> {
        let sql = "SELECT value FROM history WHERE record = ? AND version = ?";
        self.maybe(sql, params![record, version], |row| row.get(0))
    }

    pub(crate) fn delete_old_versions_before(&self, record: i64, version: u32) -> Result<()> {
        self.change("DELETE FROM history WHERE record = ? AND version < ?", params![record, version])
    }
}

fn read(row: &Row<'_>) -> rusqlite::Result<RecordRow> {
    Ok(RecordRow {
        id: row.get(0)?,
        lookup: row.get(1)?,
        version: row.get(2)?,
        revision: row.get(3)?,
        key: row.get(4)?,
        meta: row.get(5)?,
        value: row.get(6)?,
        value_digest: row.get(7)?,
        old: row.get(8)?,
    })
}
