//! Finding recipes by words, with SQLite's full-text index.

use rusqlite::{Connection, params};

use crate::auth::Scope;
use crate::error::Error;
use crate::search::{Hit, Hits, SearchQuery};
use crate::secret::hex;

use super::sight;

pub(super) fn search(connection: &Connection, scope: &Scope, query: &SearchQuery) -> Result<Hits, Error> {
    let Some(families) = sight::of_lists(scope) else { return Ok(Hits::default()) };
    let Some(mut words) = expression(query.words.as_str()) else { return Ok(Hits::default()) };
    if let Some(family) = families {
        // The index itself then looks at this family only; the join below is what decides.
        words = format!("family : \"{}\" AND ({words})", hex(family.as_bytes()));
    }
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

/// All words, in any column but the family's, the last one as a beginning. Words are quoted, so nothing in them is an
/// operator of the index; `None` if there is no word.
fn expression(words: &str) -> Option<String> {
    let words: Vec<&str> =
        words.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let (last, rest) = words.split_last()?;
    let mut terms: Vec<String> = rest.iter().map(|word| format!("\"{word}\"")).collect();
    terms.push(format!("\"{last}\" *"));
    Some(format!("{{title description ingredients tags}} : ({})", terms.join(" AND ")))
}

#[cfg(test)]
mod tests {
    use super::expression;

    #[test]
    fn nothing_in_the_words_is_an_operator() {
        let columns = "{title description ingredients tags} : ";
        assert_eq!(expression("lentil soup"), Some(format!("{columns}(\"lentil\" AND \"soup\" *)")));
        assert_eq!(expression("a\" OR b*"), Some(format!("{columns}(\"a\" AND \"OR\" AND \"b\" *)")));
        assert_eq!(expression(" *\"' "), None);
    }
}
