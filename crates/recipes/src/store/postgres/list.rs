//! The list of recipes.

use std::fmt::Write;
use std::sync::{Arc, PoisonError};

use serde::Serialize;
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

use crate::auth::Scope;
use crate::error::Error;
use crate::id::RecipeId;
use crate::listing::{Cursor, ListQuery, Listing, Revision};
use crate::store::Answer;
use crate::store::edit::listed;
use crate::title::Key;

use super::Postgres;
use super::sight::{self, Families};
use super::transaction::{Failure, Transaction};

pub(super) fn list<'a>(store: &'a Postgres, scope: &'a Scope, query: ListQuery) -> Answer<'a, Listing> {
    Box::pin(async move {
        let Some(families) = sight::of_lists(scope) else {
            return Ok(Listing { revision: Revision(0), json: Arc::new("[]".to_owned()), next: None });
        };
        let whole = query.is_whole();
        let listing = store.read(scope, move |tx| {
            let query = query.clone();
            Box::pin(async move {
                let now = revision(tx, scope).await?;
                if query.is_whole() {
                    let kept = store.lists.lock().unwrap_or_else(PoisonError::into_inner).get(families, now);
                    if let Some(kept) = kept {
                        return Ok(kept);
                    }
                }
                let (json, next) = write(tx, families, &query).await?;
                Ok(Listing { revision: now, json: Arc::new(json), next })
            })
        });
        let listing = listing.await?;
        if whole {
            let mut lists = store.lists.lock().unwrap_or_else(PoisonError::into_inner);
            if lists.get(families, listing.revision).is_none() {
                lists.put(families, listing.clone());
            }
        }
        Ok(listing)
    })
}

pub(super) async fn revision(tx: &Transaction<'_>, scope: &Scope) -> Result<Revision, Failure> {
    let Some(families) = sight::of_lists(scope) else { return Ok(Revision(0)) };
    sight::revision(tx, families).await.map(Revision)
}

/// The rows as an array, and where the next page starts.
async fn write(
    tx: &Transaction<'_>,
    families: Families,
    query: &ListQuery,
) -> Result<(String, Option<Cursor>), Failure> {
    let tags: Vec<String> = query.tags.iter().map(|tag| Key::of(tag.as_str()).as_str().to_owned()).collect();
    // One more, to know whether there are more.
    let limit = query.limit.map(|limit| limit.get() + 1);
    let mut sql =
        "SELECT id, title, sort_key, description, prep_time_minutes, cook_time_minutes, servings, difficulty,
                       tags FROM recipes r WHERE deleted_at IS NULL"
            .to_owned();
    let mut values: Vec<&(dyn ToSql + Sync)> = Vec::new();
    if let Some(family) = &families {
        values.push(family);
        sql.push_str(" AND family_id = $1");
    }
    if let Some(Cursor { sort_key, id }) = &query.after {
        values.push(sort_key);
        values.push(id);
        // Writing to memory does not fail.
        let _ = write!(sql, " AND (sort_key, id) > (${}, ${})", values.len() - 1, values.len());
    }
    for tag in &tags {
        values.push(tag);
        let _ = write!(
            sql,
            " AND EXISTS (SELECT 1 FROM recipe_tags t
               WHERE t.family_id = r.family_id AND t.tag_key = ${} AND t.recipe_id = r.id)",
            values.len()
        );
    }
    sql.push_str(" ORDER BY sort_key, id");
    if let Some(limit) = &limit {
        values.push(limit);
        let _ = write!(sql, " LIMIT ${}", values.len());
    }
    let most = query.limit.map_or(usize::MAX, |limit| usize::try_from(limit.get()).unwrap_or(usize::MAX));
    let rows = tx.rows(&sql, &values).await?;
    let entries = rows.iter().take(most).map(entry).collect::<Result<Vec<Entry<'_>>, Failure>>()?;
    let json = serde_json::to_string(&entries).map_err(Error::unavailable)?;
    let last = if rows.len() > most { rows.get(most.saturating_sub(1)) } else { None };
    let next = match last {
        Some(row) => Some(Cursor { sort_key: row.try_get(2)?, id: row.try_get(0)? }),
        None => None,
    };
    Ok((json, next))
}

/// What the list says about a recipe, in the words and the order that SQLite keeps it in.
#[derive(Serialize)]
struct Entry<'a> {
    id: RecipeId,
    title: &'a str,
    description: Option<&'a str>,
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

fn entry(row: &Row) -> Result<Entry<'_>, Failure> {
    Ok(Entry {
        id: row.try_get(0)?,
        title: row.try_get(1)?,
        description: row.try_get(3)?,
        prep_time_minutes: row.try_get(4)?,
        cook_time_minutes: row.try_get(5)?,
        servings: row.try_get(6)?,
        difficulty: row.try_get(7)?,
        tags: listed(row.try_get(8)?),
    })
}
