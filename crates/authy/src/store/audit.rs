//! The audit log and its head; uses that wait for a yes.

use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use rusqlite::{Row, params};

use super::Store;
use crate::error::Result;

/// One line of the log.
pub(crate) struct AuditRow {
    pub(crate) seq: u64,
    /// Empty for the owner, else the grant.
    pub(crate) writer: Vec<u8>,
    pub(crate) entry: Vec<u8>,
    pub(crate) mac: [u8; 32],
}

/// Where the log ends.
pub(crate) struct HeadRow {
    pub(crate) seq: u64,
    /// The key of the next entry, for those who may write.
    pub(crate) key: Vec<u8>,
    pub(crate) mac: [u8; 32],
}

/// What became of a request for a yes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ApprovalState {
    Waiting,
    Approved,
    Denied,
}

/// A request for a yes.
pub(crate) struct ApprovalRow {
    pub(crate) id: i64,
    pub(crate) writer: Vec<u8>,
    /// What it is about, without saying it.
    pub(crate) subject: [u8; 32],
    pub(crate) entry: Vec<u8>,
    pub(crate) state: ApprovalState,
    pub(crate) expires: i64,
}

impl Store {
    pub(crate) fn insert_audit(&self, row: &AuditRow) -> Result<()> {
        self.change("INSERT INTO audit VALUES (?, ?, ?, ?)", params![row.seq, row.writer, row.entry, row.mac])
    }

    pub(crate) fn audit_head(&self) -> Result<Option<HeadRow>> {
        if let Some(head) = self.head_seen.take() {
            return Ok(Some(head));
        }
        self.maybe("SELECT seq, key, mac FROM audit_head WHERE id = 1", [], |row| read_head(row, 0))
    }

    pub(crate) fn set_audit_head(&self, head: &HeadRow) -> Result<()> {
        self.head_seen.take();
        let values = params![head.seq, head.key, head.mac];
        // It is there but for a new or a damaged log, and an upsert costs more than the update it then is.
        if self.count_changed("UPDATE audit_head SET seq = ?, key = ?, mac = ? WHERE id = 1", values)? == 0 {
            self.change("INSERT INTO audit_head VALUES (1, ?, ?, ?)", values)?;
        }
        Ok(())
    }

    /// Hands every entry to `each`, in order, until it has seen enough.
    pub(crate) fn each_audit(&self, mut each: impl FnMut(AuditRow) -> Result<bool>) -> Result<()> {
        let sql = "SELECT seq, writer, entry, mac FROM audit ORDER BY seq";
        let mut statement = self.connection.prepare_cached(sql).map_err(|error| self.error(error))?;
        let mut rows = statement.query([]).map_err(|error| self.error(error))?;
        while let Some(row) = rows.next().map_err(|error| self.error(error))? {
            if !each(read_audit(row).map_err(|error| self.error(error))?)? {
                break;
            }
        }
        Ok(())
    }

    pub(crate) fn newest_audit(&self, most: usize) -> Result<Vec<AuditRow>> {
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        let sql = "SELECT seq, writer, entry, mac FROM audit ORDER BY seq DESC LIMIT ?";
        let mut rows = self.all(sql, [most], read_audit)?;
        rows.reverse();
        Ok(rows)
    }

    pub(crate) fn insert_approval(&self, row: &ApprovalRow) -> Result<i64> {
        self.change(
            "INSERT INTO approval (writer, subject, entry, state, expires) VALUES (?, ?, ?, ?, ?)",
            params![row.writer, row.subject, row.entry, row.state, row.expires],
        )?;
        Ok(self.connection.last_insert_rowid())
    }

    pub(crate) fn approvals(&self) -> Result<Vec<ApprovalRow>> {
        self.all("SELECT id, writer, subject, entry, state, expires FROM approval ORDER BY id", [], |row| {
            Ok(ApprovalRow {
                id: row.get(0)?,
                writer: row.get(1)?,
                subject: row.get(2)?,
                entry: row.get(3)?,
                state: row.get(4)?,
                expires: row.get(5)?,
            })
        })
    }

    pub(crate) fn set_approval(&self, id: i64, state: ApprovalState) -> Result<()> {
        self.change("UPDATE approval SET state = ? WHERE id = ?", params![state, id])
    }

    pub(crate) fn delete_approval(&self, id: i64) -> Result<()> {
        self.change("DELETE FROM approval WHERE id = ?", [id])
    }

    pub(crate) fn delete_approvals_before(&self, now: i64) -> Result<()> {
        self.change("DELETE FROM approval WHERE expires <= ?", [now])
    }
}

/// The head of the log, which begins at a column.
pub(super) fn read_head(row: &Row<'_>, at: usize) -> rusqlite::Result<HeadRow> {
    Ok(HeadRow { seq: row.get(at)?, key: row.get(at + 1)?, mac: row.get(at + 2)? })
}

fn read_audit(row: &Row<'_>) -> rusqlite::Result<AuditRow> {
    Ok(AuditRow { seq: row.get(0)?, writer: row.get(1)?, entry: row.get(2)?, mac: row.get(3)? })
}

impl FromSql for ApprovalState {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<ApprovalState> {
        match value.as_i64()? {
            0 => Ok(ApprovalState::Waiting),
            1 => Ok(ApprovalState::Approved),
            2 => Ok(ApprovalState::Denied),
            other => Err(FromSqlError::OutOfRange(other)),
        }
    }
}

impl ToSql for ApprovalState {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::from(match self {
            ApprovalState::Waiting => 0_i64,
            ApprovalState::Approved => 1,
            ApprovalState::Denied => 2,
        }))
    }
}
