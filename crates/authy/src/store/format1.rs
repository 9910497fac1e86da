//! What a vault of format 1 has in it, as bytes. It is read once, to be made into a new one.

use super::{Durability, Store, Unit};
use crate::error::{Error, Result};

/// The vault's own row.
pub(crate) struct OldHeader {
    pub(crate) vault_id: [u8; 16],
    pub(crate) epoch: u64,
    pub(crate) generation: u64,
    pub(crate) contents: Vec<u8>,
    pub(crate) root: Vec<u8>,
}

/// A way to unlock.
pub(crate) struct OldSlot {
    pub(crate) id: i64,
    pub(crate) kind: String,
    pub(crate) stretching: Option<Vec<u8>>,
    pub(crate) public: [u8; 32],
    pub(crate) sealed: Vec<u8>,
}

/// A secret.
pub(crate) struct OldRecordRow {
    pub(crate) id: i64,
    pub(crate) lookup: [u8; 32],
    pub(crate) version: u32,
    pub(crate) revision: u64,
    /// Sealed to the owner, by a grant; else wrapped by the vault key.
    pub(crate) sealed: bool,
    pub(crate) key: Vec<u8>,
    pub(crate) meta: Vec<u8>,
    pub(crate) value: Vec<u8>,
}

/// A grant, as far as it can be told about.
pub(crate) struct OldGrant {
    pub(crate) id: [u8; 8],
    pub(crate) revision: u64,
    pub(crate) key_for_owner: Vec<u8>,
    pub(crate) bundle: Vec<u8>,
    pub(crate) revoked: bool,
}

impl Store {
    /// Begins to read a vault of format 1, which nobody changes meanwhile.
    pub(crate) fn begin_format_1(&self) -> Result<Unit<'_>> {
        let unit = self.begin(Durability::Power)?;
        let format: i64 = self.one("SELECT user_version FROM pragma_user_version", [], |row| row.get(0))?;
        let application: i64 =
            self.one("SELECT application_id FROM pragma_application_id", [], |row| row.get(0))?;
        match (application, format) {
            (super::schema::APPLICATION, 1) => Ok(unit),
            (super::schema::APPLICATION, super::schema::FORMAT) => Err(Error::AlreadyUpgraded),
            (super::schema::APPLICATION, found) => {
                Err(Error::NewerFormat { found, known: super::schema::FORMAT })
            }
            _ => Err(Error::NotAVault(self.path.clone())),
        }
    }

    pub(crate) fn old_header(&self) -> Result<OldHeader> {
        self.one("SELECT vault_id, epoch, generation, contents, root FROM vault", [], |row| {
            Ok(OldHeader {
                vault_id: row.get(0)?,
                epoch: row.get(1)?,
                generation: row.get(2)?,
                contents: row.get(3)?,
                root: row.get(4)?,
            })
        })
    }

    pub(crate) fn old_slots(&self) -> Result<Vec<OldSlot>> {
        self.all("SELECT id, kind, stretching, public, sealed FROM slot ORDER BY id LIMIT 64", [], |row| {
            Ok(OldSlot {
                id: row.get(0)?,
                kind: row.get(1)?,
                stretching: row.get(2)?,
                public: row.get(3)?,
                sealed: row.get(4)?,
            })
        })
    }

    pub(crate) fn old_records(&self) -> Result<Vec<OldRecordRow>> {
        let sql = "SELECT id, lookup, version, revision, key_kind, key, meta, value FROM record ORDER BY id";
        self.all(sql, [], |row| {
            Ok(OldRecordRow {
                id: row.get(0)?,
                lookup: row.get(1)?,
                version: row.get(2)?,
                revision: row.get(3)?,
                sealed: row.get(4)?,
                key: row.get(5)?,
                meta: row.get(6)?,
                value: row.get(7)?,
            })
        })
    }

    pub(crate) fn old_history(&self, record: i64) -> Result<Vec<(u32, Vec<u8>)>> {
        let sql = "SELECT version, value FROM history WHERE record = ? ORDER BY version";
        self.all(sql, [record], |row| Ok((row.get(0)?, row.get(1)?)))
    }

    pub(crate) fn old_policies(&self) -> Result<Vec<super::PolicyRow>> {
        self.all("SELECT lookup, revision, body FROM policy", [], |row| {
            Ok(super::PolicyRow { lookup: row.get(0)?, revision: row.get(1)?, body: row.get(2)? })
        })
    }

    pub(crate) fn old_grants(&self) -> Result<Vec<OldGrant>> {
        let sql = "SELECT id, revision, key_for_owner, bundle, revoked FROM holder ORDER BY rowid";
        self.all(sql, [], |row| {
            Ok(OldGrant {
                id: row.get(0)?,
                revision: row.get(1)?,
                key_for_owner: row.get(2)?,
                bundle: row.get(3)?,
                revoked: row.get(4)?,
            })
        })
    }

    /// Puts the write-ahead log away, so that the file alone is the whole vault.
    pub(crate) fn into_one_file(self) -> Result<()> {
        self.connection
            .execute_batch("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE;")
            .map_err(|error| self.error(error))?;
        let path = self.path.clone();
        self.connection.close().map_err(|(_, error)| super::storage(&path, error))
    }
}
