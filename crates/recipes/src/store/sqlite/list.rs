//! The list of recipes, written as JSON while rows are read.

use std::sync::{Arc, PoisonError};

use rusqlite::{Connection, Row, params, params_from_iter};

use crate::auth::Scope;
use crate::error::Error;
use crate::id::RecipeId;
use crate::listing::{Cursor, ListQuery, Listing, Revision};
use crate::store::Answer;
use crate::store::entry::Entry;
use crate::title::Key;

use super::sight::{self, Families};
use super::{Sqlite, whole_list};

pub(super) fn list<'a>(store: &'a Sqlite, scope: &'a Scope, query: ListQuery) -> Answer<'a, Listing> {
    Box::pin(async move {
        let Some(families) = sight::of_lists(scope) else {
            return Ok(Listing { revision: Revision(0), json: Arc::new("[]".to_owned()), next: None });
        };
        let database = store.database()?;
        let mut room = Vec::new();
        if query.is_whole() {
            let now = database.readers.read(|connection| revision(connection, scope))?;
            let mut lists = database.lists.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(listing) = lists.get(families, now) {
                return Ok(listing);
            }
            room = lists.make_room(families);
        }
        let (owned, whole) = (scope.clone(), query.is_whole());
        let listing = database.readers.read_long(move |connection| {
            // One moment for the revision and the rows.
            let transaction = connection.unchecked_transaction()?;
            let now = revision(&transaction, &owned)?;
            let (json, next) = if query.is_whole() {
                (text(whole_list::write(&transaction, families, room)?), None)
            } else {
                write(&transaction, families, &query)?
            };
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
        entry(row)?.write(&mut out);
        if count == most {
            last = Some(Cursor { title_key: row.get(2)?, id: row.get(0)? });
        }
    }
    out.push(b']');
    Ok((text(out), None))
}

/// What the list says about the recipe of a row. Texts stay where SQLite has them.
pub(super) fn entry<'a>(row: &'a Row<'_>) -> Result<Entry<'a>, Error> {
    let text = |column| row.get_ref(column).map(|value| value.as_bytes_or_null().ok().flatten());
    Ok(Entry {
        id: row.get::<_, RecipeId>(0)?,
        title: text(1)?.unwrap_or_default(),
        description: text(3)?,
        prep_time_minutes: row.get(4)?,
        cook_time_minutes: row.get(5)?,
        servings: row.get(6)?,
        difficulty: row.get(7)?,
        tags: text(8)?.unwrap_or(b"[]"),
    })
}

fn text(out: Vec<u8>) -> String {
    String::from_utf8(out).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}
