//! Finding recipes by words, with PostgreSQL's full-text index. Words are folded here, so that no extension of the server
//! decides what an accent is.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::auth::Scope;
use crate::recipe::Recipe;
use crate::search::{Hit, Hits, SearchQuery};

use super::sight;
use super::transaction::{Failure, Transaction};

/// Bytes of a text that are indexed: the index takes a megabyte in all.
const MOST_BYTES: usize = 200_000;

/// Bytes of a word that count: the index refuses words of 2 kB.
const MOST_OF_A_WORD: usize = 200;

/// Makes the recipe found by its words.
pub(super) async fn index(tx: &Transaction<'_>, seq: i64, recipe: &Recipe) -> Result<(), Failure> {
    let ingredients: Vec<&str> = recipe.ingredients.iter().map(|placed| placed.what.name.as_str()).collect();
    let description = recipe.description.as_ref().map_or("", |text| text.as_str());
    let texts = [recipe.title.as_str(), &recipe.tags.join(" "), &ingredients.join(" "), description]
        .map(|text| words(text).join(" "));
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
    let Some(words) = expression(query.words.as_str()) else { return Ok(Hits::default()) };
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

/// The words of a text: without accents, in lower case, nothing but letters and digits.
fn words(text: &str) -> Vec<String> {
    let plain: String = text.nfkd().filter(|c| !is_combining_mark(*c)).collect();
    let folded = caseless::default_case_fold_str(&plain);
    let mut left = MOST_BYTES;
    let mut words = Vec::new();
    for word in folded.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        let end = word
            .char_indices()
            .map(|(at, c)| at + c.len_utf8())
            .take_while(|end| *end <= MOST_OF_A_WORD)
            .last();
        let word = word.get(..end.unwrap_or_default()).unwrap_or(word);
        match left.checked_sub(word.len() + 1) {
            Some(rest) => left = rest,
            None => break,
        }
        words.push(word.to_owned());
    }
    words
}

/// All words, the last one as a beginning; `None` if there is no word.
fn expression(text: &str) -> Option<String> {
    let words = words(text);
    (!words.is_empty()).then(|| format!("{}:*", words.join(" & ")))
}

#[cfg(test)]
mod tests {
    use super::{MOST_OF_A_WORD, expression, words};

    #[test]
    fn accents_and_case_do_not_count_and_nothing_is_an_operator() {
        assert_eq!(words("Crème  FRAÎCHE, Weiß!"), ["creme", "fraiche", "weiss"]);
        assert_eq!(expression("lentil soup").as_deref(), Some("lentil & soup:*"));
        assert_eq!(expression("a' | !b:*").as_deref(), Some("a & b:*"));
        assert_eq!(expression(" *\"' "), None);
    }

    #[test]
    fn words_and_texts_without_end_are_cut() {
        assert_eq!(words(&"ä".repeat(10_000))[0].len(), MOST_OF_A_WORD);
        assert!(words(&"\u{fdfa} ".repeat(200_000)).join(" ").len() <= super::MOST_BYTES);
    }
}
