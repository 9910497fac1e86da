//! The cards of the list page, all from one moment and in few statements.

use std::fmt::Write;

use crate::auth::{Actor, Scope};
use crate::card::{CardQuery, Cards, Sort, Trashed};
use crate::email::Email;
use crate::listing::Cursor;
use crate::tag::{self, TagCount};

use super::sight::{self, Families};
use super::sql::{Failure, Sql, Value};
use super::{list, row, search};

/// How many recipes of the trash are shown.
const MOST_TRASHED: i64 = 500;

pub(super) async fn cards(tx: &Sql<'_>, scope: &Scope, query: CardQuery) -> Result<Cards, Failure> {
    let Some(family) = scope.family() else { return Ok(Cards::default()) };
    let (total, tags) = counts(tx, Some(family)).await?;
    let mut answer = Cards { tags, total, ..Cards::default() };
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
    let favourite = "EXISTS (SELECT 1 FROM favourites f
                         WHERE f.family_id = r.family_id AND f.email = $2 AND f.recipe_id = r.id)";
    let mut values: Vec<&dyn Value> = vec![&family, &email];
    let mut sql = format!(
        "SELECT r.id, r.title, r.description, coalesce(r.prep_time_minutes, 0) + coalesce(r.cook_time_minutes, 0),
             r.rating, r.photo_id, {favourite}, r.sort_key FROM recipes r"
    );
    let mut order = query.sort.sql();
    if let Some(words) = &words {
        values.push(words);
        sql.push_str(tx.either(
            " JOIN recipe_search ON recipe_search.rowid = r.seq AND recipe_search MATCH $3",
            " JOIN matching_recipes(to_tsquery('simple', $3)) m ON m.seq = r.seq",
        ));
        if query.sort == Sort::Title {
            order = tx.either(search::BEST_IN_SQLITE, "m.rank DESC, r.sort_key, r.id");
        }
    }
    sql.push_str(" WHERE r.family_id = $1 AND r.deleted_at IS NULL");
    if query.favourites {
        sql.push_str(" AND ");
        sql.push_str(favourite);
    }
    let keys = list::keys(&query.tags);
    list::narrow(&mut sql, &mut values, query.after.as_ref(), &keys);
    // One more, to know whether there are more.
    let (limit, skip) = (query.limit.get() + 1, i64::from(query.skip));
    values.extend([&limit as &dyn Value, &skip]);
    // Writing to memory does not fail.
    let _ = write!(sql, " ORDER BY {order} LIMIT ${} OFFSET ${}", values.len() - 1, values.len());
    let rows = tx.rows(&sql, &values).await?;
    let most = usize::try_from(query.limit.get()).unwrap_or(usize::MAX);
    answer.cards = rows.iter().take(most).map(row::card).collect::<Result<_, _>>()?;
    if rows.len() > most
        && let Some(last) = rows.get(most.saturating_sub(1))
    {
        answer.next = Some(Cursor { sort_key: last.get(7)?, id: last.get(0)? });
    }
    Ok(answer)
}

/// How many recipes there are, and how many have each tag, in alphabetical order.
pub(super) async fn counts(tx: &Sql<'_>, families: Families) -> Result<(u64, Vec<TagCount>), Failure> {
    let (mut total, mut tags) = (0, Vec::new());
    for row in tx.rows(&counts_sql(families), &[&families]).await? {
        let recipes = u64::try_from(row.get::<i64>(1)?).unwrap_or_default();
        match row.get(0)? {
            Some(tag) => tags.push(TagCount { tag, recipes }),
            None => total = recipes,
        }
    }
    Ok((total, tag::sorted(tags)))
}

pub(super) fn counts_sql(families: Families) -> String {
    format!(
        "SELECT min(t.tag), count(*) FROM recipe_tags t
         JOIN recipes r ON r.family_id = t.family_id AND r.id = t.recipe_id AND r.deleted_at IS NULL
         WHERE {} GROUP BY t.tag_key
         UNION ALL SELECT NULL, count(*) FROM recipes WHERE {} AND deleted_at IS NULL",
        sight::are_of(families, "t.family_id"),
        sight::are_of(families, "family_id"),
    )
}

/// What is in the trash, last deleted first.
pub(super) async fn trash(tx: &Sql<'_>, scope: &Scope) -> Result<Vec<Trashed>, Failure> {
    let Some(families) = sight::of_lists(scope) else { return Ok(Vec::new()) };
    let sql = "SELECT id, title, deleted_at FROM recipes
               WHERE deleted_at IS NOT NULL AND (family_id = $1 OR $1 IS NULL) ORDER BY deleted_at DESC, id LIMIT $2";
    tx.all(sql, &[&families, &MOST_TRASHED], row::trashed).await
}
