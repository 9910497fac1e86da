//! Finding recipes by words, with the full-text index of the engine. What goes into it is folded by `search::words`, so that
//! the engines find the same, and no extension of a server decides what an accent is.

use crate::auth::Scope;
use crate::id::FamilyId;
use crate::search::{self, Hit, Hits, SearchQuery};

use super::row::Found;
use super::sight::{self, Families};
use super::sql::{Failure, Row, Sql, at_once};

/// The order of what SQLite finds.
pub(super) const BEST_IN_SQLITE: &str = "bm25(recipe_search, 10.0, 2.0, 4.0, 6.0, 0.0), r.sort_key, r.id";

/// Makes a recipe found by its words.
pub(super) async fn index(tx: &Sql<'_>, found: &Found) -> Result<(), Failure> {
    let Found { seq, family, recipe } = found;
    let ingredients: Vec<&str> = recipe.ingredients.iter().map(|placed| placed.what.name.as_str()).collect();
    let description = recipe.description.as_ref().map_or("", |text| text.as_str());
    let texts = [recipe.title.as_str(), &recipe.tags.join(" "), &ingredients.join(" "), description];
    let [title, tags, ingredients, description] = texts.map(|text| search::words(text).join(" "));
    match tx {
        Sql::Sqlite(_) => {
            let sql =
                "INSERT OR REPLACE INTO recipe_search (rowid, title, tags, ingredients, description, family)
                       VALUES ($1, $2, $3, $4, $5, $6)";
            let family = hex::encode(family.as_bytes());
            tx.execute(sql, &[seq, &title, &tags, &ingredients, &description, &family]).await?;
        }
        Sql::Postgres(_) => {
            let sql = "UPDATE recipes SET words = setweight(to_tsvector('simple', $2), 'A')
                           || setweight(to_tsvector('simple', $3), 'B') || setweight(to_tsvector('simple', $4), 'C')
                           || setweight(to_tsvector('simple', $5), 'D') WHERE seq = $1";
            tx.execute(sql, &[seq, &title, &tags, &ingredients, &description]).await?;
        }
    }
    Ok(())
}

/// Makes a recipe of the trash not found any more. What PostgreSQL's index has is a column, and its rows know where they are.
pub(super) async fn forget(tx: &Sql<'_>, seq: i64) -> Result<(), Failure> {
    if let Sql::Sqlite(_) = tx {
        tx.execute("DELETE FROM recipe_search WHERE rowid = $1", &[&seq]).await?;
    }
    Ok(())
}

/// As [`forget`], for all recipes of a family that goes.
pub(super) async fn forget_family(tx: &Sql<'_>, family: FamilyId) -> Result<(), Failure> {
    if let Sql::Sqlite(_) = tx {
        let sql = "DELETE FROM recipe_search WHERE rowid IN (SELECT seq FROM recipes WHERE family_id = $1)";
        tx.execute(sql, &[&family]).await?;
    }
    Ok(())
}

pub(super) async fn search(tx: &Sql<'_>, scope: &Scope, query: SearchQuery) -> Result<Hits, Failure> {
    let Some(families) = sight::of_lists(scope) else { return Ok(Hits::default()) };
    let Some(words) = expression(tx, families, query.words.as_str()).await? else {
        return Ok(Hits::default());
    };
    let most = query.limit.get();
    let sql = match (tx, families) {
        (Sql::Sqlite(_), _) => &format!(
            "SELECT r.id, r.title, r.description FROM recipe_search s JOIN recipes r ON r.seq = s.rowid
             WHERE recipe_search MATCH $1 AND (r.family_id = $4 OR $4 IS NULL) AND r.deleted_at IS NULL
             ORDER BY {BEST_IN_SQLITE} LIMIT $2 OFFSET $3"
        ),
        (Sql::Postgres(_), Some(_)) => {
            "SELECT r.id, r.title, r.description
             FROM matching_recipes(to_tsquery('simple', $1)) m JOIN recipes r ON r.seq = m.seq
             WHERE r.family_id = $4 AND r.deleted_at IS NULL
             ORDER BY m.rank DESC, r.sort_key, r.id LIMIT $2 OFFSET $3"
        }
        (Sql::Postgres(_), None) => {
            "SELECT id, title, description FROM recipes, to_tsquery('simple', $1) query
             WHERE words @@ query AND deleted_at IS NULL AND $4::uuid IS NULL
             ORDER BY ts_rank('{0.1, 0.4, 0.6, 1.0}', words, query) DESC, sort_key, id LIMIT $2 OFFSET $3"
        }
    };
    let mut hits = tx.all(sql, &[&words, &(most + 1), &i64::from(query.skip), &families], read).await?;
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let more = hits.len() > most;
    hits.truncate(most);
    Ok(Hits { hits, more })
}

fn read(row: &Row) -> Result<Hit, Failure> {
    Ok(Hit { id: row.get(0)?, title: row.get(1)?, description: row.get(2)? })
}

/// What to match: all words, or, if no recipe has them all, those that are nearly the same. `None` if there is nothing.
pub(super) async fn expression(
    tx: &Sql<'_>,
    families: Families,
    text: &str,
) -> Result<Option<String>, Failure> {
    let words = search::words(text);
    if words.is_empty() {
        return Ok(None);
    }
    match tx {
        Sql::Sqlite(_) => for_sqlite(tx, families, &words).await,
        Sql::Postgres(_) => for_postgres(tx, families, &words).await,
    }
}

async fn for_postgres(tx: &Sql<'_>, families: Families, words: &[String]) -> Result<Option<String>, Failure> {
    let exact = tsquery(words);
    // In one statement: the vocabulary, if nothing matches. The role of the transaction sees its own rows alone, so these are
    // the words of this family.
    let sql = match families {
        Some(_) => {
            "SELECT word FROM ts_stat('SELECT words FROM recipes WHERE deleted_at IS NULL')
             WHERE NOT EXISTS (SELECT 1 FROM matching_recipes(to_tsquery('simple', $1)))"
        }
        None => {
            "SELECT word FROM ts_stat('SELECT words FROM recipes WHERE deleted_at IS NULL')
             WHERE NOT EXISTS (SELECT 1 FROM recipes WHERE words @@ to_tsquery('simple', $1) AND deleted_at IS NULL)"
        }
    };
    let vocabulary = tx.all(sql, &[&exact], |row| row.get(0)).await?;
    if vocabulary.is_empty() {
        return Ok(Some(exact));
    }
    let near = search::near(words, &vocabulary, |_| true);
    Ok(near.map(|near| joined(near.iter().map(|words| format!("({})", words.join(" | "))), " & ")))
}

async fn for_sqlite(tx: &Sql<'_>, families: Families, words: &[String]) -> Result<Option<String>, Failure> {
    let exact = within(families, &all_of(words));
    if is_there(tx, families, &exact).await? {
        return Ok(Some(exact));
    }
    let vocabulary = tx.all("SELECT term FROM recipe_words", &[], |row| row.get(0)).await?;
    // The index is one for all families: words of the others must not stand in the way.
    let is_in_sight = |word: &str| {
        let one = within(families, &format!("\"{word}\""));
        at_once(is_there(tx, families, &one)).unwrap_or(false)
    };
    let near = search::near(words, &vocabulary, is_in_sight);
    Ok(near.map(|near| {
        let any = |words: &Vec<String>| {
            format!("({})", joined(words.iter().map(|word| format!("\"{word}\"")), " OR "))
        };
        within(families, &joined(near.iter().map(any), " AND "))
    }))
}

/// Whether SQLite finds a recipe of these families.
async fn is_there(tx: &Sql<'_>, families: Families, expression: &str) -> Result<bool, Failure> {
    let sql = "SELECT 1 FROM recipe_search s JOIN recipes r ON r.seq = s.rowid
               WHERE recipe_search MATCH $1 AND (r.family_id = $2 OR $2 IS NULL) AND r.deleted_at IS NULL LIMIT 1";
    Ok(tx.row(sql, &[&expression, &families]).await?.is_some())
}

/// The index itself then looks at this family only; the join is what decides. Words of the family's column do not count.
fn within(families: Families, words: &str) -> String {
    let words = format!("{{title description ingredients tags}} : ({words})");
    match families {
        Some(family) => format!("family : \"{}\" AND ({words})", hex::encode(family.as_bytes())),
        None => words,
    }
}

/// All words, the last one as a beginning, for SQLite. Words are quoted, so nothing in them is an operator of the index.
fn all_of(words: &[String]) -> String {
    format!("{} *", joined(words.iter().map(|word| format!("\"{word}\"")), " AND "))
}

/// All words, the last one as a beginning, for PostgreSQL. Words have nothing in them that is an operator.
fn tsquery(words: &[String]) -> String {
    format!("{}:*", words.join(" & "))
}

fn joined(words: impl Iterator<Item = String>, between: &str) -> String {
    words.collect::<Vec<_>>().join(between)
}

#[cfg(test)]
mod tests {
    use super::{all_of, tsquery};
    use crate::search::words;

    #[test]
    fn nothing_in_the_words_is_an_operator() {
        assert_eq!(all_of(&words("lentil soup")), "\"lentil\" AND \"soup\" *");
        assert_eq!(all_of(&words("a\" OR b*")), "\"a\" AND \"or\" AND \"b\" *");
        assert_eq!(tsquery(&words("lentil soup")), "lentil & soup:*");
        assert_eq!(tsquery(&words("a' | !b:*")), "a & b:*");
        assert!(words(" *\"' ").is_empty());
    }
}
