//! Looks at a database file without opening it for writing.

use std::path::Path;

use rusqlite::{Connection, OpenFlags};

use crate::error::Error;

use super::schema;

/// How many migrations the file has and how many there are; nothing where there is no file, or an empty one.
pub(crate) fn inspect(path: &Path) -> Result<Option<(usize, usize)>, Error> {
    let named = |error: Error| match error {
        Error::Unavailable { reason } => Error::unavailable(format!("`{}`: {reason}", path.display())),
        other => other,
    };
    match std::fs::metadata(path) {
        Ok(found) if found.len() == 0 => return Ok(None),
        Ok(_) => {}
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => {
            return Err(named(Error::unavailable(format!("{error}; give this user access to the file"))));
        }
    }
    // Even a reader of a WAL database makes files beside it, unless it is told that nobody writes. A log beside it means that
    // somebody may, and that the files are there already.
    let log = path.with_file_name(format!("{}-wal", path.file_name().unwrap_or_default().to_string_lossy()));
    let immutable = if log.exists() { "" } else { "&immutable=1" };
    let escaped = path.to_string_lossy().replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    let flags =
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(format!("file:{escaped}?mode=ro{immutable}"), flags)
        .map_err(Error::from)
        .map_err(named)?;
    schema::inspect(&connection).map(Some).map_err(named)
}
