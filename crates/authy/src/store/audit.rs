//! The audit log, its writers, and uses that wait for a yes.

use rusqlite::{Row, params};

use super::Store;
use super::bound::Bound;
use crate::error::Result;
use crate::keys::signing::Signed;

/// One line of the log.
pub(crate) struct AuditRow {
    pub(crate) seq: u64,
    /// Empty for the owner, else the grant.
    pub(crate) writer: Vec<u8>,
    pub(crate) entry: Vec<u8>,
    pub(crate) mac: [u8; 32],
}

/// How far a writer of the log has come.
pub(crate) struct ChainRow {
    /// Counts its entries.
    pub(crate) position: u64,
    /// The key of its next entry and what else it has to remember, for itself.
    pub(crate) state: Vec<u8>,
}

/// A request for a yes.
pub(crate) struct ApprovalRow {
    pub(crate) id: i64,
    pub(crate) writer: Vec<u8>,
    /// What it is about, without saying it.
    pub(crate) subject: [u8; 32],
    pub(crate) entry: Vec<u8>,
    pub(crate) expires: i64,
    /// The owner's answer and signature, if there is one.
    pub(crate) answer: Option<(i64, Signed)>,
}

/// What is not of this form was put there by somebody else.
const ENTRIES: &str = "FROM audit WHERE seq > 0 AND length(mac) = 32";

/// The same for requests. What a person is asked to read is far shorter.
const APPROVAL: &str = "SELECT id, writer, subject, entry, expires, decision, signature FROM approval
    WHERE length(subject) = 32 AND (signature IS NULL OR length(signature) = 64) AND length(entry) < 262144";

impl Store {
    pub(crate) fn insert_audit(&self, row: &AuditRow) -> Result<()> {
        // Only a row that is not of the form of an entry, and so is none, can be there already.
        self.change(
            "INSERT OR REPLACE INTO audit VALUES (?, ?, ?, ?)",
            params![row.seq, row.writer, row.entry, row.mac],
        )
    }

    /// The number and the code of the last entry.
    pub(crate) fn audit_end(&self) -> Result<(u64, [u8; 32])> {
        let last =
            self.maybe(&format!("SELECT seq, mac {ENTRIES} ORDER BY seq DESC LIMIT 1"), [], |row| {
                Ok((row.get(0)?, row.get(1)?))
            })?;
        Ok(last.unwrap_or((0, [0; 32])))
    }

    /// The code of an entry.
    pub(crate) fn audit_code(&self, seq: u64) -> Result<Option<[u8; 32]>> {
        self.maybe(&format!("SELECT mac {ENTRIES} AND seq = ?"), [seq], |row| row.get(0))
    }

    /// Deletes entries with this number and above.
    pub(crate) fn delete_audit_from(&self, seq: u64) -> Result<()> {
        self.change("DELETE FROM audit WHERE seq >= ?", [seq])
    }

    pub(crate) fn chain(&self, writer: &[u8]) -> Result<Option<ChainRow>> {
        self.maybe("SELECT position, state FROM chain WHERE writer = ? AND position >= 0", [writer], |row| {
            Ok(ChainRow { position: row.get(0)?, state: row.get(1)? })
        })
    }

    pub(crate) fn set_chain(&self, writer: &[u8], chain: &ChainRow) -> Result<()> {
        let values = params![chain.position, chain.state, writer];
        // It is there but for a new writer, and an upsert costs more than the update it then is.
        if self.count_changed("UPDATE chain SET position = ?, state = ? WHERE writer = ?", values)? == 0 {
            self.change("INSERT INTO chain (position, state, writer) VALUES (?, ?, ?)", values)?;
        }
        Ok(())
    }

    pub(crate) fn delete_chain(&self, writer: &[u8]) -> Result<()> {
        self.change("DELETE FROM chain WHERE writer = ?", [writer])
    }

    /// Hands every entry to `each`, in order, until it has seen enough.
    pub(crate) fn each_audit(&self, mut each: impl FnMut(AuditRow) -> Result<bool>) -> Result<()> {
        let sql = format!("SELECT seq, writer, entry, mac {ENTRIES} ORDER BY seq");
        let mut statement = self.connection.prepare_cached(&sql).map_err(|error| self.error(error))?;
        let mut rows = statement.query([]).map_err(|error| self.error(error))?;
        let mut bound = Bound::new(self);
        while let Some(row) = rows.next().map_err(|error| self.error(error))? {
            bound.count(row)?;
            if !each(read_audit(row).map_err(|error| self.error(error))?)? {
                break;
            }
        }
        Ok(())
    }

    pub(crate) fn newest_audit(&self, most: usize) -> Result<Vec<AuditRow>> {
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        let sql = format!("SELECT seq, writer, entry, mac {ENTRIES} ORDER BY seq DESC LIMIT ?");
        let mut rows = self.all(&sql, [most], read_audit)?;
        rows.reverse();
        Ok(rows)
    }

    pub(crate) fn insert_approval(&self, row: &ApprovalRow) -> Result<i64> {
        self.change(
            "INSERT INTO approval (writer, subject, entry, expires) VALUES (?, ?, ?, ?)",
            params![row.writer, row.subject, row.entry, row.expires],
        )?;
        Ok(self.connection.last_insert_rowid())
    }

    /// Hands all requests to `each`, oldest first, one at a time: nobody knows how many somebody put there.
    pub(crate) fn each_approval(&self, each: impl FnMut(ApprovalRow) -> Result<()>) -> Result<()> {
        self.each(&format!("{APPROVAL} ORDER BY id"), [], read_approval, each)
    }

    /// The same for those of one writer.
    pub(crate) fn each_approval_of(
        &self,
        writer: &[u8],
        each: impl FnMut(ApprovalRow) -> Result<()>,
    ) -> Result<()> {
        self.each(&format!("{APPROVAL} AND writer = ? ORDER BY id"), [writer], read_approval, each)
    }

    /// One request.
    pub(crate) fn approval(&self, id: i64) -> Result<Option<ApprovalRow>> {
        self.maybe(&format!("{APPROVAL} AND id = ?"), [id], read_approval)
    }

    pub(crate) fn count_approvals(&self) -> Result<u64> {
        self.one("SELECT count(*) FROM approval", [], |row| row.get(0))
    }

    /// Keeps these requests and no others.
    pub(crate) fn keep_approvals(&self, ids: &[i64]) -> Result<()> {
        let all: Vec<i64> = self.all("SELECT id FROM approval", [], |row| row.get(0))?;
        for id in all.iter().filter(|id| !ids.contains(id)) {
            self.delete_approval(*id)?;
        }
        Ok(())
    }

    pub(crate) fn answer_approval(&self, id: i64, decision: i64, signature: &Signed) -> Result<()> {
        self.change(
            "UPDATE approval SET decision = ?, signature = ? WHERE id = ?",
            params![decision, signature, id],
        )
    }

    pub(crate) fn delete_approval(&self, id: i64) -> Result<()> {
        self.change("DELETE FROM approval WHERE id = ?", [id])
    }

    pub(crate) fn delete_approvals(&self) -> Result<()> {
        self.change("DELETE FROM approval", [])
    }

    /// Deletes requests that have ended, and those whose numbers nobody could have been given.
    pub(crate) fn delete_approvals_before(&self, now: i64) -> Result<()> {
        // Somebody may have used up the numbers, too.
        self.change("DELETE FROM approval WHERE expires <= ? OR id NOT BETWEEN 1 AND 1000000000", [now])?;
        self.change(
            "UPDATE sqlite_sequence SET seq = (SELECT coalesce(max(id), 0) FROM approval)
             WHERE name = 'approval' AND seq NOT BETWEEN 0 AND 1000000000",
            [],
        )
    }
}

fn read_approval(row: &Row<'_>) -> rusqlite::Result<ApprovalRow> {
    Ok(ApprovalRow {
        id: row.get(0)?,
        writer: row.get(1)?,
        subject: row.get(2)?,
        entry: row.get(3)?,
        expires: row.get(4)?,
        answer: row.get::<_, Option<i64>>(5)?.zip(row.get(6)?),
    })
}

fn read_audit(row: &Row<'_>) -> rusqlite::Result<AuditRow> {
    Ok(AuditRow { seq: row.get(0)?, writer: row.get(1)?, entry: row.get(2)?, mac: row.get(3)? })
}
