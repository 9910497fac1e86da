//! SQLite: the only room that knows SQL. It stores bytes and numbers, and knows nothing of what they mean.

mod audit;
mod bound;
pub(crate) mod format1;
mod grants;
mod header;
mod rebuilding;
mod records;
mod schema;

use std::cell::Cell;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::error::{Error, Result};

pub(crate) use audit::{ApprovalRow, AuditRow, ChainRow};
pub(crate) use grants::{GrantRow, PendingRow, PolicyRow, ShareRow};
pub(crate) use header::{HeaderRow, SlotRow};
pub(crate) use records::RecordRow;

/// How long to wait for another process that is writing.
const PATIENCE: Duration = Duration::from_secs(20);

/// Larger than any row of ours: a value has 64 KiB, what is known about it 32 KiB, a node of the tree a few.
const LARGEST_ROW: i32 = 4 << 20;

/// What a commit survives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Durability {
    /// Loss of power: the log is flushed to the disk.
    Power,
    /// The death of this process.
    Process,
}

/// One connection to a vault's database.
pub(crate) struct Store {
    path: PathBuf,
    connection: Connection,
    durability: Cell<Durability>,
    /// The version of the schema whose tables were found to be ours; none for a file that is only being made or looked at.
    checked: Cell<Option<i64>>,
}

/// A transaction that is undone unless it is committed.
pub(crate) struct Unit<'a> {
    store: &'a Store,
    done: bool,
}

impl Store {
    /// Opens a vault that is there, bringing its format up to date.
    pub(crate) fn open(path: &Path) -> Result<Store> {
        let store = Store::connect(path)?;
        schema::bring_up_to_date(&store)?;
        store.checked.set(Some(schema::check(&store)?));
        store.leave_log(true)?;
        Ok(store)
    }

    /// Makes the database anew out of its rows, if it is not as a program of ours makes it. Gives how many triggers, views and
    /// indexes somebody had added.
    pub(crate) fn rebuild_if_needed(path: &Path) -> Result<Option<usize>> {
        let store = Store::open_file(path)?;
        let ready = rebuilding::allow(&store.connection).and_then(|()| store.set_up());
        ready.map_err(|error| store.error(error))?;
        rebuilding::rebuild_if_needed(&store)
    }

    /// Looks at the tables again if somebody has changed the schema since: a trigger that was added while the vault is open
    /// works in this connection, too.
    pub(super) fn recheck(&self) -> Result<()> {
        if let Some(checked) = self.checked.get()
            && schema::version(self)? != checked
        {
            self.checked.set(Some(schema::check(self)?));
        }
        Ok(())
    }

    /// Whether the write-ahead log is left beside the database when this is closed. After entries of the audit log it is: to
    /// take it in costs three more flushes of the disk than the entry itself. What the owner changes is taken in.
    pub(crate) fn leave_log(&self, leave: bool) -> Result<()> {
        let option = DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE;
        self.connection.set_db_config(option, leave).map(|_| ()).map_err(|error| self.error(error))
    }

    /// Makes a new database, filled by `fill`, in one step: there is never a vault that is half made.
    pub(crate) fn create(path: &Path, fill: impl FnOnce(&Store) -> Result<()>) -> Result<()> {
        let draft = draft_of(path);
        let io = |source| Error::Io { path: draft.clone(), source };
        drop(files::create_private(&draft).map_err(io)?);
        let made = Store::connect(&draft).and_then(|store| {
            schema::make(&store)?;
            let unit = store.begin(Durability::Power)?;
            fill(&store)?;
            unit.commit()?;
            store.connection.close().map_err(|(_, error)| error).map_err(|error| storage(path, error))
        });
        let placed = made.and_then(|()| {
            if !path.exists() {
                delete_companions(path);
            }
            // A link, unlike a rename, does not replace a vault that somebody made meanwhile.
            fs::hard_link(&draft, path).map_err(|source| match source.kind() {
                ErrorKind::AlreadyExists => Error::AlreadyInitialized(path.to_owned()),
                _ => Error::Io { path: path.to_owned(), source },
            })?;
            let folder = path.parent().unwrap_or(Path::new("."));
            files::sync_folder(folder).map_err(|source| Error::Io { path: folder.to_owned(), source })
        });
        delete(&draft);
        placed
    }

    pub(crate) fn connect(path: &Path) -> Result<Store> {
        let store = Store::open_file(path)?;
        store.set_up().map_err(|error| store.error(error))?;
        Ok(store)
    }

    fn open_file(path: &Path) -> Result<Store> {
        let found = fs::symlink_metadata(path).map_err(|source| match source.kind() {
            ErrorKind::NotFound => Error::NotInitialized,
            _ => Error::Io { path: path.to_owned(), source },
        })?;
        // A pipe would keep us waiting for somebody to write.
        if !found.is_file() {
            return Err(Error::NotAVault(path.to_owned()));
        }
        refuse_odd_companions(path)?;
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX
            | OpenFlags::SQLITE_OPEN_NOFOLLOW;
        // SQLite refuses links in the whole path; those above the folder are the person's own.
        let real = match (path.parent().map(files::real_path), path.file_name()) {
            (Some(Ok(folder)), Some(name)) => folder.join(name),
            _ => path.to_owned(),
        };
        let connection = Connection::open_with_flags(real, flags).map_err(|error| storage(path, error))?;
        Ok(Store {
            path: path.to_owned(),
            connection,
            durability: Cell::new(Durability::Power),
            checked: Cell::new(None),
        })
    }

    fn set_up(&self) -> rusqlite::Result<()> {
        self.connection.busy_timeout(PATIENCE)?;
        self.connection.set_prepared_statement_cache_capacity(64);
        // A row of hundreds of megabytes is not read to be found bad.
        self.connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, LARGEST_ROW)?;
        // No table of ours refers to another; one that somebody added could, and hold our rows fast.
        // 16 MiB of pages at most, so that tens of thousands of secrets are not read from the file again and again.
        self.connection.execute_batch(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON;
             PRAGMA foreign_keys = OFF; PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA temp_store = MEMORY;
             PRAGMA cache_size = -16384; PRAGMA wal_autocheckpoint = 256;",
        )
    }

    /// Begins to read: until the end everything is as it is now.
    pub(crate) fn snapshot(&self) -> Result<Unit<'_>> {
        self.run("BEGIN")?;
        self.begun()
    }

    /// Begins to write. Others can read meanwhile, and wait to write.
    pub(crate) fn begin(&self, durability: Durability) -> Result<Unit<'_>> {
        self.get_ready(durability)?;
        self.run("BEGIN IMMEDIATE")?;
        self.begun()
    }

    /// The same, or nothing if somebody else writes.
    #[cfg(feature = "server")]
    pub(crate) fn begin_at_once(&self, durability: Durability) -> Result<Option<Unit<'_>>> {
        self.get_ready(durability)?;
        let wait = |time| self.connection.busy_timeout(time).map_err(|error| self.error(error));
        wait(Duration::ZERO)?;
        let begun =
            self.connection.prepare_cached("BEGIN IMMEDIATE").and_then(|mut begin| begin.raw_execute());
        wait(PATIENCE)?;
        match begun {
            Ok(_) => self.begun().map(Some),
            Err(rusqlite::Error::SqliteFailure(failure, _)) if failure.code == ErrorCode::DatabaseBusy => {
                Ok(None)
            }
            Err(error) => Err(self.error(error)),
        }
    }

    /// The transaction that was just begun, in a file whose tables are ours.
    fn begun(&self) -> Result<Unit<'_>> {
        let unit = Unit { store: self, done: false };
        self.recheck()?;
        Ok(unit)
    }

    fn get_ready(&self, durability: Durability) -> Result<()> {
        if self.durability.get() != durability {
            self.run(match durability {
                Durability::Power => "PRAGMA synchronous = FULL",
                Durability::Process => "PRAGMA synchronous = NORMAL",
            })?;
            self.durability.set(durability);
        }
        Ok(())
    }

    /// Looks at every page: structure, and indexes against tables.
    pub(crate) fn check(&self) -> Result<()> {
        let found: String = self
            .connection
            .query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))
            .map_err(|error| self.error(error))?;
        if found == "ok" { Ok(()) } else { Err(self.damaged("SQLite finds its pages inconsistent")) }
    }

    /// Writes a consistent copy to `to`, which must not exist.
    pub(crate) fn copy_to(&self, to: &Path) -> Result<()> {
        let io = |source| Error::Io { path: to.to_owned(), source };
        let file = files::create_private(to).map_err(io)?;
        let mut copy = Connection::open_with_flags(to, OpenFlags::SQLITE_OPEN_READ_WRITE)
            .map_err(|error| storage(to, error))?;
        self.copy_pages(&mut copy)?;
        // A copy without a log beside it is one file to keep.
        copy.pragma_update(None, "journal_mode", "DELETE").map_err(|error| storage(to, error))?;
        copy.close().map_err(|(_, error)| storage(to, error))?;
        file.sync_all().map_err(io)
    }

    /// Takes over all pages of another vault, in one transaction.
    pub(crate) fn take_over(&mut self, from: &Store) -> Result<()> {
        from.copy_pages(&mut self.connection)?;
        self.set_up().map_err(|error| self.error(error))
    }

    /// Puts a copy of this vault in the place of a file that SQLite cannot write to any more.
    pub(crate) fn replace(&self, path: &Path) -> Result<()> {
        let draft = draft_of(path);
        let copied = self.copy_to(&draft).and_then(|()| {
            delete_companions(path);
            let folder = path.parent().unwrap_or(Path::new("."));
            let placed = fs::rename(&draft, path).and_then(|()| files::sync_folder(folder));
            placed.map_err(|source| Error::Io { path: path.to_owned(), source })
        });
        delete(&draft);
        copied
    }

    fn copy_pages(&self, to: &mut Connection) -> Result<()> {
        let copied = rusqlite::backup::Backup::new(&self.connection, to)
            .and_then(|backup| backup.run_to_completion(i32::MAX, Duration::from_millis(20), None));
        copied.map_err(|error| self.error(error))
    }

    fn run(&self, sql: &str) -> Result<()> {
        let ran = self.connection.prepare_cached(sql).and_then(|mut statement| statement.raw_execute());
        ran.map(|_| ()).map_err(|error| self.error(error))
    }

    pub(crate) fn error(&self, error: rusqlite::Error) -> Error {
        storage(&self.path, error)
    }

    /// The database is not as it was left.
    pub(crate) fn damaged(&self, reason: &'static str) -> Error {
        Error::Damaged { what: format!("`{}`", self.path.display()), reason }
    }
}

impl Unit<'_> {
    pub(crate) fn commit(mut self) -> Result<()> {
        self.store.run("COMMIT")?;
        self.done = true;
        Ok(())
    }
}

impl Drop for Unit<'_> {
    fn drop(&mut self) {
        // After some failures SQLite has rolled back by itself.
        if !self.done && !self.store.connection.is_autocommit() {
            let _ = self.store.run("ROLLBACK");
        }
    }
}

/// Where a database is made before it takes its place. What may be there is deleted.
fn draft_of(path: &Path) -> PathBuf {
    let draft = path.with_extension(format!("new-{}", std::process::id()));
    delete(&draft);
    draft
}

/// Deletes a database, if it is there.
fn delete(path: &Path) {
    let _ = fs::remove_file(path);
    delete_companions(path);
}

/// What SQLite keeps beside a database.
fn companions(path: &Path) -> impl Iterator<Item = PathBuf> {
    ["-journal", "-wal", "-shm"].into_iter().map(|end| {
        let mut name = path.as_os_str().to_owned();
        name.push(end);
        PathBuf::from(name)
    })
}

/// Deletes what an earlier database of this name has left: SQLite would take a log for that of the new one.
pub(crate) fn delete_companions(path: &Path) {
    for beside in companions(path) {
        let _ = fs::remove_file(beside);
    }
}

/// SQLite opens what is beside the database, too, and would wait at a pipe.
fn refuse_odd_companions(path: &Path) -> Result<()> {
    for beside in companions(path) {
        if fs::symlink_metadata(&beside).is_ok_and(|found| !found.is_file()) {
            let what = format!("`{}`", beside.display());
            return Err(Error::Damaged { what, reason: "it is not a file, and does not belong there" });
        }
    }
    Ok(())
}

/// What SQLite said, and what may help.
fn storage(path: &Path, error: rusqlite::Error) -> Error {
    let damaged = |reason| Error::Damaged { what: format!("`{}`", path.display()), reason };
    let remedy = match &error {
        rusqlite::Error::SqliteFailure(failure, _) => match failure.code {
            ErrorCode::DatabaseCorrupt => return damaged("SQLite finds a page that cannot be"),
            ErrorCode::TooBig => return damaged("a row is larger than any that was written"),
            ErrorCode::NotADatabase => return Error::NotAVault(path.to_owned()),
            ErrorCode::DiskFull => "free some space on the disk; nothing was changed",
            ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied => {
                "give this user write access to the folder and the files in it"
            }
            ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => {
                "another program has been writing for long; try again, or end it"
            }
            ErrorCode::SystemIoFailure => "look at the disk, which may be full; nothing was changed",
            _ => "run `authy doctor`",
        },
        // A value of another type than the schema has, or a row that is not there.
        rusqlite::Error::FromSqlConversionFailure(..)
        | rusqlite::Error::InvalidColumnType(..)
        | rusqlite::Error::IntegralValueOutOfRange(..)
        | rusqlite::Error::QueryReturnedNoRows => {
            return damaged("a row is not of the form it was written in");
        }
        _ => "run `authy doctor`",
    };
    Error::Storage { path: path.to_owned(), source: error, remedy }
}
