//! The list of recipes.

use std::fmt::Write;
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::{Connection, params_from_iter};
use serde::Serialize;

use crate::auth::Scope;
use crate::error::Error;
use crate::id::RecipeId;
use crate::listing::{Cursor, ListQuery, Listing, Revision};
use crate::tag::Tag;
use crate::title::Key;

use super::edit::listed;
use super::sight::{self, Families};
use super::sql::{Engine, Failure, How, Row, Sql, Value, Values};
use super::{Answer, Recipes};

pub(super) fn list<'a, E: Engine>(store: &'a E, scope: &'a Scope, query: ListQuery) -> Answer<'a, Listing> {
    Box::pin(async move {
        let Some(families) = sight::of_lists(scope) else {
            return Ok(Listing { revision: Revision(0), json: Arc::new("[]".to_owned()), next: None });
        };
        let whole = query.is_whole();
        if whole {
            let now = store.revision(scope).await?;
            let kept = store.lists().lock().unwrap_or_else(PoisonError::into_inner).get(families, now);
            if let Some(listing) = kept {
                return Ok(listing);
            }
        }
        let read = store.run(How::ReadLong, scope, (families, query), |tx, _, (families, query)| {
            Box::pin(async move {
                let revision = Revision(sight::revision(tx, families).await?);
                let (json, next) = read(tx, families, &query).await?;
                Ok(Listing { revision, json: Arc::new(json), next })
            })
        });
        let listing = read.await?;
        if whole {
            store.lists().lock().unwrap_or_else(PoisonError::into_inner).put(families, listing.clone());
        }
        Ok(listing)
    })
}

/// The rows as an array, and where the next page starts.
async fn read(
    tx: &Sql<'_>,
    families: Families,
    query: &ListQuery,
) -> Result<(String, Option<Cursor>), Failure> {
    // What SQLite says about each recipe is kept as JSON, in the order of titles, so it is copied as it is. SQLite would
    // rather use the index that tells titles apart, and look each recipe up.
    let mut sql = tx
        .either(
            "SELECT sort_key, id, listed FROM recipes r INDEXED BY recipes_listed WHERE deleted_at IS NULL",
            "SELECT sort_key, id, title, description, prep_time_minutes, cook_time_minutes, servings, difficulty, tags
             FROM recipes r WHERE deleted_at IS NULL",
        )
        .to_owned();
    let mut values: Vec<&dyn Value> = Vec::new();
    let family = if families.is_some() { families } else { only_family(tx).await? };
    if let Some(family) = &family {
        values.push(family);
        sql.push_str(" AND family_id = $1");
    }
    let keys = keys(&query.tags);
    narrow(&mut sql, &mut values, query.after.as_ref(), &keys);
    sql.push_str(" ORDER BY sort_key, id");
    // One more, to know whether there are more.
    let limit = query.limit.map(|limit| limit.get() + 1);
    if let Some(limit) = &limit {
        values.push(limit);
        let _ = write!(sql, " LIMIT ${}", values.len());
    }
    let most = query.limit.map_or(usize::MAX, |limit| usize::try_from(limit.get()).unwrap_or(usize::MAX));
    match tx {
        Sql::Sqlite(connection) => copy(connection, &sql, &values, most),
        Sql::Postgres(_) => {
            let rows = tx.rows(&sql, &values).await?;
            let entries = rows.iter().take(most).map(entry).collect::<Result<Vec<Entry>, Failure>>()?;
            let json = serde_json::to_string(&entries).map_err(Error::unavailable)?;
            let last = rows.get(most.saturating_sub(1)).filter(|_| rows.len() > most);
            let next = last.map(|row| Ok::<_, Failure>(Cursor { sort_key: row.get(0)?, id: row.get(1)? }));
            Ok((json, next.transpose()?))
        }
    }
}

/// The keys of tags.
pub(super) fn keys(tags: &[Tag]) -> Vec<String> {
    tags.iter().map(|tag| Key::of(tag.as_str()).as_str().to_owned()).collect()
}

/// Adds to a statement over `recipes r` that it goes on after a place, and that recipes have all these tags.
pub(super) fn narrow<'v>(
    sql: &mut String,
    values: &mut Vec<&'v dyn Value>,
    after: Option<&'v Cursor>,
    tags: &'v [String],
) {
    // Writing to memory does not fail.
    if let Some(Cursor { sort_key, id }) = after {
        values.extend([sort_key as &dyn Value, id]);
        let _ = write!(sql, " AND (r.sort_key, r.id) > (${}, ${})", values.len() - 1, values.len());
    }
    for tag in tags {
        values.push(tag);
        let _ = write!(
            sql,
            " AND EXISTS (SELECT 1 FROM recipe_tags t
               WHERE t.family_id = r.family_id AND t.tag_key = ${} AND t.recipe_id = r.id)",
            values.len()
        );
    }
}

/// The family, if there is one alone: its recipes need no sorting.
async fn only_family(tx: &Sql<'_>) -> Result<Families, Failure> {
    let families = tx.all("SELECT id FROM families LIMIT 2", &[], |row| row.get(0)).await?;
    Ok(<[_; 1]>::try_from(families).ok().map(|[family]| family))
}

/// Row by row, so that a large list is in memory once.
fn copy(
    connection: &Mutex<Connection>,
    sql: &str,
    values: Values<'_>,
    most: usize,
) -> Result<(String, Option<Cursor>), Failure> {
    let connection = connection.lock().unwrap_or_else(PoisonError::into_inner);
    let mut statement = connection.prepare_cached(&sql.replace('$', "?"))?;
    let mut rows = statement.query(params_from_iter(values.iter().map(|value| value.for_sqlite())))?;
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
        out.extend_from_slice(row.get_ref(2)?.as_bytes().unwrap_or(b"null"));
        if count == most {
            last = Some(Cursor { sort_key: row.get(0)?, id: row.get(1)? });
        }
    }
    out.push(b']');
    // What SQLite has is UTF-8; what is not, somebody else wrote into the file.
    let text = String::from_utf8(out);
    Ok((text.unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()), next))
}

/// What the list says about a recipe, in the words and the order that SQLite keeps it in.
#[derive(Serialize)]
struct Entry {
    id: RecipeId,
    title: String,
    description: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prep_time_minutes: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cook_time_minutes: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    servings: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    difficulty: Option<i64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tags: Vec<String>,
}

fn entry(row: &Row) -> Result<Entry, Failure> {
    Ok(Entry {
        id: row.get(1)?,
        title: row.get(2)?,
        description: row.get(3)?,
        prep_time_minutes: row.get(4)?,
        cook_time_minutes: row.get(5)?,
        servings: row.get(6)?,
        difficulty: row.get(7)?,
        tags: listed(&row.get::<String>(8)?),
    })
}
