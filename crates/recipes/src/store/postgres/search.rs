//! Finding recipes by words, with PostgreSQL's full-text index. What goes into it is folded by `search::words`, so that no
//! extension of the server decides what an accent is.

use crate::auth::Scope;
use crate::recipe::Recipe;
use crate::search::{self, Hit, Hits, SearchQuery};

use super::sight::{self, Families};
use super::transaction::{Failure, Transaction};

/// Makes the recipe found by its words.
pub(super) async fn index(tx: &Transaction<'_>, seq: i64, recipe: &Recipe) -> Result<(), Failure> {
    let ingredients: Vec<&str> = recipe.ingredients.iter().map(|placed| placed.what.name.as_str()).collect();
    let description = recipe.description.as_ref().map_or("", |text| text.as_str());
    let texts = [recipe.title.as_str(), &recipe.tags.join(" "), &ingredients.join(" "), description]
        .map(|text| search::words(text).join(" "));
    let [title, tags, ingredients, description] = &texts;
    let sql = "UPDATE recipes SET words = setweight(to_tsvector('simple', $2), 'A')
                   || setweight(to_tsvector('simple', $3), 'B') || setweight(to_tsvector('simple', $4), 'C')
                   || setweight(to_tsvector('simple', $5), 'D') WHERE seq = $1";
    tx.execute(sql, &[&seq, title, tags, ingredients, description]).await?;
    Ok(())
}

pub(super) async fn search(
    tx: &Transaction<'_>,
    scope: &Scope,
    query: &SearchQuery,
) -> Result<Hits, Failure> {
    let Some(families) = sight::of_lists(scope) else { return Ok(Hits::default()) };
    let Some(words) = expression(tx, families, query.words.as_str()).await? else {
        return Ok(Hits::default());
    };
    let most = query.limit.get();
    let (limit, skip) = (most + 1, i64::from(query.skip));
    let rows = if let Some(family) = families {
        let sql = "SELECT r.id, r.title, r.description
                   FROM matching_recipes(to_tsquery('simple', $1)) m JOIN recipes r ON r.seq = m.seq
                   WHERE r.family_id = $4 AND r.deleted_at IS NULL
                   ORDER BY m.rank DESC, r.sort_key, r.id LIMIT $2 OFFSET $3";
        tx.rows(sql, &[&words, &limit, &skip, &family]).await?
    } else {
        let sql = "SELECT id, title, description FROM recipes, to_tsquery('simple', $1) query
                   WHERE words @@ query AND deleted_at IS NULL
                   ORDER BY ts_rank('{0.1, 0.4, 0.6, 1.0}', words, query) DESC, sort_key, id LIMIT $2 OFFSET $3";
        tx.rows(sql, &[&words, &limit, &skip]).await?
    };
    let mut hits = Vec::with_capacity(rows.len());
    for row in &rows {
        hits.push(Hit { id: row.try_get(0)?, title: row.try_get(1)?, description: row.try_get(2)? });
    }
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let more = hits.len() > most;
    hits.truncate(most);
    Ok(Hits { hits, more })
}

/// What to match: all words, or, if no recipe has them all, those that are nearly the same. `None` if there is nothing.
pub(super) async fn expression(
    tx: &Transaction<'_>,
    families: Families,
    text: &str,
) -> Result<Option<String>, Failure> {
    let words = search::words(text);
    let Some(exact) = exact(&words) else { return Ok(None) };
    let sql = match families {
        Some(_) => "SELECT 1 FROM matching_recipes(to_tsquery('simple', $1)) LIMIT 1",
        None => {
            "SELECT 1 FROM recipes WHERE words @@ to_tsquery('simple', $1) AND deleted_at IS NULL LIMIT 1"
        }
    };
    if tx.row(sql, &[&exact]).await?.is_some() {
        return Ok(Some(exact));
    }
    // The role of the transaction sees its own rows alone, so these are the words of this family.
    let sql = "SELECT word FROM ts_stat('SELECT words FROM recipes WHERE deleted_at IS NULL')";
    let mut vocabulary = Vec::new();
    for row in tx.rows(sql, &[]).await? {
        vocabulary.push(row.try_get(0)?);
    }
    let near = search::near(&words, &vocabulary, |_| true);
    Ok(near.map(|near| {
        near.iter().map(|words| format!("({})", words.join(" | "))).collect::<Vec<_>>().join(" & ")
    }))
}

/// All words, the last one as a beginning; `None` if there is no word.
fn exact(words: &[String]) -> Option<String> {
    (!words.is_empty()).then(|| format!("{}:*", words.join(" & ")))
}

#[cfg(test)]
mod tests {
    use super::exact;
    use crate::search::words;

    #[test]
    fn nothing_in_the_words_is_an_operator() {
        assert_eq!(exact(&words("lentil soup")).as_deref(), Some("lentil & soup:*"));
        assert_eq!(exact(&words("a' | !b:*")).as_deref(), Some("a & b:*"));
        assert_eq!(exact(&words(" *\"' ")), None);
    }
}
