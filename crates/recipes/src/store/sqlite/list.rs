//! The list of recipes. What it says about each is kept as JSON, in the order of titles, so it is copied as it is.

use std::sync::{Arc, PoisonError};

use rusqlite::{Connection, params, params_from_iter};

use crate::auth::Scope;
use crate::error::Error;
use crate::listing::{Cursor, ListQuery, Listing, Revision};
use crate::store::Answer;
use crate::title::Key;

use super::Sqlite;
use super::sight::{self, Families};

pub(super) fn list<'a>(store: &'a Sqlite, scope: &'a Scope, query: ListQuery) -> Answer<'a, Listing> {
    Box::pin(async move {
        let Some(families) = sight::of_lists(scope) else {
            return Ok(Listing { revision: Revision(0), json: Arc::new("[]".to_owned()), next: None });
        };
        let database = store.database()?;
        if query.is_whole() {
            let now = database.readers.read(|connection| revision(connection, scope))?;
            let kept = database.lists.lock().unwrap_or_else(PoisonError::into_inner).get(families, now);
            if let Some(listing) = kept {
                return Ok(listing);
            }
        }
        let (owned, whole) = (scope.clone(), query.is_whole());
        let listing = database.readers.read_long(move |connection| {
            // One moment for the revision and the rows.
            let transaction = connection.unchecked_transaction()?;
            let now = revision(&transaction, &owned)?;
            let (json, next) = write(&transaction, families, &query)?;
            Ok(Listing { revision: now, json: Arc::new(json), next })
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
    // SQLite would rather use the index that tells titles apart, and look each recipe up.
    let mut sql =
        "SELECT listed, sort_key, id FROM recipes r INDEXED BY recipes_listed WHERE deleted_at IS NULL"
            .to_owned();
    let mut values: Vec<Box<dyn rusqlite::ToSql>> = Vec::new();
    if let Some(family) = families.map_or_else(|| only_family(connection), |family| Ok(Some(family)))? {
        values.push(Box::new(family));
        sql.push_str(" AND family_id = ?");
    }
    if let Some(Cursor { sort_key, id }) = &query.after {
        values.push(Box::new(sort_key.clone()));
        values.push(Box::new(*id));
        sql.push_str(" AND (sort_key, id) > (?, ?)");
    }
    for tag in &query.tags {
        values.push(Box::new(Key::of(tag.as_str()).as_str().to_owned()));
        sql.push_str(
            " AND EXISTS (SELECT 1 FROM recipe_tags t
               WHERE t.family_id = r.family_id AND t.tag_key = ? AND t.recipe_id = r.id)",
        );
    }
    sql.push_str(" ORDER BY sort_key, id");
    if let Some(limit) = query.limit {
        // One more, to know whether there are more.
        values.push(Box::new(limit.get() + 1));
        sql.push_str(" LIMIT ?");
    }
    let most = query.limit.map_or(usize::MAX, |limit| usize::try_from(limit.get()).unwrap_or(usize::MAX));
    let mut statement = connection.prepare_cached(&sql)?;
    let mut rows = statement.query(params_from_iter(values))?;
    let mut out = vec![b'['];
    let (mut count, mut last, mut next) = (0, None, None);
    while let Some(row) = rows.next()? {
        if count == most {
            next = last;
            break;
        }
        if count > 0 {
            out.push(b',');
        }
        count += 1;
        out.extend_from_slice(row.get_ref(0)?.as_bytes().unwrap_or(b"null"));
        if count == most {
            last = Some(Cursor { sort_key: row.get(1)?, id: row.get(2)? });
        }
    }
    out.push(b']');
    Ok((text(out), next))
}

/// The family, if there is one alone: its recipes need no sorting.
fn only_family(connection: &Connection) -> Result<Families, Error> {
    let mut statement = connection.prepare_cached("SELECT id FROM families LIMIT 2")?;
    let families = statement.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<Vec<_>>>()?;
    Ok(<[_; 1]>::try_from(families).ok().map(|[family]| family))
}

/// What SQLite has is UTF-8; what is not, somebody else wrote into the file.
fn text(out: Vec<u8>) -> String {
    String::from_utf8(out).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}
