//! A database made anew out of its rows, where its structure is not what a program of ours makes: an index that leads to other
//! pages, a trigger, a page that cannot be read, another number of the format. What the rows say is for others to judge.

use std::fs;
use std::path::Path;

use rusqlite::types::Value;
use rusqlite::{Connection, ErrorCode, Row, params_from_iter};

use super::{Durability, Store, delete, draft_of, schema};
use crate::error::{Error, Result};

/// Rebuilds the database if that is needed. Gives how many triggers, views, indexes and virtual tables somebody had added.
pub(super) fn rebuild_if_needed(store: &Store) -> Result<Option<usize>> {
    let whole = schema::bring_up_to_date(store).and_then(|()| schema::check(store));
    match whole.and_then(|_| store.check()) {
        Ok(()) => {
            let _turn = store.begin(Durability::Process)?;
            sweep(store);
            return Ok(None);
        }
        Err(Error::Damaged { .. }) => {}
        Err(error) => return Err(error),
    }
    let draft = draft_of(&store.path.with_file_name("rows.db"));
    let rebuilt = rebuild(store, &draft);
    delete(&draft);
    rebuilt.map(Some)
}

/// Deletes the rows that a rebuilding left which was killed. Whoever is at it now holds the turn to write, or is done with them.
fn sweep(store: &Store) {
    let folder = store.path.parent().and_then(|folder| fs::read_dir(folder).ok());
    for entry in folder.into_iter().flatten().flatten() {
        if entry.file_name().to_str().is_some_and(|name| name.starts_with("rows.new-")) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// In one transaction, so that other processes see the one or the other and lose nothing that they write.
fn rebuild(store: &Store, draft: &Path) -> Result<usize> {
    let unit = store.begin(Durability::Power)?;
    sweep(store);
    drop(files::create_private(draft).map_err(|source| Error::Io { path: draft.to_owned(), source })?);
    let rows = Store::connect(draft)?;
    schema::make(&rows)?;
    let added = schema::count_added(store)?;
    let tables = describe_as_ours(store)?;
    let filled = rows.begin(Durability::Process)?;
    for table in &tables {
        copy(store, &rows, table)?;
    }
    filled.commit()?;
    let refilled = refill(store, &rows, &tables).and_then(|()| unit.commit());
    match refilled {
        // Pages of before belong to nothing any more. They are no harm if there is no room to be rid of them.
        Ok(()) => drop(store.connection.execute_batch("PRAGMA writable_schema = OFF; VACUUM")),
        // Not even the list of free pages is left.
        Err(Error::Damaged { .. }) => rows.replace(&store.path)?,
        Err(error) => return Err(error),
    }
    Ok(added)
}

/// Makes SQLite read the pages of our tables as our tables, without any index, whatever the file says that they are. Gives those
/// that are there.
fn describe_as_ours(store: &Store) -> Result<Vec<String>> {
    let run = |sql: &str| batch(store, sql);
    run("CREATE TEMP TABLE IF NOT EXISTS found (name TEXT PRIMARY KEY, page INTEGER);
         DELETE FROM temp.found;
         INSERT OR IGNORE INTO temp.found SELECT lower(name), rootpage FROM main.sqlite_schema
            WHERE type = 'table' AND rootpage > 1;
         DELETE FROM main.sqlite_schema;")?;
    let mut tables = Vec::new();
    for (table, sql) in schema::tables() {
        let placed = store.count_changed(
            "INSERT INTO main.sqlite_schema SELECT 'table', name, name, page, ?2 FROM temp.found WHERE name = ?1",
            [table, sql],
        )?;
        if placed > 0 {
            tables.push(table.to_owned());
        }
    }
    run("DROP TABLE temp.found; PRAGMA writable_schema = RESET; PRAGMA writable_schema = ON;")?;
    Ok(tables)
}

fn refill(store: &Store, rows: &Store, tables: &[String]) -> Result<()> {
    batch(store, "DELETE FROM sqlite_schema; PRAGMA writable_schema = RESET;")?;
    batch(store, &schema::everything())?;
    tables.iter().try_for_each(|table| copy(rows, store, table))
}

/// Copies the rows of a table that can be read and fit. A page that cannot be read is gone around, from both ends.
fn copy(from: &Store, to: &Store, table: &str) -> Result<()> {
    if table == "share" {
        return copy_shares(from, to);
    }
    let up = format!("SELECT rowid FROM {table} NOT INDEXED WHERE rowid >= ? ORDER BY rowid LIMIT 1");
    let down = format!("SELECT rowid FROM {table} NOT INDEXED WHERE rowid <= ? ORDER BY rowid DESC LIMIT 1");
    let mut next = i64::MIN;
    loop {
        match from.maybe(&up, [next], |row| row.get::<_, i64>(0)) {
            Ok(Some(id)) if id >= next => {
                copy_row(from, to, table, id)?;
                let Some(after) = id.checked_add(1) else { return Ok(()) };
                next = after;
            }
            Ok(None) => return Ok(()),
            Ok(Some(_)) | Err(Error::Damaged { .. }) => break,
            Err(error) => return Err(error),
        }
    }
    let mut last = i64::MAX;
    loop {
        match from.maybe(&down, [last], |row| row.get::<_, i64>(0)) {
            Ok(Some(id)) if id <= last && id >= next => {
                copy_row(from, to, table, id)?;
                let Some(before) = id.checked_sub(1) else { return Ok(()) };
                last = before;
            }
            Ok(_) | Err(Error::Damaged { .. }) => return Ok(()),
            Err(error) => return Err(error),
        }
    }
}

/// They have no numbers to go by, so what is behind a page that cannot be read is lost; a repair makes them anew.
fn copy_shares(from: &Store, to: &Store) -> Result<()> {
    match from.each("SELECT * FROM share NOT INDEXED", [], values, |row| insert(to, "share", row)) {
        Err(Error::Damaged { .. }) => Ok(()),
        other => other,
    }
}

fn copy_row(from: &Store, to: &Store, table: &str, id: i64) -> Result<()> {
    match from.maybe(&format!("SELECT * FROM {table} NOT INDEXED WHERE rowid = ?"), [id], values) {
        Ok(Some(row)) => insert(to, table, row),
        Ok(None) | Err(Error::Damaged { .. }) => Ok(()),
        Err(error) => Err(error),
    }
}

fn values(row: &Row<'_>) -> rusqlite::Result<Vec<Value>> {
    (0..row.as_ref().column_count()).map(|column| row.get(column)).collect()
}

fn insert(to: &Store, table: &str, row: Vec<Value>) -> Result<()> {
    let places = vec!["?"; row.len()].join(", ");
    match to.change(&format!("INSERT INTO {table} VALUES ({places})"), params_from_iter(row)) {
        // It is there twice, or is no row of this table.
        Err(Error::Storage { source: rusqlite::Error::SqliteFailure(failure, _), .. })
            if failure.code == ErrorCode::ConstraintViolation =>
        {
            Ok(())
        }
        other => other,
    }
}

fn batch(store: &Store, sql: &str) -> Result<()> {
    store.connection.execute_batch(sql).map_err(|error| store.error(error))
}

/// Lets a connection read a file whose list of tables SQLite does not understand, and change that list.
pub(super) fn allow(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch("PRAGMA writable_schema = ON")
}
