//! The cards of the list page, all in one read.

use std::fmt::Write;

use rusqlite::{Connection, ToSql, params, params_from_iter};

use crate::auth::{Actor, Scope};
use crate::card::{CardQuery, Cards, Sort, Trashed};
use crate::error::Error;
use crate::listing::Cursor;
use crate::store::row;
use crate::title::Key;

use super::{search, sight, tags};

/// How many recipes of the trash are shown.
const MOST_TRASHED: usize = 500;

pub(super) fn cards(connection: &Connection, scope: &Scope, query: &CardQuery) -> Result<Cards, Error> {
    let Some(family) = scope.family() else { return Ok(Cards::default()) };
    let moment = connection.unchecked_transaction()?;
    let sql = "SELECT count(*) FROM recipes WHERE family_id = ?1 AND deleted_at IS NULL";
    let total: u32 = moment.prepare_cached(sql)?.query_row(params![family], |row| row.get(0))?;
    let tags = tags::count(&moment, scope)?;
    let mut answer = Cards { tags, total: total.into(), ..Cards::default() };
    let email = match scope.actor() {
        Actor::Person(email) => Some(email.clone()),
        Actor::Key(_) | Actor::Local | Actor::Anonymous => None,
    };
    let mut values: Vec<Box<dyn ToSql>> = vec![Box::new(family), Box::new(email)];
    let mut sql = "SELECT r.id, r.title, r.description,
                       coalesce(r.prep_time_minutes, 0) + coalesce(r.cook_time_minutes, 0), r.rating, r.photo_id,
                       EXISTS (SELECT 1 FROM favourites f
                           WHERE f.family_id = r.family_id AND f.email = ?2 AND f.recipe_id = r.id) AS favourite,
                       r.sort_key FROM recipes r"
        .to_owned();
    let mut order = query.sort.sql();
    if let Some(words) = &query.words {
        let Some(words) = search::expression(&moment, Some(family), words.as_str())? else {
            return Ok(answer);
        };
        values.push(Box::new(words));
        sql.push_str(" JOIN recipe_search ON recipe_search.rowid = r.seq AND recipe_search MATCH ?3");
        if query.sort == Sort::Title {
            order = "bm25(recipe_search, 10.0, 2.0, 4.0, 6.0, 0.0), r.sort_key, r.id";
        }
    }
    sql.push_str(" WHERE r.family_id = ?1 AND r.deleted_at IS NULL");
    if query.favourites {
        sql.push_str(" AND favourite");
    }
    if let Some(Cursor { sort_key, id }) = &query.after {
        values.push(Box::new(sort_key.clone()));
        values.push(Box::new(*id));
        sql.push_str(" AND (r.sort_key, r.id) > (?, ?)");
    }
    for tag in &query.tags {
        values.push(Box::new(Key::of(tag.as_str()).as_str().to_owned()));
        sql.push_str(
            " AND EXISTS (SELECT 1 FROM recipe_tags t
               WHERE t.family_id = r.family_id AND t.tag_key = ? AND t.recipe_id = r.id)",
        );
    }
    // One more, to know whether there are more.
    values.push(Box::new(query.limit.get() + 1));
    values.push(Box::new(query.skip));
    // Writing to memory does not fail.
    let _ = write!(sql, " ORDER BY {order} LIMIT ? OFFSET ?");
    let most = usize::try_from(query.limit.get()).unwrap_or(usize::MAX);
    let mut statement = moment.prepare_cached(&sql)?;
    let mut rows = statement.query(params_from_iter(values))?;
    let mut last = None;
    while let Some(row) = rows.next()? {
        if answer.cards.len() == most {
            answer.next = last;
            break;
        }
        answer.cards.push(row::card(row)?);
        last = Some(Cursor { sort_key: row.get(7)?, id: row.get(0)? });
    }
    Ok(answer)
}

/// What is in the trash, last deleted first.
pub(super) fn trash(connection: &Connection, scope: &Scope) -> Result<Vec<Trashed>, Error> {
    let Some(families) = sight::of_lists(scope) else { return Ok(Vec::new()) };
    let sql = "SELECT id, title, deleted_at FROM recipes
               WHERE deleted_at IS NOT NULL AND (?1 IS NULL OR family_id = ?1) ORDER BY deleted_at DESC, id LIMIT ?2";
    let mut statement = connection.prepare_cached(sql)?;
    let trashed = statement.query_map(params![families, MOST_TRASHED], |row| row::trashed(row))?;
    Ok(trashed.collect::<rusqlite::Result<_>>()?)
}
