//! The list of recipes, written as JSON while rows are read.

use std::sync::PoisonError;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row, params, params_from_iter};

use crate::auth::Scope;
use crate::error::Error;
use crate::id::RecipeId;
use crate::listing::{Cursor, ListQuery, Listing, Revision};
use crate::store::Answer;
use crate::title::Key;

use super::Sqlite;
use super::sight::{self, Families};

/// Numbers that are written where they are known, and their columns.
const NUMBERS: [(&str, usize); 4] =
    [("prep_time_minutes", 4), ("cook_time_minutes", 5), ("servings", 6), ("difficulty", 7)];

pub(super) fn list<'a>(store: &'a Sqlite, scope: &'a Scope, query: ListQuery) -> Answer<'a, Listing> {
    Box::pin(async move {
        let Some(families) = sight::of_lists(scope) else {
            return Ok(Listing { revision: Revision(0), json: "[]".into(), next: None });
        };
        let database = store.database()?;
        if query.is_whole() {
            let now = database.readers.read(|connection| revision(connection, scope))?;
            let lists = database.lists.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(listing) = lists.get(families, now) {
                return Ok(listing);
            }
        }
        let (owned, whole) = (scope.clone(), query.is_whole());
        let listing = database.readers.read_long(move |connection| {
            // One moment for the revision and the rows.
            let transaction = connection.unchecked_transaction()?;
            let now = revision(&transaction, &owned)?;
            let (json, next) = write(&transaction, families, &query)?;
            Ok(Listing { revision: now, json: json.into(), next })
        });
        let listing = listing.await?;
        if whole {
            database.lists.lock().unwrap_or_else(PoisonError::into_inner).put(families, listing.clone());
        }
        Ok(listing)
    })
}

/// Grows with every write of a family. For all families it is the sum: a new family starts at the time it was made, so
/// that families that come and go do not lead back to an earlier sum.
pub(super) fn revision(connection: &Connection, scope: &Scope) -> Result<Revision, Error> {
    let Some(families) = sight::of_lists(scope) else { return Ok(Revision(0)) };
    let sql = match families {
        Some(_) => "SELECT coalesce(sum(revision), 0) FROM families WHERE id = ?1",
        None => "SELECT coalesce(sum(revision), 0) FROM families WHERE ?1 IS NULL",
    };
    let revision = connection.prepare_cached(sql)?.query_row(params![families], |row| row.get(0))?;
    Ok(Revision(revision))
}

/// The rows as an array, and where the next page starts.
fn write(
    connection: &Connection,
    families: Families,
    query: &ListQuery,
) -> Result<(String, Option<Cursor>), Error> {
    let mut sql = "SELECT id, title, title_key, description, prep_time_minutes, cook_time_minutes, servings, difficulty,
                       tags FROM recipes r WHERE deleted_at IS NULL"
        .to_owned();
    let mut values: Vec<Box<dyn rusqlite::ToSql>> = Vec::new();
    if let Some(family) = families {
        values.push(Box::new(family));
        sql.push_str(" AND family_id = ?");
    }
    if let Some(Cursor { title_key, id }) = &query.after {
        values.push(Box::new(title_key.clone()));
        values.push(Box::new(*id));
        sql.push_str(" AND (title_key, id) > (?, ?)");
    }
    for tag in &query.tags {
        values.push(Box::new(Key::of(tag.as_str()).as_str().to_owned()));
        sql.push_str(
            " AND EXISTS (SELECT 1 FROM recipe_tags t
               WHERE t.family_id = r.family_id AND t.tag_key = ? AND t.recipe_id = r.id)",
        );
    }
    sql.push_str(" ORDER BY title_key, id");
    if let Some(limit) = query.limit {
        // One more, to know whether there are more.
        values.push(Box::new(limit.get() + 1));
        sql.push_str(" LIMIT ?");
    }
    let most = query.limit.map_or(usize::MAX, |limit| usize::try_from(limit.get()).unwrap_or(usize::MAX));
    let mut statement = connection.prepare_cached(&sql)?;
    let mut rows = statement.query(params_from_iter(values))?;
    let mut out = Vec::with_capacity(4096);
    out.push(b'[');
    let (mut count, mut last) = (0, None);
    while let Some(row) = rows.next()? {
        if count == most {
            out.push(b']');
            return Ok((text(out), last));
        }
        if count > 0 {
            out.push(b',');
        }
        count += 1;
        object(&mut out, row)?;
        if count == most {
            last = Some(Cursor { title_key: row.get(2)?, id: row.get(0)? });
        }
    }
    out.push(b']');
    Ok((text(out), None))
}

fn object(out: &mut Vec<u8>, row: &Row<'_>) -> Result<(), Error> {
    use std::io::Write;
    let id: RecipeId = row.get(0)?;
    out.extend_from_slice(b"{\"id\":\"");
    // Writing to memory does not fail.
    let _ = write!(out, "{id}");
    out.extend_from_slice(b"\",\"title\":");
    json(out, row.get_ref(1)?);
    out.extend_from_slice(b",\"description\":");
    json(out, row.get_ref(3)?);
    for (name, column) in NUMBERS {
        if let ValueRef::Integer(number) = row.get_ref(column)? {
            let _ = write!(out, ",\"{name}\":{number}");
        }
    }
    match row.get_ref(8)? {
        ValueRef::Text(tags) if tags != b"[]" => {
            out.extend_from_slice(b",\"tags\":");
            out.extend_from_slice(tags);
        }
        _ => {}
    }
    out.push(b'}');
    Ok(())
}

fn json(out: &mut Vec<u8>, value: ValueRef<'_>) {
    let start = out.len();
    let written = match value.as_str() {
        Ok(text) => serde_json::to_writer(&mut *out, text).is_ok(),
        Err(_) => false,
    };
    if !written {
        out.truncate(start);
        out.extend_from_slice(b"null");
    }
}

fn text(out: Vec<u8>) -> String {
    String::from_utf8(out).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}
