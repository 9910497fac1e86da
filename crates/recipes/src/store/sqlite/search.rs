//! Finding recipes by words, with SQLite's full-text index. What goes into it is folded by `search::words`.

use rusqlite::{Connection, OptionalExtension, params};

use crate::auth::Scope;
use crate::error::Error;
use crate::search::{self, Hit, Hits, SearchQuery};

use super::sight::{self, Families};

pub(super) fn search(connection: &Connection, scope: &Scope, query: &SearchQuery) -> Result<Hits, Error> {
    let Some(families) = sight::of_lists(scope) else { return Ok(Hits::default()) };
    let Some(words) = expression(connection, families, query.words.as_str())? else {
        return Ok(Hits::default());
    };
    let mut statement = connection.prepare_cached(
        "SELECT r.id, r.title, r.description FROM recipe_search s JOIN recipes r ON r.seq = s.rowid
         WHERE recipe_search MATCH ?1 AND (?2 IS NULL OR r.family_id = ?2) AND r.deleted_at IS NULL
         ORDER BY bm25(recipe_search, 10.0, 2.0, 4.0, 6.0, 0.0), r.sort_key, r.id LIMIT ?3 OFFSET ?4",
    )?;
    let most = query.limit.get();
    let rows = statement.query_map(params![words, families, most + 1, query.skip], |row| {
        Ok(Hit { id: row.get(0)?, title: row.get(1)?, description: row.get(2)? })
    })?;
    let mut hits = rows.collect::<rusqlite::Result<Vec<Hit>>>()?;
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let more = hits.len() > most;
    hits.truncate(most);
    Ok(Hits { hits, more })
}

/// What to match: all words, or, if no recipe has them all, those that are nearly the same. `None` if there is nothing.
pub(super) fn expression(
    connection: &Connection,
    families: Families,
    text: &str,
) -> Result<Option<String>, Error> {
    let words = search::words(text);
    let Some(exact) = exact(&words) else { return Ok(None) };
    let exact = within(families, &exact);
    if is_there(connection, families, &exact)? {
        return Ok(Some(exact));
    }
    let mut statement = connection.prepare_cached("SELECT term FROM recipe_words")?;
    let vocabulary = statement.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<Vec<String>>>()?;
    // The index is one for all families: words of the others must not stand in the way.
    let is_in_sight = |word: &str| {
        let one = within(families, &format!("\"{word}\""));
        is_there(connection, families, &one).unwrap_or(false)
    };
    let near = search::near(&words, &vocabulary, is_in_sight);
    let near = near.map(|near| near.iter().map(|words| any(words)).collect::<Vec<_>>().join(" AND "));
    Ok(near.map(|near| within(families, &near)))
}

/// Whether a recipe of these families matches.
fn is_there(connection: &Connection, families: Families, expression: &str) -> Result<bool, Error> {
    let sql = "SELECT 1 FROM recipe_search s JOIN recipes r ON r.seq = s.rowid
               WHERE recipe_search MATCH ?1 AND (?2 IS NULL OR r.family_id = ?2) AND r.deleted_at IS NULL LIMIT 1";
    let mut statement = connection.prepare_cached(sql)?;
    Ok(statement.query_row(params![expression, families], |_| Ok(())).optional()?.is_some())
}

/// The index itself then looks at this family only; the join is what decides. Words of the family's column do not count.
fn within(families: Families, words: &str) -> String {
    let words = format!("{{title description ingredients tags}} : ({words})");
    match families {
        Some(family) => format!("family : \"{}\" AND ({words})", hex::encode(family.as_bytes())),
        None => words,
    }
}

/// All words, the last one as a beginning. Words are quoted, so nothing in them is an operator of the index.
fn exact(words: &[String]) -> Option<String> {
    let (last, rest) = words.split_last()?;
    let mut terms: Vec<String> = rest.iter().map(|word| format!("\"{word}\"")).collect();
    terms.push(format!("\"{last}\" *"));
    Some(terms.join(" AND "))
}

fn any(words: &[String]) -> String {
    let words: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
    format!("({})", words.join(" OR "))
}

#[cfg(test)]
mod tests {
    use super::exact;
    use crate::search::words;

    #[test]
    fn nothing_in_the_words_is_an_operator() {
        assert_eq!(exact(&words("lentil soup")).as_deref(), Some("\"lentil\" AND \"soup\" *"));
        assert_eq!(exact(&words("a\" OR b*")).as_deref(), Some("\"a\" AND \"or\" AND \"b\" *"));
        assert_eq!(exact(&words(" *\"' ")), None);
    }
}
