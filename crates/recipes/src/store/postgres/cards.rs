//! The cards of the list page, all in one transaction and few statements.

use std::fmt::Write;

use tokio_postgres::types::ToSql;

use crate::auth::{Actor, Scope};
use crate::card::{CardQuery, Cards, Sort, Trashed};
use crate::email::Email;
use crate::listing::Cursor;
use crate::store::row;
use crate::title::Key;

use super::transaction::{Failure, Transaction};
use super::{recipes, search, sight};

/// How many recipes of the trash are shown.
const MOST_TRASHED: i64 = 500;

pub(super) async fn cards(tx: &Transaction<'_>, scope: &Scope, query: &CardQuery) -> Result<Cards, Failure> {
    let Some(family) = scope.family() else { return Ok(Cards::default()) };
    let sql = "SELECT count(*) FROM recipes WHERE family_id = $1 AND deleted_at IS NULL";
    let total = tx.row(sql, &[&family]).await?.map_or(Ok(0), |row| row.try_get::<_, i64>(0))?;
    let tags = recipes::count_tags(tx, scope).await?;
    let mut answer = Cards { tags, total: u64::try_from(total).unwrap_or_default(), ..Cards::default() };
    let email: Option<Email> = match scope.actor() {
        Actor::Person(email) => Some(email.clone()),
        Actor::Key(_) | Actor::Local | Actor::Anonymous => None,
    };
    let words = match &query.words {
        None => None,
        Some(words) => match search::expression(tx, Some(family), words.as_str()).await? {
            None => return Ok(answer),
            found => found,
        },
    };
    let tag_keys: Vec<String> =
        query.tags.iter().map(|tag| Key::of(tag.as_str()).as_str().to_owned()).collect();
    let (limit, skip) = (query.limit.get() + 1, i64::from(query.skip));
    let favourite = "EXISTS (SELECT 1 FROM favourites f
                         WHERE f.family_id = r.family_id AND f.email = $2 AND f.recipe_id = r.id)";
    let mut values: Vec<&(dyn ToSql + Sync)> = vec![&family, &email];
    let mut sql = format!(
        "SELECT r.id, r.title, r.description, coalesce(r.prep_time_minutes, 0) + coalesce(r.cook_time_minutes, 0),
             r.rating, r.photo_id, {favourite}, r.sort_key FROM recipes r"
    );
    let mut order = query.sort.sql();
    if let Some(words) = &words {
        values.push(words);
        sql.push_str(" JOIN matching_recipes(to_tsquery('simple', $3)) m ON m.seq = r.seq");
        if query.sort == Sort::Title {
            order = "m.rank DESC, r.sort_key, r.id";
        }
    }
    sql.push_str(" WHERE r.family_id = $1 AND r.deleted_at IS NULL");
    if query.favourites {
        sql.push_str(" AND ");
        sql.push_str(favourite);
    }
    // Writing to memory does not fail.
    if let Some(Cursor { sort_key, id }) = &query.after {
        values.push(sort_key);
        values.push(id);
        let _ = write!(sql, " AND (r.sort_key, r.id) > (${}, ${})", values.len() - 1, values.len());
    }
    for tag in &tag_keys {
        values.push(tag);
        let _ = write!(
            sql,
            " AND EXISTS (SELECT 1 FROM recipe_tags t
               WHERE t.family_id = r.family_id AND t.tag_key = ${} AND t.recipe_id = r.id)",
            values.len()
        );
    }
    values.push(&limit);
    values.push(&skip);
    let _ = write!(sql, " ORDER BY {order} LIMIT ${} OFFSET ${}", values.len() - 1, values.len());
    let rows = tx.rows(&sql, &values).await?;
    let most = usize::try_from(query.limit.get()).unwrap_or(usize::MAX);
    for row in rows.iter().take(most) {
        answer.cards.push(row::card(row)?);
    }
    if rows.len() > most
        && let Some(last) = rows.get(most.saturating_sub(1))
    {
        answer.next = Some(Cursor { sort_key: last.try_get(7)?, id: last.try_get(0)? });
    }
    Ok(answer)
}

/// What is in the trash, last deleted first.
pub(super) async fn trash(tx: &Transaction<'_>, scope: &Scope) -> Result<Vec<Trashed>, Failure> {
    let Some(families) = sight::of_lists(scope) else { return Ok(Vec::new()) };
    let sql = "SELECT id, title, deleted_at FROM recipes
               WHERE deleted_at IS NOT NULL AND ($1::uuid IS NULL OR family_id = $1)
               ORDER BY deleted_at DESC, id LIMIT $2";
    let rows = tx.rows(sql, &[&families, &MOST_TRASHED]).await?;
    Ok(rows.iter().map(row::trashed).collect::<Result<_, _>>()?)
}
