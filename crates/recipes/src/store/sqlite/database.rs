//! An open database: its file, its writer and its readers.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use crate::error::Error;

use super::readers::Readers;
use super::schema;
use super::writer::Writer;

/// How long to wait for another process that writes.
const PATIENCE: Duration = Duration::from_secs(10);

/// How many statements a connection keeps ready; there are fewer in all.
const STATEMENTS: usize = 128;

/// How many kilobytes of the file a connection keeps in memory: the one that writes, and each that reads. Reading through a
/// large cookbook would fill whatever there is, and the operating system keeps the file in memory anyway.
const WRITER_CACHE_KB: i32 = 8_000;
const READER_CACHE_KB: i32 = 4_000;

#[derive(Debug)]
pub(super) struct Database {
    pub(super) path: PathBuf,
    pub(super) writer: Writer,
    pub(super) readers: Readers,
}

impl Database {
    pub(super) fn open(path: &Path) -> Result<Database, Error> {
        let named = |error: Error| match error {
            Error::Unavailable { reason } => Error::unavailable(format!("`{}`: {reason}", path.display())),
            other => other,
        };
        create_private(path).map_err(named)?;
        let connection = Mutex::new(connect(path, Access::Write).map_err(named)?);
        schema::migrate(&connection).map_err(named)?;
        let writer = Writer::start(connection).map_err(named)?;
        let readers = Readers::new(path.to_owned());
        Ok(Database { path: path.to_owned(), writer, readers })
    }
}

/// Makes the file, readable for this user alone, before SQLite makes it for everybody. The files beside it get its mode.
fn create_private(path: &Path) -> Result<(), Error> {
    match files::create_private(path) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(Error::unavailable(format!(
            "cannot make the file: {error}; give this user access to its folder or set `DATABASE_URL` to another place"
        ))),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    Read,
    Write,
}

pub(super) fn connect(path: &Path, access: Access) -> Result<Connection, Error> {
    let (mode, cache_kb) = match access {
        Access::Read => (OpenFlags::SQLITE_OPEN_READ_ONLY, READER_CACHE_KB),
        Access::Write => (OpenFlags::SQLITE_OPEN_READ_WRITE, WRITER_CACHE_KB),
    };
    let connection = Connection::open_with_flags(path, mode | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    connection.busy_timeout(PATIENCE)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    // Else a statement whose plan might depend on a value is parsed anew for each value, which takes longer than most
    // of them run.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "cache_size", -cache_kb)?;
    connection.pragma_update(None, "temp_store", "memory")?;
    if access == Access::Write {
        connection.pragma_update(None, "journal_mode", "wal")?;
        // What was acknowledged survives a loss of power, not only a crash of this process.
        connection.pragma_update(None, "synchronous", "full")?;
    } else {
        connection.pragma_update(None, "query_only", true)?;
    }
    Ok(connection)
}

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Error {
        use rusqlite::ErrorCode;
        let remedy = match error.sqlite_error_code() {
            Some(ErrorCode::CannotOpen | ErrorCode::PermissionDenied | ErrorCode::ReadOnly) => {
                "; give this user read and write access to the file and its folder"
            }
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                "; another process has been writing for long: try again"
            }
            Some(ErrorCode::DiskFull) => "; make room on the disk",
            Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => "; restore a backup",
            _ => "",
        };
        Error::unavailable(format!("{error}{remedy}"))
    }
}
